// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and its gradients against the reference.

// RUN: gc-runner %s --check --strict --threads=2 --entry=maxpool
// RUN: gc-runner %s --check --strict --threads=2 --entry=maxpool_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=avgpool
// RUN: gc-runner %s --check --strict --threads=2 --entry=avgpool_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=global
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_channel
// RUN: gc-runner %s --check --threads=2 --entry=max_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=avg_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=ceil
// RUN: gc-runner %s --check --strict --threads=2 --entry=large
// RUN: gc-runner %s --check --strict --threads=2 --entry=line
// RUN: gc-runner %s --check --strict --threads=2 --entry=volume
// RUN: gc-runner %s --check --strict --threads=2 --entry=line_after_op
// RUN: gc-runner %s --check --strict --threads=2 --entry=line_after_op --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict --threads=2 --entry=int8
// RUN: gc-runner %s --check --threads=3 --entry=maxpool --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --threads=3 --entry=avgpool --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --threads=3 --entry=max_backward --pipeline-options=kernel=vector

func.func @maxpool(%x: tensor<2x13x14x19xf32>) -> tensor<2x7x7x19xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>} : (tensor<2x13x14x19xf32>) -> tensor<2x7x7x19xf32>
  %1 = graph.relu %0 : (tensor<2x7x7x19xf32>) -> tensor<2x7x7x19xf32>
  return %1 : tensor<2x7x7x19xf32>
}

func.func @maxpool_ncx(%x: tensor<2x19x13x14xf32>) -> tensor<2x19x4x7xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 3, 2>, pads_begin = array<i64: 1, 2>, pads_end = array<i64: 1, 1>, kernel = array<i64: 5, 3>, dilations = array<i64: 1, 2>, rounding_type = "floor", data_format = "NCX"} : (tensor<2x19x13x14xf32>) -> tensor<2x19x4x7xf32>
  return %0 : tensor<2x19x4x7xf32>
}

func.func @avgpool(%x: tensor<2x13x14x19xf32>) -> tensor<2x7x7x19xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = true} : (tensor<2x13x14x19xf32>) -> tensor<2x7x7x19xf32>
  return %0 : tensor<2x7x7x19xf32>
}

func.func @avgpool_bf16(%x: tensor<2x13x14x19xbf16>) -> tensor<2x7x7x19xbf16> {
  %0 = graph.avg_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = false} : (tensor<2x13x14x19xbf16>) -> tensor<2x7x7x19xbf16>
  return %0 : tensor<2x7x7x19xbf16>
}

func.func @global(%x: tensor<2x19x13x14xf32>) -> tensor<2x19x1x1xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 13, 14>, exclude_pad = false, data_format = "NCX"} : (tensor<2x19x13x14xf32>) -> tensor<2x19x1x1xf32>
  return %0 : tensor<2x19x1x1xf32>
}

func.func @one_channel(%x: tensor<2x1x13x14xf32>) -> tensor<2x1x7x7xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x1x13x14xf32>) -> tensor<2x1x7x7xf32>
  return %0 : tensor<2x1x7x7xf32>
}

// With what it is added to, since most elements of a gradient are 0.
func.func @max_backward(%x: tensor<2x13x14x19xf32>, %d: tensor<2x7x7x19xf32>) -> tensor<2x13x14x19xf32> {
  %0 = graph.max_pool_backward %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>} : (tensor<2x13x14x19xf32>, tensor<2x7x7x19xf32>) -> tensor<2x13x14x19xf32>
  %1 = graph.add %0, %x : (tensor<2x13x14x19xf32>, tensor<2x13x14x19xf32>) -> tensor<2x13x14x19xf32>
  return %1 : tensor<2x13x14x19xf32>
}

func.func @avg_backward(%d: tensor<2x7x7x19xf32>) -> tensor<2x13x14x19xf32> {
  %0 = graph.avg_pool_backward %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = true, src_shape = array<i64: 2, 13, 14, 19>} : (tensor<2x7x7x19xf32>) -> tensor<2x13x14x19xf32>
  return %0 : tensor<2x13x14x19xf32>
}


// Windows that run over the end of the image, the last of them without elements.
func.func @ceil(%x: tensor<1x7x5x8xf32>) -> tensor<1x3x3x8xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 3, 4>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 0, 1>, kernel = array<i64: 3, 2>, exclude_pad = true, rounding_type = "ceil"} : (tensor<1x7x5x8xf32>) -> tensor<1x3x2x8xf32>
  %1 = graph.interpolate %0 {mode = "nearest", sizes = array<i64: 3, 3>} : (tensor<1x3x2x8xf32>) -> tensor<1x3x3x8xf32>
  return %1 : tensor<1x3x3x8xf32>
}

// Many elements: one dimension after the other.
func.func @large(%x: tensor<1x20x21x8xf32>) -> tensor<1x10x11x8xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 4, 4>, pads_end = array<i64: 4, 4>, kernel = array<i64: 9, 9>} : (tensor<1x20x21x8xf32>) -> tensor<1x10x11x8xf32>
  return %0 : tensor<1x10x11x8xf32>
}

func.func @line(%x: tensor<2x50x24xf16>) -> tensor<2x25x24xf16> {
  %0 = graph.max_pool %x {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>} : (tensor<2x50x24xf16>) -> tensor<2x25x24xf16>
  return %0 : tensor<2x25x24xf16>
}

func.func @volume(%x: tensor<1x4x5x6x17xf32>) -> tensor<1x2x2x3x17xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 2, 2, 2>, pads_begin = array<i64: 0, 0, 0>, pads_end = array<i64: 0, 0, 0>, kernel = array<i64: 2, 2, 2>, exclude_pad = false} : (tensor<1x4x5x6x17xf32>) -> tensor<1x2x2x3x17xf32>
  return %0 : tensor<1x2x2x3x17xf32>
}

// Between a dequantization and a quantization, in one loop nest.
func.func @int8(%x: tensor<1x9x9x32xui8>) -> tensor<1x4x4x32xui8> {
  %0 = graph.dequantize %x {qtype = "per_tensor", scales = array<f32: 0.1>, zps = array<i64: 4>} : (tensor<1x9x9x32xui8>) -> tensor<1x9x9x32xf32>
  %1 = graph.max_pool %0 {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>} : (tensor<1x9x9x32xf32>) -> tensor<1x4x4x32xf32>
  %2 = graph.quantize %1 {qtype = "per_tensor", scales = array<f32: 0.1>, zps = array<i64: 4>} : (tensor<1x4x4x32xf32>) -> tensor<1x4x4x32xui8>
  return %2 : tensor<1x4x4x32xui8>
}

// The windows of a vector begin in the one before, which must not be overwritten yet.
func.func @line_after_op(%x: tensor<131x3x37xf32>, %seen: tensor<131x1x37xi1>, %fill: tensor<f32>) -> tensor<131x3x37xf32> {
  %0 = graph.select %seen, %fill, %x : (tensor<131x1x37xi1>, tensor<f32>, tensor<131x3x37xf32>) -> tensor<131x3x37xf32>
  %1 = graph.max_pool %0 {data_format = "NCX", dilations = array<i64: 1>, kernel = array<i64: 3>, pads_begin = array<i64: 1>, pads_end = array<i64: 1>, strides = array<i64: 1>} : (tensor<131x3x37xf32>) -> tensor<131x3x37xf32>
  return %1 : tensor<131x3x37xf32>
}
