// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes over windows compare indices only where windows may be partly outside
// of their image, and neighbours in a block share what they load.

// RUN: gc-opt %s --split-input-file --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// A row of five windows of three: the first and the last one have two elements
// each, the three in the middle are a block, which loads five elements and three
// weights. Rows come from the tasks, and have no other elements. What is not there
// is not multiplied.
// CHECK-LABEL: func.func @weighted(
// CHECK-SAME: %[[X:.*]]: memref<1x6x5x4xf32>, %[[W:.*]]: memref<1x3x4xf32>
// CHECK: tir.parallel (%[[Y:.*]]) in (6)
// The border, with elements that are not there:
// CHECK: vector.load %[[X]][%{{.*}}, %[[Y]], %c0{{[^]]*}}]
// CHECK: arith.mulf
// CHECK: vector.load %[[X]][%{{.*}}, %[[Y]], %c1{{[^]]*}}]
// CHECK: arith.mulf
// CHECK-NOT: {{arith.mulf|vector.load %arg0}}
// CHECK: vector.store
// The block:
// CHECK-COUNT-5: vector.load %[[X]]
// CHECK-NOT: vector.load %[[X]]
// CHECK-COUNT-3: vector.store
// CHECK: vector.load %[[X]][%{{.*}}, %[[Y]], %c3
// CHECK: vector.load %[[X]][%{{.*}}, %[[Y]], %c4
// CHECK-NOT: vector.load %[[X]]
// CHECK: vector.store
// CHECK-NOT: arith.cmpi
// CHECK: return
func.func @weighted(%x: tensor<1x6x5x4xf32>, %w: tensor<1x3x4xf32>) -> tensor<1x6x5x4xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 5, partition = [1 : 1], block = [2 : 3]>} -> (tensor<1x6x5x4xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 1, 3>, positions = array<i64: 6, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, -1>, spacing = array<i64: 1, 1>, gaps = "fill", fill = 0.0} : (tensor<1x6x5x4xf32>) -> tensor<1x6x5x1x3x4xf32>
    %2 = graph.multiply %1, %w : (tensor<1x6x5x1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x6x5x1x3x4xf32>
    %3 = graph.reduce_sum %2 {axes = array<i64: 3, 4>} : (tensor<1x6x5x1x3x4xf32>) -> tensor<1x6x5x4xf32>
    graph.yield %3 : tensor<1x6x5x4xf32>
  }
  return %0 : tensor<1x6x5x4xf32>
}

// -----

// Two rows at a time of which one has elements and the other has gaps: of the two
// elements of its windows, an even row sees one, and an odd row the other. Nothing
// is divided to find out. Windows of the last rows end after the image.
// CHECK-LABEL: func.func @gaps(
// CHECK-SAME: %[[X:.*]]: memref<1x4x1x4xf32>
// CHECK: tir.parallel (%[[T:.*]]) in (2)
// CHECK-NOT: arith.remui
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]]
// CHECK-COUNT-2: vector.load %[[X]]
// CHECK-NOT: arith.select
// CHECK: } else {
// CHECK-COUNT-1: vector.load %[[X]]
// CHECK-NOT: {{arith.select|arith.remui|vector.load}}
// CHECK: return
func.func @gaps(%x: tensor<1x4x1x4xf32>) -> tensor<1x8x1x4xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 5, partition = [1 : 4], block = [1 : 2]>} -> (tensor<1x8x1x4xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 2, 1>, positions = array<i64: 8, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 2, 1>, gaps = "fill", fill = 0.0} : (tensor<1x4x1x4xf32>) -> tensor<1x8x1x2x1x4xf32>
    %3 = graph.reduce_sum %1 {axes = array<i64: 3, 4>} : (tensor<1x8x1x2x1x4xf32>) -> tensor<1x8x1x4xf32>
    graph.yield %3 : tensor<1x8x1x4xf32>
  }
  return %0 : tensor<1x8x1x4xf32>
}

// -----

