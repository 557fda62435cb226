// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls with windows, as they are after decomposition, against the reference.

// RUN: gc-runner %s --check --strict --threads=2 --entry=plain
// RUN: gc-runner %s --check --strict --threads=2 --entry=jumping
// RUN: gc-runner %s --check --strict --threads=2 --entry=rows
// RUN: gc-runner %s --check --strict --threads=2 --entry=groups
// RUN: gc-runner %s --check --strict --threads=2 --entry=bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=int8

func.func @plain(%x: tensor<2x7x9x16xf32>, %w: tensor<144x24xf32>, %b: tensor<24xf32>) -> tensor<2x7x9x24xf32> {
  %0 = graph.matmul %x, %w, %b {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<2x7x9x16xf32>, tensor<144x24xf32>, tensor<24xf32>) -> tensor<2x7x9x24xf32>
  return %0 : tensor<2x7x9x24xf32>
}

func.func @jumping(%x: tensor<1x11x13x8xf32>, %w: tensor<48x16xf32>) -> tensor<1x5x5x16xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [2, 3], strides = [2, 3], dilations = [3, 2], pads_begin = [2, 1], pads_end = [0, 3], groups = 1>} : (tensor<1x11x13x8xf32>, tensor<48x16xf32>) -> tensor<1x5x5x16xf32>
  return %0 : tensor<1x5x5x16xf32>
}

func.func @rows(%x: tensor<2x6x5x8xf32>, %w: tensor<72x16xf32>) -> tensor<2x30x16xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1, rows = [2, 30]>} : (tensor<2x6x5x8xf32>, tensor<72x16xf32>) -> tensor<2x30x16xf32>
  return %0 : tensor<2x30x16xf32>
}

func.func @groups(%x: tensor<2x9x24xf32>, %w: tensor<3x1x24x16xf32>) -> tensor<3x2x9x16xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [1], pads_end = [1], groups = 3>} : (tensor<2x9x24xf32>, tensor<3x1x24x16xf32>) -> tensor<3x2x9x16xf32>
  return %0 : tensor<3x2x9x16xf32>
}

func.func @bf16(%x: tensor<2x9x24xbf16>, %w: tensor<72x16xbf16>) -> tensor<2x9x16xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [1], pads_end = [1], groups = 1>} : (tensor<2x9x24xbf16>, tensor<72x16xbf16>) -> tensor<2x9x16xf32>
  return %0 : tensor<2x9x16xf32>
}

// What is in the pads stands for 0: it is the zero point.
func.func @int8(%x: tensor<2x7x9x16xui8>, %w: tensor<144x24xsi8>) -> tensor<2x7x9x24xsi32> {
  %0 = graph.matmul %x, %w {src_zp = 7 : i64, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<2x7x9x16xui8>, tensor<144x24xsi8>) -> tensor<2x7x9x24xsi32>
  return %0 : tensor<2x7x9x24xsi32>
}
