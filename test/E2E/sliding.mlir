// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows against the reference where images are large enough for all kinds of
// code: blocks of positions inside of the image, what is left of them, positions
// at the borders, rows that tasks divide unevenly, and vectors that slide along
// rows. Sizes are odd on purpose; widths of 67 have vectors that are inside, and
// some that are not.

// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise
// RUN: gc-runner %s --check --strict --threads=3 --entry=depthwise --pipeline-options="vector-bytes=16"
// RUN: gc-runner %s --check --strict --threads=1 --entry=depthwise --pipeline-options="tasks=3 stream=always"
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise --pipeline-options="prefetch=always"
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_stride
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_stride --pipeline-options="prefetch=always stream=always"
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_wide
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_dilated
// RUN: gc-runner %s --check --strict --threads=3 --entry=depthwise_dilated --pipeline-options="prefetch=always"
// RUN: gc-runner %s --check --strict --threads=2 --entry=depthwise_small
// RUN: gc-runner %s --check --strict --threads=2 --entry=pads_only
// RUN: gc-runner %s --check --strict --threads=2 --entry=average
// RUN: gc-runner %s --check --strict --threads=2 --entry=average --pipeline-options="prefetch=always"
// RUN: gc-runner %s --check --threads=2 --entry=max_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=average_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=average_backward_3
// RUN: gc-runner %s --check --strict --threads=2 --entry=twice
// RUN: gc-runner %s --check --strict --threads=2 --entry=twice_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=nearest
// RUN: gc-runner %s --check --strict --threads=2 --entry=max_ncx
// RUN: gc-runner %s --check --strict --threads=3 --entry=max_ncx --pipeline-options="vector-bytes=32"
// RUN: gc-runner %s --check --strict --threads=2 --entry=average_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=average_ncx --pipeline-options="stream=always"
// RUN: gc-runner %s --check --strict --threads=2 --entry=bf16_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=stride_3_ncx
// RUN: gc-runner %s --check --threads=2 --entry=max_backward_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=average_backward_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=twice_ncx
// RUN: gc-runner %s --check --strict --threads=2 --entry=between_convolutions

func.func @depthwise(%x: tensor<2x19x23x40xf32>, %w: tensor<3x3x1x40xf32> {graph.const_arg}, %b: tensor<40xf32>) -> tensor<2x19x23x40xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 40} : (tensor<2x19x23x40xf32>, tensor<3x3x1x40xf32>, tensor<40xf32>) -> tensor<2x19x23x40xf32>
  return %0 : tensor<2x19x23x40xf32>
}

func.func @depthwise_stride(%x: tensor<1x37x30x24xf32>, %w: tensor<3x3x1x24xf32> {graph.const_arg}) -> tensor<1x19x15x24xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 24} : (tensor<1x37x30x24xf32>, tensor<3x3x1x24xf32>) -> tensor<1x19x15x24xf32>
  return %0 : tensor<1x19x15x24xf32>
}

// More elements than are unrolled, and more positions at the borders than have
// code of their own.
func.func @depthwise_wide(%x: tensor<1x20x21x16xf32>, %w: tensor<9x9x1x16xf32> {graph.const_arg}) -> tensor<1x20x21x16xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 4, 4>, pads_end = array<i64: 4, 4>, dilations = array<i64: 1, 1>, groups = 16} : (tensor<1x20x21x16xf32>, tensor<9x9x1x16xf32>) -> tensor<1x20x21x16xf32>
  return %0 : tensor<1x20x21x16xf32>
}

func.func @depthwise_dilated(%x: tensor<1x20x21x16xf32>, %w: tensor<3x3x1x16xf32> {graph.const_arg}) -> tensor<1x10x13x16xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 1>, pads_begin = array<i64: 2, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 2, 4>, groups = 16} : (tensor<1x20x21x16xf32>, tensor<3x3x1x16xf32>) -> tensor<1x10x13x16xf32>
  return %0 : tensor<1x10x13x16xf32>
}

