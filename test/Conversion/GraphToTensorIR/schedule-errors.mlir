// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions without a schedule, schedules that do not fit their region's space, and
// what only other passes can prepare.

// RUN: gc-opt %s --split-input-file --verify-diagnostics --convert-graph-to-tir

func.func @c7_vector(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a schedule: (C7) vectors have no dimension among the 2 of the region}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 2>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c7_no_vector(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a schedule: (C7) vectors have no dimension among the 2 of the region}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c7_dim(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a schedule: (C7) pieces of 2 do not divide dimension 3 of the region's space (4, 8)}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [3 : 2]>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c7_piece(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a schedule: (C7) pieces of 5 do not divide dimension 0 of the region's space (4, 8)}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 5]>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c8_whole(%x: tensor<4x8xf32>) -> tensor<1x8xf32> {
  // expected-error @below {{has a schedule: (C8) dimension 0 is reduced as a whole, which the partition does not respect}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 2]>} -> (tensor<1x8xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
    graph.yield %1 : tensor<1x8xf32>
  }
  return %0 : tensor<1x8xf32>
}

// -----

func.func @c8_parts(%x: tensor<100xf32>) -> tensor<4xf32> {
  // expected-error @below {{has a schedule: (C8) dimension 0 is reduced in parts of 32, which the partition does not respect}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 0, partition = [0 : 16]>} -> (tensor<4xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true, part_size = 32 : i64} : (tensor<100xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @no_schedule(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.fused_op' op has no schedule; run graph-select-schedule}}
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// The caller's tensor is no region's result.
func.func @argument(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.entry} {
  // expected-error @below {{'func.return' op returns as result 0 what no region computes for it alone; run graph-fuse}}
  return %x : tensor<4xf32>
}

// -----

func.func @reshape(%x: tensor<4x6xf32, #graph.layout<strided, [1, 4]>>) -> tensor<24xf32> {
  // expected-error @below {{'graph.static_reshape' op reshapes a tensor with a layout; run graph-propagate-layout}}
  %0 = graph.static_reshape %x {shape = array<i64: 24>} : (tensor<4x6xf32, #graph.layout<strided, [1, 4]>>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

func.func @c11_two(%x: tensor<4x6x8xf32>) -> tensor<1x6x8xf32> {
  // expected-error @below {{has a schedule: (C11) dimension 0 has no neighbours that are computed together}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 2, block = [1 : 2, 0 : 2]>} -> (tensor<1x6x8xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4x6x8xf32>) -> tensor<1x6x8xf32>
    graph.yield %1 : tensor<1x6x8xf32>
  }
  return %0 : tensor<1x6x8xf32>
}

// -----

func.func @c11_again(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{has a schedule: (C11) rows along dimension 0 are read again after they have been reduced}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, block = [0 : 2]>} -> (tensor<4x8xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
    %2 = graph.subtract %x, %1 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c11_results(%x: tensor<4x8xf32>, %y: tensor<1x8xf32>) -> (tensor<1x8xf32>, tensor<1x8xf32>) {
  // expected-error @below {{has a schedule: (C11) rows along dimension 0 have results before they are reduced}}
  %0:2 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, block = [0 : 2]>} -> (tensor<1x8xf32>, tensor<1x8xf32>) {
    %1 = graph.abs %y : (tensor<1x8xf32>) -> tensor<1x8xf32>
    %2 = graph.multiply %x, %1 : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
    %3 = graph.reduce_sum %2 {axes = array<i64: 0>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
    graph.yield %1, %3 : tensor<1x8xf32>, tensor<1x8xf32>
  }
  return %0#0, %0#1 : tensor<1x8xf32>, tensor<1x8xf32>
}

// -----

func.func @c13_rank(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has a schedule: (C13) passes at post 1 have no dimension 2, but 2}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, passes = [post 1 : 0 transposed 2]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c13_anchor(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{has a schedule: (C13) the template has no post-op anchor 77}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, passes = [post 77 : 0]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}
