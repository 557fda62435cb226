// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operand 1 packed inside the loops, row panels, loops that are to be merged,
// and k-slicing.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse | FileCheck %s

#b = #graph.layout<blocked, outer = [0, 2, 1], inner = [1 : 8, 2 : 16]>
#b2 = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16]>

// CHECK-DAG: #[[$LEFT:.*]] = affine_map<(d0, d1) -> (2, d0 - d1 * 2)>

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// Pre-op anchor 2: the matrix of one batch element, packed by the thread before
// its loop over rows; the temporary holds that matrix only.
// CHECK-LABEL: func.func @pack_b
// CHECK: %[[B:.*]] = tir.scratch per_thread : memref<2x2x8x16xf32>
// CHECK: tir.parallel (%[[I:.*]], %{{.*}}, %{{.*}}) in (3, 1, 1)
// CHECK: vector.store %{{.*}}, %[[B]]
// CHECK: scf.for %[[M:.*]] =
// CHECK: scf.for %[[N:.*]] =
// CHECK: tir.brgemm %{{.*}} b(%[[B]][%[[N]], %c0, %c0, %c0])
func.func @pack_b(%x: tensor<3x8x16xf32>, %w: tensor<3x16x32xf32>) -> tensor<3x8x32xf32> {
  %0 = graph.fused_op -> (tensor<3x8x32xf32>) {
    %p = graph.reorder %w {graph.anchor = #graph.anchor<pre, 2>} : tensor<3x16x32xf32> -> tensor<3x16x32xf32, #b>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<3x8x16xf32>, tensor<3x16x32xf32, #b>) -> tensor<3x8x32xf32>
    graph.yield %1 : tensor<3x8x32xf32>
  }
  return %0 : tensor<3x8x32xf32>
}

// Anchor 3 with the loop over n outside: one panel of columns at a time.
// CHECK-LABEL: func.func @pack_b_panel
// CHECK: %[[B:.*]] = tir.scratch per_thread : memref<1x2x8x16xf32>
// CHECK: tir.parallel
// CHECK-NEXT: scf.for %[[N:.*]] =
// CHECK: vector.store %{{.*}}, %[[B]]
// CHECK: scf.for %[[M:.*]] =
// CHECK: tir.brgemm %{{.*}} b(%[[B]][%c0, %c0, %c0, %c0])
func.func @pack_b_panel(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32xf32>) {
    %p = graph.reorder %w {graph.anchor = #graph.anchor<pre, 3>} : tensor<16x32xf32> -> tensor<16x32xf32, #b2>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [n, m, k], packA = false, packB = true>} : (tensor<8x16xf32>, tensor<16x32xf32, #b2>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// The columns of a core: each packs what it reads.
// CHECK-LABEL: func.func @pack_b_share
// CHECK: %[[B:.*]] = tir.scratch per_thread : memref<2x2x8x16xf32>
// CHECK: tir.parallel (%{{.*}}, %[[P:.*]]) in (1, 2)
// CHECK: scf.for
// CHECK: vector.store %{{.*}}, %[[B]]
// CHECK: scf.for %[[N:.*]] =
// CHECK: tir.brgemm %{{.*}} b(%[[B]][%[[N]], %c0, %c0, %c0])
func.func @pack_b_share(%x: tensor<4x16xf32>, %w: tensor<16x64xf32>) -> tensor<4x64xf32> {
  %0 = graph.fused_op -> (tensor<4x64xf32>) {
    %p = graph.reorder %w {graph.anchor = #graph.anchor<pre, 2>} : tensor<16x64xf32> -> tensor<16x64xf32, #b2>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<4x16xf32>, tensor<16x64xf32, #b2>) -> tensor<4x64xf32>
    graph.yield %1 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// A row panel: all columns of a block of rows are complete at anchor 1, where the
// reduction sees whole rows. C is in the exponentials' memory.
// CHECK-LABEL: func.func @panel
// CHECK-SAME: %[[E:[^:]*]]: memref<8x32xf32>, %[[S:[^:]*]]: memref<8x1xf32>)
// CHECK: tir.parallel
// CHECK-NEXT: scf.for %[[M:.*]] = %c0 to %c2
// CHECK-NEXT: scf.for %{{.*}} = %c0 to %c2
// CHECK: tir.brgemm %{{.*}} c(%[[E]]
// CHECK: }
// CHECK: scf.for %{{.*}} = %c0 to %c4
// CHECK: arith.addf {{.*}} : vector<1xf32>
// CHECK: return
func.func @panel(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<8x1xf32>) {
  %0:2 = graph.fused_op -> (tensor<8x32xf32>, tensor<8x1xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, k, n], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    %2 = graph.exp %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x32xf32>) -> tensor<8x32xf32>
    %3 = graph.reduce_sum %2 {graph.anchor = #graph.anchor<post, 1>, axes = array<i64: 1>, keep_dims = true} : (tensor<8x32xf32>) -> tensor<8x1xf32>
    graph.yield %2, %3 : tensor<8x32xf32>, tensor<8x1xf32>
  }
  return %0#0, %0#1 : tensor<8x32xf32>, tensor<8x1xf32>
}

// A group of merged regions: the mark of the parallel loop, and of the loop over
// blocks of rows.
// CHECK-LABEL: func.func @merged
// CHECK: tir.parallel {{.*}}merge = 7 : i64
// CHECK-NEXT: scf.for
// CHECK-NEXT: scf.for
// CHECK: } {tir.merge = 7 : i64}
// CHECK: tir.parallel {{.*}}merge = 7 : i64
// CHECK: } {tir.merge = 7 : i64}
// CHECK: tir.parallel {{.*}}merge = 8 : i64
// CHECK-NOT: tir.merge
// CHECK: return
func.func @merged(%x: tensor<8x16xf32>, %w: tensor<16x32xf32>) -> (tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>) {
  %0 = graph.fused_op attributes {graph.merge_group = 7 : i64, graph.merge_rows} -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  %2 = graph.fused_op attributes {graph.merge_group = 7 : i64, graph.merge_rows} -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  %3 = graph.fused_op attributes {graph.merge_group = 8 : i64} -> (tensor<8x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
    graph.yield %1 : tensor<8x32xf32>
  }
  return %0, %2, %3 : tensor<8x32xf32>, tensor<8x32xf32>, tensor<8x32xf32>
}

// K-slicing: two slices of k leave partial sums, the last one takes the rest of k;
// the second loop adds them up and runs the post-op on the tile.
// CHECK-LABEL: func.func @slices
// CHECK-SAME: %[[Y:[^:]*]]: memref<4x20xf32>)
// CHECK: %[[P:.*]] = tir.scratch : memref<2x4x24xf32>
// CHECK: tir.parallel (%{{.*}}, %{{.*}}, %[[S:.*]]) in (1, 1, 2)
// CHECK: beta = 0
// CHECK: tir.brgemm %{{.*}} batch(%c2) {{.*}} c(%[[P]][%[[S]],
// CHECK: arith.cmpi eq, %[[S]], %c1
// CHECK: k = 3{{.*}}, beta = 1
// CHECK: tir.brgemm %{{.*}} batch(%c1) {{.*}} c(%[[P]][%[[S]],
// CHECK: tir.parallel {{.*}} in (1, 2)
// CHECK: vector.load %[[P]][%c0,
// CHECK: vector.load %[[P]][%c1,
// CHECK: arith.addf
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: arith.maximumf
// CHECK: return
func.func @slices(%x: tensor<4x35xf32>, %w: tensor<35x20xf32>) -> tensor<4x20xf32> {
  %0 = graph.fused_op attributes {name = "long"} -> (tensor<4x20xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 4, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x35xf32>, tensor<35x20xf32>) -> tensor<4x20xf32>
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x20xf32>) -> tensor<4x20xf32>
    graph.yield %2 : tensor<4x20xf32>
  }
  return %0 : tensor<4x20xf32>
}

// Slices of 3 and 2 blocks in calls of two: two calls and one. The first one
// overwrites the partial sum; the rest of k follows the last one of its slice.
// CHECK-LABEL: func.func @slice_calls
// CHECK: tir.parallel (%{{.*}}, %{{.*}}, %[[S:.*]]) in (1, 1, 2)
// CHECK: %[[BLOCKS:.*]] = arith.select %{{.*}}, %c3, %c2
// CHECK: %[[CALLS:.*]] = affine.apply #{{.*}}(%[[BLOCKS]])
// CHECK: scf.for %[[CALL:.*]] = %c0 to %[[CALLS]]
// CHECK: %[[COUNT:.*]] = affine.min #[[$LEFT]](%[[BLOCKS]], %[[CALL]])
// CHECK: arith.cmpi eq, %[[CALL]], %c0
// CHECK: beta = 0
// CHECK: tir.brgemm %{{.*}} batch(%c2)
// CHECK: beta = 1
// CHECK: tir.brgemm %{{.*}} batch(%[[COUNT]])
// CHECK: arith.cmpi eq, %[[CALL]]
// CHECK: arith.cmpi eq, %[[S]], %c1
// CHECK: k = 3{{.*}}, beta = 1
// CHECK: tir.brgemm %{{.*}} batch(%c1)
// CHECK: return
func.func @slice_calls(%x: tensor<4x43xf32>, %w: tensor<43x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.fused_op attributes {name = "long"} -> (tensor<4x16xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x43xf32>, tensor<43x16xf32>) -> tensor<4x16xf32>
    graph.yield %1 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}
}
