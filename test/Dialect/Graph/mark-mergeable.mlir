// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))" | FileCheck %s

#bk = #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 16, 3 : 32]>
#bv = #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 32, 3 : 16]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "L3_cache_size_in_bytes" = 33554432 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The example of the pass's description: two layers, each thread half of the
// rows. The weights of both fit the L2 cache.
// CHECK-LABEL: func.func @example
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows}
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows}
func.func @example(%x: tensor<512x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
  %0 = graph.fused_op -> (tensor<512x64xf32>) {
    %1 = graph.matmul %x, %v {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    graph.yield %1 : tensor<512x64xf32>
  }
  %2 = graph.fused_op -> (tensor<512x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    graph.yield %3 : tensor<512x64xf32>
  }
  return %2 : tensor<512x64xf32>
}

// Weights of 1 MiB each do not fit the L2 cache together with each other, and
// there are many blocks of rows: the loops over rows stay apart, the parallel
// loops merge.
// CHECK-LABEL: func.func @large_weights
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
func.func @large_weights(%x: tensor<512x300xf32>, %v: tensor<300x300xf32>, %w: tensor<300x300xf32>) -> tensor<512x300xf32> {
  %0 = graph.fused_op -> (tensor<512x300xf32>) {
    %1 = graph.matmul %x, %v {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 8, NB = 60, KB = 60, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x300xf32>, tensor<300x300xf32>) -> tensor<512x300xf32>
    graph.yield %1 : tensor<512x300xf32>
  }
  %2 = graph.fused_op -> (tensor<512x300xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 8, NB = 60, KB = 60, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x300xf32>, tensor<300x300xf32>) -> tensor<512x300xf32>
    graph.yield %3 : tensor<512x300xf32>
  }
  return %2 : tensor<512x300xf32>
}

// Attention: the second product reads rows of the first one's results of the
// same head; both pack their second operand per head. The reshape of another
// value in between moves away.
// CHECK-LABEL: func.func @attention
// CHECK-NEXT: graph.static_reshape
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows}
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows}
func.func @attention(%q: tensor<2x4x64x16xf32>, %k: tensor<2x4x16x64xf32>, %values: tensor<8x64x16xf32>) -> tensor<2x64x4x16xf32> {
  %0:2 = graph.fused_op -> (tensor<2x4x64x64xf32>, tensor<2x4x64x1xf32>) {
    %p = graph.reorder %k {graph.anchor = #graph.anchor<pre, 2>} : tensor<2x4x16x64xf32> -> tensor<2x4x16x64xf32, #bk>
    %1 = graph.matmul %q, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = true>} : (tensor<2x4x64x16xf32>, tensor<2x4x16x64xf32, #bk>) -> tensor<2x4x64x64xf32>
    %e = graph.exp %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
    %t = graph.reduce_sum %e {axes = array<i64: 3>, keep_dims = true, graph.anchor = #graph.anchor<post, 1>} : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x1xf32>
    graph.yield %e, %t : tensor<2x4x64x64xf32>, tensor<2x4x64x1xf32>
  }
  %v = graph.static_reshape %values {shape = array<i64: 2, 4, 64, 16>} : (tensor<8x64x16xf32>) -> tensor<2x4x64x16xf32>
  %2 = graph.fused_op -> (tensor<2x64x4x16xf32>) {
    %p = graph.reorder %v {graph.anchor = #graph.anchor<pre, 2>} : tensor<2x4x64x16xf32> -> tensor<2x4x64x16xf32, #bv>
    %3 = graph.matmul %0#0, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 16, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<2x4x64x64xf32>, tensor<2x4x64x16xf32, #bv>) -> tensor<2x4x64x16xf32>
    %4 = graph.divide %3, %0#1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<2x4x64x16xf32>, tensor<2x4x64x1xf32>) -> tensor<2x4x64x16xf32>
    %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>, graph.anchor = #graph.anchor<post, 1>} : (tensor<2x4x64x16xf32>) -> tensor<2x64x4x16xf32>
    graph.yield %5 : tensor<2x64x4x16xf32>
  }
  return %2 : tensor<2x64x4x16xf32>
}

// The result of the first is the second operand: all of its rows are needed, but
// only of the same batch item.
// CHECK-LABEL: func.func @second_operand
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
func.func @second_operand(%x: tensor<8x64x64xf32>, %w: tensor<64x64xf32>) -> tensor<8x64x64xf32> {
  %0 = graph.fused_op -> (tensor<8x64x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x64x64xf32>, tensor<64x64xf32>) -> tensor<8x64x64xf32>
    graph.yield %1 : tensor<8x64x64xf32>
  }
  %2 = graph.fused_op -> (tensor<8x64x64xf32>) {
    %3 = graph.matmul %x, %0 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    graph.yield %3 : tensor<8x64x64xf32>
  }
  return %2 : tensor<8x64x64xf32>
}

// Columns divided: the second region reads the first one's result where it
// writes its own. Its loop over rows could merge as well.
// CHECK-LABEL: func.func @gate
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64
func.func @gate(%x: tensor<4x64xf32>, %v: tensor<64x128xf32>, %w: tensor<64x128xf32>) -> tensor<4x128xf32> {
  %0 = graph.fused_op -> (tensor<4x128xf32>) {
    %1 = graph.matmul %x, %v {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x64xf32>, tensor<64x128xf32>) -> tensor<4x128xf32>
    graph.yield %1 : tensor<4x128xf32>
  }
  %2 = graph.fused_op -> (tensor<4x128xf32>) {
    %3 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x64xf32>, tensor<64x128xf32>) -> tensor<4x128xf32>
    %4 = graph.multiply %3, %0 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x128xf32>, tensor<4x128xf32>) -> tensor<4x128xf32>
    graph.yield %4 : tensor<4x128xf32>
  }
  return %2 : tensor<4x128xf32>
}

