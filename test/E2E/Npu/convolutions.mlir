// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=padded --check --strict
// RUN: gc-runner --target=npu %s --entry=tails --check --strict
// RUN: gc-runner --target=npu %s --entry=strided --check --strict
// RUN: gc-runner --target=npu %s --entry=sparse --check --strict
// RUN: gc-runner --target=npu %s --entry=unequal --check --strict
// RUN: gc-runner --target=npu %s --entry=single --check --strict
// RUN: gc-runner --target=npu %s --entry=small --check --strict
// RUN: gc-runner --target=npu %s --entry=line --check --strict
// RUN: gc-runner --target=npu %s --entry=rows --check --strict
// RUN: gc-runner --target=npu %s --entry=columns --check --strict
// RUN: gc-runner --target=npu %s --entry=integers --check --strict
// RUN: gc-runner --target=npu %s --entry=few --check --strict
// RUN: gc-runner --target=npu %s --entry=few_biased --check --strict
// RUN: gc-runner --target=npu %s --entry=panel --check --strict
// RUN: gc-runner --target=npu %s --entry=residual --check --strict
// RUN: gc-runner --target=npu %s --entry=wide --check --strict
// RUN: gc-runner --target=npu %s --entry=functions --check --strict

// Convolutions from graphs, with several tiles and a tail in each dimension.

// Slabs with halos; the last tile of positions overlaps the one before.
func.func @padded(%x: tensor<2x20x20x64xf16>, %w: tensor<3x3x64x64xf16>, %b: tensor<64xf16>) -> tensor<2x20x20x64xf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x20x20x64xf16>, tensor<3x3x64x64xf16>, tensor<64xf16>) -> tensor<2x20x20x64xf16>
  %2 = graph.relu %0 : (tensor<2x20x20x64xf16>) -> tensor<2x20x20x64xf16>
  return %2 : tensor<2x20x20x64xf16>
}

// Tails of channels, of output channels and of positions.
func.func @tails(%x: tensor<2x13x11x40xf16>, %w: tensor<3x3x40x72xf16>) -> tensor<2x13x11x72xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x13x11x40xf16>, tensor<3x3x40x72xf16>) -> tensor<2x13x11x72xf16>
  return %0 : tensor<2x13x11x72xf16>
}

// A stride, and pads at the beginning only.
func.func @strided(%x: tensor<2x33x31x32xf16>, %w: tensor<3x3x32x48xf16>) -> tensor<2x17x16x48xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x33x31x32xf16>, tensor<3x3x32x48xf16>) -> tensor<2x17x16x48xf16>
  %2 = graph.relu %0 : (tensor<2x17x16x48xf16>) -> tensor<2x17x16x48xf16>
  return %2 : tensor<2x17x16x48xf16>
}

// A kernel of one element with strides: only what is read is loaded.
func.func @sparse(%x: tensor<2x28x28x64xf16>, %w: tensor<1x1x64x48xf16>) -> tensor<2x14x14x48xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>,
      pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x28x28x64xf16>, tensor<1x1x64x48xf16>) -> tensor<2x14x14x48xf16>
  return %0 : tensor<2x14x14x48xf16>
}

// Kernel, strides and pads differ along height and width.
func.func @unequal(%x: tensor<2x19x24x32xf16>, %w: tensor<5x3x32x32xf16>) -> tensor<2x7x22x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 3, 1>, pads_begin = array<i64: 2, 0>,
      pads_end = array<i64: 2, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x19x24x32xf16>, tensor<5x3x32x32xf16>) -> tensor<2x7x22x32xf16>
  return %0 : tensor<2x7x22x32xf16>
}

// One image, without pads.
func.func @single(%x: tensor<1x16x40x32xf16>, %w: tensor<3x3x32x160xf16>, %b: tensor<160xf16>) -> tensor<1x14x38x160xf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>,
      pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<1x16x40x32xf16>, tensor<3x3x32x160xf16>, tensor<160xf16>) -> tensor<1x14x38x160xf16>
  return %0 : tensor<1x14x38x160xf16>
}

// Several images in a tile, and a last tile of fewer.
func.func @small(%x: tensor<5x7x7x64xf16>, %w: tensor<3x3x64x64xf16>, %r: tensor<5x7x7x64xf16>) -> tensor<5x7x7x64xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<5x7x7x64xf16>, tensor<3x3x64x64xf16>) -> tensor<5x7x7x64xf16>
  %1 = graph.add %0, %r : (tensor<5x7x7x64xf16>, tensor<5x7x7x64xf16>) -> tensor<5x7x7x64xf16>
  %2 = graph.relu %1 : (tensor<5x7x7x64xf16>) -> tensor<5x7x7x64xf16>
  return %2 : tensor<5x7x7x64xf16>
}

