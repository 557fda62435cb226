// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and its kin become reductions of windows, without a reshape after them.

// RUN: gc-opt %s --split-input-file --graph-decompose | FileCheck %s

// CHECK-LABEL: func.func @max(
// CHECK: %[[W:.*]] = graph.windows %arg0 {{.*}}fill = 0xFFF0000000000000 : f64, kernel = array<i64: 3, 2>, offsets = array<i64: -1, 0>, positions = array<i64: 4, 4>, spacing = array<i64: 1, 1>, strides = array<i64: 2, 2>{{.*}} -> tensor<1x4x4x3x2x16xf32>
// CHECK-NEXT: %[[M:.*]] = graph.reduce_max %[[W]] {axes = array<i64: 3, 4>} : (tensor<1x4x4x3x2x16xf32>) -> tensor<1x4x4x16xf32>
// CHECK-NEXT: return %[[M]]
func.func @max(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 2>} : (tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// -----

// All of the image is one window.
// CHECK-LABEL: func.func @global(
// CHECK-NOT: graph.windows
// CHECK: graph.reduce_max %arg0 {axes = array<i64: 2, 3>, keep_dims = true}
func.func @global(%x: tensor<1x16x8x8xf32>) -> tensor<1x16x1x1xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 8, 8>, data_format = "NCX"} : (tensor<1x16x8x8xf32>) -> tensor<1x16x1x1xf32>
  return %0 : tensor<1x16x1x1xf32>
}

// -----

// Many elements: one dimension after the other.
// CHECK-LABEL: func.func @large(
// CHECK: graph.windows %arg0 {{.*}}kernel = array<i64: 1, 5>
// CHECK: graph.windows %{{.*}} {{.*}}kernel = array<i64: 5, 1>
func.func @large(%x: tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 5, 5>} : (tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32>
  return %0 : tensor<1x4x4x16xf32>
}

// -----

// The four phases of a stride of 2, which see one element of the kernel each, are
// computed by one product.
// CHECK-LABEL: func.func @phases(
// CHECK: graph.matmul %arg0, %{{.*}} : (tensor<1x4x4x16xf32>, tensor<16x32xf32>) -> tensor<1x4x4x32xf32>
// CHECK: graph.static_transpose %{{.*}} {order = array<i64: 0, 1, 4, 2, 5, 3, 6>} : (tensor<1x4x4x1x2x2x8xf32>) -> tensor<1x4x2x4x2x1x8xf32>
func.func @phases(%x: tensor<1x4x4x16xf32>, %w: tensor<2x2x16x8xf32>) -> tensor<1x8x8x8xf32> {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4x4x16xf32>, tensor<2x2x16x8xf32>) -> tensor<1x8x8x8xf32>
  return %0 : tensor<1x8x8x8xf32>
}

// -----

// Single channels are multiplied without a product of matrices; the pads of what
// is quantized are its zero point.
// CHECK-LABEL: func.func @depthwise(
// The scale is a factor of the weights, which are fewer than the windows.
// CHECK: %[[W:.*]] = graph.windows %arg0 {{.*}}fill = 3.000000e+00
// CHECK: %[[F:.*]] = graph.multiply %{{.*}}, %{{.*}} : (tensor<3x3x16xf32>, tensor<f32>)
// CHECK: %[[X:.*]] = graph.type_cast %[[W]]
// CHECK: %[[D:.*]] = graph.add %[[X]]
// CHECK: %[[P:.*]] = graph.multiply %[[D]], %[[F]]
// CHECK-NOT: graph.matmul
// CHECK: graph.reduce_sum %[[P]]
func.func @depthwise(%x: tensor<1x8x8x16xui8>, %w: tensor<3x3x1x16xf32>) -> tensor<1x8x8x16xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x8x8x16xui8>) -> tensor<1x8x8x16xf32>
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64} : (tensor<1x8x8x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x8x8x16xf32>
  return %1 : tensor<1x8x8x16xf32>
}

// -----

// Scales of channels as well.
// CHECK-LABEL: func.func @depthwise_channels(
// CHECK: %[[W:.*]] = graph.windows %arg0
// CHECK: %[[S:.*]] = graph.constant dense<[5.000000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: %[[F:.*]] = graph.multiply %{{.*}}, %[[S]] : (tensor<3x3x2xf32>, tensor<2xf32>)
// CHECK: %[[X:.*]] = graph.type_cast %[[W]]
// CHECK: graph.multiply %[[X]], %[[F]]
func.func @depthwise_channels(%x: tensor<1x8x8x2xsi8>, %w: tensor<3x3x1x2xf32>) -> tensor<1x8x8x2xf32> {
  %0 = graph.dequantize %x {qtype = "per_channel", axis = 3 : i64, scales = array<f32: 0.5, 0.25>} : (tensor<1x8x8x2xsi8>) -> tensor<1x8x8x2xf32>
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x1x2xf32>) -> tensor<1x8x8x2xf32>
  return %1 : tensor<1x8x8x2xf32>
}

// -----

// With channels second, each channel is an image of its own: nothing moves.
// CHECK-LABEL: func.func @channels_second(
// CHECK-NOT: graph.static_transpose
// CHECK: %[[IMAGES:.*]] = graph.static_reshape %arg0 {shape = array<i64: 6, 8, 20, 1>
// CHECK: %[[W:.*]] = graph.windows %[[IMAGES]] {{.*}} -> tensor<6x4x10x3x3x1xf32>
// CHECK: %[[M:.*]] = graph.reduce_max %[[W]] {{.*}} -> tensor<6x4x10x1xf32>
// CHECK: graph.static_reshape %[[M]] {shape = array<i64: 2, 3, 4, 10>
// CHECK-NOT: graph.static_transpose
// CHECK: return
func.func @channels_second(%x: tensor<2x3x8x20xf32>) -> tensor<2x3x4x10xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x3x8x20xf32>) -> tensor<2x3x4x10xf32>
  return %0 : tensor<2x3x4x10xf32>
}

// -----

// Next to a convolution, whose image is transposed, the image of a pool is as
// well; so is one with rows shorter than a vector.
// CHECK-LABEL: func.func @next_to_convolution(
// CHECK: graph.matmul
// CHECK: graph.windows %{{.*}} -> tensor<2x4x10x3x3x16xf32>
// CHECK: graph.windows %{{.*}} -> tensor<2x2x5x3x3x16xf32>
func.func @next_to_convolution(%x: tensor<2x3x8x20xf32>, %w: tensor<16x3x1x1xf32>) -> tensor<2x16x2x5xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<2x3x8x20xf32>, tensor<16x3x1x1xf32>) -> tensor<2x16x8x20xf32>
  %1 = graph.relu %0 : (tensor<2x16x8x20xf32>) -> tensor<2x16x8x20xf32>
  %2 = graph.max_pool %1 {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x16x8x20xf32>) -> tensor<2x16x4x10xf32>
  %3 = graph.max_pool %2 {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x16x4x10xf32>) -> tensor<2x16x2x5xf32>
  return %3 : tensor<2x16x2x5xf32>
}