// A view of the first result and what is computed from it stay after the group,
// in order.
// CHECK-LABEL: func.func @views
// CHECK: %[[A:.*]] = graph.fused_op attributes {graph.merge_group = 0 : i64
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64
// CHECK: %[[R:.*]] = graph.static_reshape %[[A]]
// CHECK: %[[S:.*]] = graph.static_reshape %[[R]]
// CHECK: graph.relu %[[S]]
func.func @views(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<32x128xf32>) {
  %0 = graph.fused_op -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %r = graph.static_reshape %0 {shape = array<i64: 4096>} : (tensor<64x64xf32>) -> tensor<4096xf32>
  %2 = graph.fused_op -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  %s = graph.static_reshape %r {shape = array<i64: 32, 128>} : (tensor<4096xf32>) -> tensor<32x128xf32>
  %4 = graph.fused_op -> (tensor<32x128xf32>) {
    %5 = graph.relu %s : (tensor<32x128xf32>) -> tensor<32x128xf32>
    graph.yield %5 : tensor<32x128xf32>
  }
  %6 = graph.fused_op -> (tensor<64x64xf32>) {
    %7 = graph.matmul %2, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %7 : tensor<64x64xf32>
  }
  return %6, %4 : tensor<64x64xf32>, tensor<32x128xf32>
}

// Ops committed after the loop over rows keep the next loop separate.
// CHECK-LABEL: func.func @late_anchor
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
// CHECK: graph.fused_op attributes {graph.merge_group = 0 : i64} ->
func.func @late_anchor(%x: tensor<512x64xf32>, %v: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<512x64xf32> {
  %0 = graph.fused_op -> (tensor<512x64xf32>) {
    %1 = graph.matmul %x, %v {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    %r = graph.relu %1 {graph.anchor = #graph.anchor<post, 2>} : (tensor<512x64xf32>) -> tensor<512x64xf32>
    graph.yield %r : tensor<512x64xf32>
  }
  %2 = graph.fused_op -> (tensor<512x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
    graph.yield %3 : tensor<512x64xf32>
  }
  return %2 : tensor<512x64xf32>
}

// Regions without a tunable op have no group.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: graph.merge_group
func.func @elementwise(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
}
