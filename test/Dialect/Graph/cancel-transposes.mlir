// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposes that others undo are removed where that leaves fewer of them.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-cancel-transposes))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-cancel-transposes))" --remarks-filter-passed=graph-cancel-transposes --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: remark: [Passed] Cancelled | Category:graph-cancel-transposes | Remark="1 ops work on what was transposed before them"
// The example of the pass's description.
// CHECK-LABEL: func.func @example(
// CHECK-NEXT: %[[R:.*]] = graph.relu %arg0 : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @example(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = graph.relu %0 : (tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = graph.static_transpose %1 {order = array<i64: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %2 : tensor<2x3x4xf32>
}

// -----

// A scale per channel is reshaped, a residual has been transposed like the rest,
// and what is returned is transposed once.
// CHECK-LABEL: func.func @residual(
// CHECK: %[[S:.*]] = graph.static_reshape %arg2 {{.*}} : (tensor<4x1x1xf32>) -> tensor<1x1x1x4xf32>
// CHECK: %[[M:.*]] = graph.multiply %arg0, %[[S]] : (tensor<2x3x3x4xf32>, tensor<1x1x1x4xf32>) -> tensor<2x3x3x4xf32>
// CHECK: %[[A:.*]] = graph.add %[[M]], %arg1 : {{.*}} -> tensor<2x3x3x4xf32>
// CHECK-DAG: %[[C:.*]] = graph.type_cast %[[A]] : tensor<2x3x3x4xf32> -> tensor<2x3x3x4xbf16>
// CHECK-DAG: %[[T:.*]] = graph.static_transpose %[[A]] {order = array<i64: 0, 3, 1, 2>} : (tensor<2x3x3x4xf32>) -> tensor<2x4x3x3xf32>
// CHECK: return %[[C]], %[[T]]
func.func @residual(%x: tensor<2x3x3x4xf32>, %y: tensor<2x3x3x4xf32>, %s: tensor<4x1x1xf32>) -> (tensor<2x3x3x4xbf16>, tensor<2x4x3x3xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 0, 3, 1, 2>} : (tensor<2x3x3x4xf32>) -> tensor<2x4x3x3xf32>
  %1 = graph.static_transpose %y {order = array<i64: 0, 3, 1, 2>} : (tensor<2x3x3x4xf32>) -> tensor<2x4x3x3xf32>
  %2 = graph.multiply %0, %s : (tensor<2x4x3x3xf32>, tensor<4x1x1xf32>) -> tensor<2x4x3x3xf32>
  %3 = graph.add %2, %1 : (tensor<2x4x3x3xf32>, tensor<2x4x3x3xf32>) -> tensor<2x4x3x3xf32>
  %4 = graph.type_cast %3 : tensor<2x4x3x3xf32> -> tensor<2x4x3x3xbf16>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 3, 1>} : (tensor<2x4x3x3xbf16>) -> tensor<2x3x3x4xbf16>
  return %5, %3 : tensor<2x3x3x4xbf16>, tensor<2x4x3x3xf32>
}

// -----

// Two tensors would be transposed in place of two: it stays.
// CHECK-LABEL: func.func @as_many(
// CHECK: graph.static_transpose %arg0 {order = array<i64: 0, 2, 1>}
// CHECK: graph.add
// CHECK: graph.static_transpose
func.func @as_many(%x: tensor<2x3x4xf32>, %y: tensor<2x4x3xf32>, %z: tensor<2x4x3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<2x4x3xf32>
  %1 = graph.add %0, %y : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = graph.add %1, %z : (tensor<2x4x3xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1>} : (tensor<2x4x3xf32>) -> tensor<2x3x4xf32>
  return %3 : tensor<2x3x4xf32>
}

// -----

// A permutation that is not the inverse, and a reduction between the two, stay.
// CHECK-LABEL: func.func @others(
// CHECK-COUNT-4: graph.static_transpose
func.func @others(%x: tensor<3x4x5xf32>) -> (tensor<5x3x4xf32>, tensor<3x4x1xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 1, 2, 0>} : (tensor<3x4x5xf32>) -> tensor<4x5x3xf32>
  %1 = graph.relu %0 : (tensor<4x5x3xf32>) -> tensor<4x5x3xf32>
  %2 = graph.static_transpose %1 {order = array<i64: 1, 2, 0>} : (tensor<4x5x3xf32>) -> tensor<5x3x4xf32>
  %3 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<3x4x5xf32>) -> tensor<3x5x4xf32>
  %4 = graph.reduce_sum %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<3x5x4xf32>) -> tensor<3x1x4xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1>} : (tensor<3x1x4xf32>) -> tensor<3x4x1xf32>
  return %2, %5 : tensor<5x3x4xf32>, tensor<3x4x1xf32>
}