// Vectors along a row of positions with a stride of two read two vectors and take
// every second element of them. Before the first one there is none: that lane is
// filled.
// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[X:.*]]: memref<3x1x16x1xf32>
// CHECK-NOT: memref.load
// CHECK: %[[A:.*]] = vector.load %[[X]][%{{.*}}, %c0{{[_0-9]*}}, %c1{{[_0-9]*}}, %{{.*}}] : memref<3x1x16x1xf32>, vector<4xf32>
// CHECK: %[[B:.*]] = vector.load %[[X]][%{{.*}}, %c0{{[_0-9]*}}, %c2{{[_0-9]*}}, %{{.*}}] : memref<3x1x16x1xf32>, vector<4xf32>
// CHECK: vector.shuffle %[[A]], %[[B]] [0, 0, 2, 7]
// CHECK: arith.select %{{.*}}, %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 2, 5, 7]
// CHECK-NOT: memref.load
// CHECK: return
func.func @rows(%x: tensor<3x1x16x1xf32>) -> tensor<3x1x8x1xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 2, partition = [0 : 1]>} -> (tensor<3x1x8x1xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 1, 2>, positions = array<i64: 1, 8>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, -1>, spacing = array<i64: 1, 1>, gaps = "fill", fill = 0.0} : (tensor<3x1x16x1xf32>) -> tensor<3x1x8x1x2x1xf32>
    %3 = graph.reduce_sum %1 {axes = array<i64: 3, 4>} : (tensor<3x1x8x1x2x1xf32>) -> tensor<3x1x8x1xf32>
    graph.yield %3 : tensor<3x1x8x1xf32>
  }
  return %0 : tensor<3x1x8x1xf32>
}

// -----

// Blocks of two rows of which the first and the last one see rows that are not
// there: each has code of its own, without conditions on elements. The first row
// of positions sees two rows of the image, the second one three.
// CHECK-LABEL: func.func @first_and_last(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<1x6x1x4xf32>
// CHECK: tir.parallel (%[[T:.*]]) in (3)
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult
// CHECK: scf.if %[[INSIDE]] {
// CHECK-COUNT-4: vector.load %[[X]]
// CHECK-NOT: vector.load %[[X]]
// CHECK: } else {
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %{{.*}}, %c0
// CHECK: scf.if %[[FIRST]] {
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c0{{[_0-9]*}}, %c0
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c1{{[_0-9]*}}, %c0
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c2{{[_0-9]*}}, %c0
// CHECK-NOT: vector.load %[[X]]
// CHECK: } else {
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c3{{[_0-9]*}}, %c0
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c4{{[_0-9]*}}, %c0
// CHECK: vector.load %[[X]][%c0{{[_0-9]*}}, %c5{{[_0-9]*}}, %c0
// CHECK-NOT: arith.select
// CHECK: return
func.func @first_and_last(%x: tensor<1x6x1x4xf32>) -> tensor<1x6x1x4xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 5, partition = [1 : 2], block = [1 : 2]>} -> (tensor<1x6x1x4xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 3, 1>, positions = array<i64: 6, 1>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: -1, 0>, spacing = array<i64: 1, 1>, gaps = "fill", fill = 0xFFF0000000000000 : f64} : (tensor<1x6x1x4xf32>) -> tensor<1x6x1x3x1x4xf32>
    %3 = graph.reduce_max %1 {axes = array<i64: 3, 4>} : (tensor<1x6x1x3x1x4xf32>) -> tensor<1x6x1x4xf32>
    graph.yield %3 : tensor<1x6x1x4xf32>
  }
  return %0 : tensor<1x6x1x4xf32>
}

// -----

// A product that is not summed is 0 times the weight where nothing is there.
// CHECK-LABEL: func.func @largest(
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<4xf32>
// CHECK: arith.mulf %{{.*}}, %[[ZERO]]
// CHECK: return
func.func @largest(%x: tensor<1x6x5x4xf32>, %w: tensor<1x3x4xf32>) -> tensor<1x6x5x4xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 5, partition = [1 : 1], block = [2 : 3]>} -> (tensor<1x6x5x4xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 1, 3>, positions = array<i64: 6, 5>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, -1>, spacing = array<i64: 1, 1>, gaps = "fill", fill = 0.0} : (tensor<1x6x5x4xf32>) -> tensor<1x6x5x1x3x4xf32>
    %2 = graph.multiply %1, %w : (tensor<1x6x5x1x3x4xf32>, tensor<1x3x4xf32>) -> tensor<1x6x5x1x3x4xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 3, 4>} : (tensor<1x6x5x1x3x4xf32>) -> tensor<1x6x5x4xf32>
    graph.yield %3 : tensor<1x6x5x4xf32>
  }
  return %0 : tensor<1x6x5x4xf32>
}
