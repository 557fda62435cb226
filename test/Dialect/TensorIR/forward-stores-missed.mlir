// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads that must read memory, and stores that must stay.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-forward-stores))" | FileCheck %s

// Overwritten through a view of the temporary.
// CHECK-LABEL: func.func @alias
func.func @alias(%x: f32, %y: f32, %m: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %t = tir.scratch per_thread : memref<4xf32>
  %v = memref.reinterpret_cast %t to offset: [0], sizes: [2, 2], strides: [2, 1] : memref<4xf32> to memref<2x2xf32>
  // CHECK-COUNT-2: memref.store
  memref.store %x, %t[%c0] : memref<4xf32>
  memref.store %y, %v[%c0, %c0] : memref<2x2xf32>
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: memref.store %[[A]], %arg2
  %0 = memref.load %t[%c0] : memref<4xf32>
  memref.store %0, %m[%c0] : memref<1xf32>
  return
}

// -----

// Overwritten on one way only.
// CHECK-LABEL: func.func @branch
func.func @branch(%x: f32, %y: f32, %cond: i1, %m: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %t = tir.scratch per_thread : memref<1xf32>
  memref.store %x, %t[%c0] : memref<1xf32>
  scf.if %cond {
    memref.store %y, %t[%c0] : memref<1xf32>
  }
  // CHECK: scf.if
  // CHECK: }
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: memref.store %[[A]], %arg3
  %0 = memref.load %t[%c0] : memref<1xf32>
  memref.store %0, %m[%c0] : memref<1xf32>
  return
}

// -----

// Overwritten by a kernel.
// CHECK-LABEL: func.func @kernel
func.func @kernel(%x: f32, %a: memref<4x4xf32>, %m: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %t = tir.scratch per_thread : memref<4x4xf32>
  memref.store %x, %t[%c0, %c0] : memref<4x4xf32>
  %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1>
  // CHECK: tir.brgemm %
  tir.brgemm %g batch(%c1) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%t[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: memref.store %[[A]], %arg2
  %0 = memref.load %t[%c0, %c0] : memref<4x4xf32>
  memref.store %0, %m[%c0] : memref<1xf32>
  return
}

// -----

// An argument is memory of the caller, who may know it by another name.
// CHECK-LABEL: func.func @argument
func.func @argument(%x: f32, %y: f32, %a: memref<1xf32>, %b: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK-COUNT-2: memref.store
  memref.store %x, %a[%c0] : memref<1xf32>
  memref.store %y, %b[%c0] : memref<1xf32>
  // CHECK: %[[A:.*]] = memref.load
  // CHECK: memref.store %[[A]]
  %0 = memref.load %a[%c0] : memref<1xf32>
  memref.store %0, %b[%c0] : memref<1xf32>
  return
}

// -----

// The temporary is given away: its stores are seen.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: f32) -> memref<1xf32> {
  %c0 = arith.constant 0 : index
  %t = tir.scratch per_thread : memref<1xf32>
  // CHECK: memref.store
  memref.store %x, %t[%c0] : memref<1xf32>
  return %t : memref<1xf32>
}
