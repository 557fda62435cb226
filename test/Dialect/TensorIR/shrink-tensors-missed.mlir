// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Temporaries that must keep their size, and the program as it is.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-shrink-tensors))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-shrink-tensors))" --remarks-filter-passed=tir-shrink-tensors --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --allow-empty

// REMARK-NOT: Shrunk

// Each iteration of the parallel loop reads what another one wrote.
// CHECK-LABEL: func.func @other_iteration
func.func @other_iteration(%x: f32, %y: memref<4xf32>) {
  %c3 = arith.constant 3 : index
  // CHECK: tir.scratch : memref<4xf32>
  %s = tir.scratch : memref<4xf32>
  tir.parallel (%p) in (4) {
    %q = affine.apply affine_map<(p) -> (3 - p)>(%p)
    memref.store %x, %s[%p] : memref<4xf32>
    // CHECK: memref.load %{{.*}}[%{{.*}}] : memref<4xf32>
    %0 = memref.load %s[%q] : memref<4xf32>
    memref.store %0, %y[%p] : memref<4xf32>
  }
  return
}

// -----

// Read after the loop as well.
// CHECK-LABEL: func.func @behind
func.func @behind(%x: f32, %y: memref<4xf32>) {
  %c0 = arith.constant 0 : index
  // CHECK: tir.scratch : memref<4xf32>
  %s = tir.scratch : memref<4xf32>
  tir.parallel (%p) in (4) {
    memref.store %x, %s[%p] : memref<4xf32>
  }
  %0 = memref.load %s[%c0] : memref<4xf32>
  memref.store %0, %y[%c0] : memref<4xf32>
  return
}

// -----

// The index is data.
// CHECK-LABEL: func.func @gathered
func.func @gathered(%x: f32, %at: memref<4xindex>, %y: memref<4xf32>) {
  // CHECK: tir.scratch : memref<8xf32>
  %s = tir.scratch : memref<8xf32>
  tir.parallel (%p) in (4) {
    %i = memref.load %at[%p] : memref<4xindex>
    memref.store %x, %s[%i] : memref<8xf32>
    %0 = memref.load %s[%p] : memref<8xf32>
    memref.store %0, %y[%p] : memref<4xf32>
  }
  return
}

// -----

// The temporary is given away.
// CHECK-LABEL: func.func @returned
func.func @returned(%x: f32) -> memref<4xf32> {
  // CHECK: %[[S:.*]] = tir.scratch : memref<4xf32>
  %s = tir.scratch : memref<4xf32>
  tir.parallel (%p) in (4) {
    memref.store %x, %s[%p] : memref<4xf32>
  }
  // CHECK: return %[[S]]
  return %s : memref<4xf32>
}

// -----

// A value that goes from one iteration of a sequential loop to the next, across
// rows that differ.
// CHECK-LABEL: func.func @previous_row
func.func @previous_row(%x: f32, %y: memref<2x8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  tir.parallel (%p) in (1) {
    // CHECK: tir.scratch per_thread : memref<8xf32>
    %s = tir.scratch per_thread : memref<8xf32>
    memref.store %x, %s[%c0] : memref<8xf32>
    scf.for %i = %c0 to %c7 step %c1 {
      %next = affine.apply affine_map<(i) -> (i + 1)>(%i)
      %0 = memref.load %s[%i] : memref<8xf32>
      %1 = arith.addf %0, %x : f32
      memref.store %1, %s[%next] : memref<8xf32>
      memref.store %1, %y[%p, %i] : memref<2x8xf32>
    }
  }
  return
}
