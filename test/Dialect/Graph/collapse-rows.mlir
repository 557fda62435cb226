// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batch dimensions that weights do not have become rows, for all ops that
// exchange these rows.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-collapse-rows))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-collapse-rows))" --remarks-filter-passed=graph-collapse-rows --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// A bias has no rows, a residual has them, a maximum is reduced over a row.
// REMARK: [[#@LINE+12]]:8: remark: [Passed] Collapsed | Category:graph-collapse-rows | Remark="16 rows in one matrix, for 5 ops"
// CHECK-LABEL: func.func @tokens(
// CHECK-SAME: %[[X:.*]]: tensor<16x1x8xf32>, %[[W:.*]]: tensor<8x4xf32>, %[[B:.*]]: tensor<4xf32>, %[[R:.*]]: tensor<16x1x4xf32>)
// CHECK: %[[ROWS:.*]] = graph.static_reshape %[[X]] {shape = array<i64: 1, 16, 8>} : (tensor<16x1x8xf32>) -> tensor<1x16x8xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[ROWS]], %[[W]] : (tensor<1x16x8xf32>, tensor<8x4xf32>) -> tensor<1x16x4xf32>
// CHECK: %[[Q:.*]] = graph.add %[[P]], %[[B]] : (tensor<1x16x4xf32>, tensor<4xf32>) -> tensor<1x16x4xf32>
// CHECK: %[[RES:.*]] = graph.static_reshape %[[R]] {{.*}} -> tensor<1x16x4xf32>
// CHECK: %[[S:.*]] = graph.add %[[Q]], %[[RES]] : {{.*}} -> tensor<1x16x4xf32>
// CHECK: %[[M:.*]] = graph.reduce_max %[[S]] {axes = array<i64: -1>, keep_dims = true} : (tensor<1x16x4xf32>) -> tensor<1x16x1xf32>
// CHECK: %[[D:.*]] = graph.subtract %[[S]], %[[M]] : {{.*}} -> tensor<1x16x4xf32>
// CHECK: graph.static_reshape %[[D]] {{.*}} -> tensor<16x1x4xf32>
func.func @tokens(%x: tensor<16x1x8xf32>, %w: tensor<8x4xf32>, %b: tensor<4xf32>, %r: tensor<16x1x4xf32>) -> tensor<16x1x4xf32> {
  %0 = graph.matmul %x, %w : (tensor<16x1x8xf32>, tensor<8x4xf32>) -> tensor<16x1x4xf32>
  %1 = graph.add %0, %b : (tensor<16x1x4xf32>, tensor<4xf32>) -> tensor<16x1x4xf32>
  %2 = graph.add %1, %r : (tensor<16x1x4xf32>, tensor<16x1x4xf32>) -> tensor<16x1x4xf32>
  %3 = graph.reduce_max %2 {axes = array<i64: -1>, keep_dims = true} : (tensor<16x1x4xf32>) -> tensor<16x1x1xf32>
  %4 = graph.subtract %2, %3 : (tensor<16x1x4xf32>, tensor<16x1x1xf32>) -> tensor<16x1x4xf32>
  return %4 : tensor<16x1x4xf32>
}

// -----

// Heads of a group share keys and values: the dimensions before the group stay.
// The mask has no rows.
// CHECK-LABEL: func.func @group(
// CHECK: graph.matmul {{.*}} {transpose_b = true} : (tensor<2x8x1x4x16xf32>, tensor<2x8x1x32x16xf32>) -> tensor<2x8x1x4x32xf32>
// CHECK: graph.add {{.*}} : (tensor<2x8x1x4x32xf32>, tensor<2x1x1x1x32xf32>) -> tensor<2x8x1x4x32xf32>
// CHECK: graph.matmul {{.*}} : (tensor<2x8x1x4x32xf32>, tensor<2x8x1x32x16xf32>) -> tensor<2x8x1x4x16xf32>
// CHECK: graph.static_reshape {{.*}} -> tensor<2x8x4x1x16xf32>
func.func @group(%q: tensor<2x8x4x1x16xf32>, %k: tensor<2x8x1x32x16xf32>, %mask: tensor<2x1x1x1x32xf32>) -> tensor<2x8x4x1x16xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x8x4x1x16xf32>, tensor<2x8x1x32x16xf32>) -> tensor<2x8x4x1x32xf32>
  %1 = graph.add %0, %mask : (tensor<2x8x4x1x32xf32>, tensor<2x1x1x1x32xf32>) -> tensor<2x8x4x1x32xf32>
  %2 = graph.matmul %1, %k : (tensor<2x8x4x1x32xf32>, tensor<2x8x1x32x16xf32>) -> tensor<2x8x4x1x16xf32>
  return %2 : tensor<2x8x4x1x16xf32>
}

