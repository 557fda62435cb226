// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sliding windows, pooling, interpolation, concatenation: constraints under their
// labels, one error each.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @windows_c1(%x: tensor<4x3xf32>) {
  // expected-error @below {{'graph.windows' op (C1) src has 2 dimensions; it must have at least three}}
  %0 = graph.windows %x {kernel = array<i64>, positions = array<i64>, strides = array<i64>, dilations = array<i64>, offsets = array<i64>, spacing = array<i64>} : (tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @windows_c2_count(%x: tensor<1x4x3xf32>) {
  // expected-error @below {{'graph.windows' op (C2) offsets has 2 elements for 1 dimensions}}
  %0 = graph.windows %x {kernel = array<i64: 1>, positions = array<i64: 4>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1>} : (tensor<1x4x3xf32>) -> tensor<1x4x1x3xf32>
  return
}

// -----

func.func @windows_c2_zero(%x: tensor<1x4x3xf32>) {
  // expected-error @below {{'graph.windows' op (C2) spacing of 0 is not positive}}
  %0 = graph.windows %x {kernel = array<i64: 1>, positions = array<i64: 4>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: 0>, spacing = array<i64: 0>} : (tensor<1x4x3xf32>) -> tensor<1x4x1x3xf32>
  return
}

// -----

func.func @windows_c3(%x: tensor<1x4x3xf32>) {
  // expected-error @below {{'graph.windows' op (C3) indices of dimension 1 are out of range}}
  %0 = graph.windows %x {kernel = array<i64: 1>, positions = array<i64: 4>, strides = array<i64: 4611686018427387904>, dilations = array<i64: 1>, offsets = array<i64: 0>, spacing = array<i64: 1>} : (tensor<1x4x3xf32>) -> tensor<1x4x1x3xf32>
  return
}

// -----

func.func @windows_c4(%x: tensor<1x4x3xf32>) {
  // expected-error @below {{'graph.windows' op (C4) gaps is "mirror"}}
  %0 = graph.windows %x {kernel = array<i64: 1>, positions = array<i64: 4>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: 0>, spacing = array<i64: 1>, gaps = "mirror"} : (tensor<1x4x3xf32>) -> tensor<1x4x1x3xf32>
  return
}

// -----

func.func @windows_c5(%x: tensor<1x4x3xsi8>) {
  // expected-error @below {{'graph.windows' op (C5) fill of 1.280000e+02 is not a number of type 'si8'}}
  %0 = graph.windows %x {kernel = array<i64: 1>, positions = array<i64: 4>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: 0>, spacing = array<i64: 1>, fill = 128.0} : (tensor<1x4x3xsi8>) -> tensor<1x4x1x3xsi8>
  return
}

// -----

func.func @pool_c1(%x: tensor<8x4xf32>) {
  // expected-error @below {{'graph.max_pool' op (C1) src has 2 dimensions; it must have three, four or five}}
  %0 = graph.max_pool %x {strides = array<i64>, pads_begin = array<i64>, pads_end = array<i64>, kernel = array<i64>} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  return
}

// -----

func.func @pool_c2(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.max_pool' op (C2) unknown rounding_type "nearest"}}
  %0 = graph.max_pool %x {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>, rounding_type = "nearest"} : (tensor<1x8x4xf32>) -> tensor<1x7x4xf32>
  return
}

// -----

func.func @pool_c3(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.avg_pool' op (C3) kernel of 0 is out of range}}
  %0 = graph.avg_pool %x {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 0>, exclude_pad = true} : (tensor<1x8x4xf32>) -> tensor<1x7x4xf32>
  return
}

// -----

func.func @pool_c4(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.avg_pool' op (C4) the kernel covers 9 of 8 elements along spatial dimension 0}}
  %0 = graph.avg_pool %x {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 9>, exclude_pad = true} : (tensor<1x8x4xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @gradient_c4(%x: tensor<1x8x4xf32>, %d: tensor<1x5x4xf32>) {
  // expected-error @below {{'graph.max_pool_backward' op (C4) diff_dst has shape [1, 5, 4] instead of [1, 4, 4]}}
  %0 = graph.max_pool_backward %x, %d {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>} : (tensor<1x8x4xf32>, tensor<1x5x4xf32>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @gradient_c5(%x: tensor<1x8x4xf32>, %d: tensor<1x4x4xbf16>) {
  // expected-error @below {{(C5) element types 'f32' and 'bf16' differ}}
  %0 = graph.max_pool_backward %x, %d {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>} : (tensor<1x8x4xf32>, tensor<1x4x4xbf16>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @gradient_shape(%d: tensor<1x4x4xf32>) {
  // expected-error @below {{'graph.avg_pool_backward' op (C1) src_shape [1, 8] is not a shape of 3 positive sizes}}
  %0 = graph.avg_pool_backward %d {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>, exclude_pad = true, src_shape = array<i64: 1, 8>} : (tensor<1x4x4xf32>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @interpolate_c2(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.interpolate' op (C2) unknown mode "bilinear"}}
  %0 = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 4>} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @interpolate_c3(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.interpolate' op (C3) has neither sizes nor scales}}
  %0 = graph.interpolate %x {mode = "linear"} : (tensor<1x8x4xf32>) -> tensor<1x4x4xf32>
  return
}

// -----

func.func @interpolate_c4(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.interpolate' op (C4) spatial dimension 0 of 8 elements would have 0}}
  %0 = graph.interpolate %x {mode = "linear", scales = array<f32: 0.1>} : (tensor<1x8x4xf32>) -> tensor<1x1x4xf32>
  return
}

// -----

func.func @concat_c1(%x: tensor<1x8x4xf32>) {
  // expected-error @below {{'graph.concat' op (C1) axis 3 is not one of 3 dimensions}}
  %0 = graph.concat %x {axis = 3 : i64} : (tensor<1x8x4xf32>) -> tensor<1x8x4xf32>
  return
}

// -----

func.func @concat_c2(%x: tensor<1x8x4xf32>, %y: tensor<1x7x5xf32>) {
  // expected-error @below {{'graph.concat' op (C2) shapes [1, 8, 4] and [1, 7, 5] differ in other dimensions than 2}}
  %0 = graph.concat %x, %y {axis = -1 : i64} : (tensor<1x8x4xf32>, tensor<1x7x5xf32>) -> tensor<1x8x9xf32>
  return
}

// -----

func.func @concat_c3(%x: tensor<1x8x4xf32>, %y: tensor<1x8x4xf16>) {
  // expected-error @below {{'graph.concat' op (C3) element types 'f32' and 'f16' differ}}
  %0 = graph.concat %x, %y {axis = -1 : i64} : (tensor<1x8x4xf32>, tensor<1x8x4xf16>) -> tensor<1x8x8xf32>
  return
}

// -----

func.func @transpose_c4(%x: tensor<1x8x4xf32>, %w: tensor<3x5x6xf32>) {
  // expected-error @below {{'graph.conv_transpose' op (C4) weights are for 5 channels, of which there are 4}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x5x6xf32>) -> tensor<1x10x6xf32>
  return
}

// -----

func.func @transpose_c3(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'graph.conv_transpose' op (C3) output_padding has 2 elements for 1 spatial dimensions}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, output_padding = array<i64: 0, 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x10x6xf32>
  return
}

// -----

func.func @transpose_c3_short(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.conv_transpose' op (C3) output_padding has 1 elements for 2 spatial dimensions}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, output_padding = array<i64: 0>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x10x10x6xf32>
  return
}

// -----

func.func @transpose_c5(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'graph.conv_transpose' op (C5) spatial dimension 0 has -1 elements}}
  %0 = graph.conv_transpose %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 6>, pads_end = array<i64: 5>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x1x6xf32>
  return
}

// -----

func.func @transpose_c6(%x: tensor<1x8x4xf32>, %w: tensor<3x4x6xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.conv_transpose' op (C6) bias of shape [4] does not fit 6 output channels}}
  %0 = graph.conv_transpose %x, %w, %b {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x8x4xf32>, tensor<3x4x6xf32>, tensor<4xf32>) -> tensor<1x10x6xf32>
  return
}

// -----

func.func @data_c5(%d: tensor<1x8x6xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'graph.convolution_backward_data' op (C5) a convolution of 11 elements along spatial dimension 0 gives 9, not 8}}
  %0 = graph.convolution_backward_data %d, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, dst_shape = array<i64: 1, 11, 4>} : (tensor<1x8x6xf32>, tensor<3x4x6xf32>) -> tensor<1x11x4xf32>
  return
}

// -----

func.func @weights_c1(%x: tensor<1x8x4xf32>, %d: tensor<1x6x6xf32>) {
  // expected-error @below {{'graph.convolution_backward_weights' op (C1) weights_shape has a size of 0}}
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, weights_shape = array<i64: 3, 0, 6>} : (tensor<1x8x4xf32>, tensor<1x6x6xf32>) -> tensor<3x4x6xf32>
  return
}

// -----

func.func @weights_c7(%x: tensor<1x8x4xf32>, %d: tensor<1x6x6xbf16>) {
  // expected-error @below {{'graph.convolution_backward_weights' op (C7) element types 'f32' and 'bf16' differ}}
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, weights_shape = array<i64: 3, 4, 6>} : (tensor<1x8x4xf32>, tensor<1x6x6xbf16>) -> tensor<3x4x6xf32>
  return
}
