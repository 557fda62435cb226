// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions of 8-bit integers: zero points next to pads, scales per channel,
// groups, blocks of channels, and what stays in f32.

// RUN: gc-runner %s --check --strict --threads=2 --entry=symmetric
// RUN: gc-runner %s --check --strict --threads=2 --entry=zero_point
// RUN: gc-runner %s --check --strict --threads=2 --entry=zero_point --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=both
// RUN: gc-runner %s --check --strict --threads=2 --entry=valid
// RUN: gc-runner %s --check --strict --threads=2 --entry=few_channels
// RUN: gc-runner %s --check --strict --threads=2 --entry=direct
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_channels
// RUN: gc-runner %s --check --strict --threads=2 --entry=few_channels --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=few_channels_asymmetric
// RUN: gc-runner %s --remarks --threads=2 --entry=few_channels_asymmetric 2>&1 | FileCheck %s
// CHECK: 'graph.matmul' stays in f32; reason: weights have a zero point, and a window has 3 channels, not a multiple of 4

// Pads are zeros, as zeros are.
func.func @symmetric(%x: tensor<1x32x9x9xui8>, %w: tensor<24x32x3x3xsi8> {graph.const_arg}) -> tensor<1x24x9x9xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 0>} : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03>, zps = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<24x32x3x3xsi8>) -> tensor<24x32x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x32x9x9xf32>, tensor<24x32x3x3xf32>) -> tensor<1x24x9x9xf32>
  %3 = graph.relu %2 : (tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.2>, zps = array<i64: 7>} : (tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xui8>
  return %4 : tensor<1x24x9x9xui8>
}

// Pads are not zero points: kernels subtract, since weights cannot correct sums.
func.func @zero_point(%x: tensor<1x32x9x9xui8>, %w: tensor<24x32x3x3xsi8> {graph.const_arg}) -> tensor<1x24x9x9xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 13>} : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03>, zps = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<24x32x3x3xsi8>) -> tensor<24x32x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x32x9x9xf32>, tensor<24x32x3x3xf32>) -> tensor<1x24x9x9xf32>
  %3 = graph.relu %2 : (tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.2>, zps = array<i64: 7>} : (tensor<1x24x9x9xf32>) -> tensor<1x24x9x9xui8>
  return %4 : tensor<1x24x9x9xui8>
}

// Zero points of both, and blocks of channels.
func.func @both(%x: tensor<1x320x5x5xui8>, %w: tensor<16x320x3x3xsi8> {graph.const_arg}) -> tensor<1x16x5x5xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 13>} : (tensor<1x320x5x5xui8>) -> tensor<1x320x5x5xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01>, zps = array<i64: -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3>} : (tensor<16x320x3x3xsi8>) -> tensor<16x320x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x320x5x5xf32>, tensor<16x320x3x3xf32>) -> tensor<1x16x5x5xf32>
  %3 = graph.relu %2 : (tensor<1x16x5x5xf32>) -> tensor<1x16x5x5xf32>
  %4 = graph.quantize %3 {scales = array<f32: 2.0>, zps = array<i64: 7>} : (tensor<1x16x5x5xf32>) -> tensor<1x16x5x5xui8>
  return %4 : tensor<1x16x5x5xui8>
}

// Without pads weights correct sums.
func.func @valid(%x: tensor<1x32x9x9xui8>, %w: tensor<24x32x3x3xsi8> {graph.const_arg}) -> tensor<1x24x7x7xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 13>} : (tensor<1x32x9x9xui8>) -> tensor<1x32x9x9xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03>, zps = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<24x32x3x3xsi8>) -> tensor<24x32x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x32x9x9xf32>, tensor<24x32x3x3xf32>) -> tensor<1x24x7x7xf32>
  %3 = graph.relu %2 : (tensor<1x24x7x7xf32>) -> tensor<1x24x7x7xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.2>, zps = array<i64: 7>} : (tensor<1x24x7x7xf32>) -> tensor<1x24x7x7xui8>
  return %4 : tensor<1x24x7x7xui8>
}

// Kernels multiply four channels at a time.
func.func @few_channels(%x: tensor<1x3x9x9xui8>, %w: tensor<16x3x3x3xsi8> {graph.const_arg}) -> tensor<1x16x9x9xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 13>} : (tensor<1x3x9x9xui8>) -> tensor<1x3x9x9xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01>, zps = array<i64: 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0>} : (tensor<16x3x3x3xsi8>) -> tensor<16x3x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x3x9x9xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x9x9xf32>
  %3 = graph.relu %2 : (tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.2>, zps = array<i64: 7>} : (tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xui8>
  return %4 : tensor<1x16x9x9xui8>
}

// Zeros added to such weights would stand for other numbers.
func.func @few_channels_asymmetric(%x: tensor<1x3x9x9xui8>, %w: tensor<16x3x3x3xsi8> {graph.const_arg}) -> tensor<1x16x9x9xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 13>} : (tensor<1x3x9x9xui8>) -> tensor<1x3x9x9xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01, 0.02, 0.03, 0.01>, zps = array<i64: -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3, -3>} : (tensor<16x3x3x3xsi8>) -> tensor<16x3x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x3x9x9xf32>, tensor<16x3x3x3xf32>) -> tensor<1x16x9x9xf32>
  %3 = graph.relu %2 : (tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.2>, zps = array<i64: 7>} : (tensor<1x16x9x9xf32>) -> tensor<1x16x9x9xui8>
  return %4 : tensor<1x16x9x9xui8>
}

// Three channels fill no group of four: the sums are exact in f32.
func.func @direct(%x: tensor<2x9x8x3xsi8>, %w: tensor<3x3x3x24xsi8>, %b: tensor<24xsi32>) -> tensor<2x9x8x24xsi32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x9x8x3xsi8>, tensor<3x3x3x24xsi8>, tensor<24xsi32>) -> tensor<2x9x8x24xsi32>
  return %0 : tensor<2x9x8x24xsi32>
}

// Single channels, whose pads stand for 0.
func.func @depthwise(%x: tensor<1x9x9x32xui8>, %w: tensor<3x3x1x32xsi8>) -> tensor<1x9x9x32xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.02>, zps = array<i64: 111>} : (tensor<1x9x9x32xui8>) -> tensor<1x9x9x32xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.01>} : (tensor<3x3x1x32xsi8>) -> tensor<3x3x1x32xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 32 : i64} : (tensor<1x9x9x32xf32>, tensor<3x3x1x32xf32>) -> tensor<1x9x9x32xf32>
  return %2 : tensor<1x9x9x32xf32>
}

// Scales and zero points of single channels, in channels first.
func.func @depthwise_channels(%x: tensor<2x3x9x8xsi8>, %w: tensor<3x1x3x3xsi8>) -> tensor<2x3x4x4xf32> {
  %0 = graph.dequantize %x {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.02, 0.5, 1.5>, zps = array<i64: -7, -7, -7>} : (tensor<2x3x9x8xsi8>) -> tensor<2x3x9x8xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.01>} : (tensor<3x1x3x3xsi8>) -> tensor<3x1x3x3xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 1>, pads_end = array<i64: 0, 1>, dilations = array<i64: 1, 1>, groups = 3 : i64, data_format = "NCX", weights_format = "OIX"} : (tensor<2x3x9x8xf32>, tensor<3x1x3x3xf32>) -> tensor<2x3x4x4xf32>
  return %2 : tensor<2x3x4x4xf32>
}