// -----

// A mask for each query, but not for each head of a group, has neither all rows
// nor none: what reads it stays, between reshapes, since matrices have few rows.
// CHECK-LABEL: func.func @partial(
// CHECK: graph.matmul {{.*}} -> tensor<2x1x8x32xf32>
// CHECK: graph.static_reshape {{.*}} -> tensor<2x4x2x32xf32>
// CHECK: graph.add {{.*}} : (tensor<2x4x2x32xf32>, tensor<2x1x2x32xf32>) -> tensor<2x4x2x32xf32>
func.func @partial(%q: tensor<2x4x2x16xf32>, %k: tensor<2x1x16x32xf32>, %mask: tensor<2x1x2x32xf32>) -> tensor<2x4x2x32xf32> {
  %0 = graph.matmul %q, %k : (tensor<2x4x2x16xf32>, tensor<2x1x16x32xf32>) -> tensor<2x4x2x32xf32>
  %1 = graph.add %0, %mask : (tensor<2x4x2x32xf32>, tensor<2x1x2x32xf32>) -> tensor<2x4x2x32xf32>
  return %1 : tensor<2x4x2x32xf32>
}

// -----

// The same with many rows, and a matmul with weights for each index of the
// batch: they could be fused, and stay a batch.
// CHECK-LABEL: func.func @many(
// CHECK-NOT: graph.static_reshape
func.func @many(%x: tensor<4x64x16xf32>, %w: tensor<16x32xf32>, %mask: tensor<1x64x32xf32>, %v: tensor<4x32x8xf32>) -> (tensor<4x64x32xf32>, tensor<4x64x8xf32>) {
  %0 = graph.matmul %x, %w : (tensor<4x64x16xf32>, tensor<16x32xf32>) -> tensor<4x64x32xf32>
  %1 = graph.add %0, %mask : (tensor<4x64x32xf32>, tensor<1x64x32xf32>) -> tensor<4x64x32xf32>
  %2 = graph.matmul %x, %w : (tensor<4x64x16xf32>, tensor<16x32xf32>) -> tensor<4x64x32xf32>
  %3 = graph.matmul %2, %v : (tensor<4x64x32xf32>, tensor<4x32x8xf32>) -> tensor<4x64x8xf32>
  return %1, %3 : tensor<4x64x32xf32>, tensor<4x64x8xf32>
}

// -----

// Many rows between arguments, results and reshapes: one matrix.
// CHECK-LABEL: func.func @projection(
// CHECK: graph.matmul {{.*}} : (tensor<1x256x16xf32>, tensor<16x32xf32>) -> tensor<1x256x32xf32>
// CHECK: graph.matmul {{.*}} : (tensor<1x256x32xf32>, tensor<32x16xf32>) -> tensor<1x256x16xf32>
// CHECK: graph.static_transpose {{.*}} -> tensor<4x2x64x8xf32>
func.func @projection(%x: tensor<4x64x16xf32>, %w: tensor<16x32xf32>, %v: tensor<32x16xf32>) -> tensor<4x2x64x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x64x16xf32>, tensor<16x32xf32>) -> tensor<4x64x32xf32>
  %1 = graph.matmul %0, %v : (tensor<4x64x32xf32>, tensor<32x16xf32>) -> tensor<4x64x16xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: 4, 64, 2, 8>} : (tensor<4x64x16xf32>) -> tensor<4x64x2x8xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x64x2x8xf32>) -> tensor<4x2x64x8xf32>
  return %3 : tensor<4x2x64x8xf32>
}

