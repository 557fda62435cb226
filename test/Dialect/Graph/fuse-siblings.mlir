// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of the same elements are one region, which reads them once, whether
// something is computed of them first or not; reductions of other dimensions are
// another.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse{threads=1}))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse{threads=1 max-ops=2}))" | FileCheck %s --check-prefix=TWO

// CHECK-LABEL: func.func @same
// CHECK: graph.fused_op
// CHECK-DAG: graph.reduce_sum %arg0 {axes = array<i64: 0>
// CHECK-DAG: graph.multiply %arg0, %arg1
// CHECK-DAG: graph.reduce_sum %{{[0-9]+}} {axes = array<i64: 0>
// CHECK: graph.yield %{{.*}}, %{{.*}} :
// CHECK-NOT: graph.fused_op
// CHECK: return
func.func @same(%x: tensor<64x32xf32>, %y: tensor<64x32xf32>) -> (tensor<1x32xf32>, tensor<1x32xf32>) {
  %0 = graph.multiply %x, %y : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<64x32xf32>) -> tensor<1x32xf32>
  %2 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<64x32xf32>) -> tensor<1x32xf32>
  return %1, %2 : tensor<1x32xf32>, tensor<1x32xf32>
}

// CHECK-LABEL: func.func @other
// CHECK-COUNT-2: graph.fused_op
// CHECK: return
func.func @other(%x: tensor<64x32xf32>) -> (tensor<1x32xf32>, tensor<64x1xf32>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<64x32xf32>) -> tensor<1x32xf32>
  %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x32xf32>) -> tensor<64x1xf32>
  return %0, %1 : tensor<1x32xf32>, tensor<64x1xf32>
}

// The nearest ones first.
// TWO-LABEL: func.func @in_order
// TWO: graph.fused_op
// TWO-DAG: graph.exp
// TWO-DAG: graph.tanh
// TWO: graph.yield
// TWO: graph.fused_op
// TWO-DAG: graph.sqrt
// TWO-DAG: graph.abs
// TWO: graph.yield
func.func @in_order(%x: tensor<64x32xf32>) -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>) {
  %0 = graph.exp %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = graph.tanh %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = graph.sqrt %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = graph.abs %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %0, %1, %2, %3 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
}
