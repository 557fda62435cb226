// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_TENSORIR_IR_TENSORIRATTRS_TD
#define GC_DIALECT_TENSORIR_IR_TENSORIRATTRS_TD

include "Dialect/TensorIR/IR/TensorIRDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"

def TensorIR_KernelAttr : AttrDef<TensorIR_Dialect, "KernelSpec"> {
  let mnemonic = "kernel";
  let summary = "what a batch-reduce GEMM microkernel computes";
  let description = [{
    C[m, n] = beta * C + sum over i < batch of A_i[m, k] * B_i[k, n] on
    row-major blocks:

    ```mlir
    #tir.kernel<f32 x f32 -> f32 acc f32, m = 32, n = 64, k = 64, lda = 64,
                ldb = 64, ldc = 64, stride_a = 2048, stride_b = 4096, beta = 1>
    #tir.kernel<u8 x s8 -> u8 acc s32, m = 32, n = 64, k = 64, lda = 64,
                ldb = 64, ldc = 64, pack_b = 4, batch = offset, beta = 0>
    ```

    The types are those of A, B, C and the sums: f32, bf16, f16, s8, u8, s32, s4
    or u4. If the type of C differs from that of the sums, C is converted to and
    from it.

    `lda`, `ldb` and `ldc` are distances between rows, in elements. With
    `transpose_a`, A is stored as k rows of m elements; with `transpose_b`, B is
    stored as n rows of k elements. With `pack_a` or `pack_b` (VNNI), that many
    neighbours along k are adjacent in memory: B is ceil(k / pack_b) rows of n
    groups, and a row of groups takes pack_b * ldb elements.

    The blocks of a batch are `stride_a` and `stride_b` elements apart, or at
    byte offsets from the first block (`batch = offset`), or at addresses
    (`batch = address`). Offsets and addresses are held in lists.

    If A is f32, a B of a narrower type is converted to f32. With `ld_scale_b`
    the kernel reads f32 scales of B, and with `zps_b` zero points too: one row
    for each block of the batch, with `ld_scale_b` elements from one row to the
    next. Two 4-bit elements share a byte, the first one in its lower half.

    ```mlir
    #tir.kernel<f32 x s4 -> f32 acc f32, m = 1, n = 64, k = 128, lda = 128,
                ldb = 64, ldc = 64, pack_b = 8, stride_a = 128, stride_b = 8192,
                beta = 0, ld_scale_b = 64>
    ```

    - (C1) m, n, k are at least 1.
    - (C2) a leading dimension is at least the length of a stored row; the rows
      of an A that is not transposed may overlap if they are at least one
      element apart.
    - (C3) beta is 0 or 1.
    - (C4) A and B are both floating-point numbers or both 8-bit integers, or A
      is f32 and B an integer of 8 or 4 bits.
    - (C5) sums are in f32 for floating-point numbers, in s32 for integers.
    - (C6) packing is 1, or as many elements as fill 32 bits.
    - (C7) only operands whose rows run across k are packed: a transposed A, or
      a B that is not transposed.
    - (C8) k is a multiple of the packing of A. If k ends inside the last group
      of B, only the part of the group before k is used.
    - (C9) only blocks at a constant stride have strides.
    - (C10) zero points (`zp_a`, `zp_b`), which are subtracted from the elements of
      an operand, are from -128 to 255, and 0 unless elements are integers.
    - (C11) `ld_scale_b` is only for integers that are converted to f32, and is
      at least n.
    - (C12) `zps_b` needs `ld_scale_b`; `zp_b` is then 0.
    - (C13) C does not have 4-bit elements, and `stride_b` is even if B has
      them.
  }];
  let parameters = (ins AttrParameter<"::gc::KernelSpec", "the spec">:$value);
  let returnType = "::gc::KernelSpec";
  let convertFromStorage = "$_self.getValue()";
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def TensorIR_Implementation : I32EnumAttr<"Implementation",
    "implementation of a microkernel", [
    I32EnumAttrCase<"library", 0>, I32EnumAttrCase<"vector", 1>,
    I32EnumAttrCase<"fixed_point", 2>, I32EnumAttrCase<"amx", 3>]> {
  let cppNamespace = "::gc::tir";
  let genSpecializedAttr = 0;
}

def TensorIR_ImplementationAttr : EnumAttr<TensorIR_Dialect,
    TensorIR_Implementation, "implementation"> {
  let summary = "a kernel of the library, or a generated one";
}

#endif // GC_DIALECT_TENSORIR_IR_TENSORIRATTRS_TD
