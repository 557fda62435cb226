// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions against the reference: lines of windows with every kind of border,
// blocks of channels, groups, formats and types.

// RUN: gc-runner %s --check --strict --threads=2 --entry=same
// RUN: gc-runner %s --check --strict --threads=2 --entry=strided
// RUN: gc-runner %s --check --strict --threads=2 --entry=dilated
// RUN: gc-runner %s --check --strict --threads=2 --entry=wide_pads
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_side
// RUN: gc-runner %s --check --strict --threads=2 --entry=jumping
// RUN: gc-runner %s --check --strict --threads=2 --entry=channels
// RUN: gc-runner %s --check --strict --threads=2 --entry=stem
// RUN: gc-runner %s --check --strict --threads=2 --entry=line
// RUN: gc-runner %s --check --strict --threads=2 --entry=line_long
// RUN: gc-runner %s --check --strict --threads=2 --entry=volume
// RUN: gc-runner %s --check --strict --threads=2 --entry=volume_pads
// RUN: gc-runner %s --check --strict --threads=2 --entry=pointwise
// RUN: gc-runner %s --check --strict --threads=2 --entry=pointwise_strided
// RUN: gc-runner %s --check --strict --threads=2 --entry=pointwise_padded
// RUN: gc-runner %s --check --strict --threads=2 --entry=second
// RUN: gc-runner %s --check --strict --threads=2 --entry=groups
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise
// RUN: gc-runner %s --check --strict --threads=2 --entry=bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=bf16_odd
// RUN: gc-runner %s --check --strict --threads=2 --entry=f16
// RUN: gc-runner %s --check --strict --threads=3 --entry=same --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=strided --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=dilated --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=wide_pads --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=channels --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=stem --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=line --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=volume --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=groups --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=3 --entry=bf16 --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=block
// RUN: gc-runner %s --check --strict --threads=1 --entry=block --pipeline-options=coarse-grain=false
// RUN: gc-runner %s --check --strict --threads=2 --entry=block_second
// RUN: gc-runner %s --check --strict --threads=1 --entry=block_second --pipeline-options=coarse-grain=false
// RUN: gc-runner %s --check --strict --threads=2 --entry=variable

// Lines of 14 positions, several in a block; columns that are no whole vectors.
func.func @same(%x: tensor<2x14x14x64xf32>, %w: tensor<3x3x64x70xf32> {graph.const_arg}, %b: tensor<70xf32>) -> tensor<2x14x14x70xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x14x14x64xf32>, tensor<3x3x64x70xf32>, tensor<70xf32>) -> tensor<2x14x14x70xf32>
  %1 = graph.relu %0 : (tensor<2x14x14x70xf32>) -> tensor<2x14x14x70xf32>
  return %1 : tensor<2x14x14x70xf32>
}

// A stride that leaves pixels at the end out.
func.func @strided(%x: tensor<1x15x13x32xf32>, %w: tensor<3x3x32x48xf32> {graph.const_arg}) -> tensor<1x8x7x48xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x15x13x32xf32>, tensor<3x3x32x48xf32>) -> tensor<1x8x7x48xf32>
  %1 = graph.relu %0 : (tensor<1x8x7x48xf32>) -> tensor<1x8x7x48xf32>
  return %1 : tensor<1x8x7x48xf32>
}

// No column of the window is inside the image for all positions but the middle one.
func.func @dilated(%x: tensor<1x12x12x16xf32>, %w: tensor<3x3x16x16xf32> {graph.const_arg}) -> tensor<1x12x12x16xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 2, 2>, pads_end = array<i64: 2, 2>, dilations = array<i64: 2, 2>} : (tensor<1x12x12x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x12x12x16xf32>
  %1 = graph.relu %0 : (tensor<1x12x12x16xf32>) -> tensor<1x12x12x16xf32>
  return %1 : tensor<1x12x12x16xf32>
}

// Positions whose windows are in the pads altogether: sums of nothing.
func.func @wide_pads(%x: tensor<1x3x4x8xf32>, %w: tensor<2x2x8x8xf32> {graph.const_arg}, %b: tensor<8xf32>) -> tensor<1x10x9x8xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 4, 3>, pads_end = array<i64: 4, 3>, dilations = array<i64: 1, 1>} : (tensor<1x3x4x8xf32>, tensor<2x2x8x8xf32>, tensor<8xf32>) -> tensor<1x10x9x8xf32>
  %1 = graph.abs %0 : (tensor<1x10x9x8xf32>) -> tensor<1x10x9x8xf32>
  return %1 : tensor<1x10x9x8xf32>
}

