// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels
// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels=kernel=vector
// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels=kernel=libxsmm
// RUN: not gc-opt %s -split-input-file -tir-lower-microkernels=kernel=mkl 2>&1 | FileCheck %s

// CHECK: for the --kernel option: Cannot find option named 'mkl'!

// The error names the whole kernel.
func.func @type(%a: memref<8x8xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tir.brgemm_dispatch' op has no kernel for bf16 x bf16 packed by 2 -> bf16, sums in f32, m=8 n=8 k=8 lda=8 ldb=8 ldc=8 stride_a=64 stride_b=64 beta=0: }}
  %k = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> bf16 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, pack_b = 2, stride_a = 64, stride_b = 64, beta = 0>
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xbf16>
  return
}

// -----

func.func @library_type() {
  // expected-error @below {{has no kernel for u8 x s8 -> s32, sums in s32, m=8 n=8 k=8 lda=8 ldb=8 ldc=8 stride_a=0 stride_b=0 beta=1: the library has kernels in f32 only}}
  %k = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> s32 acc s32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, beta = 1> implementation(library)
  return
}

// -----

func.func @vector_type() {
  // expected-error @below {{has no kernel for f32 x s4 -> f32, sums in f32, m=8 n=8 k=8 lda=8 ldb=8 ldc=8 batch=offset beta=1: generated kernels read B of 4-bit types or with scales packed}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x s4 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, batch = offset, beta = 1> implementation(vector)
  return
}

// -----

func.func @library_transposed() {
  // expected-error @below {{has no kernel for f32 x f32 transposed -> f32, sums in f32, m=8 n=8 k=8 lda=8 ldb=8 ldc=8 stride_a=0 stride_b=0 beta=0: kernels of the library do not support transposed or packed operands in f32}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, transpose_b, beta = 0> implementation(library)
  return
}

// -----

func.func @vector_transposed() {
  // expected-error @below {{generated kernels do not support a transposed or packed A}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, transpose_a, beta = 0> implementation(vector)
  return
}

// -----

func.func @dot_of_narrower() {
  // expected-error @below {{generated kernels read a transposed B only if its elements have as many bits as those of A, or 8 or 16 by f32, and no scales}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x u4 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, transpose_b, beta = 0> implementation(vector)
  return
}

// -----

func.func @fixed_point_of_f32() {
  // expected-error @below {{beta=0: there are no fixed_point kernels of this kind on this machine}}
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 1, n = 32, k = 64, lda = 64, ldb = 32, ldc = 32, beta = 0> implementation(fixed_point)
  return
}

// -----

func.func @dots_of_many_rows() {
  // expected-error @below {{generated kernels of integers have at most 65536 rows}}
  %k = tir.brgemm_dispatch #tir.kernel<u8 x u8 -> s32 acc s32, m = 65537, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, transpose_b, beta = 0> implementation(vector)
  return
}

// -----

func.func @dot_of_groups() {
  // expected-error @below {{generated kernels read a transposed B only if k is a multiple of the elements that fill 32 bits}}
  %k = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 8, n = 8, k = 7, lda = 8, ldb = 8, ldc = 8, transpose_b, beta = 0> implementation(vector)
  return
}

// -----

func.func @batch(%a: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, stride_a = 64, stride_b = 64, beta = 0>
  // expected-error @below {{'tir.brgemm' op batch is 0, not 1 or more}}
  tir.brgemm %k batch(%c0) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  return
}

// -----

func.func @argument(%k: !tir.kernel, %a: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tir.brgemm' op the kernel is not that of a brgemm_dispatch op}}
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xf32>, memref<8x8xf32>, memref<8x8xf32>
  return
}

// -----

func.func @escape() -> !tir.kernel {
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, stride_a = 64, stride_b = 64, beta = 0>
  // expected-error @below {{'func.return' op uses a kernel handle, which only tir.brgemm may}}
  return %k : !tir.kernel
}

// -----

#transposed_blocks = affine_map<(i, j) -> (j floordiv 2, i, j mod 2)>
func.func @layout(%a: memref<8x8xf32, #transposed_blocks>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 8, n = 8, k = 8, lda = 8, ldb = 8, ldc = 8, stride_a = 64, stride_b = 64, beta = 0>
  // expected-error-re @below {{'tir.brgemm' op layout of {{.*}} is not strided}}
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xf32, #transposed_blocks>, memref<8x8xf32, #transposed_blocks>,
      memref<8x8xf32, #transposed_blocks>
  return
}
