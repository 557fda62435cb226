// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scops that poly-conv-to-fractal, on its own, takes for convolutions, but whose
// accesses are not those of one: each is that of @convolution with a change.

// RUN: gc-opt %s --gc-npu-pipeline=stop-after=extract -o %t
// RUN: gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' | FileCheck %s --check-prefix=WHOLE
// WHOLE: img2col

// RUN: sed 's/-1 + i1 + i4, /1 + i1 + i4, /; s/-i1 < i4 <= 12 - i1/i4 <= 10 - i1/' %t > %t.begin
// RUN: not gc-opt %t.begin --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' 2>&1 | FileCheck %s --check-prefix=BEGIN
// BEGIN: error: 'poly.statement' op is a convolution that cannot become a product of fractals: the kernel begins 1 elements within the image

// RUN: sed 's/96i4 + 32i5 + i6/32i4 + 96i5 + i6/' %t > %t.weights
// RUN: not gc-opt %t.weights --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' 2>&1 | FileCheck %s --check-prefix=WEIGHTS
// WEIGHTS: error: {{.*}}@I1_1 is not a matrix with a row for each [kh, kw, c]

// RUN: sed 's/-i1 < i4 <= 12 - i1/-i1 < i4 <= 11 - i1/' %t > %t.pads
// RUN: not gc-opt %t.pads --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' 2>&1 | FileCheck %s --check-prefix=PADS
// PADS: error: {{.*}}it leaves out elements that are not in pads

// RUN: sed '/S_1/s/T3\[i0, i1, i2, i3\]/T3[i0, i2, i1, i3]/g' %t > %t.order
// RUN: not gc-opt %t.order --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error: {{.*}}@T3 is not written in the order of images, positions and output channels

// RUN: sed 's/-1 + i1 + i4, -1 + i2 + i5, i6/-1 + i1 + i4, -1 + i1 + i5, i6/; s/-i2 < i5 <= 12 - i2/-i1 < i5 <= 12 - i1/' %t > %t.diagonal
// RUN: not gc-opt %t.diagonal --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal))' 2>&1 | FileCheck %s --check-prefix=DIAGONAL
// DIAGONAL: error: 'poly.statement' op is a convolution that cannot become a product of fractals

func.func @convolution(%x: tensor<2x12x12x32xf16>, %w: tensor<3x3x32x32xf16>) -> tensor<2x12x12x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x12x12x32xf16>, tensor<3x3x32x32xf16>) -> tensor<2x12x12x32xf16>
  return %0 : tensor<2x12x12x32xf16>
}