// -----

// Parameters that are given are those of a batch.
// CHECK-LABEL: func.func @given(
// CHECK-NOT: graph.static_reshape
func.func @given(%x: tensor<16x1x8xf32>, %w: tensor<8x4xf32>) -> tensor<16x1x4xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1, NB = 4, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x1x8xf32>, tensor<8x4xf32>) -> tensor<16x1x4xf32>
  return %0 : tensor<16x1x4xf32>
}

// -----

// Many rows by constant weights stay a batch.
// CHECK-LABEL: func.func @constants(
// CHECK-NOT: graph.static_reshape
func.func @constants(%x: tensor<4x64x16xf32>, %w: tensor<16x32xf32> {graph.const_arg}) -> tensor<4x64x32xf32> {
  %0 = graph.matmul %x, %w : (tensor<4x64x16xf32>, tensor<16x32xf32>) -> tensor<4x64x32xf32>
  return %0 : tensor<4x64x32xf32>
}

// -----

// The pixels of a small image, whose lines are shorter than a good block.
// CHECK-LABEL: func.func @pixels(
// CHECK: graph.matmul {{.*}} -> tensor<1x1x784x32xf32>
// CHECK: graph.relu {{.*}} -> tensor<1x1x784x32xf32>
func.func @pixels(%x: tensor<1x28x28x16xf32>, %w: tensor<16x32xf32> {graph.const_arg}) -> tensor<1x28x28x32xf32> {
  %0 = graph.matmul %x, %w : (tensor<1x28x28x16xf32>, tensor<16x32xf32>) -> tensor<1x28x28x32xf32>
  %1 = graph.relu %0 : (tensor<1x28x28x32xf32>) -> tensor<1x28x28x32xf32>
  return %1 : tensor<1x28x28x32xf32>
}

// Two of them: what one passes on to the other stays in the cache.
// CHECK-LABEL: func.func @two(
// CHECK-NOT: graph.static_reshape
func.func @two(%x: tensor<1x28x28x16xf32>, %w: tensor<16x32xf32> {graph.const_arg}, %v: tensor<32x16xf32> {graph.const_arg}) -> tensor<1x28x28x16xf32> {
  %0 = graph.matmul %x, %w : (tensor<1x28x28x16xf32>, tensor<16x32xf32>) -> tensor<1x28x28x32xf32>
  %1 = graph.matmul %0, %v : (tensor<1x28x28x32xf32>, tensor<32x16xf32>) -> tensor<1x28x28x16xf32>
  return %1 : tensor<1x28x28x16xf32>
}

// -----

// Sums over a dimension of the batch, positions in it, and rows that are columns
// of the product keep the dimension.
// CHECK-LABEL: func.func @dimensions(
// CHECK: graph.matmul {{.*}} -> tensor<1x12x4xf32>
// CHECK: %[[BACK:.*]] = graph.static_reshape {{.*}} -> tensor<4x3x4xf32>
// CHECK: graph.reduce_sum %[[BACK]]
// CHECK: graph.gen_index %[[BACK]]
// CHECK: graph.matmul {{.*}} {transpose_a = true} : (tensor<4x8x3xf32>, tensor<8x4xf32>) -> tensor<4x3x4xf32>
func.func @dimensions(%x: tensor<4x3x8xf32>, %y: tensor<4x8x3xf32>, %w: tensor<8x4xf32>) -> (tensor<1x3x4xf32>, tensor<4x3x4xsi32>, tensor<4x3x4xf32>) {
  %0 = graph.matmul %x, %w : (tensor<4x3x8xf32>, tensor<8x4xf32>) -> tensor<4x3x4xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<4x3x4xf32>) -> tensor<1x3x4xf32>
  %2 = graph.gen_index %0 {axis = 1 : i64} : (tensor<4x3x4xf32>) -> tensor<4x3x4xsi32>
  %3 = graph.matmul %y, %w {transpose_a = true} : (tensor<4x8x3xf32>, tensor<8x4xf32>) -> tensor<4x3x4xf32>
  return %1, %2, %3 : tensor<1x3x4xf32>, tensor<4x3x4xsi32>, tensor<4x3x4xf32>
}

