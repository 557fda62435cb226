// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-merge-loops))" | FileCheck %s
// Merged loops are not merged again.
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-merge-loops,tir-merge-loops))" | FileCheck %s

// Two loops, each over its own rows: %y is made from %x row by row, each
// iteration reads what it wrote itself.
// CHECK-LABEL: func.func @two
func.func @two(%x: memref<4x8xf32>, %y: memref<4x8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  // CHECK: tir.parallel (%[[I:.*]], %[[J:.*]]) in (4, 8) attributes {name = "a|b"} {
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: %[[X:.*]] = memref.load %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: memref.store %[[X]], %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: }
  // CHECK-NEXT: return
  tir.parallel (%i, %j) in (4, 8) attributes {merge = 3 : i64, name = "a"} {
    memref.store %v, %x[%i, %j] : memref<4x8xf32>
  }
  tir.parallel (%p, %q) in (4, 8) attributes {merge = 3 : i64, name = "b"} {
    %0 = memref.load %x[%p, %q] : memref<4x8xf32>
    memref.store %0, %y[%p, %q] : memref<4x8xf32>
  }
  return
}

// -----

// Temporaries, constants and views between the loops move in front; the barrier
// after the last loop is the one that stays. Names are optional.
// CHECK-LABEL: func.func @three
func.func @three(%v: f32) {
  // CHECK: %[[A:.*]] = tir.scratch : memref<4xf32>
  // CHECK: %[[B:.*]] = tir.scratch : memref<4xf32>
  // CHECK: %[[W:.*]] = memref.reinterpret_cast %[[B]]
  // CHECK: tir.parallel (%[[I:.*]]) in (4) nowait attributes {name = "b"} {
  // CHECK: memref.store %{{.*}}, %[[A]][%[[I]]]
  // CHECK: memref.load %[[A]][%[[I]]]
  // CHECK: memref.store %{{.*}}, %[[B]][%[[I]]]
  // CHECK: memref.load %[[W]]
  // CHECK-NOT: tir.parallel
  // CHECK: return
  %a = tir.scratch : memref<4xf32>
  tir.parallel (%i) in (4) attributes {merge = 0 : i64} {
    memref.store %v, %a[%i] : memref<4xf32>
  }
  %b = tir.scratch : memref<4xf32>
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "b"} {
    %0 = memref.load %a[%i] : memref<4xf32>
    memref.store %0, %b[%i] : memref<4xf32>
  }
  %w = memref.reinterpret_cast %b to offset: [0], sizes: [4, 1], strides: [1, 1] : memref<4xf32> to memref<4x1xf32>
  %c = tir.scratch : memref<4xf32>
  tir.parallel (%i) in (4) nowait attributes {merge = 0 : i64} {
    %c0 = arith.constant 0 : index
    %0 = memref.load %w[%i, %c0] : memref<4x1xf32>
    memref.store %0, %c[%i] : memref<4xf32>
  }
  return
}

// -----