// Pads at one side only.
func.func @one_side(%x: tensor<1x9x9x8xf32>, %w: tensor<3x5x8x24xf32> {graph.const_arg}) -> tensor<1x8x7x24xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 0, 2>, dilations = array<i64: 1, 1>} : (tensor<1x9x9x8xf32>, tensor<3x5x8x24xf32>) -> tensor<1x8x7x24xf32>
  %1 = graph.abs %0 : (tensor<1x8x7x24xf32>) -> tensor<1x8x7x24xf32>
  return %1 : tensor<1x8x7x24xf32>
}

// A dilation that is larger than the image.
func.func @jumping(%x: tensor<1x2x2x8xf32>, %w: tensor<3x3x8x8xf32> {graph.const_arg}) -> tensor<1x2x2x8xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 3, 3>, pads_end = array<i64: 3, 3>, dilations = array<i64: 3, 3>} : (tensor<1x2x2x8xf32>, tensor<3x3x8x8xf32>) -> tensor<1x2x2x8xf32>
  %1 = graph.abs %0 : (tensor<1x2x2x8xf32>) -> tensor<1x2x2x8xf32>
  return %1 : tensor<1x2x2x8xf32>
}

// More channels than one block of k has, and a number that 256 does not divide.
func.func @channels(%x: tensor<1x6x6x320xf32>, %w: tensor<3x3x320x40xf32> {graph.const_arg}) -> tensor<1x6x6x40xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x6x6x320xf32>, tensor<3x3x320x40xf32>) -> tensor<1x6x6x40xf32>
  %1 = graph.relu %0 : (tensor<1x6x6x40xf32>) -> tensor<1x6x6x40xf32>
  return %1 : tensor<1x6x6x40xf32>
}

// Three channels.
func.func @stem(%x: tensor<1x23x23x3xf32>, %w: tensor<7x7x3x64xf32> {graph.const_arg}, %b: tensor<64xf32>) -> tensor<1x12x12x64xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 2, 2>, pads_begin = array<i64: 3, 3>, pads_end = array<i64: 3, 3>, dilations = array<i64: 1, 1>} : (tensor<1x23x23x3xf32>, tensor<7x7x3x64xf32>, tensor<64xf32>) -> tensor<1x12x12x64xf32>
  %1 = graph.relu %0 : (tensor<1x12x12x64xf32>) -> tensor<1x12x12x64xf32>
  return %1 : tensor<1x12x12x64xf32>
}

// One spatial dimension.
func.func @line(%x: tensor<2x31x24xf32>, %w: tensor<5x24x33xf32> {graph.const_arg}) -> tensor<2x31x33xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 2>, pads_end = array<i64: 2>, dilations = array<i64: 1>} : (tensor<2x31x24xf32>, tensor<5x24x33xf32>) -> tensor<2x31x33xf32>
  %1 = graph.relu %0 : (tensor<2x31x33xf32>) -> tensor<2x31x33xf32>
  return %1 : tensor<2x31x33xf32>
}

// One spatial dimension, where the first column misses no position.
func.func @line_long(%x: tensor<2x31x24xf32>, %w: tensor<4x24x33xf32> {graph.const_arg}) -> tensor<2x15x33xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 1>, dilations = array<i64: 1>} : (tensor<2x31x24xf32>, tensor<4x24x33xf32>) -> tensor<2x15x33xf32>
  %1 = graph.relu %0 : (tensor<2x15x33xf32>) -> tensor<2x15x33xf32>
  return %1 : tensor<2x15x33xf32>
}

// Three spatial dimensions.
func.func @volume(%x: tensor<2x4x5x6x8xf32>, %w: tensor<3x2x3x8x20xf32> {graph.const_arg}) -> tensor<2x4x4x6x20xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 1, 0, 1>, pads_end = array<i64: 1, 0, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<2x4x5x6x8xf32>, tensor<3x2x3x8x20xf32>) -> tensor<2x4x4x6x20xf32>
  %1 = graph.relu %0 : (tensor<2x4x4x6x20xf32>) -> tensor<2x4x4x6x20xf32>
  return %1 : tensor<2x4x4x6x20xf32>
}

// Three spatial dimensions, with windows in the pads.
func.func @volume_pads(%x: tensor<1x2x3x3x4xf32>, %w: tensor<2x2x2x4x5xf32> {graph.const_arg}, %b: tensor<5xf32>) -> tensor<1x7x4x4x5xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 3, 1, 1>, pads_end = array<i64: 3, 1, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<1x2x3x3x4xf32>, tensor<2x2x2x4x5xf32>, tensor<5xf32>) -> tensor<1x7x4x4x5xf32>
  %1 = graph.abs %0 : (tensor<1x7x4x4x5xf32>) -> tensor<1x7x4x4x5xf32>
  return %1 : tensor<1x7x4x4x5xf32>
}

