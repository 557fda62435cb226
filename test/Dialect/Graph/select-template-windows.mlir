// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates of windows: where the columns of a window are folded with the
// channels, which a KB of both says, and where not.

// RUN: gc-opt %s --machine=zen5-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --machine=laptop-avx2-4 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s

// Three channels: rows of seven columns.
// CHECK-LABEL: func.func @stem
// CHECK: KB = 21, BS = 7,
func.func @stem(%x: tensor<1x224x224x3xf32>, %w: tensor<147x64xf32> {graph.const_arg}) -> tensor<1x112x112x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [7, 7], strides = [2, 2], dilations = [1, 1], pads_begin = [3, 3], pads_end = [3, 3], groups = 1>} : (tensor<1x224x224x3xf32>, tensor<147x64xf32>) -> tensor<1x112x112x64xf32>
  return %0 : tensor<1x112x112x64xf32>
}

// Enough channels: at the sides a folded window would need calls of one row.
// CHECK-LABEL: func.func @deep
// CHECK: KB = 128, BS = 9,
func.func @deep(%x: tensor<1x56x56x128xf32>, %w: tensor<1152x64xf32> {graph.const_arg}) -> tensor<1x56x56x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x56x56x128xf32>, tensor<1152x64xf32>) -> tensor<1x56x56x64xf32>
  return %0 : tensor<1x56x56x64xf32>
}

// Columns that are apart; rows may be.
// CHECK-LABEL: func.func @dilated
// CHECK: KB = 4, BS = 9,
// CHECK-LABEL: func.func @dilated_rows
// CHECK: KB = 12, BS = 3,
func.func @dilated(%x: tensor<1x64x64x4xf32>, %w: tensor<36x64xf32> {graph.const_arg}) -> tensor<1x60x60x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [2, 2], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x64x64x4xf32>, tensor<36x64xf32>) -> tensor<1x60x60x64xf32>
  return %0 : tensor<1x60x60x64xf32>
}

func.func @dilated_rows(%x: tensor<1x64x64x4xf32>, %w: tensor<36x64xf32> {graph.const_arg}) -> tensor<1x60x62x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [2, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x64x64x4xf32>, tensor<36x64xf32>) -> tensor<1x60x62x64xf32>
  return %0 : tensor<1x60x62x64xf32>
}

// The columns of a group are not neighbours.
// CHECK-LABEL: func.func @groups
// CHECK: KB = 4, BS = 9,
func.func @groups(%x: tensor<1x64x64x8xf32>, %w: tensor<2x1x1x36x64xf32> {graph.const_arg}) -> tensor<2x1x62x62x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 2>} : (tensor<1x64x64x8xf32>, tensor<2x1x1x36x64xf32>) -> tensor<2x1x62x62x64xf32>
  return %0 : tensor<2x1x62x62x64xf32>
}

// Pixels with a gap: a part of the channels of a larger image.
// CHECK-LABEL: func.func @gaps
// CHECK: KB = 4, BS = 9,
func.func @gaps(%x: tensor<1x64x64x4xf32, #graph.layout<strided, [32768, 512, 8, 1]>>, %w: tensor<36x64xf32> {graph.const_arg}) -> tensor<1x62x62x64xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x64x64x4xf32, #graph.layout<strided, [32768, 512, 8, 1]>>, tensor<36x64xf32>) -> tensor<1x62x62x64xf32>
  return %0 : tensor<1x62x62x64xf32>
}

// Blocks of columns of this many rows would lie in more pages than a core knows the
// addresses of: all columns of some rows first.
// CHECK-LABEL: func.func @many_pages
// CHECK: order = [m, n, k]
func.func @many_pages(%x: tensor<32x28x28x128xf32>, %w: tensor<128x512xf32> {graph.const_arg}) -> tensor<32x28x28x512xf32> {
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [1, 1], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<32x28x28x128xf32>, tensor<128x512xf32>) -> tensor<32x28x28x512xf32>
  return %0 : tensor<32x28x28x512xf32>
}
