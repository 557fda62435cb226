// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What is not a kernel: the rules (C1) to (C9), then the text.

// RUN: gc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(C1) m, n, k must be at least 1}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 0, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C1) m, n, k must be at least 1}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = -4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C2) a leading dimension is smaller than a row}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 0, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C2) a leading dimension is smaller than a row}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 3, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C2) a leading dimension is smaller than a row}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = -4, beta = 0>

// -----

// expected-error @+1 {{(C2) a leading dimension is smaller than a row}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, transpose_a, beta = 0>

// -----

// expected-error @+1 {{(C2) a leading dimension is smaller than a row}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 8, lda = 8, ldb = 4, ldc = 4, transpose_b, beta = 0>

// -----

// expected-error @+1 {{(C3) beta must be 0 or 1}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 2>

// -----

// expected-error @+1 {{(C4) A and B must both be floating-point numbers or both be 8-bit integers, or A must be f32 and B an integer of 8 or 4 bits}}
%0 = tir.brgemm_dispatch #tir.kernel<bf16 x s8 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C4) A and B must both be floating-point numbers or both be 8-bit integers, or A must be f32 and B an integer of 8 or 4 bits}}
%0 = tir.brgemm_dispatch #tir.kernel<s32 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C5) sums must be in f32 for floating-point numbers and in s32 for integers}}
%0 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> bf16 acc bf16, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C5) sums must be in f32 for floating-point numbers and in s32 for integers}}
%0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C6) the packing must be 1 or as many elements as fill 32 bits}}
%0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 2, beta = 0>

// -----

// expected-error @+1 {{(C6) the packing must be 1 or as many elements as fill 32 bits}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 2, beta = 0>

// -----

// expected-error @+1 {{(C7) only an operand whose rows run across k can be packed}}
%0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_a = 4, beta = 0>

// -----

// expected-error @+1 {{(C7) only an operand whose rows run across k can be packed}}
%0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, transpose_b, pack_b = 4, beta = 0>

// -----

// expected-error @+1 {{(C8) k must be a multiple of the packing of A}}
%0 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 4, k = 3, lda = 4, ldb = 4, ldc = 4, transpose_a, pack_a = 2, beta = 0>

// -----

// expected-error @+1 {{(C9) only blocks at a constant stride can have strides}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, stride_a = 16, batch = offset, beta = 0>

// -----

// expected-error @+1 {{expected an element type of kernels: f32 bf16 f16 s8 u8 s32}}
%0 = tir.brgemm_dispatch #tir.kernel<f64 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{expected an element type of kernels: f32 bf16 f16 s8 u8 s32}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc 4, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{expected a form of batch: stride offset address}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, batch = list, beta = 0>

// -----

// expected-error @+1 {{kernel without 'beta'}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4>

// -----

// expected-error @+1 {{kernel without 'm'}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{'beta' is given twice}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0, beta = 1>

// -----

// expected-error @+1 {{'alpha' is not a field of a kernel}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, alpha = 1, beta = 0>

// -----

// expected-error @+1 {{expected integer value}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0.5>

// -----

// expected-error @+1 {{(C10) zero points must be from -128 to 255, and 0 unless elements are integers}}
%0 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, zp_a = 1, beta = 0>

// -----

// expected-error @+1 {{(C10) zero points must be from -128 to 255, and 0 unless elements are integers}}
%0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, zp_b = 256, beta = 0>

// -----

// expected-error @+1 {{(C4) A and B must both be floating-point numbers or both be 8-bit integers, or A must be f32 and B an integer of 8 or 4 bits}}
%0 = tir.brgemm_dispatch #tir.kernel<s4 x s8 -> s32 acc s32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 0>

// -----

// expected-error @+1 {{(C11) only integers that are converted to f32 have scales, in rows of at least n}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x bf16 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 2, beta = 0, ld_scale_b = 4>

// -----

// expected-error @+1 {{(C11) only integers that are converted to f32 have scales, in rows of at least n}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 4, beta = 0, ld_scale_b = 3>

// -----

// expected-error @+1 {{(C12) zero points in memory need scales, and none in the spec}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 4, beta = 0, zps_b>

// -----

// expected-error @+1 {{(C12) zero points in memory need scales, and none in the spec}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x s8 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, pack_b = 4, zp_b = 1, beta = 0, ld_scale_b = 4, zps_b>

// -----

// expected-error @+1 {{(C13) C cannot have elements of 4 bits, and blocks of B that has them are an even number of elements apart}}
%0 = tir.brgemm_dispatch #tir.kernel<f32 x s4 -> f32 acc f32, m = 4, n = 4, k = 8, lda = 8, ldb = 4, ldc = 4, pack_b = 8, stride_b = 129, beta = 0>