// Pixels times a matrix.
func.func @pointwise(%x: tensor<2x9x9x48xf32>, %w: tensor<1x1x48x40xf32> {graph.const_arg}, %b: tensor<40xf32>) -> tensor<2x9x9x40xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x9x9x48xf32>, tensor<1x1x48x40xf32>, tensor<40xf32>) -> tensor<2x9x9x40xf32>
  %1 = graph.relu %0 : (tensor<2x9x9x40xf32>) -> tensor<2x9x9x40xf32>
  return %1 : tensor<2x9x9x40xf32>
}

// Every second pixel, in place.
func.func @pointwise_strided(%x: tensor<2x9x9x48xf32>, %w: tensor<1x1x48x40xf32> {graph.const_arg}) -> tensor<2x5x5x40xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x9x9x48xf32>, tensor<1x1x48x40xf32>) -> tensor<2x5x5x40xf32>
  %1 = graph.relu %0 : (tensor<2x5x5x40xf32>) -> tensor<2x5x5x40xf32>
  return %1 : tensor<2x5x5x40xf32>
}

// A window of one pixel that may be outside.
func.func @pointwise_padded(%x: tensor<1x3x3x8xf32>, %w: tensor<1x1x8x8xf32> {graph.const_arg}, %b: tensor<8xf32>) -> tensor<1x5x5x8xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x3x3x8xf32>, tensor<1x1x8x8xf32>, tensor<8xf32>) -> tensor<1x5x5x8xf32>
  %1 = graph.abs %0 : (tensor<1x5x5x8xf32>) -> tensor<1x5x5x8xf32>
  return %1 : tensor<1x5x5x8xf32>
}

// Channels second, pads that auto_pad sets.
func.func @second(%x: tensor<2x12x8x9xf32>, %w: tensor<20x12x3x3xf32> {graph.const_arg}, %b: tensor<20xf32>) -> tensor<2x20x8x9xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX", auto_pad = "same_lower"} : (tensor<2x12x8x9xf32>, tensor<20x12x3x3xf32>, tensor<20xf32>) -> tensor<2x20x8x9xf32>
  %1 = graph.relu %0 : (tensor<2x20x8x9xf32>) -> tensor<2x20x8x9xf32>
  return %1 : tensor<2x20x8x9xf32>
}

// Groups.
func.func @groups(%x: tensor<2x7x7x12xf32>, %w: tensor<3x3x4x18xf32> {graph.const_arg}, %b: tensor<18xf32>) -> tensor<2x7x7x18xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 3 : i64} : (tensor<2x7x7x12xf32>, tensor<3x3x4x18xf32>, tensor<18xf32>) -> tensor<2x7x7x18xf32>
  %1 = graph.relu %0 : (tensor<2x7x7x18xf32>) -> tensor<2x7x7x18xf32>
  return %1 : tensor<2x7x7x18xf32>
}

// A channel in each group.
func.func @depthwise(%x: tensor<1x9x9x24xf32>, %w: tensor<3x3x1x24xf32> {graph.const_arg}) -> tensor<1x5x5x24xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 24 : i64} : (tensor<1x9x9x24xf32>, tensor<3x3x1x24xf32>) -> tensor<1x5x5x24xf32>
  %1 = graph.relu %0 : (tensor<1x5x5x24xf32>) -> tensor<1x5x5x24xf32>
  return %1 : tensor<1x5x5x24xf32>
}

// Pairs of channels.
func.func @bf16(%x: tensor<1x10x10x32xbf16>, %w: tensor<3x3x32x40xbf16> {graph.const_arg}, %b: tensor<40xbf16>) -> tensor<1x10x10x40xbf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x10x10x32xbf16>, tensor<3x3x32x40xbf16>, tensor<40xbf16>) -> tensor<1x10x10x40xbf16>
  %1 = graph.relu %0 : (tensor<1x10x10x40xbf16>) -> tensor<1x10x10x40xbf16>
  return %1 : tensor<1x10x10x40xbf16>
}

// No pairs of channels: computed in f32.
func.func @bf16_odd(%x: tensor<1x10x10x3xbf16>, %w: tensor<3x3x3x40xbf16> {graph.const_arg}) -> tensor<1x10x10x40xbf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x10x10x3xbf16>, tensor<3x3x3x40xbf16>) -> tensor<1x10x10x40xbf16>
  %1 = graph.relu %0 : (tensor<1x10x10x40xbf16>) -> tensor<1x10x10x40xbf16>
  return %1 : tensor<1x10x10x40xbf16>
}

// Pairs of channels.
func.func @f16(%x: tensor<1x10x10x16xf16>, %w: tensor<3x3x16x24xf16> {graph.const_arg}) -> tensor<1x10x10x24xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x10x10x16xf16>, tensor<3x3x16x24xf16>) -> tensor<1x10x10x24xf16>
  %1 = graph.relu %0 : (tensor<1x10x10x24xf16>) -> tensor<1x10x10x24xf16>
  return %1 : tensor<1x10x10x24xf16>
}

