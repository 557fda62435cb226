// RUN: gc-opt %s --split-input-file --verify-diagnostics \
// RUN:   --gc-npu-pipeline=stop-after=schedule

// img2col takes neighbouring elements.

func.func @dilated(%x: tensor<2x12x12x32xf16>, %w: tensor<3x3x32x32xf16>) -> tensor<2x12x12x32xf16> {
  // expected-error@+1 {{'poly.statement' op is a convolution that cannot become a product of fractals: img2col takes neighbouring elements, but the kernel is dilated by 2}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 2, 2>, pads_end = array<i64: 2, 2>, dilations = array<i64: 2, 2>} : (tensor<2x12x12x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x12x12x32xf16>
  return %0 : tensor<2x12x12x32xf16>
}

// -----

func.func @volume(%x: tensor<2x6x6x6x32xf16>, %w: tensor<3x3x3x32x32xf16>) -> tensor<2x6x6x6x32xf16> {
  // expected-error@+1 {{the kernel slides along 3 dimensions; two are supported}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1, 1>, pads_begin = array<i64: 1, 1, 1>, pads_end = array<i64: 1, 1, 1>, dilations = array<i64: 1, 1, 1>} : (tensor<2x6x6x6x32xf16>, tensor<3x3x3x32x32xf16>) -> tensor<2x6x6x6x32xf16>
  return %0 : tensor<2x6x6x6x32xf16>
}

// -----

func.func @position(%x: tensor<2x3x3x32xf16>, %w: tensor<3x3x32x32xf16>) -> tensor<2x1x1x32xf16> {
  // expected-error@+1 {{one position}}
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x3x3x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x1x1x32xf16>
  return %0 : tensor<2x1x1x32xf16>
}

// -----

func.func @channel(%x: tensor<2x12x12x32xf16>, %w: tensor<3x3x32x1xf16>) -> tensor<2x12x12x1xf16> {
  // expected-error@+1 {{has to be the output channel}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x12x12x32xf16>, tensor<3x3x32x1xf16>) -> tensor<2x12x12x1xf16>
  return %0 : tensor<2x12x12x1xf16>
}

// -----

// A factor for each column of the image.

func.func @columns(%x: tensor<2x12x10x32xf16>, %w: tensor<3x3x32x32xf16>, %f: tensor<10x1xf16>) -> tensor<2x12x10x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x12x10x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x12x10x32xf16>
  // expected-error@+1 {{follows a convolution, whose positions become one dimension, and uses @I2 in another way}}
  %1 = graph.multiply %0, %f : (tensor<2x12x10x32xf16>, tensor<10x1xf16>) -> tensor<2x12x10x32xf16>
  return %1 : tensor<2x12x10x32xf16>
}
