// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUOPBASE_TD
#define GC_DIALECT_NPU_IR_NPUOPBASE_TD

include "Dialect/Npu/IR/NpuAttrs.td"
include "Dialect/Npu/IR/NpuInterfaces.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class Npu_Op<string mnemonic, list<Trait> traits = []>
    : Op<Npu_Dialect, mnemonic, traits>;

/// Memory that an op reads, writes, or adds to.
def Npu_Source : Arg<AnyMemRef, "", [MemRead]>;
def Npu_Target : Arg<AnyMemRef, "", [MemWrite]>;
def Npu_Accumulator : Arg<AnyMemRef, "", [MemRead, MemWrite]>;

/// An op that a pipe executes.
class Npu_PipeOp<string mnemonic, list<Trait> traits = []>
    : Npu_Op<mnemonic, traits # [DeclareOpInterfaceMethods<PipeOpInterface>]>;

/// One instruction; `methods` are the interface methods that it has besides
/// getInstruction.
class Npu_InstructionOp<string mnemonic, list<Trait> traits = [],
                        list<string> methods = []>
    : Npu_PipeOp<mnemonic, traits # [
        DeclareOpInterfaceMethods<InstructionOpInterface, methods>]> {
  let hasVerifier = 1;
}

/// A tile op that passes expand into instructions.
class Npu_TileOp<string mnemonic, list<Trait> traits = []>
    : Npu_PipeOp<mnemonic,
        traits # [DeclareOpInterfaceMethods<TileOpInterface>]> {
  let hasVerifier = 1;
}

#endif // GC_DIALECT_NPU_IR_NPUOPBASE_TD