// Each group is for itself, and loops without group stay as they are.
// CHECK-LABEL: func.func @groups
func.func @groups(%x: memref<4xf32>, %y: memref<4xf32>, %z: memref<4xf32>, %v: f32) {
  // CHECK: tir.parallel {{.*}} {name = "a|b"}
  // CHECK: tir.parallel {{.*}} {name = "c|d"}
  // CHECK: tir.parallel {{.*}} {name = "e"}
  // CHECK: tir.parallel {{.*}} {name = "f"}
  // CHECK-NOT: tir.parallel
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "a"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "b"} {
    memref.store %v, %x[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) attributes {merge = 1 : i64, name = "c"} {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) attributes {merge = 1 : i64, name = "d"} {
    memref.store %v, %y[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) attributes {name = "e"} {
    memref.store %v, %z[%i] : memref<4xf32>
  }
  tir.parallel (%i) in (4) attributes {merge = 2 : i64, name = "f"} {
    memref.store %v, %z[%i] : memref<4xf32>
  }
  return
}

// -----

// Attention: the loops over blocks of rows merge as well, and packing V moves in
// front of both. The bounds are computed in each body, but alike.
// CHECK-LABEL: func.func @rows
func.func private @gemm(memref<8x16xf32>, index)
func.func @rows(%q: memref<2x8x16xf32>, %v: memref<2x16xf32>, %o: memref<2x8x16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %s = tir.scratch : memref<2x8x16xf32>
  %w = tir.scratch per_thread : memref<16xf32>
  // CHECK: %[[S:.*]] = tir.scratch : memref<2x8x16xf32>
  // CHECK: %[[W:.*]] = tir.scratch per_thread
  // CHECK: tir.parallel (%[[B:.*]]) in (2) attributes {name = "scores|context"} {
  // CHECK: %[[N:.*]] = arith.addi %[[B]], %c4
  // CHECK: arith.addi %[[B]], %c4
  // CHECK: scf.for %[[K:.*]] = %c0 to %c4
  // CHECK: memref.store %{{.*}}, %[[W]][%[[K]]]
  // CHECK: scf.for %[[R:.*]] = %c0 to %[[N]] step %c1 {
  // CHECK: memref.store %{{.*}}, %[[S]][%[[B]], %[[R]], %c0]
  // CHECK: memref.load %[[W]][%[[R]]]
  // CHECK: memref.load %[[S]][%[[B]], %[[R]], %c0]
  // CHECK: }
  // CHECK-NOT: tir.merge
  // CHECK-NOT: scf.for
  // CHECK: return
  tir.parallel (%b) in (2) attributes {merge = 0 : i64, name = "scores"} {
    %n = arith.addi %b, %c4 : index
    scf.for %r = %c0 to %n step %c1 {
      %0 = memref.load %q[%b, %r, %c0] : memref<2x8x16xf32>
      memref.store %0, %s[%b, %r, %c0] : memref<2x8x16xf32>
    } {tir.merge = 0 : i64}
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64, name = "context"} {
    %n = arith.addi %b, %c4 : index
    scf.for %k = %c0 to %c4 step %c1 {
      %0 = memref.load %v[%b, %k] : memref<2x16xf32>
      memref.store %0, %w[%k] : memref<16xf32>
    }
    scf.for %r = %c0 to %n step %c1 {
      %0 = memref.load %w[%r] : memref<16xf32>
      %1 = memref.load %s[%b, %r, %c0] : memref<2x8x16xf32>
      %2 = arith.addf %0, %1 : f32
      memref.store %2, %o[%b, %r, %c0] : memref<2x8x16xf32>
    } {tir.merge = 0 : i64}
  }
  return
}

// -----

// Three loops over rows become one. An op that uses all of the first loop's
// rows moves after the last.
// CHECK-LABEL: func.func @three_rows
func.func @three_rows(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>, %sum: memref<2xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: tir.parallel (%[[B:.*]]) in (2)
  // CHECK: scf.for
  // CHECK: memref.store %{{.*}}, %arg0
  // CHECK: memref.store %{{.*}}, %arg1
  // CHECK: memref.store %{{.*}}, %arg2
  // CHECK: }
  // CHECK: memref.load %arg0
  // CHECK: memref.store %{{.*}}, %arg3[%[[B]]]
  // CHECK-NOT: scf.for
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %x[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
    %0 = memref.load %x[%c0] : memref<8xf32>
    memref.store %0, %sum[%b] : memref<2xf32>
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %y[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %z[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
  }
  return
}

// -----

// Loops without the mark stay apart within the merged body.
// CHECK-LABEL: func.func @unmarked_rows
func.func @unmarked_rows(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK-COUNT-1: tir.parallel
  // CHECK-COUNT-2: scf.for
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %x[%r] : memref<8xf32>
    }
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %y[%r] : memref<8xf32>
    }
  }
  return
}
