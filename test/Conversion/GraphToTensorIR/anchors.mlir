// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where fusible ops are committed (figure 3 of the paper).

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse | FileCheck %s

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 8]>
#at = #graph.layout<blocked, outer = [1, 0], inner = [1 : 4, 0 : 8]>

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// Pre-op anchor 2: all rows of the core, before its loops.
// CHECK-LABEL: func.func @pre_2
// CHECK-SAME: (%[[X:[^:]*]]: memref<8x16xf32>,
// CHECK: %[[P:.*]] = tir.scratch per_thread : memref<2x2x4x8xf32>
// CHECK: tir.parallel
// CHECK: vector.load %[[X]]{{.*}} vector<8xf32>
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK-COUNT-3: }
// CHECK: scf.for %[[M:.*]] =
// CHECK: scf.for
// CHECK: lda = 8{{.*}}, stride_a = 32
// CHECK: tir.brgemm %{{.*}} a(%[[P]][%[[M]], %c0, %c0, %c0])
func.func @pre_2(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %p = graph.reorder %x {graph.anchor = #graph.anchor<pre, 2>} : tensor<8x16xf32> -> tensor<8x16xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>} : (tensor<8x16xf32, #a>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Anchor 3: one block of rows inside the loop over m.
// CHECK-LABEL: func.func @pre_3
// CHECK-SAME: (%[[X:[^:]*]]: memref<8x16xf32>,
// CHECK: %[[P:.*]] = tir.scratch per_thread : memref<1x2x4x8xf32>
// CHECK: tir.parallel
// CHECK-NEXT: scf.for %[[M:.*]] =
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[P]]
// CHECK: scf.for
// CHECK: tir.brgemm %{{.*}} a(%[[P]][%c0, %c0, %c0, %c0])
func.func @pre_3(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %p = graph.reorder %x {graph.anchor = #graph.anchor<pre, 3>} : tensor<8x16xf32> -> tensor<8x16xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>} : (tensor<8x16xf32, #a>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Anchor 4: the same block again for every block of columns. With the loop over n
// outside, anchor 3 is inside it and packs all rows each time.
// CHECK-LABEL: func.func @pre_4
// CHECK: tir.scratch per_thread : memref<1x2x4x8xf32>
// CHECK: tir.parallel
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK: vector.load
// CHECK: tir.brgemm %
func.func @pre_4(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %p = graph.reorder %x {graph.anchor = #graph.anchor<pre, 4>} : tensor<8x16xf32> -> tensor<8x16xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>} : (tensor<8x16xf32, #a>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @pre_3_inside_n
// CHECK: tir.scratch per_thread : memref<2x2x4x8xf32>
// CHECK: tir.parallel
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for %[[M:.*]] =
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[M]],
// CHECK: scf.for %[[M:.*]] =
// CHECK: tir.brgemm %{{.*}} a(%{{.*}}[%[[M]], %c0, %c0, %c0])
func.func @pre_3_inside_n(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %p = graph.reorder %x {graph.anchor = #graph.anchor<pre, 3>} : tensor<8x16xf32> -> tensor<8x16xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [n, m, k], packA = true, packB = false>} : (tensor<8x16xf32, #a>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// A transposed A with a rest of rows: the slice has A's own orientation, a column
// of A becomes rows of a block.
// CHECK-LABEL: func.func @pre_transposed
// CHECK-SAME: (%[[X:[^:]*]]: memref<16x10xf32>,
// CHECK: %[[P:.*]] = tir.scratch per_thread : memref<1x2x4x8xf32>
// CHECK: scf.if
// CHECK: vector.load %[[X]]{{.*}} vector<2xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-2: vector.store %{{.*}}, %[[P]]{{.*}} vector<8xf32>
// CHECK: } else {
// CHECK: vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK: vector.shuffle
// CHECK-COUNT-4: vector.store %{{.*}}, %[[P]]{{.*}} vector<8xf32>
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 2, n = 16, k = 8, lda = 8, ldb = 32, ldc = 32, stride_a = 32, stride_b = 256, beta = 0>
// CHECK: tir.brgemm_dispatch #tir.kernel<f32 x f32 -> f32 acc f32, m = 4, n = 16, k = 8, lda = 8, ldb = 32, ldc = 32, stride_a = 32, stride_b = 256, beta = 0>
func.func @pre_transposed(%x: tensor<16x10xf32>, %w: tensor<16x32xf32>) -> tensor<10x32xf32> {
  %0 = graph.fused_op -> (tensor<10x32xf32>) {
    %p = graph.reorder %x {graph.anchor = #graph.anchor<pre, 3>} : tensor<16x10xf32> -> tensor<16x10xf32, #at>
    %1 = graph.matmul %p, %w {transpose_a = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>} : (tensor<16x10xf32, #at>, tensor<16x32xf32>) -> tensor<10x32xf32>
    graph.yield %1 : tensor<10x32xf32>
  }
  return %0 : tensor<10x32xf32>
}

// Post-op anchor 1: the tile that the kernel has just left, in one pass for all
// ops; C itself is in the result's memory.
// CHECK-LABEL: func.func @post_1
// CHECK-SAME: %[[BIAS:[^:]*]]: memref<32xf32>, %[[Y:[^:]*]]: memref<8x32xf32>)
// CHECK-NOT: tir.scratch
// CHECK: tir.parallel
// CHECK: tir.brgemm %{{.*}} c(%[[Y]]
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c4 step %c1 {
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c16 step %c8 {
// CHECK-DAG: %[[C:.*]] = vector.load %[[Y]]
// CHECK-DAG: %[[B:.*]] = vector.load %[[BIAS]]
// CHECK-DAG: %[[SUM:.*]] = arith.addf %[[C]], %[[B]]
// CHECK: %[[R:.*]] = arith.maximumf %[[SUM]]
// CHECK: vector.store %[[R]], %[[Y]]
// CHECK-NOT: vector.
// CHECK: return
func.func @post_1(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %bias: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = graph.add %1, %bias {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    %3 = graph.relu %2 {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    graph.yield %3 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Anchor 2: the core's share of C, when all of its tiles are done. With k
// outermost anchor 1 is the same place.
// CHECK-LABEL: func.func @post_2
// CHECK: tir.parallel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: tir.brgemm %
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: arith.maximumf
func.func @post_2(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 2>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    graph.yield %2 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// CHECK-LABEL: func.func @post_1_k_outermost
// CHECK: tir.parallel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK: beta = 0
// CHECK: } else {
// CHECK: beta = 1
// CHECK-COUNT-4: }
// CHECK-NOT: tir.brgemm %
// CHECK: arith.maximumf
func.func @post_1_k_outermost(%x: tensor<8x32xf32>, %w: tensor<32x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [k, m, n], packA = false, packB = false>} : (tensor<8x32xf32>, tensor<32x32xf32>) -> tensor<8x32xf32>
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    graph.yield %2 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Ops at both anchors: what the second reads of the first is kept, and C, which
// is wanted too, is not overwritten.
// CHECK-LABEL: func.func @post_both
// CHECK-SAME: %[[Z:[^:]*]]: memref<8x32xf32>, %[[C:[^:]*]]: memref<8x32xf32>, %[[Y:[^:]*]]: memref<8x32xf32>)
// CHECK: %[[KEPT:.*]] = tir.scratch : memref<8x32xf32>
// CHECK: tir.brgemm %{{.*}} c(%[[C]]
// CHECK: vector.load %[[C]]
// CHECK: arith.maximumf
// CHECK: vector.store %{{.*}}, %[[KEPT]]
// CHECK-COUNT-4: }
// CHECK: vector.load %[[KEPT]]
// CHECK: vector.load %[[Z]]
// CHECK: arith.addf
// CHECK: vector.store %{{.*}}, %[[Y]]
func.func @post_both(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>, %z: tensor<8x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>) {
  %0:2 = graph.fused_op -> (tensor<8x32xf32>, tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    %3 = graph.add %2, %z {graph.anchor = #graph.anchor<post, 2>} : (tensor<8x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
    graph.yield %1, %3 : tensor<8x32xf32>, tensor<8x32xf32>
  }
  return %0#0, %0#1 : tensor<8x32xf32>, tensor<8x32xf32>
}

// A cast to bf16 cannot hold C: the tile is the thread's.
// CHECK-LABEL: func.func @post_bf16
// CHECK-SAME: %[[Y:[^:]*]]: memref<8x32xbf16>)
// CHECK: %[[TILE:.*]] = tir.scratch per_thread : memref<4x16xf32>
// CHECK: tir.brgemm %{{.*}} c(%[[TILE]][%c0, %c0])
// CHECK: %[[V:.*]] = vector.load %[[TILE]]{{.*}} vector<8xf32>
// CHECK: %[[N:.*]] = arith.truncf %[[V]] : vector<8xf32> to vector<8xbf16>
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} vector<8xbf16>
func.func @post_bf16(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xbf16> {
  %0 = graph.fused_op -> (tensor<8x32xbf16>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = graph.type_cast %1 {graph.anchor = #graph.anchor<post, 1>} : tensor<8x32xf32> -> tensor<8x32xbf16>
    graph.yield %2 : tensor<8x32xbf16>
  }
  return %0 : tensor<8x32xbf16>
}
}
