// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD
#define GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD

include "Dialect/TensorIR/IR/TensorIRAttrs.td"
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
    index and the actual size of the team, so the result is correct for a team
    of any size. A barrier of the team follows unless `nowait` is set.

    `trace_id` is the loop's number in traces; `name` says what it computes.
    `merge` names a group of neighbouring loops over equal boxes whose iterations
    may run one loop's body right after the other's, without a barrier between
    them: `tir-merge-loops` merges them into one loop.

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
    `per_thread`. It is live until the end of its block, and its contents are
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
    The kernel that a `#tir.kernel` describes. `implementation` says whether it
    is a library kernel or a generated one, and what multiplies in it:
    instructions on vectors, dot products of bytes of A in fixed point, or AMX.
    Without it, `tir-lower-microkernels` applies its default rule. With `ahead`,
    a generated kernel prefetches B this many bytes before it reads them: the
    bytes that follow in memory or, if the rows of B are not adjacent, the rows
    that follow.

    ```mlir
    %kernel = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 32,
        n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, stride_a = 2048,
        stride_b = 4096, beta = 0> implementation(library)
    %few_rows = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4,
        n = 64, k = 64, lda = 64, ldb = 64, ldc = 64, stride_a = 2048,
        stride_b = 4096, beta = 0> implementation(vector) ahead(8192)
    ```

    - (C1) `ahead` is from 1 to 2^30, and only generated kernels have it.
  }];
  let arguments = (ins TensorIR_KernelAttr:$spec,
    OptionalAttr<TensorIR_ImplementationAttr>:$implementation,
    OptionalAttr<I64Attr>:$ahead);
  let hasVerifier = 1;
  let results = (outs TensorIR_KernelType:$kernel);
  let assemblyFormat = [{
    qualified($spec) (`implementation` `(` custom<Implementation>($implementation)^ `)`)?
    (`ahead` `(` $ahead^ `)`)? attr-dict
  }];
  let builders = [OpBuilder<(ins "const ::gc::KernelSpec &":$spec,
    CArg<"::std::optional<::gc::tir::Implementation>", "::std::nullopt">:$implementation,
    CArg<"int64_t", "0">:$ahead)>];
}

def TensorIR_BatchList : MemRefRankOf<[I64], [1]>;

def TensorIR_BrgemmOp : TensorIR_Op<"brgemm", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "calls a batch-reduce GEMM microkernel";
  let description = [{
    Runs the kernel on `batch` blocks. There are three ways to find the blocks
    of A and B: they start at the given elements of the memrefs and are a
    constant stride apart; or they start at byte offsets from these elements,
    held in the first elements of `offsets`; or the memrefs hold the addresses
    of the blocks, starting at the given elements.

    ```mlir
    tir.brgemm %kernel batch(%n) a(%a[%i]) b(%b[%j]) c(%c[%i, %j])
        : memref<64xf32>, memref<64xf32>, memref<8x8xf32>
    tir.brgemm %offset batch(%n) a(%a[%i]) b(%b[%j]) c(%c[%i, %j])
        offsets(%da, %db : memref<4xi64>, memref<4xi64>)
        : memref<64xf32>, memref<64xf32>, memref<8x8xf32>
    tir.brgemm %address batch(%n) a(%pa[%i]) b(%pb[%i]) c(%c[%i, %j])
        : memref<4xi64>, memref<4xi64>, memref<8x8xf32>
    ```

    A kernel with `ld_scale_b` also takes the scales of the first block, and one
    with `zps_b` its zero points, at the same indices:

    ```mlir
    tir.brgemm %grouped batch(%n) a(%a[%i]) b(%b[%j]) c(%c[%i, %j])
        : memref<64xf32>, memref<64xi8>, memref<8x8xf32>
        scales(%s[%j] : memref<64xf32>) zps(%z : memref<64xf32>)
    ```

    - (C1) each memref has one index per dimension.
    - (C2) if the kernel comes from a dispatch op, the element types are those
      of the kernel, signless; those of A and B are i64 if blocks are found by
      address.
    - (C3) there are offsets if and only if blocks are found by offset.
    - (C4) lists of offsets and of addresses are contiguous.
    - (C5) there are scales and zero points if and only if the kernel reads
      them; scales are f32, and zero points have the type of the scales.
  }];
  let arguments = (ins TensorIR_KernelType:$kernel, Index:$batch,
    AnyMemRef:$a, Variadic<Index>:$a_indices,
    AnyMemRef:$b, Variadic<Index>:$b_indices,
    AnyMemRef:$c, Variadic<Index>:$c_indices,
    Optional<TensorIR_BatchList>:$a_offsets,
    Optional<TensorIR_BatchList>:$b_offsets,
    Optional<AnyMemRef>:$scales, Variadic<Index>:$scale_indices,
    Optional<AnyMemRef>:$zps);
  let assemblyFormat = [{
    $kernel `batch` `(` $batch `)` `a` `(` $a `[` $a_indices `]` `)`
    `b` `(` $b `[` $b_indices `]` `)` `c` `(` $c `[` $c_indices `]` `)`
    (`offsets` `(` $a_offsets^ `,` $b_offsets `:` type($a_offsets) `,`
     type($b_offsets) `)`)?
    attr-dict `:` type($a) `,` type($b) `,` type($c)
    (`scales` `(` $scales^ `[` $scale_indices `]` `:` type($scales) `)`)?
    (`zps` `(` $zps^ `:` type($zps) `)`)?
  }];
  let hasVerifier = 1;
  let skipDefaultBuilders = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$kernel,
    "::mlir::Value":$batch, "::mlir::Value":$a, "::mlir::ValueRange":$aIndices,
    "::mlir::Value":$b, "::mlir::ValueRange":$bIndices, "::mlir::Value":$c,
    "::mlir::ValueRange":$cIndices, CArg<"::mlir::Value", "{}">:$scales,
    CArg<"::mlir::ValueRange", "{}">:$scaleIndices,
    CArg<"::mlir::Value", "{}">:$zps)>];
  let extraClassDeclaration = [{
    /// The kernel's spec if a dispatch op defines it.
    std::optional<::gc::KernelSpec> getSpec();
  }];
}

#endif // GC_DIALECT_TENSORIR_IR_TENSORIROPS_TD
