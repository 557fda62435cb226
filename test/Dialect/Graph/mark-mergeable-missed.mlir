// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Neighbours that cannot be merged, and the remarks that say why.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))" | FileCheck %s --implicit-check-not=graph.merge_group
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))" --remarks-filter-missed=graph-mark-mergeable --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Missed] NotMerged | Category:graph-mark-mergeable | Remark="'second' is not merged with 'first': its parallel loop has the sizes 1 x 2, the other's has 2 x 1", Suggestion="template_params with equal MPN and NPN"
// CHECK-LABEL: func.func @sizes
func.func @sizes(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}

// -----

// The rows of one part are the columns of all: transposed, or the operand whose
// rows are reduced.
// REMARK: "'second' is not merged with 'first': operand 0 of 'graph.matmul' reads what other iterations have written", Suggestion="template_params with MPN = 1"
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %x {transpose_a = true, template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}

// -----

// Each part has other rows.
// REMARK: "'second' is not merged with 'first': the parts of rows or columns consist of different blocks", Suggestion="template_params with equal MB and NB"
// CHECK-LABEL: func.func @blocks
func.func @blocks(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>) -> tensor<96x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<96x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %1 : tensor<96x64xf32>
  }
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<96x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %3 : tensor<96x64xf32>
  }
  return %2 : tensor<96x64xf32>
}

// -----

// Parts of columns: the next matmul needs whole rows.
// REMARK: "'second' is not merged with 'first': operand 0 of 'graph.matmul' reads what other iterations have written", Suggestion="template_params with NPN = 1"
// CHECK-LABEL: func.func @columns
func.func @columns(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}

// -----

// One batch item reads another one's rows.
// REMARK: operand 1 of 'graph.add' reads what other iterations have written
// CHECK-LABEL: func.func @batch
func.func @batch(%x: tensor<4x4x8x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x4x8x8xf32> {
  %0 = graph.fused_op -> (tensor<4x4x8x8xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4x8x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8x8xf32>
    %t = graph.static_transpose %1 {order = array<i64: 1, 0, 2, 3>, graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
    graph.yield %t : tensor<4x4x8x8xf32>
  }
  %2 = graph.fused_op -> (tensor<4x4x8x8xf32>) {
    %3 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4x8x8xf32>, tensor<8x8xf32>) -> tensor<4x4x8x8xf32>
    %4 = graph.add %3, %0 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4x8x8xf32>, tensor<4x4x8x8xf32>) -> tensor<4x4x8x8xf32>
    graph.yield %4 : tensor<4x4x8x8xf32>
  }
  return %2 : tensor<4x4x8x8xf32>
}

// -----

// A reshape and an elementwise region are between them.
// REMARK: it uses the other's result through 'graph.static_reshape'
// REMARK: it has no tunable op that divides the work
// CHECK-LABEL: func.func @between
func.func @between(%x: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = graph.fused_op -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %r = graph.static_reshape %0 {shape = array<i64: 64, 64>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.fused_op -> (tensor<64x64xf32>) {
    %3 = graph.matmul %r, %0 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  %4 = graph.fused_op -> (tensor<64x64xf32>) {
    %5 = graph.relu %2 : (tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %5 : tensor<64x64xf32>
  }
  return %2, %4 : tensor<64x64xf32>, tensor<64x64xf32>
}

// -----

// The first region has no template that a group could begin with.
// REMARK: "'second' is not merged with 'first': the latter has no tunable op that divides the work"
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<64x64xf32>) {
    %1 = graph.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}

// -----

// Nothing but a reshape reads the first one.
// REMARK: "'second' is not merged with 'first': it uses the other's result through 'graph.static_reshape'"
// CHECK-LABEL: func.func @behind_reshape
func.func @behind_reshape(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {name = "first"} -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %1 : tensor<64x64xf32>
  }
  %r = graph.static_reshape %0 {shape = array<i64: 64, 64>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.fused_op attributes {name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %r, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}
