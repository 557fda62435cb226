// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// While rows are finished, those two further on are fetched: of the operand that
// varies from row to row, once for each vector, and in no earlier stage.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @centered(
// CHECK-SAME: %[[X:.*]]: memref<8x32xf32>, %[[W:.*]]: memref<32xf32>
// CHECK: tir.parallel (%[[T:.*]]) in (2)
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c2
// CHECK-NOT: memref.prefetch
// CHECK: arith.maximumf
// CHECK-NOT: memref.prefetch
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c4
// CHECK: vector.store
// CHECK: memref.prefetch %[[X]][%{{.*}}, %[[J]]], read, locality<3>, data
// CHECK: vector.store
// CHECK: memref.prefetch %[[X]][%{{.*}}, %[[J]]], read, locality<3>, data
// CHECK-NOT: memref.prefetch
// CHECK: return
func.func @centered(%x: tensor<8x32xf32>, %w: tensor<32xf32>) -> tensor<8x32xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<lanes = 4, vector = 1, partition = [0 : 4], ahead = 2>} -> (tensor<8x32xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x32xf32>) -> tensor<8x1xf32>
    %2 = graph.subtract %x, %1 : (tensor<8x32xf32>, tensor<8x1xf32>) -> tensor<8x32xf32>
    %3 = graph.multiply %2, %w : (tensor<8x32xf32>, tensor<32xf32>) -> tensor<8x32xf32>
    graph.yield %3 : tensor<8x32xf32>
  }
  return %0 : tensor<8x32xf32>
}
