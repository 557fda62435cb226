// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling by windows that have each element once.

// RUN: gc-runner --target=npu %s --entry=maxpool --check --strict
// RUN: gc-runner --target=npu %s --entry=avgpool --check --strict
// RUN: gc-runner --target=npu %s --entry=global --check --strict
// RUN: gc-runner --target=npu %s --entry=global_one --check --strict
// RUN: gc-runner --target=npu %s --entry=channels_first --check --strict
// RUN: gc-runner --target=npu %s --entry=after_convolution --check --strict
// RUN: gc-runner --target=npu %s --entry=line --check --strict

func.func @maxpool(%x: tensor<2x72x48x64xf16>) -> tensor<2x36x24x64xf16> {
  %0 = graph.max_pool %x {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>} : (tensor<2x72x48x64xf16>) -> tensor<2x36x24x64xf16>
  return %0 : tensor<2x36x24x64xf16>
}
func.func @avgpool(%x: tensor<2x72x48x64xf16>) -> tensor<2x36x16x64xf16> {
  %0 = graph.avg_pool %x {kernel = array<i64: 2, 3>, strides = array<i64: 2, 3>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, exclude_pad = true} : (tensor<2x72x48x64xf16>) -> tensor<2x36x16x64xf16>
  return %0 : tensor<2x36x16x64xf16>
}
func.func @global(%x: tensor<3x14x14x40xf16>) -> tensor<3x1x1x40xf16> {
  %0 = graph.relu %x : (tensor<3x14x14x40xf16>) -> tensor<3x14x14x40xf16>
  %1 = graph.avg_pool %0 {kernel = array<i64: 14, 14>, strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, exclude_pad = false} : (tensor<3x14x14x40xf16>) -> tensor<3x1x1x40xf16>
  return %1 : tensor<3x1x1x40xf16>
}
func.func @global_one(%x: tensor<1x14x14x40xf16>) -> tensor<1x1x1x40xf16> {
  %0 = graph.relu %x : (tensor<1x14x14x40xf16>) -> tensor<1x14x14x40xf16>
  %1 = graph.max_pool %0 {kernel = array<i64: 14, 14>, strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>} : (tensor<1x14x14x40xf16>) -> tensor<1x1x1x40xf16>
  return %1 : tensor<1x1x1x40xf16>
}
func.func @channels_first(%x: tensor<2x32x24x24xf32>) -> tensor<2x32x12x12xf32> {
  %0 = graph.max_pool %x {data_format = "NCX", kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>} : (tensor<2x32x24x24xf32>) -> tensor<2x32x12x12xf32>
  return %0 : tensor<2x32x12x12xf32>
}
func.func @after_convolution(%x: tensor<2x20x20x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<2x10x10x64xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x20x20x64xf16>, tensor<3x3x64x64xf16>) -> tensor<2x20x20x64xf16>
  %1 = graph.relu %0 : (tensor<2x20x20x64xf16>) -> tensor<2x20x20x64xf16>
  %2 = graph.max_pool %1 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>} : (tensor<2x20x20x64xf16>) -> tensor<2x10x10x64xf16>
  return %2 : tensor<2x10x10x64xf16>
}
func.func @line(%x: tensor<2x96x32xf32>) -> tensor<2x24x32xf32> {
  %0 = graph.max_pool %x {kernel = array<i64: 4>, strides = array<i64: 4>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>} : (tensor<2x96x32xf32>) -> tensor<2x24x32xf32>
  return %0 : tensor<2x24x32xf32>
}
