// RUN: gc-opt %s --split-input-file --gc-npu-pipeline=stop-after=extract | FileCheck %s --check-prefix=BEFORE
// RUN: gc-opt %s --split-input-file --gc-npu-pipeline=stop-after=extract \
// RUN:   | gc-opt --split-input-file --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' | FileCheck %s

// A window reads nothing in the pads. Channels are whole fractals afterwards;
// height and width are one dimension, of what follows, too.

// BEFORE-LABEL: poly.scop @padded
// BEFORE:       poly.array @I0 input 0 : tensor<2x9x11x20xf16>
// BEFORE:       poly.statement @S_1 domain "{ S_1[i0, i1, i2, i3, i4, i5, i6] : 0 <= i0 <= 1 and 0 <= i1 <= 8 and 0 <= i2 <= 5 and 0 <= i3 <= 31 and 0 <= i4 <= 2 and 0 <= i5 <= 2 and 0 <= i6 <= 19 }"
// BEFORE-SAME:    reads [@I0 "{ S_1[i0, i1, i2, i3, i4, i5, i6] -> I0[i0, -1 + i1 + i4, -1 + 2i2 + i5, i6] :
// BEFORE-SAME:    @I1_2 "{ S_1[i0, i1, i2, i3, i4, i5, i6] -> I1_2[60i4 + 20i5 + i6, i3] }"

// CHECK-LABEL: poly.scop @padded
// CHECK:         filter: "{ S_1[n, m, o, k] }"
// CHECK:       poly.array @I0_image input 0 : tensor<2x9x11x20xf16>
// CHECK:       poly.array @I1_2_taps input 1 : tensor<9x20x32xf16>
// CHECK:       poly.array @O0 output 0 : tensor<2x54x32xf16>
// CHECK:       poly.statement @S_1 domain "{ S_1[n, m, o, k] : 0 <= n <= 1 and 0 <= m <= 53 and 0 <= o <= 31 and 0 <= k <= 287 }"
// CHECK-SAME:    reads [@I0_image "{ S_1[n, m, o, k] -> I0_image[n, h, w, c]
// CHECK-SAME:    img2col <kernel = [3, 3], strides = [1, 2], pads = [1, 1], output_width = 6>
// CHECK:       poly.statement @S_3 domain "{ S_3[i0, i1, i2] : 0 <= i0 <= 1 and 0 <= i1 <= 53 and 0 <= i2 <= 31 }"
// CHECK-SAME:    @I2 "{ S_3[i0, i1, i2] -> I2[i2] }"
func.func @padded(%x: tensor<2x9x11x20xf16>, %w: tensor<3x3x20x32xf16>, %b: tensor<32xf16>) -> tensor<2x9x6x32xf16> {
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x9x11x20xf16>, tensor<3x3x20x32xf16>, tensor<32xf16>) -> tensor<2x9x6x32xf16>
  return %0 : tensor<2x9x6x32xf16>
}

// -----

// One image, and no neighbours in the kernel.

// CHECK-LABEL: poly.scop @strides
// CHECK:       poly.array @I0_image input 0 : tensor<1x10x12x32xf16>
// CHECK:       poly.array @I1_{{[0-9]}}_taps input 1 : tensor<1x32x32xf16>
// CHECK:       S_1[m, o, k] : 0 <= m <= 29 and 0 <= o <= 31 and 0 <= k <= 31
// CHECK-SAME:    img2col <kernel = [1, 1], strides = [2, 2], pads = [0, 0], output_width = 6>
func.func @strides(%x: tensor<1x10x12x32xf16>, %w: tensor<1x1x32x32xf16>) -> tensor<1x5x6x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x10x12x32xf16>, tensor<1x1x32x32xf16>) -> tensor<1x5x6x32xf16>
  return %0 : tensor<1x5x6x32xf16>
}

// -----

// A kernel of one column: lines of the image are images.

// CHECK-LABEL: poly.scop @line
// CHECK:       poly.array @I0_image input 0 : tensor<20x1x12x32xf16>
// CHECK:       S_1[n, m, o, k] : 0 <= n <= 19 and 0 <= m <= 11 and 0 <= o <= 31 and 0 <= k <= 95
// CHECK-SAME:    img2col <kernel = [1, 3], strides = [1, 1], pads = [0, 1], output_width = 12>
func.func @line(%x: tensor<2x10x12x32xf16>, %w: tensor<1x3x32x32xf16>) -> tensor<2x10x12x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 1>, pads_end = array<i64: 0, 1>, dilations = array<i64: 1, 1>} : (tensor<2x10x12x32xf16>, tensor<1x3x32x32xf16>) -> tensor<2x10x12x32xf16>
  return %0 : tensor<2x10x12x32xf16>
}

// -----

// A product of matrices stays.

// CHECK-LABEL: poly.scop @product
// CHECK-NOT:   img2col
func.func @product(%x: tensor<20x32xf16>, %w: tensor<32x32xf16>) -> tensor<20x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<20x32xf16>, tensor<32x32xf16>) -> tensor<20x32xf16>
  return %0 : tensor<20x32xf16>
}
