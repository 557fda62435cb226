// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A dialect of another project that joins the Graph dialect's passes: its ops
// implement interfaces, and nothing else in the source knows them.

#ifndef GC_TEST_LIB_TESTGRAPHOPS_TD
#define GC_TEST_LIB_TESTGRAPHOPS_TD

include "Dialect/Graph/IR/GraphInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TestGraph_Dialect : Dialect {
  let name = "test_graph";
  let cppNamespace = "::gc::test";
}

class TestGraph_Op<string mnemonic, list<string> overrides = []>
    : Op<TestGraph_Dialect, mnemonic, [Pure,
        DeclareOpInterfaceMethods<FusibleOpInterface, overrides>,
        DeclareOpInterfaceMethods<ScalarBodyOpInterface>]> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def TestGraph_SplitSignOp : TestGraph_Op<"split_sign"> {
  let summary = "positive and negative part";
  let arguments = (ins RankedTensorOf<[F32]>:$src);
  let results = (outs RankedTensorOf<[F32]>:$positive,
    RankedTensorOf<[F32]>:$negative);
}

def TestGraph_WithTransposeOp : TestGraph_Op<"with_transpose",
    ["getIterationSpace", "getResultMap"]> {
  let summary = "transpose of 2x, and 3x";
  let arguments = (ins RankedTensorOf<[F32]>:$src);
  let results = (outs RankedTensorOf<[F32]>:$transposed,
    RankedTensorOf<[F32]>:$straight);
}

// Two results of a reduction, which a region refuses.
def TestGraph_ReduceTwiceOp : TestGraph_Op<"reduce_twice",
    ["getFusibleKind"]> {
  let summary = "a reduction with two results";
  let arguments = (ins RankedTensorOf<[F32]>:$src);
  let results = (outs RankedTensorOf<[F32]>:$first, RankedTensorOf<[F32]>:$second);
}

#endif // GC_TEST_LIB_TESTGRAPHOPS_TD
