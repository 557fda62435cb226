// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions become products of matrices, with channels last.

// RUN: gc-opt %s --split-input-file --graph-decompose=contractions-only | FileCheck %s

// A kernel of one element multiplies pixels. Nothing else is decomposed.
// CHECK-LABEL: func.func @pointwise(
// CHECK: %[[W:.*]] = graph.static_reshape %arg1 {shape = array<i64: 16, 8>} : (tensor<1x1x16x8xf32>) -> tensor<16x8xf32>
// CHECK-NEXT: %[[P:.*]] = graph.matmul %arg0, %[[W]], %arg2 : (tensor<2x5x7x16xf32>, tensor<16x8xf32>, tensor<8xf32>) -> tensor<2x5x7x8xf32>
// CHECK-NEXT: graph.gelu %[[P]]
func.func @pointwise(%x: tensor<2x5x7x16xf32>, %w: tensor<1x1x16x8xf32>, %b: tensor<8xf32>) -> tensor<2x5x7x8xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x5x7x16xf32>, tensor<1x1x16x8xf32>, tensor<8xf32>) -> tensor<2x5x7x8xf32>
  %1 = graph.gelu %0 : (tensor<2x5x7x8xf32>) -> tensor<2x5x7x8xf32>
  return %1 : tensor<2x5x7x8xf32>
}

// -----

// With a stride it has windows of one pixel.
// CHECK-LABEL: func.func @strided(
// CHECK: graph.matmul %arg0, %{{.*}} {window = #graph.window<kernel = [1, 1], strides = [2, 2], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<2x5x7x16xf32>, tensor<16x8xf32>) -> tensor<2x3x4x8xf32>
func.func @strided(%x: tensor<2x5x7x16xf32>, %w: tensor<1x1x16x8xf32>) -> tensor<2x3x4x8xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x5x7x16xf32>, tensor<1x1x16x8xf32>) -> tensor<2x3x4x8xf32>
  return %0 : tensor<2x3x4x8xf32>
}

// -----

// Channels second, pads that auto_pad sets: transposes around the product.
// CHECK-LABEL: func.func @channels_second(
// CHECK: %[[X:.*]] = graph.static_transpose %arg0 {order = array<i64: 0, 2, 3, 1>} : (tensor<1x4x6x6xf32>) -> tensor<1x6x6x4xf32>
// CHECK: %[[T:.*]] = graph.static_transpose %arg1 {order = array<i64: 2, 3, 1, 0>} : (tensor<8x4x3x3xf32>) -> tensor<3x3x4x8xf32>
// CHECK: %[[W:.*]] = graph.static_reshape %[[T]] {shape = array<i64: 36, 8>}
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %[[W]] {window = #graph.window<kernel = [3, 3], strides = [2, 2], dilations = [1, 1], pads_begin = [0, 0], pads_end = [1, 1], groups = 1>} : (tensor<1x6x6x4xf32>, tensor<36x8xf32>) -> tensor<1x3x3x8xf32>
// CHECK: graph.static_transpose %[[P]] {order = array<i64: 0, 3, 1, 2>}
func.func @channels_second(%x: tensor<1x4x6x6xf32>, %w: tensor<8x4x3x3xf32>) -> tensor<1x8x3x3xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, auto_pad = "same_upper", data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x6x6xf32>, tensor<8x4x3x3xf32>) -> tensor<1x8x3x3xf32>
  return %0 : tensor<1x8x3x3xf32>
}

// -----

// A product for each group.
// CHECK-LABEL: func.func @groups(
// CHECK: %[[B:.*]] = graph.static_reshape %arg2 {shape = array<i64: 2, 1, 1, 3>
// CHECK: %[[W:.*]] = graph.static_reshape %{{.*}} {shape = array<i64: 2, 1, 6, 3>{{.*}} -> tensor<2x1x6x3xf32>
// CHECK: %[[P:.*]] = graph.matmul %arg0, %[[W]], %[[B]] {window = {{.*}} groups = 2>} : (tensor<1x9x4xf32>, tensor<2x1x6x3xf32>, tensor<2x1x1x3xf32>) -> tensor<2x1x7x3xf32>
// CHECK: %[[T:.*]] = graph.static_transpose %[[P]] {order = array<i64: 1, 2, 0, 3>} : (tensor<2x1x7x3xf32>) -> tensor<1x7x2x3xf32>
// CHECK: graph.static_reshape %[[T]] {shape = array<i64: 1, 7, 6>
func.func @groups(%x: tensor<1x9x4xf32>, %w: tensor<3x2x6xf32>, %b: tensor<6xf32>) -> tensor<1x7x6xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, groups = 2 : i64} : (tensor<1x9x4xf32>, tensor<3x2x6xf32>, tensor<6xf32>) -> tensor<1x7x6xf32>
  return %0 : tensor<1x7x6xf32>
}