// A residual block with a projection. Nothing is transposed between its
// convolutions where channels are second.
func.func @block(%x: tensor<2x14x14x32xf32>, %w0: tensor<1x1x32x16xf32> {graph.const_arg}, %b0: tensor<16xf32> {graph.const_arg}, %w1: tensor<3x3x16x16xf32> {graph.const_arg}, %b1: tensor<16xf32> {graph.const_arg}, %w2: tensor<1x1x16x64xf32> {graph.const_arg}, %b2: tensor<64xf32> {graph.const_arg}, %w3: tensor<1x1x32x64xf32> {graph.const_arg}, %b3: tensor<64xf32> {graph.const_arg}) -> tensor<2x7x7x64xf32> {
  %c0 = graph.convolution %x, %w0, %b0 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"} : (tensor<2x14x14x32xf32>, tensor<1x1x32x16xf32>, tensor<16xf32>) -> tensor<2x14x14x16xf32>
  %r0 = graph.relu %c0 : (tensor<2x14x14x16xf32>) -> tensor<2x14x14x16xf32>
  %c1 = graph.convolution %r0, %w1, %b1 {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"} : (tensor<2x14x14x16xf32>, tensor<3x3x16x16xf32>, tensor<16xf32>) -> tensor<2x7x7x16xf32>
  %r1 = graph.relu %c1 : (tensor<2x7x7x16xf32>) -> tensor<2x7x7x16xf32>
  %c2 = graph.convolution %r1, %w2, %b2 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"} : (tensor<2x7x7x16xf32>, tensor<1x1x16x64xf32>, tensor<64xf32>) -> tensor<2x7x7x64xf32>
  %c3 = graph.convolution %x, %w3, %b3 {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"} : (tensor<2x14x14x32xf32>, tensor<1x1x32x64xf32>, tensor<64xf32>) -> tensor<2x7x7x64xf32>
  %s = graph.add %c2, %c3 : (tensor<2x7x7x64xf32>, tensor<2x7x7x64xf32>) -> tensor<2x7x7x64xf32>
  %o = graph.relu %s : (tensor<2x7x7x64xf32>) -> tensor<2x7x7x64xf32>
  return %o : tensor<2x7x7x64xf32>
}

func.func @block_second(%x: tensor<2x32x14x14xf32>, %w0: tensor<16x32x1x1xf32> {graph.const_arg}, %b0: tensor<16xf32> {graph.const_arg}, %w1: tensor<16x16x3x3xf32> {graph.const_arg}, %b1: tensor<16xf32> {graph.const_arg}, %w2: tensor<64x16x1x1xf32> {graph.const_arg}, %b2: tensor<64xf32> {graph.const_arg}, %w3: tensor<64x32x1x1xf32> {graph.const_arg}, %b3: tensor<64xf32> {graph.const_arg}) -> tensor<2x64x7x7xf32> {
  %c0 = graph.convolution %x, %w0, %b0 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<2x32x14x14xf32>, tensor<16x32x1x1xf32>, tensor<16xf32>) -> tensor<2x16x14x14xf32>
  %r0 = graph.relu %c0 : (tensor<2x16x14x14xf32>) -> tensor<2x16x14x14xf32>
  %c1 = graph.convolution %r0, %w1, %b1 {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<2x16x14x14xf32>, tensor<16x16x3x3xf32>, tensor<16xf32>) -> tensor<2x16x7x7xf32>
  %r1 = graph.relu %c1 : (tensor<2x16x7x7xf32>) -> tensor<2x16x7x7xf32>
  %c2 = graph.convolution %r1, %w2, %b2 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<2x16x7x7xf32>, tensor<64x16x1x1xf32>, tensor<64xf32>) -> tensor<2x64x7x7xf32>
  %c3 = graph.convolution %x, %w3, %b3 {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<2x32x14x14xf32>, tensor<64x32x1x1xf32>, tensor<64xf32>) -> tensor<2x64x7x7xf32>
  %s = graph.add %c2, %c3 : (tensor<2x64x7x7xf32>, tensor<2x64x7x7xf32>) -> tensor<2x64x7x7xf32>
  %o = graph.relu %s : (tensor<2x64x7x7xf32>) -> tensor<2x64x7x7xf32>
  return %o : tensor<2x64x7x7xf32>
}

// Weights that every call brings along are packed in every call.
func.func @variable(%x: tensor<2x8x8x24xf32>, %w: tensor<3x3x24x40xf32>) -> tensor<2x8x8x40xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x8x8x24xf32>, tensor<3x3x24x40xf32>) -> tensor<2x8x8x40xf32>
  return %0 : tensor<2x8x8x40xf32>
}
