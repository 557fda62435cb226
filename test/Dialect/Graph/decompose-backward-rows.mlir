// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What gradients of softmax and norms and batch norm for training decompose to.
// The unit tests of the reference check that this is what they compute.

// RUN: gc-opt %s --graph-decompose | FileCheck %s
// RUN: gc-opt %s --graph-decompose --graph-decompose | FileCheck %s

// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[D:.*]]: tensor<3x5xf32>, %[[Y:.*]]: tensor<3x5xf32>)
// CHECK-NEXT: %[[M:.*]] = graph.multiply %[[D]], %[[Y]]
// CHECK-NEXT: %[[SUM:.*]] = graph.reduce_sum %[[M]] {axes = array<i64: 1>, keep_dims = true}
// CHECK-NEXT: %[[REST:.*]] = graph.subtract %[[D]], %[[SUM]]
// CHECK-NEXT: graph.multiply %[[Y]], %[[REST]]
func.func @softmax(%d: tensor<3x5xf32>, %y: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.softmax_backward %d, %y : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Narrow types are computed in f32 and rounded once.
// CHECK-LABEL: func.func @log_softmax(
// CHECK-COUNT-2: graph.type_cast {{.*}} -> tensor<3x5xf32>
// CHECK-NOT: bf16
// CHECK: %[[SUM:.*]] = graph.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims = true}
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[SHARE:.*]] = graph.multiply %[[E]], %[[SUM]]
// CHECK: %[[REST:.*]] = graph.subtract %{{.*}}, %[[SHARE]]
// CHECK: graph.type_cast %[[REST]] : tensor<3x5xf32> -> tensor<3x5xbf16>
func.func @log_softmax(%d: tensor<3x5xbf16>, %y: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = graph.log_softmax_backward %d, %y {axis = 0} : (tensor<3x5xbf16>, tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// Two sums along rows, two across them.
// CHECK-LABEL: func.func @layer_norm(
// CHECK-COUNT-2: graph.reduce_sum %{{.*}} {axes = array<i64: 2>, keep_dims = true}
// CHECK-COUNT-2: graph.reduce_sum %{{.*}} {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK-NOT: graph.reduce_sum
func.func @layer_norm(%x: tensor<2x3x4xf32>, %d: tensor<2x3x4xf32>, %m: tensor<2x3xf32>, %v: tensor<2x3xf32>, %g: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0:3 = graph.layer_norm_backward %x, %d, %m, %v, %g, %g : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Without results for gamma and beta nothing is summed for them.
// CHECK-LABEL: func.func @layer_norm_data(
// CHECK-COUNT-2: graph.reduce_sum %{{.*}} {axes = array<i64: 2>, keep_dims = true}
// CHECK-NOT: graph.reduce_sum
func.func @layer_norm_data(%x: tensor<2x3x4xf32>, %d: tensor<2x3x4xf32>, %m: tensor<2x3xf32>, %v: tensor<2x3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.layer_norm_backward %x, %d, %m, %v {use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// Statistics in two passes; running ones are mixed with them.
// CHECK-LABEL: func.func @training(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x4xf32>
// CHECK: %[[SUM:.*]] = graph.reduce_sum %[[X]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK: %[[D:.*]] = graph.subtract %[[X]]
// CHECK: %[[S:.*]] = graph.multiply %[[D]], %[[D]]
// CHECK: graph.reduce_sum %[[S]] {axes = array<i64: 0, 2>, keep_dims = true}
// CHECK-DAG: graph.constant dense<2.500000e-01>
// CHECK-DAG: graph.constant dense<7.500000e-01>
func.func @training(%x: tensor<2x3x4xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %0:5 = graph.batch_norm_forward_training %x, %m, %v {epsilon = 1.0e-3 : f32, momentum = 0.25 : f32, data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %0#0, %0#1, %0#2, %0#3, %0#4 : tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// The sums for gamma and beta are those that the gradient of src needs. Without
// results for them gamma has no influence.
// CHECK-LABEL: func.func @batch_norm(
// CHECK-SAME: %[[G:[^:]*]]: tensor<4xf32>)
// CHECK-COUNT-2: graph.reduce_sum %{{.*}} {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK: graph.multiply %{{.*}}, %[[G]]
// CHECK-COUNT-2: graph.reduce_sum
// CHECK-NOT: %[[G]]
func.func @batch_norm(%x: tensor<2x3x4xf32>, %d: tensor<2x3x4xf32>, %m: tensor<4xf32>, %v: tensor<4xf32>, %g: tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>) {
  %0:3 = graph.batch_norm_training_backward %x, %d, %m, %v, %g {epsilon = 1.0e-3 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %1 = graph.batch_norm_training_backward %x, %d, %m, %v, %g {epsilon = 1.0e-3 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return %0#0, %0#1, %0#2, %1 : tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<2x3x4xf32>
}
