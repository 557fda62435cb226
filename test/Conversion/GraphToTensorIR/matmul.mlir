// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The loops of the matmul template (figure 2 of the paper): parallel over MPN x
// NPN, then the single-core loops, then one batch-reduce GEMM.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse --mlir-print-local-scope | FileCheck %s

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 8]>
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16]>
#bt = #graph.layout<blocked, outer = [0, 1], inner = [1 : 8, 0 : 16]>

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The example of the pass's description. Two blocks of k are reduced by one call:
// they are 8 columns of A and 8 rows of 32 elements of B apart.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[X:.*]]: memref<8x16xf32>, %[[W:.*]]: memref<16x32xf32>, %[[Y:.*]]: memref<8x32xf32>)
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C1:.*]] = arith.constant 1 : index
// CHECK-DAG: %[[C2:.*]] = arith.constant 2 : index
// CHECK: tir.parallel (%[[MPI:.*]], %[[NPI:.*]]) in (2, 1) attributes {name = "matmul"} {
// CHECK-NEXT: scf.for %[[NSI:.*]] = %[[C0]] to %[[C2]] step %[[C1]] {
// CHECK-DAG: %[[K:.*]] = tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 16, ldb = 32, ldc = 32, stride_a = 8, stride_b = 256, beta = 0>
// CHECK-DAG: %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[MPI]])
// CHECK-DAG: %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> (d0 * 16)>(%[[NSI]])
// CHECK: tir.brgemm %[[K]] batch(%[[C2]]) a(%[[X]][%[[ROW]], %[[C0]]]) b(%[[W]][%[[C0]], %[[COLUMN]]]) c(%[[Y]][%[[ROW]], %[[COLUMN]]])
// CHECK-NOT: tir.
// CHECK: return
func.func @example(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op attributes {name = "matmul"} -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// The order of the loops is the template's.
// CHECK-LABEL: func.func @order
// CHECK: tir.parallel
// CHECK: scf.for %[[N:.*]] =
// CHECK: scf.for %[[M:.*]] =
// CHECK-DAG: %[[ROW:.*]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[M]])
// CHECK-DAG: %[[COLUMN:.*]] = affine.apply affine_map<(d0) -> (d0 * 16)>(%[[N]])
// CHECK: tir.brgemm {{.*}} c(%{{.*}}[%[[ROW]], %[[COLUMN]]])
func.func @order(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [n, m, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Tails in all dimensions: 10 = 2 * 4 + 2 rows, 40 = 2 * 16 + 8 columns, 19 = 2 *
// 8 + 3 of k. Each has its own kernels, none of which is masked; the remainder of
// k adds to the result of the blocks. B is packed: its blocks are 8 x 16, 128
// apart.
// CHECK-LABEL: func.func @tails
// CHECK-SAME: memref<10x19xf32>, %{{.*}}: memref<3x3x8x16xf32>
// CHECK: scf.for %[[M:.*]] =
// CHECK: scf.for %[[N:.*]] =
// CHECK: %[[LASTM:.*]] = arith.cmpi eq, %[[M]], %c2
// CHECK: scf.if %[[LASTM]] {
// CHECK: %[[LASTN:.*]] = arith.cmpi eq, %[[N]], %c2
// CHECK: scf.if %[[LASTN]] {
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 2, n = 8, k = 8, lda = 19, ldb = 16, ldc = 40, stride_a = 8, stride_b = 128, beta = 0>
// CHECK: tir.brgemm %{{.*}} batch(%c2) a(%{{.*}}[%{{.*}}, %c0]) b(%{{.*}}[%[[N]], %c0, %c0, %c0])
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 2, n = 8, k = 3, lda = 19, ldb = 16, ldc = 40{{.*}}beta = 1
// CHECK: tir.brgemm %{{.*}} batch(%c1) a(%{{.*}}[%{{.*}}, %c16]) b(%{{.*}}[%[[N]], %c2, %c0, %c0])
// CHECK: } else {
// CHECK: m = 2, n = 16, k = 8, lda = 19, ldb = 16, ldc = 40, stride_a = 8, stride_b = 128, beta = 0
// CHECK: m = 2, n = 16, k = 3, lda = 19, ldb = 16, ldc = 40{{.*}}, beta = 1
// CHECK: } else {
// CHECK: m = 4, n = 8, k = 8, lda = 19, ldb = 16, ldc = 40, stride_a = 8, stride_b = 128, beta = 0
// CHECK: m = 4, n = 8, k = 3, lda = 19, ldb = 16, ldc = 40{{.*}}, beta = 1
// CHECK: } else {
// CHECK: m = 4, n = 16, k = 8, lda = 19, ldb = 16, ldc = 40, stride_a = 8, stride_b = 128, beta = 0
// CHECK: m = 4, n = 16, k = 3, lda = 19, ldb = 16, ldc = 40{{.*}}, beta = 1
func.func @tails(%x: tensor<10x19xf32>, %w: tensor<19x40xf32, #b>) -> tensor<10x40xf32> {
  %0 = graph.fused_op -> (tensor<10x40xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<10x19xf32>, tensor<19x40xf32, #b>) -> tensor<10x40xf32>
    graph.yield %1 : tensor<10x40xf32>
  }
  return %0 : tensor<10x40xf32>
}

// Five blocks of k in chunks of two: the first chunk overwrites C, the others add
// to it, the last one has one block.
// CHECK-LABEL: func.func @chunks
// CHECK: scf.for %[[K:.*]] = %c0 to %c3 step %c1 {
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[K]], %c2
// CHECK: %[[COUNT:.*]] = arith.select %[[LAST]], %c1, %c2
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[K]], %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: m = 4, n = 16, k = 8, lda = 40, ldb = 16, ldc = 16, stride_a = 8, stride_b = 128, beta = 0
// CHECK: tir.brgemm %{{.*}} batch(%c2)
// CHECK: } else {
// CHECK: m = 4, n = 16, k = 8, lda = 40, ldb = 16, ldc = 16, stride_a = 8, stride_b = 128, beta = 1
// CHECK: tir.brgemm %{{.*}} batch(%[[COUNT]])
func.func @chunks(%x: tensor<4x40xf32>, %w: tensor<40x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.fused_op -> (tensor<4x16xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<4x40xf32>, tensor<40x16xf32>) -> tensor<4x16xf32>
    graph.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// Chunks and a rest of k: the rest is added once, in the last chunk.
// CHECK-LABEL: func.func @chunks_and_rest
// CHECK: scf.for %[[K:.*]] = %c0 to %c2 step %c1 {
// CHECK: k = 8{{.*}}, beta = 0
// CHECK: k = 8{{.*}}, beta = 1
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[K]], %c1
// CHECK: scf.if %[[LAST]] {
// CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 2, lda = 34{{.*}}beta = 1
// CHECK-NEXT: tir.brgemm %{{.*}} batch(%c1) a(%{{.*}}[%c0, %c32]) b(%{{.*}}[%c32, %c0])
func.func @chunks_and_rest(%x: tensor<4x34xf32>, %w: tensor<34x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.fused_op -> (tensor<4x16xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<4x34xf32>, tensor<34x16xf32>) -> tensor<4x16xf32>
    graph.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// Five blocks for two parts: the first has three, the second two, from the third
// on.
// CHECK-LABEL: func.func @uneven
// CHECK: tir.parallel (%[[MPI:.*]], %{{.*}}) in (2, 1) {
// CHECK-DAG: %[[BONUS:.*]] = affine.min affine_map<(d0) -> (1, d0)>(%[[MPI]])
// CHECK-DAG: %[[LONGER:.*]] = arith.cmpi ult, %[[MPI]], %c1
// CHECK-DAG: %[[COUNT:.*]] = arith.select %[[LONGER]], %c3, %c2
// CHECK: scf.for %[[I:.*]] = %c0 to %[[COUNT]] step %c1 {
// CHECK: affine.apply affine_map<(d0, d1, d2) -> (d0 * 8 + d1 * 4 + d2 * 4)>(%[[MPI]], %[[BONUS]], %[[I]])
func.func @uneven(%x: tensor<20x8xf32>, %w: tensor<8x16xf32>) -> tensor<20x16xf32> {
  %0 = graph.fused_op -> (tensor<20x16xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<20x8xf32>, tensor<8x16xf32>) -> tensor<20x16xf32>
    graph.yield %1 : tensor<20x16xf32>
  }
  return %0 : tensor<20x16xf32>
}

// One element: no loop and no padding.
// CHECK-LABEL: func.func @one
// CHECK: tir.parallel (%{{.*}}, %{{.*}}) in (1, 1) {
// CHECK-NEXT: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 1, n = 1, k = 1, lda = 1, ldb = 1, ldc = 1{{.*}}beta = 0
// CHECK-NEXT: tir.brgemm %{{.*}} batch(%c1) a(%{{.*}}[%c0, %c0]) b(%{{.*}}[%c0, %c0]) c(%{{.*}}[%c0, %c0])
// CHECK-NEXT: }
func.func @one(%x: tensor<1x1xf32>, %w: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.fused_op -> (tensor<1x1xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1, NB = 1, KB = 1, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
    graph.yield %1 : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}

// Batches are iterations of the parallel loop. Where an operand has one matrix
// for all of them it is read at 0, where it has fewer dimensions they are the
// last ones.
// CHECK-LABEL: func.func @batch
// CHECK: tir.parallel (%[[I:.*]], %[[J:.*]], %{{.*}}, %{{.*}}) in (3, 5, 1, 1) {
// CHECK: tir.brgemm %{{.*}} a(%{{.*}}[%[[I]], %c0, %c0, %c0]) b(%{{.*}}[%[[J]], %c0, %c0]) c(%{{.*}}[%[[I]], %[[J]], %c0, %c0])
func.func @batch(%x: tensor<3x1x4x8xf32>, %w: tensor<5x8x16xf32>) -> tensor<3x5x4x16xf32> {
  %0 = graph.fused_op -> (tensor<3x5x4x16xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x1x4x8xf32>, tensor<5x8x16xf32>) -> tensor<3x5x4x16xf32>
    graph.yield %1 : tensor<3x5x4x16xf32>
  }
  return %0 : tensor<3x5x4x16xf32>
}

// Blocked operands and result: blocks are contiguous, the indices are those of
// blocks. A transposed B is packed like any other: rows of k.
// CHECK-LABEL: func.func @blocked
// CHECK-SAME: (%[[X:.*]]: memref<2x2x4x8xf32>, %[[W:.*]]: memref<2x2x8x16xf32>, %[[Y:.*]]: memref<2x4x4x8xf32>)
// CHECK: scf.for %[[M:.*]] =
// CHECK: scf.for %[[N:.*]] =
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 16, ldc = 16, stride_a = 32, stride_b = 128, beta = 0>
// CHECK: a(%[[X]][%[[M]], %c0, %c0, %c0]) b(%[[W]][%[[N]], %c0, %c0, %c0])
func.func @blocked(%x: tensor<8x16xf32, #a>, %w: tensor<32x16xf32, #bt>) -> tensor<8x32xf32, #a> {
  %0 = graph.fused_op -> (tensor<8x32xf32, #a>) {
    %1 = graph.matmul %x, %w {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = true>} : (tensor<8x16xf32, #a>, tensor<32x16xf32, #bt>) -> tensor<8x32xf32, #a>
    graph.yield %1 : tensor<8x32xf32, #a>
  }
  return %0 : tensor<8x32xf32, #a>
}

// A view of rows of 64 elements is read in place. A result with columns in memory
// is not a matrix to a kernel: it is computed into a tile of the thread and
// copied.
// CHECK-LABEL: func.func @strided
// CHECK-SAME: (%[[X:.*]]: memref<8x16xf32, strided<[64, 1]>>, %{{.*}}: memref<16x32xf32>, %[[Y:.*]]: memref<8x32xf32, strided<[1, 8]>>)
// CHECK: %[[TILE:.*]] = tir.scratch per_thread : memref<4x16xf32>
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 64, ldb = 32, ldc = 16, stride_a = 8, stride_b = 256, beta = 0>
// CHECK: tir.brgemm %{{.*}} a(%[[X]][{{.*}}]) {{.*}} c(%[[TILE]][%c0, %c0])
// CHECK: vector.load %[[TILE]]
// CHECK: vector.shuffle
// CHECK: %[[COLUMNS:.*]] = memref.transpose %[[Y]] (d0, d1) -> (d1, d0)
// CHECK: vector.store %{{.*}}, %[[COLUMNS]]
func.func @strided(%x: tensor<8x16xf32, #graph.layout<strided, [64, 1]>>, %w: tensor<16x32xf32>) -> tensor<8x32xf32, #graph.layout<strided, [1, 8]>> {
  %0 = graph.fused_op -> (tensor<8x32xf32, #graph.layout<strided, [1, 8]>>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32, #graph.layout<strided, [64, 1]>>, tensor<16x32xf32>) -> tensor<8x32xf32, #graph.layout<strided, [1, 8]>>
    graph.yield %1 : tensor<8x32xf32, #graph.layout<strided, [1, 8]>>
  }
  return %0 : tensor<8x32xf32, #graph.layout<strided, [1, 8]>>
}
}
