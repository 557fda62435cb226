// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-forward-stores))" | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @scalar
// CHECK-SAME: %[[X:.*]]: f32, %[[M:.*]]: memref<1xf32>
func.func @scalar(%x: f32, %m: memref<1xf32>) {
  // CHECK-NEXT: %[[C0:.*]] = arith.constant 0
  // CHECK-NEXT: memref.store %[[X]], %[[M]][%[[C0]]]
  // CHECK-NEXT: return
  %c0 = arith.constant 0 : index
  %t = tir.scratch per_thread : memref<1xf32>
  memref.store %x, %t[%c0] : memref<1xf32>
  %y = memref.load %t[%c0] : memref<1xf32>
  memref.store %y, %m[%c0] : memref<1xf32>
  return
}

// -----

// A chain of temporaries, as vectors, whose index is computed twice.
// CHECK-LABEL: func.func @chain
// CHECK-SAME: %[[IN:.*]]: memref<64xf32>, %[[OUT:.*]]: memref<64xf32>
func.func @chain(%in: memref<64xf32>, %out: memref<64xf32>) {
  %c8 = arith.constant 8 : index
  %a = tir.scratch : memref<64xf32>
  %b = tir.scratch : memref<64xf32>
  // CHECK-NOT: tir.scratch
  // CHECK: tir.parallel (%[[I:.*]]) in (8)
  tir.parallel (%i) in (8) {
    // CHECK: %[[V:.*]] = vector.load %[[IN]]
    // CHECK-NEXT: %[[W:.*]] = arith.addf %[[V]], %[[V]]
    // CHECK-NEXT: %[[U:.*]] = arith.mulf %[[W]], %[[W]]
    // CHECK-NEXT: vector.store %[[U]], %[[OUT]]
    // CHECK-NEXT: }
    %j = affine.apply affine_map<(i) -> (i * 8)>(%i)
    %k = affine.apply affine_map<(i) -> (i * 8)>(%i)
    // CHECK: return
    %0 = vector.load %in[%j] : memref<64xf32>, vector<8xf32>
    %1 = arith.addf %0, %0 : vector<8xf32>
    vector.store %1, %a[%j] : memref<64xf32>, vector<8xf32>
    %2 = vector.load %a[%k] : memref<64xf32>, vector<8xf32>
    %3 = arith.mulf %2, %2 : vector<8xf32>
    vector.store %3, %b[%k] : memref<64xf32>, vector<8xf32>
    %4 = vector.load %b[%j] : memref<64xf32>, vector<8xf32>
    vector.store %4, %out[%j] : memref<64xf32>, vector<8xf32>
  }
  return
}

// -----

// Inside of loops and branches that do not write to it; a store elsewhere in the
// buffer does not matter, nor do other buffers.
// CHECK-LABEL: func.func @nested
// CHECK-SAME: %[[X:.*]]: f32, %[[Y:.*]]: f32
func.func @nested(%x: f32, %y: f32, %cond: i1, %m: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = tir.scratch per_thread : memref<2xf32>
  // CHECK: tir.scratch
  // CHECK: tir.parallel
  tir.parallel (%p) in (2) {
    memref.store %x, %t[%c0] : memref<2xf32>
    memref.store %y, %t[%c1] : memref<2xf32>
    scf.for %i = %c0 to %c8 step %c1 {
      scf.if %cond {
        // CHECK: scf.if
        // CHECK-NEXT: memref.store %[[X]], %arg3
        %0 = memref.load %t[%c0] : memref<2xf32>
        memref.store %0, %m[%i] : memref<8xf32>
      }
    }
    // Not here: the index is not known.
    // CHECK: memref.load
    %1 = memref.load %t[%p] : memref<2xf32>
    memref.store %1, %m[%c0] : memref<8xf32>
  }
  return
}

// -----

