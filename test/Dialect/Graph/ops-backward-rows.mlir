// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm for training, in every form they
// can be written in, through text, the generic form and bytecode.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<3x5xf32>, %h: tensor<3x?xbf16>) {
  // CHECK: graph.softmax_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = graph.softmax_backward %x, %x {axis = 1} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.softmax_backward %{{.*}} {axis = -2 : i64} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xf32>
  %1 = graph.softmax_backward %h, %h {axis = -2} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xf32>
  // CHECK: graph.log_softmax_backward %{{[^{]*}} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %2 = graph.log_softmax_backward %h, %h {axis = -1} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  return
}

// Results after the first may be left out.
// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<2x3x4xf32>, %h: tensor<2x3x4xbf16>, %m: tensor<2x3xf32>, %c: tensor<4xf32>, %s: tensor<3xbf16>) {
  // CHECK: graph.layer_norm_backward %{{[^{]*}} -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %0:3 = graph.layer_norm_backward %x, %x, %m, %m, %c, %c : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: graph.layer_norm_backward %{{[^{]*}} -> tensor<2x3x4xf32>
  %1 = graph.layer_norm_backward %x, %x, %m, %m, %c, %c : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.layer_norm_backward %{{.*}} {begin_norm_axis = 2 : i64, epsilon = 1.000000e-01 : f32, use_affine = false}
  %2 = graph.layer_norm_backward %h, %h, %m, %m {begin_norm_axis = 2, epsilon = 0.1 : f32, use_affine = false} : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xbf16>
  // CHECK: graph.batch_norm_forward_training %{{.*}} {epsilon = 1.000000e-03 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) ->
  %3:5 = graph.batch_norm_forward_training %x, %c, %c {epsilon = 1.0e-3 : f32, momentum = 0.5 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: graph.batch_norm_forward_training %{{.*}} {data_format = "NCX", epsilon = 1.000000e-03 : f32, momentum = 1.000000e-01 : f32}
  %4:5 = graph.batch_norm_forward_training %h, %s, %s, %s, %s {epsilon = 1.0e-3 : f32, momentum = 0.1 : f32, data_format = "NCX"} : (tensor<2x3x4xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> (tensor<2x3x4xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>, tensor<3xbf16>)
  // CHECK: graph.batch_norm_training_backward %{{.*}} -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  %5:3 = graph.batch_norm_training_backward %x, %x, %c, %c, %c {epsilon = 1.0e-3 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: graph.batch_norm_training_backward %{{.*}} {data_format = "NCX", epsilon = 1.000000e-03 : f32} : {{.*}} -> tensor<2x3x4xbf16>
  %6 = graph.batch_norm_training_backward %h, %h, %s, %s {epsilon = 1.0e-3 : f32, data_format = "NCX"} : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<3xbf16>, tensor<3xbf16>) -> tensor<2x3x4xbf16>
  return
}
