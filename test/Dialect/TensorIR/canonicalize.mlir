// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Effects of the ops, as upstream's passes see them.

// RUN: gc-opt %s --canonicalize --cse | FileCheck %s

// Kernels are values: equal ones are one, unused ones go. Calls write memory.
// CHECK-LABEL: func.func @kernels
func.func @kernels(%a: memref<4x4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: %[[K:.*]] = tir.brgemm_dispatch
  // CHECK-NOT: tir.brgemm_dispatch
  %0 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1>
  %1 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1>
  %2 = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 2, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1>
  // CHECK: tir.brgemm %[[K]]
  // CHECK: tir.brgemm %[[K]]
  tir.brgemm %0 batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  tir.brgemm %1 batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%a[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  return
}

// A loop has the effects of its body: one without effects goes. Barriers stay.
// CHECK-LABEL: func.func @loops
func.func @loops(%m: memref<4xf32>, %x: f32) {
  // CHECK-NOT: in (8)
  tir.parallel (%i) in (8) {
    %0 = arith.addf %x, %x : f32
  }
  // CHECK: tir.parallel (%{{.*}}) in (4)
  tir.parallel (%i) in (4) {
    memref.store %x, %m[%i] : memref<4xf32>
  }
  // CHECK: tir.barrier
  // CHECK: tir.barrier
  tir.barrier
  tir.barrier
  return
}

// Two temporaries are two, however alike they are.
// CHECK-LABEL: func.func @scratch
func.func @scratch(%x: f32) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-2: tir.scratch
  %0 = tir.scratch : memref<4xf32>
  %1 = tir.scratch : memref<4xf32>
  memref.store %x, %0[%c0] : memref<4xf32>
  memref.store %x, %1[%c0] : memref<4xf32>
  return
}
