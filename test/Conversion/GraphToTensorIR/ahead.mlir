// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// While rows are finished, those two further on are fetched: of the operand that
// varies from row to row, once for each vector, and in no earlier stage.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// CHECK-DAG: #[[$FIRST:map[0-9]*]] = affine_map<(d0) -> (d0 * 2 + 3)>
// CHECK-DAG: #[[$SECOND:map[0-9]*]] = affine_map<(d0) -> (d0 * 2 + 4)>

// CHECK-LABEL: func.func @centered(
// CHECK-SAME: %[[X:.*]]: memref<8x32xf32>, %[[W:.*]]: memref<32xf32>
// CHECK: tir.parallel (%[[T:.*]]) in (2)
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c2
// CHECK-NOT: memref.prefetch
// CHECK: arith.maximumf
// CHECK-NOT: memref.prefetch
// A cache line of one row is stored, four vectors, then one of the next row, once
// all are computed.
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16
// CHECK-NOT: vector.store
// CHECK: memref.prefetch %[[X]][%[[LATER:.*]], %[[J]]], read, locality<3>, data
// CHECK-COUNT-3: memref.prefetch %[[X]][%[[LATER]], {{.*}}], read, locality<3>, data
// CHECK-NOT: vector.store
// CHECK: memref.prefetch %[[X]][%{{.*}}, %[[J]]], read, locality<3>, data
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[ROW:.*]], %[[J]]]
// CHECK-COUNT-3: vector.store %{{.*}}, %{{.*}}[%[[ROW]], {{.*}}]
// CHECK: vector.store %{{.*}}, %{{.*}}[%[[NEXT:.*]], %[[J]]]
// CHECK-COUNT-3: vector.store %{{.*}}, %{{.*}}[%[[NEXT]], {{.*}}]
// CHECK-NOT: vector.store
// CHECK: return
func.func @centered(%x: tensor<8x32xf32>, %w: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 1, partition = [0 : 4], ahead = 2, unroll = 2>} -> (tensor<8x32xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x32xf32>) -> tensor<8x1xf32>
    %2 = graph.subtract %x, %1 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
    %3 = graph.multiply %2, %w : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    graph.yield %3 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}

// Windows of three rows and columns at positions that are two rows and one column
// apart. Of what the next row of positions sees, the last two rows of each window
// are new, and one column of each: the others are seen by its neighbours.
// CHECK-LABEL: func.func @windows(
// CHECK-SAME: %[[X:.*]]: memref<4x9x8x4xf32>
// CHECK: tir.parallel (%[[N:.*]]) in (4)
// CHECK: scf.for %[[Y:.*]] = %c0 to %c4
// CHECK: scf.for
// CHECK: %[[NEW:.*]] = affine.apply #[[$FIRST]](%[[Y]])
// CHECK: memref.prefetch %[[X]][%[[N]], %[[NEW]], %[[A:.*]], %c0], read, locality<3>, data
// CHECK: %[[NEXT:.*]] = affine.apply #[[$SECOND]](%[[Y]])
// CHECK: memref.prefetch %[[X]][%[[N]], %[[NEXT]], %[[A]], %c0], read, locality<3>, data
// CHECK-COUNT-2: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @windows(%x: tensor<4x9x8x4xf32>) -> tensor<4x4x6x4xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 5, partition = [0 : 1], block = [1 : 1, 2 : 2], ahead = 1>} -> (tensor<4x4x6x4xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 3, 3>, positions = array<i64: 4, 6>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<4x9x8x4xf32>) -> tensor<4x4x6x3x3x4xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 3, 4>} : (tensor<4x4x6x3x3x4xf32>) -> tensor<4x4x6x4xf32>
    graph.yield %2 : tensor<4x4x6x4xf32>
  }
  return %0 : tensor<4x4x6x4xf32>
}
