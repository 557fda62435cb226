// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of convolution under its label, one error each.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @c1_rank(%x: tensor<1x8x8x4xf32>, %w: tensor<3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C1) src has 4 dimensions and weights have 3; both must have three, four or five}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c1_few(%x: tensor<8x4xf32>, %w: tensor<4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C1) src has 2 dimensions and weights have 2; both must have three, four or five}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
  return
}

// -----

func.func @c1_many(%x: tensor<1x8x8x8x8x4xf32>, %w: tensor<1x1x1x1x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C1) src has 6 dimensions and weights have 6; both must have three, four or five}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x8x8x4xf32>, tensor<1x1x1x1x4x6xf32>) -> tensor<1x8x8x8x8x6xf32>
  return
}

// -----

func.func @c2_data(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C2) unknown data_format "NHWC"}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NHWC"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_weights(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C2) unknown weights_format "IOX"}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, weights_format = "IOX"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c2_pad(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C2) unknown auto_pad "same"}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, auto_pad = "same"} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c3_count(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C3) dilations has 1 elements for 2 spatial dimensions}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c3_stride(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C3) strides of 0 is out of range}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 0>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c3_pad(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C3) pads_end of -1 is out of range}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: -1, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

// Sizes would overflow.
func.func @c3_large(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C3) dilations of 9223372036854775807 is out of range}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 9223372036854775807, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c4_groups(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C4) 3 groups do not divide 4 input and 6 output channels}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 3} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c4_none(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C4) 0 groups do not divide 4 input and 6 output channels}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 0} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c4_outputs(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x1x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C4) 4 groups do not divide 4 input and 6 output channels}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 4} : (tensor<1x8x8x4xf32>, tensor<3x3x1x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c4_channels(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C4) weights have 4 input channels, a group of src has 2}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, groups = 2} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c5(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C5) the kernel covers 9 of 8 elements along spatial dimension 1}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 4>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x1x6xf32>
  return
}

// -----

func.func @c5_large(%x: tensor<1x4611686018427387904x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C5) spatial dimension 0 is too large}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x4611686018427387904x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x1x6x6xf32>
  return
}

// -----

func.func @c6(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{'graph.convolution' op (C6) bias of shape [4] does not fit 6 output channels}}
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<4xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c6_rank(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %b: tensor<1x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C6) bias of shape [1, 6] does not fit 6 output channels}}
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<1x6xf32>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c7(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xbf16>) {
  // expected-error @below {{'graph.convolution' op (C7) element types 'f32' and 'bf16' differ}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xbf16>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c7_result(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op (C7) result of element type 'bf16' of operands of element type 'f32'}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x6x6x6xbf16>
  return
}

// -----

func.func @c7_bias(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>, %b: tensor<6xbf16>) {
  // expected-error @below {{'graph.convolution' op (C7) element type 'bf16' of bias does not fit 'f32'}}
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>, tensor<6xbf16>) -> tensor<1x6x6x6xf32>
  return
}

// -----

func.func @c7_integer_bias(%x: tensor<1x8x8x4xsi8>, %w: tensor<3x3x4x6xsi8>, %b: tensor<6xf32>) {
  // expected-error @below {{'graph.convolution' op (C7) element type 'f32' of bias does not fit 'si32'}}
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xsi8>, tensor<3x3x4x6xsi8>, tensor<6xf32>) -> tensor<1x6x6x6xsi32>
  return
}

// -----

func.func @integers(%x: tensor<1x8x8x4xsi32>, %w: tensor<3x3x4x6xsi32>) {
  // expected-error @below {{'graph.convolution' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 8-bit signed integer values, but got 'tensor<1x8x8x4xsi32>'}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xsi32>, tensor<3x3x4x6xsi32>) -> tensor<1x6x6x6xsi32>
  return
}

// -----

func.func @result(%x: tensor<1x8x8x4xf32>, %w: tensor<3x3x4x6xf32>) {
  // expected-error @below {{'graph.convolution' op inferred type(s) 'tensor<1x6x6x6xf32>' are incompatible with return type(s) of operation 'tensor<1x8x8x6xf32>'}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x4xf32>, tensor<3x3x4x6xf32>) -> tensor<1x8x8x6xf32>
  return
}
