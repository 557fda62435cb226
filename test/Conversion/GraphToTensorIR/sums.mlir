// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of columns in memory: they start at 0, take two rows at a time, column by
// column, and are stored when all rows of the task have been added.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @sums(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<12x10xf32>, %[[Y:[a-z0-9]*]]: memref<12x10xf32>, %[[SUMS:[a-z0-9]*]]: memref<2x10xf32>
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: %[[BUFFER:.*]] = tir.scratch {{.*}} : memref<10xf32>
// CHECK: tir.parallel
// CHECK-COUNT-2: vector.store %[[ZERO]], %[[BUFFER]]
// CHECK: vector.store %{{.*}}, %[[BUFFER]]
// Two rows at a time, three vectors of each:
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c6
// CHECK: vector.load %[[BUFFER]]
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: vector.store %{{.*}}, %[[BUFFER]]
// What is stored of the sums:
// CHECK: }
// CHECK: vector.load %[[BUFFER]]
// CHECK-NOT: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[SUMS]]
// CHECK: return
func.func @sums(%x: tensor<12x10xf32>) -> (tensor<12x10xf32>, tensor<2x10xf32>) {
  %0:2 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 1, partition = [0 : 6], block = [0 : 2], unroll = 4>} -> (tensor<12x10xf32>, tensor<2x10xf32>) {
    %1 = graph.abs %x : (tensor<12x10xf32>) -> tensor<12x10xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 0>, keep_dims = true, part_size = 6 : i64} : (tensor<12x10xf32>) -> tensor<2x10xf32>
    graph.yield %1, %2 : tensor<12x10xf32>, tensor<2x10xf32>
  }
  return %0#0, %0#1 : tensor<12x10xf32>, tensor<2x10xf32>
}
