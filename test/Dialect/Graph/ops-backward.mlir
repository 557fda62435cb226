// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients and prelu in every form they can be written in, through text, the
// generic form and bytecode. Defaults are not printed.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>, %h: tensor<3x?xbf16>) {
  // CHECK: graph.abs_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %0 = graph.abs_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.abs_backward %{{[^{]*}} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %1 = graph.abs_backward %h, %h : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  // CHECK: graph.clamp_backward {{.*}} {max = 2.000000e+00 : f32, min = -1.000000e+00 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %2 = graph.clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.clamp_backward {{.*}} {max = 2.000000e+00 : f32, min = -1.000000e+00 : f32, use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %3 = graph.clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32, use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.elu_backward {{.*}} {alpha = 5.000000e-01 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %4 = graph.elu_backward %x, %d {alpha = 0.5 : f32, use_dst = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.gelu_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %5 = graph.gelu_backward %x, %d {mode = "gelu_erf"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.gelu_backward {{.*}} {mode = "gelu_tanh"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %6 = graph.gelu_backward %x, %d {mode = "gelu_tanh"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.hard_sigmoid_backward {{.*}} {alpha = 5.000000e-01 : f32, beta = 2.500000e-01 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %7 = graph.hard_sigmoid_backward %x, %d {alpha = 0.5 : f32, beta = 0.25 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.hard_swish_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %8 = graph.hard_swish_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.mish_backward %{{[^{]*}} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %9 = graph.mish_backward %h, %h : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  // CHECK: graph.relu_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %10 = graph.relu_backward %x, %d {use_dst = true} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.relu_backward {{.*}} {use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %11 = graph.relu_backward %x, %d {use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.sigmoid_backward {{.*}} {use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %12 = graph.sigmoid_backward %x, %d {use_dst = false} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.soft_plus_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %13 = graph.soft_plus_backward %x, %d {beta = 1.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.soft_plus_backward {{.*}} {beta = -1.000000e+00 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %14 = graph.soft_plus_backward %x, %d {beta = -1.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.sqrt_backward %{{[^{]*}} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  %15 = graph.sqrt_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  // CHECK: graph.tanh_backward {{.*}} {use_dst = false} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  %16 = graph.tanh_backward %h, %h {use_dst = false} : (tensor<3x?xbf16>, tensor<3x?xbf16>) -> tensor<3x?xbf16>
  return
}

// A slope has an element per channel, or broadcasts.
// CHECK-LABEL: func.func @slopes
func.func @slopes(%x: tensor<2x3x4xf32>, %second: tensor<3xf32>, %last: tensor<4xf32>, %column: tensor<3x1xf32>, %one: tensor<1xf32>) {
  // CHECK: graph.prelu %{{[^{]*}} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  %0 = graph.prelu %x, %last : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.prelu %{{.*}} {data_format = "NCX"}
  %1 = graph.prelu %x, %second {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.prelu %{{.*}} {data_format = "NCX", per_channel_broadcast = false}
  %2 = graph.prelu %x, %last {data_format = "NCX", per_channel_broadcast = false} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.prelu %{{.*}} : (tensor<2x3x4xf32>, tensor<3x1xf32>)
  %3 = graph.prelu %x, %column : (tensor<2x3x4xf32>, tensor<3x1xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.prelu_backward %{{.*}} : (tensor<2x3x4xf32>, tensor<1xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<1xf32>)
  %4:2 = graph.prelu_backward %x, %one, %x : (tensor<2x3x4xf32>, tensor<1xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<1xf32>)
  // CHECK: graph.bias_add_backward %{{[^{]*}} : (tensor<2x3x4xf32>) -> tensor<4xf32>
  %5 = graph.bias_add_backward %x : (tensor<2x3x4xf32>) -> tensor<4xf32>
  // CHECK: graph.bias_add_backward %{{.*}} {data_format = "NCX"} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %6 = graph.bias_add_backward %x {data_format = "NCX"} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  return
}
