// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every op in every form, through text, the generic form and bytecode.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

// CHECK-LABEL: func.func @parallel
func.func @parallel(%m: memref<4x8xf32>) {
  %zero = arith.constant 0.0 : f32
  // CHECK: tir.parallel (%[[I:.*]], %[[J:.*]]) in (4, 8) {
  // CHECK-NEXT: memref.store %{{.*}}, %{{.*}}[%[[I]], %[[J]]]
  // CHECK-NEXT: }
  tir.parallel (%i, %j) in (4, 8) {
    memref.store %zero, %m[%i, %j] : memref<4x8xf32>
  }
  // CHECK: tir.parallel (%{{.*}}) in (1) nowait attributes {merge = 2 : i64, name = "nothing", trace_id = 3 : i64} {
  tir.parallel (%i) in (1) nowait attributes {merge = 2 : i64, name = "nothing", trace_id = 3 : i64} {
    tir.yield
  }
  return
}

// CHECK-LABEL: func.func @barrier
func.func @barrier() {
  // CHECK: tir.barrier
  tir.barrier
  return
}

// CHECK-LABEL: func.func @scratch
func.func @scratch() {
  // CHECK: tir.scratch : memref<4x8xf32>
  %0 = tir.scratch : memref<4x8xf32>
  // CHECK: tir.scratch per_thread : memref<bf16>
  %1 = tir.scratch per_thread : memref<bf16>
  // CHECK: tir.scratch : memref<3xi1>
  %2 = tir.scratch : memref<3xi1>
  return
}

// CHECK-LABEL: func.func @brgemm
func.func @brgemm(%a: memref<2x4x8xf32>, %b: memref<2x8x16xf32>, %c: memref<4x16xf32>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  // CHECK: %[[K:.*]] = tir.brgemm_dispatch f32 m = 4 n = 16 k = 8 lda = 8 ldb = 16 ldc = 16 stride_a = 32 stride_b = 128 beta = 0
  %k = tir.brgemm_dispatch f32 m = 4 n = 16 k = 8 lda = 8 ldb = 16 ldc = 16 stride_a = 32 stride_b = 128 beta = 0
  // CHECK: tir.brgemm %[[K]] batch(%{{.*}}) a(%{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}]) b(%{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}]) c(%{{.*}}[%{{.*}}, %{{.*}}]) : memref<2x4x8xf32>, memref<2x8x16xf32>, memref<4x16xf32>
  tir.brgemm %k batch(%c2) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0])
    : memref<2x4x8xf32>, memref<2x8x16xf32>, memref<4x16xf32>
  return
}

// CHECK-LABEL: func.func @handle
// CHECK-SAME: !tir.kernel
func.func @handle(%k: !tir.kernel, %a: memref<f32>) {
  %c1 = arith.constant 1 : index
  // CHECK: tir.brgemm %{{.*}} batch(%{{.*}}) a(%{{.*}}[]) b(%{{.*}}[]) c(%{{.*}}[]) {comment = "x"} :
  tir.brgemm %k batch(%c1) a(%a[]) b(%a[]) c(%a[]) {comment = "x"} : memref<f32>, memref<f32>, memref<f32>
  return
}

// A kernel that is never called has no effect; ops that write memory do.
// CHECK-LABEL: func.func @attributes
// CHECK-SAME: tir.entry = "f"
func.func @attributes(%x: memref<4xf32>, %y: memref<4xf32>) attributes {
    tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64,
    tir.outputs = 1 : i64, tir.folded = 0 : i64} {
  return
}
// CHECK-LABEL: func.func @fold
// CHECK-SAME: tir.fold_inputs = array<i64: 1, 3>
func.func @fold() attributes {tir.entry = "f", tir.role = "fold", tir.fold_inputs = array<i64: 1, 3>, tir.arena_bytes = 0 : i64, tir.thread_arena_bytes = 64 : i64} {
  return
}
