// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions whose sums neither kernels nor f32 can hold are refused, with one error.

// RUN: gc-opt %s --graph-decompose=contractions-only --verify-diagnostics

func.func @odd_integers(%x: tensor<1x40x129xsi8>, %w: tensor<9x129x16xsi8>) -> tensor<1x32x16xsi32> {
  // expected-error @below {{'graph.convolution' op has 129 input channels in a group; for 'si8' the CPU needs a multiple of 4}}
  %0 = graph.convolution %x, %w {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x40x129xsi8>, tensor<9x129x16xsi8>) -> tensor<1x32x16xsi32>
  return %0 : tensor<1x32x16xsi32>
}
