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
  // CHECK: %[[K:.*]] = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, stride_a = 32, stride_b = 128, beta = 0>
  %k = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, stride_a = 32, stride_b = 128, beta = 0>
  // CHECK: tir.brgemm %[[K]] batch(%{{.*}}) a(%{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}]) b(%{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}]) c(%{{.*}}[%{{.*}}, %{{.*}}]) : memref<2x4x8xf32>, memref<2x8x16xf32>, memref<4x16xf32>
  tir.brgemm %k batch(%c2) a(%a[%c0, %c0, %c0]) b(%b[%c0, %c0, %c0]) c(%c[%c0, %c0])
    : memref<2x4x8xf32>, memref<2x8x16xf32>, memref<4x16xf32>
  return
}

// Every part of a kernel; what is as usual is not printed.
// CHECK-LABEL: func.func @kernels
func.func @kernels() {
  // CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<u8 x s8 -> u8 acc s32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, pack_b = 4, batch = offset, beta = 0>
  %0 = tir.brgemm_dispatch #tir.kernel<u8 x s8 -> u8 acc s32, beta = 0, batch = offset, pack_b = 4, pack_a = 1, ldc = 16, ldb = 16, lda = 8, k = 8, n = 16, m = 4>
  // CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 4, ldb = 8, ldc = 16, transpose_a, transpose_b, pack_a = 2, stride_a = -1, beta = 1> implementation(vector)
  %1 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, transpose_b, transpose_a, pack_a = 2, m = 4, n = 16, k = 8, lda = 4, ldb = 8, ldc = 16, stride_a = -1, stride_b = 0, batch = stride, beta = 1> implementation(vector)
  // CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<f16 x f16 -> f16 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, batch = address, beta = 0> implementation(library) {comment = "x"}
  %2 = tir.brgemm_dispatch #tir.kernel<f16 x f16 -> f16 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, batch = address, beta = 0> implementation(library) {comment = "x"}
  // CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<s8 x u8 -> s32 acc s32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, beta = 0>
  %3 = tir.brgemm_dispatch #tir.kernel<s8 x u8 -> s32 acc s32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, beta = 0>
  // CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, beta = 0> implementation(vector) ahead(4096)
  %ahead = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, beta = 0> implementation(vector) ahead(4096)
  return
}

// CHECK-LABEL: func.func @lists
func.func @lists(%a: memref<4x8xbf16>, %c: memref<4x16xf32>, %o: memref<?xi64, strided<[1], offset: ?>>, %l: memref<3x4xi64>) {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %0 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 8, k = 4, lda = 8, ldb = 8, ldc = 16, batch = offset, beta = 0>
  // CHECK: tir.brgemm %{{.*}} batch(%{{.*}}) a(%{{.*}}[%{{.*}}, %{{.*}}]) b(%{{.*}}[%{{.*}}, %{{.*}}]) c(%{{.*}}[%{{.*}}, %{{.*}}]) offsets(%[[O:.*]], %[[O]] : memref<?xi64, strided<[1], offset: ?>>, memref<?xi64, strided<[1], offset: ?>>) : memref<4x8xbf16>, memref<4x8xbf16>, memref<4x16xf32>
  tir.brgemm %0 batch(%c2) a(%a[%c0, %c0]) b(%a[%c0, %c0]) c(%c[%c0, %c0]) offsets(%o, %o : memref<?xi64, strided<[1], offset: ?>>, memref<?xi64, strided<[1], offset: ?>>) : memref<4x8xbf16>, memref<4x8xbf16>, memref<4x16xf32>
  %1 = tir.brgemm_dispatch #tir.kernel<bf16 x bf16 -> f32 acc f32, m = 4, n = 8, k = 4, lda = 8, ldb = 8, ldc = 16, batch = address, beta = 0>
  // CHECK: tir.brgemm %{{.*}} a(%[[L:.*]][%{{.*}}, %{{.*}}]) b(%[[L]][%{{.*}}, %{{.*}}]) c(%{{.*}}) : memref<3x4xi64>, memref<3x4xi64>, memref<4x16xf32>
  tir.brgemm %1 batch(%c2) a(%l[%c2, %c0]) b(%l[%c0, %c0]) c(%c[%c0, %c0]) : memref<3x4xi64>, memref<3x4xi64>, memref<4x16xf32>
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
