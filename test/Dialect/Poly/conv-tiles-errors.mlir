// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --verify-diagnostics --gc-npu-pipeline=stop-after=promote

// A transfer of the image has at most 4,095 rows of 32 bytes.

func.func @wide(%x: tensor<1x2x5000x16xf16>, %w: tensor<1x3x16x16xf16>) -> tensor<1x2x4998x16xf16> {
  // expected-error@+1 {{reads images with rows of 5000 elements, but the most is 4095}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x2x5000x16xf16>, tensor<1x3x16x16xf16>) -> tensor<1x2x4998x16xf16>
  return %0 : tensor<1x2x4998x16xf16>
}