// A sum over a loop reads what the iteration before wrote.
// CHECK-LABEL: func.func @loop
func.func @loop(%x: f32, %m: memref<1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = tir.scratch per_thread : memref<1xf32>
  // CHECK: memref.store
  // CHECK: scf.for
  // CHECK: memref.load
  // CHECK: memref.store
  // CHECK: }
  // CHECK: memref.load
  memref.store %x, %t[%c0] : memref<1xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    %0 = memref.load %t[%c0] : memref<1xf32>
    %1 = arith.addf %0, %x : f32
    memref.store %1, %t[%c0] : memref<1xf32>
  }
  %2 = memref.load %t[%c0] : memref<1xf32>
  memref.store %2, %m[%c0] : memref<1xf32>
  return
}

// -----

// Overwritten in part, by a call, by others after a barrier, by other threads.
// CHECK-LABEL: func.func @overwritten
func.func private @use(memref<16xf32>)
func.func @overwritten(%v: vector<8xf32>, %x: f32, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %t = tir.scratch : memref<16xf32>
  vector.store %v, %t[%c0] : memref<16xf32>, vector<8xf32>
  vector.store %v, %t[%c4] : memref<16xf32>, vector<8xf32>
  // CHECK: %[[A:.*]] = vector.load
  // CHECK: vector.store %[[A]], %arg2
  %0 = vector.load %t[%c0] : memref<16xf32>, vector<8xf32>
  vector.store %0, %m[%c0] : memref<16xf32>, vector<8xf32>
  memref.store %x, %t[%c0] : memref<16xf32>
  func.call @use(%t) : (memref<16xf32>) -> ()
  // CHECK: %[[B:.*]] = memref.load
  // CHECK: memref.store %[[B]], %arg2
  %1 = memref.load %t[%c0] : memref<16xf32>
  memref.store %1, %m[%c0] : memref<16xf32>
  memref.store %x, %t[%c0] : memref<16xf32>
  tir.barrier
  // CHECK: %[[C:.*]] = memref.load
  // CHECK: memref.store %[[C]], %arg2
  %2 = memref.load %t[%c0] : memref<16xf32>
  memref.store %2, %m[%c0] : memref<16xf32>
  memref.store %x, %t[%c0] : memref<16xf32>
  tir.parallel (%p) in (2) {
    // CHECK: tir.parallel
    // CHECK: %[[D:.*]] = memref.load
    // CHECK: memref.store %[[D]], %arg2
    %3 = memref.load %t[%c0] : memref<16xf32>
    memref.store %3, %m[%p] : memref<16xf32>
  }
  return
}

// -----

// A store of a different width is not a value to forward.
// CHECK-LABEL: func.func @width
func.func @width(%v: vector<8xf32>, %m: memref<16xf32>) {
  %c0 = arith.constant 0 : index
  %t = tir.scratch per_thread : memref<16xf32>
  // CHECK: vector.store
  // CHECK: vector.load
  vector.store %v, %t[%c0] : memref<16xf32>, vector<8xf32>
  %0 = vector.load %t[%c0] : memref<16xf32>, vector<4xf32>
  vector.store %0, %m[%c0] : memref<16xf32>, vector<4xf32>
  return
}

// -----

// Nothing reads %b, so nothing reads %a either; the kernel that fills %b is not
// run. Temporaries that are read or given away stay.
// CHECK-LABEL: func.func @dead
func.func private @use(memref<4x4xf32>)
func.func @dead(%in: memref<4x4xf32>, %x: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK-COUNT-1: tir.scratch
  // CHECK-NOT: tir.scratch
  %unused = tir.scratch : memref<8xf32>
  %a = tir.scratch : memref<4x4xf32>
  %b = tir.scratch : memref<4x4xf32>
  %given = tir.scratch : memref<4x4xf32>
  // CHECK-NOT: memref.store
  // CHECK-NOT: tir.brgemm %
  memref.store %x, %a[%c0, %c0] : memref<4x4xf32>
  %g = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 4, k = 4, lda = 4, ldb = 4, ldc = 4, beta = 1>
  tir.brgemm %g batch(%c1) a(%a[%c0, %c0]) b(%in[%c0, %c0]) c(%b[%c0, %c0]) : memref<4x4xf32>, memref<4x4xf32>, memref<4x4xf32>
  // CHECK: call @use
  call @use(%given) : (memref<4x4xf32>) -> ()
  return
}