// All positions are at a border.
func.func @depthwise_small(%x: tensor<3x2x1x20xf32>, %w: tensor<3x3x1x20xf32> {graph.const_arg}) -> tensor<3x2x1x20xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 20} : (tensor<3x2x1x20xf32>, tensor<3x3x1x20xf32>) -> tensor<3x2x1x20xf32>
  return %0 : tensor<3x2x1x20xf32>
}

// Windows that have no element of the image at all.
func.func @pads_only(%x: tensor<1x5x6x20xf32>, %w: tensor<2x2x1x20xf32> {graph.const_arg}, %b: tensor<20xf32>) -> tensor<1x12x11x20xf32> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 4, 3>, pads_end = array<i64: 4, 3>, dilations = array<i64: 1, 1>, groups = 20} : (tensor<1x5x6x20xf32>, tensor<2x2x1x20xf32>, tensor<20xf32>) -> tensor<1x12x11x20xf32>
  return %0 : tensor<1x12x11x20xf32>
}

func.func @average(%x: tensor<2x19x23x24xf32>) -> tensor<2x19x23x24xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, kernel = array<i64: 3, 3>, exclude_pad = true} : (tensor<2x19x23x24xf32>) -> tensor<2x19x23x24xf32>
  return %0 : tensor<2x19x23x24xf32>
}

// With what it is added to, since most elements of a gradient are 0.
func.func @max_backward(%x: tensor<2x37x30x24xf32>, %d: tensor<2x19x15x24xf32>) -> tensor<2x37x30x24xf32> {
  %0 = graph.max_pool_backward %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>} : (tensor<2x37x30x24xf32>, tensor<2x19x15x24xf32>) -> tensor<2x37x30x24xf32>
  %1 = graph.add %0, %x : (tensor<2x37x30x24xf32>, tensor<2x37x30x24xf32>) -> tensor<2x37x30x24xf32>
  return %1 : tensor<2x37x30x24xf32>
}

func.func @average_backward(%d: tensor<2x19x15x24xf32>) -> tensor<2x37x30x24xf32> {
  %0 = graph.avg_pool_backward %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = true, src_shape = array<i64: 2, 37, 30, 24>} : (tensor<2x19x15x24xf32>) -> tensor<2x37x30x24xf32>
  return %0 : tensor<2x37x30x24xf32>
}

// A period of three along one dimension, of seven, which is not unrolled, along
// the other.
func.func @average_backward_3(%d: tensor<1x12x5x24xf32>) -> tensor<1x36x33x24xf32> {
  %0 = graph.avg_pool_backward %d {strides = array<i64: 3, 7>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 4, 5>, exclude_pad = false, src_shape = array<i64: 1, 36, 33, 24>} : (tensor<1x12x5x24xf32>) -> tensor<1x36x33x24xf32>
  return %0 : tensor<1x36x33x24xf32>
}

func.func @twice(%x: tensor<2x13x11x24xf32>) -> tensor<2x26x22x24xf32> {
  %0 = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 26, 22>} : (tensor<2x13x11x24xf32>) -> tensor<2x26x22x24xf32>
  return %0 : tensor<2x26x22x24xf32>
}

func.func @twice_backward(%x: tensor<2x13x11x24xf32>, %d: tensor<2x26x22x24xf32>) -> tensor<2x13x11x24xf32> {
  %0 = graph.interpolate_backward %x, %d {mode = "bilinear", sizes = array<i64: 26, 22>} : (tensor<2x13x11x24xf32>, tensor<2x26x22x24xf32>) -> tensor<2x13x11x24xf32>
  return %0 : tensor<2x13x11x24xf32>
}