// -----

// Weights for each index of the batch, and no batch.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: graph.static_reshape
func.func @nothing(%x: tensor<4x1x8xf32>, %w: tensor<4x8x4xf32>, %y: tensor<1x4x8xf32>, %v: tensor<8x4xf32>) -> (tensor<4x1x4xf32>, tensor<1x4x4xf32>) {
  %0 = graph.matmul %x, %w : (tensor<4x1x8xf32>, tensor<4x8x4xf32>) -> tensor<4x1x4xf32>
  %1 = graph.matmul %y, %v : (tensor<1x4x8xf32>, tensor<8x4xf32>) -> tensor<1x4x4xf32>
  return %0, %1 : tensor<4x1x4xf32>, tensor<1x4x4xf32>
}

// -----

// A sum over a dimension of size 1, which would have all rows.
// CHECK-LABEL: func.func @reduces_one(
// CHECK: %[[ROWS:.*]] = graph.matmul {{.*}} -> tensor<1x8x7xf32>
// CHECK: %[[BACK:.*]] = graph.static_reshape %[[ROWS]] {{.*}} -> tensor<8x1x7xf32>
// CHECK: graph.reduce_sum %[[BACK]] {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<8x1x7xf32>) -> tensor<8x1x1xf32>
func.func @reduces_one(%x: tensor<8x1x11xf32>, %w: tensor<11x7xf32>) -> tensor<8x1x1xf32> {
  %0 = graph.matmul %x, %w : (tensor<8x1x11xf32>, tensor<11x7xf32>) -> tensor<8x1x7xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<8x1x7xf32>) -> tensor<8x1x1xf32>
  return %1 : tensor<8x1x1xf32>
}

// -----

// The positions of windows become rows of one matrix; the image keeps its shape,
// also where what computes it has collapsed as well.
// CHECK-LABEL: func.func @windows(
// CHECK: %[[ROWS:.*]] = graph.static_reshape %arg0 {{.*}} -> tensor<1x1x72x8xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[ROWS]], %arg1 : {{.*}} -> tensor<1x1x72x16xf32>
// CHECK: %[[R:.*]] = graph.relu %[[P]] : (tensor<1x1x72x16xf32>) -> tensor<1x1x72x16xf32>
// CHECK: %[[I:.*]] = graph.static_reshape %[[R]] {{.*}} -> tensor<2x6x6x16xf32>
// CHECK: %[[Q:.*]] = graph.matmul %[[I]], %arg2 {window = #graph.window<{{.*}}, groups = 1, rows = [1, 1, 72]>} : (tensor<2x6x6x16xf32>, tensor<144x16xf32>) -> tensor<1x1x72x16xf32>
// CHECK: %[[S:.*]] = graph.add %[[Q]], %[[R]] : {{.*}} -> tensor<1x1x72x16xf32>
// CHECK: graph.static_reshape %[[S]] {{.*}} -> tensor<2x6x6x16xf32>
func.func @windows(%x: tensor<2x6x6x8xf32>, %v: tensor<8x16xf32> {graph.const_arg}, %w: tensor<144x16xf32> {graph.const_arg}) -> tensor<2x6x6x16xf32> {
  %0 = graph.matmul %x, %v : (tensor<2x6x6x8xf32>, tensor<8x16xf32>) -> tensor<2x6x6x16xf32>
  %1 = graph.relu %0 : (tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  %2 = graph.matmul %1, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<2x6x6x16xf32>, tensor<144x16xf32>) -> tensor<2x6x6x16xf32>
  %3 = graph.add %2, %1 : (tensor<2x6x6x16xf32>, tensor<2x6x6x16xf32>) -> tensor<2x6x6x16xf32>
  return %3 : tensor<2x6x6x16xf32>
}
