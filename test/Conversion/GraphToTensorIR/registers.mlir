// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What passes do with the registers of the schedule, whatever the width of
// vectors: long steps of a reduction take four vectors as one if there are more
// than 16, and half of them hold results that wait.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// CHECK-LABEL: func.func @few
// CHECK-NOT: math.exp {{.*}} : vector<32xf32>
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: return
func.func @few(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1], interleave = 12>} -> (tensor<4x1xf32>) {
    %1 = graph.exp %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    graph.yield %2 : tensor<4x1xf32>
  }
  return %0 : tensor<4x1xf32>
}

// CHECK-LABEL: func.func @many
// CHECK: math.exp {{.*}} : vector<32xf32>
func.func @many(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, registers = 32, vector = 1, partition = [0 : 1], interleave = 12>} -> (tensor<4x1xf32>) {
    %1 = graph.exp %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    graph.yield %2 : tensor<4x1xf32>
  }
  return %0 : tensor<4x1xf32>
}

// Without interleave, no step is long.
// CHECK-LABEL: func.func @short
// CHECK-NOT: math.exp {{.*}} : vector<32xf32>
// CHECK: math.exp {{.*}} : vector<8xf32>
// CHECK: return
func.func @short(%x: tensor<4x64xf32>) -> tensor<4x1xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, registers = 32, vector = 1, partition = [0 : 1]>} -> (tensor<4x1xf32>) {
    %1 = graph.exp %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    graph.yield %2 : tensor<4x1xf32>
  }
  return %0 : tensor<4x1xf32>
}

// Four rows of two vectors, which share the bias: eight results wait.
// CHECK-LABEL: func.func @waiting
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x64xf32>, %[[B:[^:]*]]: memref<64xf32>
// CHECK: arith.maximumf
// CHECK: scf.for {{.*}} step %c16 {
// CHECK: vector.load %[[B]]
// CHECK-NOT: vector.store
// CHECK: vector.load %[[B]]
// CHECK-NOT: vector.load %[[B]]
// CHECK-COUNT-8: vector.store
func.func @waiting(%x: tensor<4x64xf32>, %bias: tensor<64xf32>) -> tensor<4x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 4], unroll = 4, recompute = 3>} -> (tensor<4x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %1 = graph.subtract %x, %m : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    %2 = graph.add %1, %bias : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
    graph.yield %2 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}

// With eight registers, four wait: each row loads the bias itself.
// CHECK-LABEL: func.func @stored
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x64xf32>, %[[B:[^:]*]]: memref<64xf32>
// CHECK: scf.for {{.*}} step %c16 {
// CHECK: vector.load %[[B]]
// CHECK: vector.store
// CHECK: vector.load %[[B]]
// CHECK: vector.store
func.func @stored(%x: tensor<4x64xf32>, %bias: tensor<64xf32>) -> tensor<4x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, registers = 8, vector = 1, partition = [0 : 4], unroll = 4, recompute = 3>} -> (tensor<4x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x64xf32>) -> tensor<4x1xf32>
    %1 = graph.subtract %x, %m : (tensor<4x64xf32>, tensor<4x1xf32>) -> tensor<4x64xf32>
    %2 = graph.add %1, %bias : (tensor<4x64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
    graph.yield %2 : tensor<4x64xf32>
  }
  return %0 : tensor<4x64xf32>
}
