// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of windows folded with channels: a block of k is a row of the window.
// The template is given, so that every machine takes this path.

// RUN: gc-runner %s --check --strict --threads=2 --entry=odd
// RUN: gc-runner %s --check --strict --threads=2 --entry=stem
// RUN: gc-runner %s --check --strict --threads=2 --entry=wide_pads
// RUN: gc-runner %s --check --strict --threads=2 --entry=small_image
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_side
// RUN: gc-runner %s --check --strict --threads=2 --entry=jumping
// RUN: gc-runner %s --check --strict --threads=2 --entry=plain_weights
// RUN: gc-runner %s --check --strict --threads=2 --entry=line
// RUN: gc-runner %s --check --strict --threads=2 --entry=volume
// RUN: gc-runner %s --check --strict --threads=2 --entry=bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=int8

// Channels that fill no vector; several lines in a block, and fewer in the last one.
func.func @odd(%x: tensor<2x7x9x5xf32>, %w: tensor<45x70xf32>) -> tensor<2x63x70xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 27, NB = 32, KB = 15, BS = 3, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1, rows = [2, 63]>} : (tensor<2x7x9x5xf32>, tensor<45x70xf32>) -> tensor<2x63x70xf32>
  return %0 : tensor<2x63x70xf32>
}

// Pads of three at one side see two positions each way, with a stride.
func.func @stem(%x: tensor<1x23x25x3xf32>, %w: tensor<147x64xf32>) -> tensor<1x156x64xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 26, NB = 64, KB = 21, BS = 7, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [7, 7], strides = [2, 2], dilations = [1, 1], pads_begin = [3, 3], pads_end = [3, 3], groups = 1, rows = [1, 156]>} : (tensor<1x23x25x3xf32>, tensor<147x64xf32>) -> tensor<1x156x64xf32>
  return %0 : tensor<1x156x64xf32>
}

// Pads wider than the window: sums of nothing.
func.func @wide_pads(%x: tensor<1x6x7x3xf32>, %w: tensor<12x8xf32>) -> tensor<1x9x10x8xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 10, NB = 16, KB = 6, BS = 2, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [2, 2], strides = [1, 1], dilations = [1, 1], pads_begin = [2, 2], pads_end = [2, 2], groups = 1>} : (tensor<1x6x7x3xf32>, tensor<12x8xf32>) -> tensor<1x9x10x8xf32>
  return %0 : tensor<1x9x10x8xf32>
}

// An image smaller than the window: no position sees all columns.
func.func @small_image(%x: tensor<1x3x2x3xf32>, %w: tensor<75x16xf32>) -> tensor<1x3x2x16xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 15, BS = 5, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [5, 5], strides = [1, 1], dilations = [1, 1], pads_begin = [2, 2], pads_end = [2, 2], groups = 1>} : (tensor<1x3x2x3xf32>, tensor<75x16xf32>) -> tensor<1x3x2x16xf32>
  return %0 : tensor<1x3x2x16xf32>
}

// A pad at the end only, and rows of the window that are apart.
func.func @one_side(%x: tensor<1x9x9x6xf32>, %w: tensor<90x24xf32>) -> tensor<1x7x7x24xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 7, NB = 32, KB = 30, BS = 3, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [3, 5], strides = [1, 1], dilations = [2, 1], pads_begin = [2, 0], pads_end = [0, 2], groups = 1>} : (tensor<1x9x9x6xf32>, tensor<90x24xf32>) -> tensor<1x7x7x24xf32>
  return %0 : tensor<1x7x7x24xf32>
}

// A stride that is larger than the window: rows do not overlap.
func.func @jumping(%x: tensor<1x11x13x4xf32>, %w: tensor<16x16xf32>) -> tensor<1x6x5x16xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [2, 2], strides = [2, 3], dilations = [1, 1], pads_begin = [1, 1], pads_end = [0, 1], groups = 1>} : (tensor<1x11x13x4xf32>, tensor<16x16xf32>) -> tensor<1x6x5x16xf32>
  return %0 : tensor<1x6x5x16xf32>
}

// Weights in place.
func.func @plain_weights(%x: tensor<1x8x8x3xf32>, %w: tensor<27x48xf32>) -> tensor<1x8x8x48xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 48, KB = 9, BS = 3, order = [m, n, k], packA = false, packB = false>, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x8x8x3xf32>, tensor<27x48xf32>) -> tensor<1x8x8x48xf32>
  return %0 : tensor<1x8x8x48xf32>
}

// One spatial dimension.
func.func @line(%x: tensor<3x17x7xf32>, %w: tensor<28x40xf32>) -> tensor<3x17x40xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 17, NB = 64, KB = 28, BS = 1, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [4], strides = [1], dilations = [1], pads_begin = [2], pads_end = [1], groups = 1>} : (tensor<3x17x7xf32>, tensor<28x40xf32>) -> tensor<3x17x40xf32>
  return %0 : tensor<3x17x40xf32>
}

// Three, and a window that may be outside the image.
func.func @volume(%x: tensor<1x4x5x6x3xf32>, %w: tensor<54x20xf32>) -> tensor<1x6x3x6x20xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 6, NB = 32, KB = 9, BS = 6, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [2, 3, 3], strides = [1, 2, 1], dilations = [1, 1, 1], pads_begin = [2, 1, 1], pads_end = [1, 1, 1], groups = 1>} : (tensor<1x4x5x6x3xf32>, tensor<54x20xf32>) -> tensor<1x6x3x6x20xf32>
  return %0 : tensor<1x6x3x6x20xf32>
}

// Pairs of channels.
func.func @bf16(%x: tensor<1x8x9x6xbf16>, %w: tensor<54x24xbf16>) -> tensor<1x8x9x24xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 9, NB = 32, KB = 18, BS = 3, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x8x9x6xbf16>, tensor<54x24xbf16>) -> tensor<1x8x9x24xf32>
  return %0 : tensor<1x8x9x24xf32>
}

// Quads, with a zero point that pads stand for.
func.func @int8(%x: tensor<1x8x9x4xui8>, %w: tensor<36x24xsi8>) -> tensor<1x4x5x24xsi32> {
  %0 = graph.matmul %x, %w {src_zp = 7 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 32, KB = 12, BS = 3, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [3, 3], strides = [2, 2], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x8x9x4xui8>, tensor<36x24xsi8>) -> tensor<1x4x5x24xsi32>
  return %0 : tensor<1x4x5x24xsi32>
}