// -----

// Integers are moved rather than the numbers that they stand for, so that the
// product still sees what is dequantized; scales follow their dimension.
// CHECK-LABEL: func.func @quantized(
// CHECK: %[[XT:.*]] = graph.static_transpose %arg0 {{.*}} : (tensor<1x4x6x6xui8>) -> tensor<1x6x6x4xui8>
// CHECK: %[[X:.*]] = graph.dequantize %[[XT]]
// CHECK: %[[WT:.*]] = graph.static_transpose %arg1 {{.*}} : (tensor<2x4x3x3xsi8>) -> tensor<3x3x4x2xsi8>
// CHECK: %[[WR:.*]] = graph.static_reshape %[[WT]] {{.*}} -> tensor<36x2xsi8>
// CHECK: %[[W:.*]] = graph.dequantize %[[WR]] {{{.*}}qtype = "per_channel", scales = array<f32: 5.000000e-01, 2.500000e-01>}
// CHECK: graph.matmul %[[X]], %[[W]] {window
func.func @quantized(%x: tensor<1x4x6x6xui8>, %w: tensor<2x4x3x3xsi8>) -> tensor<1x2x4x4xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x4x6x6xui8>) -> tensor<1x4x6x6xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.5, 0.25>} : (tensor<2x4x3x3xsi8>) -> tensor<2x4x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x6x6xf32>, tensor<2x4x3x3xf32>) -> tensor<1x2x4x4xf32>
  return %2 : tensor<1x2x4x4xf32>
}

// -----

// They are moved even if something else reads the numbers, the shortcut of a
// residual block for example: that reads the first conversion. Before the
// conversion, only integers move; the rounding to them is not done twice.
// CHECK-LABEL: func.func @shared(
// CHECK: %[[Q:.*]] = graph.quantize %arg0
// CHECK: %[[F:.*]] = graph.dequantize %[[Q]]
// CHECK-NOT: graph.quantize
// CHECK: %[[QT:.*]] = graph.static_transpose %[[Q]] {{.*}} -> tensor<1x6x6x4xui8>
// CHECK: %[[X:.*]] = graph.dequantize %[[QT]]
// CHECK: graph.matmul %[[X]], %{{.*}} -> tensor<1x6x6x4xf32>
// CHECK: graph.add %{{.*}}, %[[F]]
func.func @shared(%x: tensor<1x4x6x6xf32>, %w: tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32> {
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xui8>
  %1 = graph.dequantize %0 {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x4x6x6xui8>) -> tensor<1x4x6x6xf32>
  %2 = graph.convolution %1, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x4x6x6xf32>, tensor<4x4x1x1xf32>) -> tensor<1x4x6x6xf32>
  %3 = graph.add %2, %1 : (tensor<1x4x6x6xf32>, tensor<1x4x6x6xf32>) -> tensor<1x4x6x6xf32>
  return %3 : tensor<1x4x6x6xf32>
}

// -----

// Kernels multiply pairs of channels in bf16: an odd number is computed in f32.
// CHECK-LABEL: func.func @odd(
// CHECK: %[[X:.*]] = graph.type_cast %arg0
// CHECK: %[[P:.*]] = graph.matmul %[[X]], %{{.*}} -> tensor<1x4x4x8xf32>
// CHECK: graph.type_cast %[[P]] : tensor<1x4x4x8xf32> -> tensor<1x4x4x8xbf16>
func.func @odd(%x: tensor<1x6x6x3xbf16>, %w: tensor<3x3x3x8xbf16>) -> tensor<1x4x4x8xbf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x6x6x3xbf16>, tensor<3x3x3x8xbf16>) -> tensor<1x4x4x8xbf16>
  return %0 : tensor<1x4x4x8xbf16>
}
