// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions that are slow say so.

// RUN: gc-opt %s --split-input-file --graph-decompose=contractions-only --remarks-filter-missed=graph-decompose --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: [Missed] Widened | Category:graph-decompose | Reason="kernels of its type multiply pairs or quads of channels, and a group has 3", Remark="'graph.convolution' is computed in f32"
func.func @widened(%x: tensor<1x8x8x3xbf16>, %w: tensor<3x3x3x16xbf16>) -> tensor<1x6x6x16xbf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x3xbf16>, tensor<3x3x3x16xbf16>) -> tensor<1x6x6x16xbf16>
  return %0 : tensor<1x6x6x16xbf16>
}

// -----

// CHECK: [Missed] NarrowGroups | Category:graph-decompose | Reason="kernels multiply the channels of one group at a time, and a group has 2 input and 2 output channels", Remark="'graph.convolution' is slow"
func.func @narrow_groups(%x: tensor<1x8x8x8xf32>, %w: tensor<3x3x2x8xf32>) -> tensor<1x6x6x8xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 4 : i64} : (tensor<1x8x8x8xf32>, tensor<3x3x2x8xf32>) -> tensor<1x6x6x8xf32>
  return %0 : tensor<1x6x6x8xf32>
}