func.func @nearest(%x: tensor<2x13x11x24xf32>) -> tensor<2x26x33x24xf32> {
  %0 = graph.interpolate %x {mode = "nearest", sizes = array<i64: 26, 33>} : (tensor<2x13x11x24xf32>) -> tensor<2x26x33x24xf32>
  return %0 : tensor<2x26x33x24xf32>
}

// Each channel is an image of its own, and vectors take every second element.
func.func @max_ncx(%x: tensor<2x3x21x134xf32>) -> tensor<2x3x11x67xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x3x21x134xf32>) -> tensor<2x3x11x67xf32>
  return %0 : tensor<2x3x11x67xf32>
}

func.func @average_ncx(%x: tensor<2x3x21x64xf32>) -> tensor<2x3x21x64xf32> {
  %0 = graph.avg_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, kernel = array<i64: 3, 3>, exclude_pad = true, data_format = "NCX"} : (tensor<2x3x21x64xf32>) -> tensor<2x3x21x64xf32>
  return %0 : tensor<2x3x21x64xf32>
}

func.func @bf16_ncx(%x: tensor<2x3x21x134xbf16>) -> tensor<2x3x11x67xbf16> {
  %0 = graph.avg_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = false, data_format = "NCX"} : (tensor<2x3x21x134xbf16>) -> tensor<2x3x11x67xbf16>
  return %0 : tensor<2x3x11x67xbf16>
}

// Elements too far apart for two vectors.
func.func @stride_3_ncx(%x: tensor<2x3x21x134xf32>) -> tensor<2x3x7x45xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 3, 3>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x3x21x134xf32>) -> tensor<2x3x7x45xf32>
  return %0 : tensor<2x3x7x45xf32>
}

func.func @max_backward_ncx(%x: tensor<2x3x21x134xf32>, %d: tensor<2x3x11x67xf32>) -> tensor<2x3x21x134xf32> {
  %0 = graph.max_pool_backward %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<2x3x21x134xf32>, tensor<2x3x11x67xf32>) -> tensor<2x3x21x134xf32>
  %1 = graph.add %0, %x : (tensor<2x3x21x134xf32>, tensor<2x3x21x134xf32>) -> tensor<2x3x21x134xf32>
  return %1 : tensor<2x3x21x134xf32>
}

func.func @average_backward_ncx(%d: tensor<2x3x11x67xf32>) -> tensor<2x3x21x134xf32> {
  %0 = graph.avg_pool_backward %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 3>, exclude_pad = true, data_format = "NCX", src_shape = array<i64: 2, 3, 21, 134>} : (tensor<2x3x11x67xf32>) -> tensor<2x3x21x134xf32>
  return %0 : tensor<2x3x21x134xf32>
}

func.func @twice_ncx(%x: tensor<2x3x13x67xf32>) -> tensor<2x3x26x134xf32> {
  %0 = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 26, 134>, data_format = "NCX"} : (tensor<2x3x13x67xf32>) -> tensor<2x3x26x134xf32>
  return %0 : tensor<2x3x26x134xf32>
}

// Pooling between convolutions has its channels last, as they do.
func.func @between_convolutions(%x: tensor<1x16x20x20xf32>, %w: tensor<24x16x3x3xf32> {graph.const_arg}, %v: tensor<16x24x1x1xf32> {graph.const_arg}) -> tensor<1x16x10x10xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x16x20x20xf32>, tensor<24x16x3x3xf32>) -> tensor<1x24x20x20xf32>
  %1 = graph.relu %0 : (tensor<1x24x20x20xf32>) -> tensor<1x24x20x20xf32>
  %2 = graph.max_pool %1 {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, kernel = array<i64: 3, 3>, data_format = "NCX"} : (tensor<1x24x20x20xf32>) -> tensor<1x24x10x10xf32>
  %3 = graph.convolution %2, %v {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x24x10x10xf32>, tensor<16x24x1x1xf32>) -> tensor<1x16x10x10xf32>
  return %3 : tensor<1x16x10x10xf32>
}
