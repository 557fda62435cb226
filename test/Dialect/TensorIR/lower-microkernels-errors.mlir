// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels
// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels=kernel=vector
// RUN: gc-opt %s -split-input-file -verify-diagnostics -tir-lower-microkernels=kernel=libxsmm
// RUN: not gc-opt %s -split-input-file -tir-lower-microkernels=kernel=mkl 2>&1 | FileCheck %s

// CHECK: error: kernel must be auto, libxsmm or vector, not 'mkl'

func.func @type(%a: memref<8x8xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-error @below {{'tir.brgemm_dispatch' op element type 'bf16' has no kernel, only f32 has}}
  %k = tir.brgemm_dispatch bf16 m = 8 n = 8 k = 8 lda = 8 ldb = 8 ldc = 8
    stride_a = 64 stride_b = 64 beta = 0
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xbf16>, memref<8x8xbf16>, memref<8x8xbf16>
  return
}

// -----

func.func @batch(%a: memref<8x8xf32>) {
  %c0 = arith.constant 0 : index
  %k = tir.brgemm_dispatch f32 m = 8 n = 8 k = 8 lda = 8 ldb = 8 ldc = 8
    stride_a = 64 stride_b = 64 beta = 0
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
  %k = tir.brgemm_dispatch f32 m = 8 n = 8 k = 8 lda = 8 ldb = 8 ldc = 8
    stride_a = 64 stride_b = 64 beta = 0
  // expected-error @below {{'func.return' op uses a kernel handle, which only tir.brgemm may}}
  return %k : !tir.kernel
}

// -----

#transposed_blocks = affine_map<(i, j) -> (j floordiv 2, i, j mod 2)>
func.func @layout(%a: memref<8x8xf32, #transposed_blocks>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %k = tir.brgemm_dispatch f32 m = 8 n = 8 k = 8 lda = 8 ldb = 8 ldc = 8
    stride_a = 64 stride_b = 64 beta = 0
  // expected-error-re @below {{'tir.brgemm' op layout of {{.*}} is not strided}}
  tir.brgemm %k batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0])
    : memref<8x8xf32, #transposed_blocks>, memref<8x8xf32, #transposed_blocks>,
      memref<8x8xf32, #transposed_blocks>
  return
}
