// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD
#define GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD

include "Dialect/TensorIR/IR/TensorIRDialect.td"
include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/LoopLikeInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TensorIR_Op<string mnemonic, list<Trait> traits = []>
    : Op<TensorIR_Dialect, mnemonic, traits>;

def TensorIR_ParallelOp : TensorIR_Op<"parallel", [
    SingleBlockImplicitTerminator<"::gc::tir::YieldOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<LoopLikeOpInterface>]> {
  let summary = "a loop nest whose iterations the threads of a team share";
  let description = [{
    Iterates over the box [0, d0) x [0, d1) x ... The iterations, counted in
    row-major order, are divided into contiguous balanced shares by the thread's
    index and the actual size of the team, so any team of one or more threads is
    correct. A barrier of the team follows unless `nowait` is set.

    `trace_id` numbers the loop for the trace, `name` says what it computes.
    `merge` names a group of neighbouring loops over equal boxes whose iterations
    may run one loop's body right after the other's, without a barrier between
    them: `tir-merge-loops` makes them one loop.

    - (C1) one block argument of type index per size.
    - (C2) sizes are at least 1.
    - (C3) parallel loops are not nested.
  }];
  let arguments = (ins DenseI64ArrayAttr:$sizes, UnitAttr:$nowait,
    OptionalAttr<StrAttr>:$name, OptionalAttr<I64Attr>:$trace_id,
    OptionalAttr<I64Attr>:$merge);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::llvm::ArrayRef<int64_t>":$sizes,
    "::llvm::function_ref<void(::mlir::OpBuilder &, ::mlir::Location, "
    "::mlir::ValueRange)>":$body)>];
}

def TensorIR_YieldOp : TensorIR_Op<"yield", [Pure, Terminator, ReturnLike,
    HasParent<"::gc::tir::ParallelOp">]> {
  let summary = "end of a parallel body";
  let assemblyFormat = "attr-dict";
}

def TensorIR_BarrierOp : TensorIR_Op<"barrier"> {
  let summary = "waits until all threads of the team have arrived";
  let assemblyFormat = "attr-dict";
}

def TensorIR_ScratchOp : TensorIR_Op<"scratch"> {
  let summary = "a temporary buffer";
  let description = [{
    A buffer in the arena, shared by the team, or one per thread with
    `per_thread`. It is alive until the end of the block that it is in, and
    undefined whenever that block begins: an iteration of a loop does not see
    what the previous one left in a temporary of the loop's body.

    - (C1) the memref has a static shape and the identity layout.
    - (C2) its elements are integers or floating-point numbers in the default
      memory space.
  }];
  let arguments = (ins UnitAttr:$per_thread);
  let results = (outs Res<AnyMemRef, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "(`per_thread` $per_thread^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def TensorIR_BrgemmDispatchOp : TensorIR_Op<"brgemm_dispatch", [Pure]> {
  let summary = "a batch-reduce GEMM microkernel";
  let description = [{
    The kernel C[m, n] = beta * C + sum over i < batch of A_i[m, k] * B_i[k, n]
    on row-major blocks: lda, ldb, ldc are elements between rows, stride_a and
    stride_b elements between consecutive blocks.

    - (C1) m, n, k are at least 1.
    - (C2) lda >= k, ldb >= n, ldc >= n.
    - (C3) beta is 0 or 1.
  }];
  let arguments = (ins TypeAttr:$type, I64Attr:$m, I64Attr:$n, I64Attr:$k,
    I64Attr:$lda, I64Attr:$ldb, I64Attr:$ldc, I64Attr:$stride_a,
    I64Attr:$stride_b, I64Attr:$beta);
  let results = (outs TensorIR_KernelType:$kernel);
  let assemblyFormat = [{
    $type `m` `=` $m `n` `=` $n `k` `=` $k `lda` `=` $lda `ldb` `=` $ldb
    `ldc` `=` $ldc `stride_a` `=` $stride_a `stride_b` `=` $stride_b
    `beta` `=` $beta attr-dict
  }];
  let hasVerifier = 1;
}

def TensorIR_BrgemmOp : TensorIR_Op<"brgemm", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "calls a batch-reduce GEMM microkernel";
  let description = [{
    Runs the kernel on `batch` blocks that start at the given elements of the
    three memrefs.

    - (C1) as many indices as each memref has dimensions.
    - (C2) the element types are those of the kernel where it is a dispatch op.
  }];
  let arguments = (ins TensorIR_KernelType:$kernel, Index:$batch,
    AnyMemRef:$a, Variadic<Index>:$a_indices,
    AnyMemRef:$b, Variadic<Index>:$b_indices,
    AnyMemRef:$c, Variadic<Index>:$c_indices);
  let assemblyFormat = [{
    $kernel `batch` `(` $batch `)` `a` `(` $a `[` $a_indices `]` `)`
    `b` `(` $b `[` $b_indices `]` `)` `c` `(` $c `[` $c_indices `]` `)`
    attr-dict `:` type($a) `,` type($b) `,` type($c)
  }];
  let hasVerifier = 1;
}

#endif // GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD
