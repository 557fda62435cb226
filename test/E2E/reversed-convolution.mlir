// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposed convolution and gradients of convolutions against the reference.

// RUN: gc-runner %s --check --strict --threads=2 --entry=transpose_strided
// RUN: gc-runner %s --check --strict --threads=2 --entry=transpose_plain
// RUN: gc-runner %s --check --strict --threads=2 --entry=transpose_groups
// RUN: gc-runner %s --check --strict --threads=2 --entry=data
// RUN: gc-runner %s --check --strict --threads=2 --entry=data_dilated
// RUN: gc-runner %s --check --strict --threads=2 --entry=weights
// RUN: gc-runner %s --check --strict --threads=2 --entry=weights_depthwise
// RUN: gc-runner %s --check --strict --threads=2 --entry=weights_groups
// RUN: gc-runner %s --check --strict --threads=2 --entry=transpose_data
// RUN: gc-runner %s --check --strict --threads=2 --entry=transpose_weights
// RUN: gc-runner %s --check --threads=3 --entry=transpose_strided --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --threads=3 --entry=data --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --threads=3 --entry=weights --pipeline-options=kernel=vector

func.func @transpose_strided(%x: tensor<2x5x6x19xf32>, %w: tensor<3x3x19x17xf32>, %b: tensor<17xf32>) -> tensor<2x10x12x17xf32> {
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, output_padding = array<i64: 1, 1>} : (tensor<2x5x6x19xf32>, tensor<3x3x19x17xf32>, tensor<17xf32>) -> tensor<2x10x12x17xf32>
  %1 = graph.relu %0 : (tensor<2x10x12x17xf32>) -> tensor<2x10x12x17xf32>
  return %1 : tensor<2x10x12x17xf32>
}

func.func @transpose_plain(%x: tensor<2x17x5x5xf32>, %w: tensor<17x16x3x3xf32>) -> tensor<2x16x5x5xf32> {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "IOX"} : (tensor<2x17x5x5xf32>, tensor<17x16x3x3xf32>) -> tensor<2x16x5x5xf32>
  return %0 : tensor<2x16x5x5xf32>
}

func.func @transpose_groups(%x: tensor<1x4x5x12xf32>, %w: tensor<12x3x4x2xf32>) -> tensor<1x13x10x12xf32> {
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 3, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64, weights_format = "IOX"} : (tensor<1x4x5x12xf32>, tensor<12x3x4x2xf32>) -> tensor<1x13x10x12xf32>
  return %0 : tensor<1x13x10x12xf32>
}

func.func @data(%d: tensor<1x14x14x128xf32>, %w: tensor<128x32x3x3xf32>) -> tensor<1x28x28x32xf32> {
  %0 = graph.convolution_backward_data %d, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, weights_format = "OIX", dst_shape = array<i64: 1, 28, 28, 32>} : (tensor<1x14x14x128xf32>, tensor<128x32x3x3xf32>) -> tensor<1x28x28x32xf32>
  return %0 : tensor<1x28x28x32xf32>
}

func.func @data_dilated(%d: tensor<2x8x4x9x9xbf16>, %w: tensor<3x3x3x6x8xbf16>) -> tensor<2x6x8x13x11xbf16> {
  %0 = graph.convolution_backward_data %d, %w {strides = array<i64: 2, 1, 1>, pads_begin = array<i64: 2, 0, 1>, pads_end = array<i64: 2, 0, 1>, dilations = array<i64: 2, 2, 2>, data_format = "NCX", dst_shape = array<i64: 2, 6, 8, 13, 11>} : (tensor<2x8x4x9x9xbf16>, tensor<3x3x3x6x8xbf16>) -> tensor<2x6x8x13x11xbf16>
  return %0 : tensor<2x6x8x13x11xbf16>
}

func.func @weights(%x: tensor<2x9x11x16xf32>, %d: tensor<2x5x6x24xf32>) -> tensor<24x16x3x3xf32> {
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, weights_format = "OIX", weights_shape = array<i64: 24, 16, 3, 3>} : (tensor<2x9x11x16xf32>, tensor<2x5x6x24xf32>) -> tensor<24x16x3x3xf32>
  return %0 : tensor<24x16x3x3xf32>
}

func.func @weights_depthwise(%x: tensor<2x9x11x16xf32>, %d: tensor<2x9x11x16xf32>) -> tensor<3x3x1x16xf32> {
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 16 : i64, weights_shape = array<i64: 3, 3, 1, 16>} : (tensor<2x9x11x16xf32>, tensor<2x9x11x16xf32>) -> tensor<3x3x1x16xf32>
  return %0 : tensor<3x3x1x16xf32>
}

func.func @weights_groups(%x: tensor<2x7x12xf16>, %d: tensor<2x7x8xf16>) -> tensor<3x6x8xf16> {
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>, dilations = array<i64: 1>, groups = 2 : i64, weights_shape = array<i64: 3, 6, 8>} : (tensor<2x7x12xf16>, tensor<2x7x8xf16>) -> tensor<3x6x8xf16>
  return %0 : tensor<3x6x8xf16>
}

func.func @transpose_data(%d: tensor<1x128x16x16xf32>, %w: tensor<32x128x3x3xf32>) -> tensor<1x32x7x7xf32> {
  %0 = graph.conv_transpose_backward_data %d, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "IOX"} : (tensor<1x128x16x16xf32>, tensor<32x128x3x3xf32>) -> tensor<1x32x7x7xf32>
  return %0 : tensor<1x32x7x7xf32>
}

func.func @transpose_weights(%x: tensor<1x5x6x8xf32>, %d: tensor<1x11x13x12xf32>) -> tensor<8x12x3x3xf32> {
  %0 = graph.conv_transpose_backward_weights %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, weights_format = "IOX", weights_shape = array<i64: 8, 12, 3, 3>} : (tensor<1x5x6x8xf32>, tensor<1x11x13x12xf32>) -> tensor<8x12x3x3xf32>
  return %0 : tensor<8x12x3x3xf32>
}