// Windows along one dimension.
func.func @line(%x: tensor<2x100x32xf16>, %w: tensor<5x32x48xf16>) -> tensor<2x100x48xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 2>,
      pads_end = array<i64: 2>, dilations = array<i64: 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x100x32xf16>, tensor<5x32x48xf16>) -> tensor<2x100x48xf16>
  return %0 : tensor<2x100x48xf16>
}

// A kernel of one row.
func.func @rows(%x: tensor<2x12x30x32xf16>, %w: tensor<1x5x32x32xf16>) -> tensor<2x12x30x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 2>,
      pads_end = array<i64: 0, 2>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x12x30x32xf16>, tensor<1x5x32x32xf16>) -> tensor<2x12x30x32xf16>
  return %0 : tensor<2x12x30x32xf16>
}

// A kernel of one column.
func.func @columns(%x: tensor<2x30x12x32xf16>, %w: tensor<5x1x32x32xf16>) -> tensor<2x30x12x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 2, 0>,
      pads_end = array<i64: 2, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x30x12x32xf16>, tensor<5x1x32x32xf16>) -> tensor<2x30x12x32xf16>
  return %0 : tensor<2x30x12x32xf16>
}

// i8 in fractals of 32 channels.
func.func @integers(%x: tensor<2x14x14x64xsi8>, %w: tensor<3x3x64x32xsi8>) -> tensor<2x14x14x32xsi32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x14x14x64xsi8>, tensor<3x3x64x32xsi8>) -> tensor<2x14x14x32xsi32>
  return %0 : tensor<2x14x14x32xsi32>
}

// Weights that do not fit L1 as a whole.
func.func @wide(%x: tensor<2x8x8x512xf16>, %w: tensor<3x3x512x256xf16>) -> tensor<2x8x8x256xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x8x8x512xf16>, tensor<3x3x512x256xf16>) -> tensor<2x8x8x256xf16>
  return %0 : tensor<2x8x8x256xf16>
}

// A first layer: channels are padded to a fractal.
func.func @few(%x: tensor<2x40x40x3xf16>, %w: tensor<7x7x3x32xf16>) -> tensor<2x20x20x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 3, 3>,
      pads_end = array<i64: 3, 3>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x40x40x3xf16>, tensor<7x7x3x32xf16>) -> tensor<2x20x20x32xf16>
  return %0 : tensor<2x20x20x32xf16>
}

// Its bias is added in f32, after a kernel that converts it.
func.func @few_biased(%x: tensor<2x14x14x3xf16>, %w: tensor<3x3x3x32xf16>, %b: tensor<32xf16>) -> tensor<2x14x14x32xf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x14x14x3xf16>, tensor<3x3x3x32xf16>, tensor<32xf16>) -> tensor<2x14x14x32xf16>
  return %0 : tensor<2x14x14x32xf16>
}

// A matrix that all tiles of rows multiply stays in L1.
func.func @panel(%x: tensor<900x64xf16>, %w: tensor<64x256xf16>) -> tensor<900x256xf16> {
  %0 = graph.matmul %x, %w : (tensor<900x64xf16>, tensor<64x256xf16>) -> tensor<900x256xf16>
  return %0 : tensor<900x256xf16>
}

// The image is read in two shapes.
func.func @residual(%x: tensor<2x12x14x32xf16>, %w: tensor<3x3x32x32xf16>) -> tensor<2x12x14x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>,
      pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"}
      : (tensor<2x12x14x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x12x14x32xf16>
  %1 = graph.add %0, %x : (tensor<2x12x14x32xf16>, tensor<2x12x14x32xf16>) -> tensor<2x12x14x32xf16>
  return %1 : tensor<2x12x14x32xf16>
}

// What several functions leave to each other fills UB: loops of tiles and slices
// do not become one.
func.func @functions(%x: tensor<2x17x19x24xf16>, %w: tensor<5x5x24x40xf16>) -> tensor<2x17x19x40xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 2, 2>, pads_end = array<i64: 2, 2>, dilations = array<i64: 1, 1>} : (tensor<2x17x19x24xf16>, tensor<5x5x24x40xf16>) -> tensor<2x17x19x40xf16>
  %1 = graph.round %0 : (tensor<2x17x19x40xf16>) -> tensor<2x17x19x40xf16>
  %2 = graph.abs %1 : (tensor<2x17x19x40xf16>) -> tensor<2x17x19x40xf16>
  %3 = graph.constant dense<0.25> : tensor<f16>
  %4 = graph.add %2, %3 : (tensor<2x17x19x40xf16>, tensor<f16>) -> tensor<2x17x19x40xf16>
  %5 = graph.sqrt %4 : (tensor<2x17x19x40xf16>) -> tensor<2x17x19x40xf16>
  return %5 : tensor<2x17x19x40xf16>
}
