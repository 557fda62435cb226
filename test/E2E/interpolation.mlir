// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Interpolation, its gradient, and sliding windows against the reference.

// RUN: gc-runner %s --check --strict --threads=2 --entry=linear
// RUN: gc-runner %s --check --strict --threads=2 --entry=scales
// RUN: gc-runner %s --check --strict --threads=2 --entry=nearest
// RUN: gc-runner %s --check --strict --threads=2 --entry=linear_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=nearest_backward
// RUN: gc-runner %s --check --strict --threads=2 --entry=windows
// RUN: gc-runner %s --check --strict --threads=2 --entry=corners
// RUN: gc-runner %s --check --strict --threads=2 --entry=half
// RUN: gc-runner %s --check --strict --threads=2 --entry=clamped
// RUN: gc-runner %s --check --strict --threads=2 --entry=single_channel
// RUN: gc-runner %s --check --strict --threads=2 --entry=splat
// RUN: gc-runner %s --check --threads=3 --entry=linear --pipeline-options=kernel=vector

func.func @linear(%x: tensor<2x7x5x19xf32>) -> tensor<2x11x13x19xf32> {
  %0 = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 11, 13>} : (tensor<2x7x5x19xf32>) -> tensor<2x11x13x19xf32>
  return %0 : tensor<2x11x13x19xf32>
}

func.func @scales(%x: tensor<2x7x19xf32>) -> tensor<2x3x19xf32> {
  %0 = graph.interpolate %x {mode = "linear", scales = array<f32: 0.5>} : (tensor<2x7x19xf32>) -> tensor<2x3x19xf32>
  return %0 : tensor<2x3x19xf32>
}

func.func @nearest(%x: tensor<2x7x5x19xf32>) -> tensor<2x11x3x19xf32> {
  %0 = graph.interpolate %x {mode = "nearest", sizes = array<i64: 11, 3>} : (tensor<2x7x5x19xf32>) -> tensor<2x11x3x19xf32>
  return %0 : tensor<2x11x3x19xf32>
}

func.func @linear_backward(%x: tensor<2x7x5x19xf32>, %d: tensor<2x11x13x19xf32>) -> tensor<2x7x5x19xf32> {
  %0 = graph.interpolate_backward %x, %d {mode = "linear", sizes = array<i64: 11, 13>} : (tensor<2x7x5x19xf32>, tensor<2x11x13x19xf32>) -> tensor<2x7x5x19xf32>
  return %0 : tensor<2x7x5x19xf32>
}

func.func @nearest_backward(%x: tensor<2x7x5x19xf32>, %d: tensor<2x11x3x19xf32>) -> tensor<2x7x5x19xf32> {
  %0 = graph.interpolate_backward %x, %d {mode = "nearest", sizes = array<i64: 11, 3>, coordinate_transformation_mode = "align_corners"} : (tensor<2x7x5x19xf32>, tensor<2x11x3x19xf32>) -> tensor<2x7x5x19xf32>
  return %0 : tensor<2x7x5x19xf32>
}

func.func @windows(%x: tensor<3x7x5x4xf32>) -> tensor<3x9x2x2x3x4xf32> {
  %0 = graph.windows %x {kernel = array<i64: 2, 3>, positions = array<i64: 9, 2>, strides = array<i64: -1, 2>, dilations = array<i64: 3, -1>, offsets = array<i64: 6, 1>, spacing = array<i64: 2, 1>, fill = 2.5} : (tensor<3x7x5x4xf32>) -> tensor<3x9x2x2x3x4xf32>
  return %0 : tensor<3x9x2x2x3x4xf32>
}


func.func @corners(%x: tensor<1x3x4x5x7xf32>) -> tensor<1x3x7x1x9xf32> {
  %0 = graph.interpolate %x {mode = "trilinear", coordinate_transformation_mode = "align_corners", sizes = array<i64: 7, 1, 9>, data_format = "NCX"} : (tensor<1x3x4x5x7xf32>) -> tensor<1x3x7x1x9xf32>
  return %0 : tensor<1x3x7x1x9xf32>
}

func.func @half(%x: tensor<2x6x6x9xbf16>) -> tensor<2x3x12x9xbf16> {
  %0 = graph.interpolate %x {mode = "linear", sizes = array<i64: 3, 12>} : (tensor<2x6x6x9xbf16>) -> tensor<2x3x12x9xbf16>
  return %0 : tensor<2x3x12x9xbf16>
}

func.func @clamped(%x: tensor<1x4x3xf32>) -> tensor<1x6x2x3xf32> {
  %0 = graph.windows %x {kernel = array<i64: 2>, positions = array<i64: 6>, strides = array<i64: 3>, dilations = array<i64: 2>, offsets = array<i64: -4>, spacing = array<i64: 2>, gaps = "clamp"} : (tensor<1x4x3xf32>) -> tensor<1x6x2x3xf32>
  return %0 : tensor<1x6x2x3xf32>
}

// Vectors along a dimension that slides.
func.func @single_channel(%x: tensor<2x9x11x1xf32>) -> tensor<2x4x12x1x3x1xf32> {
  %0 = graph.windows %x {kernel = array<i64: 1, 3>, positions = array<i64: 4, 12>, strides = array<i64: 2, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, -1>, spacing = array<i64: 1, 1>, fill = -1.0} : (tensor<2x9x11x1xf32>) -> tensor<2x4x12x1x3x1xf32>
  return %0 : tensor<2x4x12x1x3x1xf32>
}

// Of equal elements, with other ones around them.
func.func @splat() -> tensor<1x5x2x3xf32> {
  %c = graph.constant dense<2.0> : tensor<1x4x3xf32>
  %0 = graph.windows %c {kernel = array<i64: 2>, positions = array<i64: 5>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: -1>, spacing = array<i64: 1>, fill = -1.0} : (tensor<1x4x3xf32>) -> tensor<1x5x2x3xf32>
  return %0 : tensor<1x5x2x3xf32>
}
