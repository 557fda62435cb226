// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of the windows of an image that are refused.

// RUN: gc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{(C1) a window has one to three spatial dimensions, not 4}}
#w = #graph.window<kernel = [1, 1, 1, 1], strides = [1, 1, 1, 1], dilations = [1, 1, 1, 1], pads_begin = [0, 0, 0, 0], pads_end = [0, 0, 0, 0], groups = 1>

// -----

// expected-error @+1 {{(C1) strides has 1 elements for 2 spatial dimensions}}
#w = #graph.window<kernel = [3, 3], strides = [1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>

// -----

// expected-error @+1 {{(C2) strides of 0 is out of range}}
#w = #graph.window<kernel = [3, 3], strides = [1, 0], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>

// -----

// expected-error @+1 {{(C2) pads_end of -1 is out of range}}
#w = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, -1], groups = 1>

// -----

// expected-error @+1 {{(C2) kernel of 2147483648 is out of range}}
#w = #graph.window<kernel = [3, 2147483648], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>

// -----

// expected-error @+1 {{(C3) groups is at least 1, and rows are at least two dimensions, without groups}}
#w = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 2, rows = [4, 4]>

// -----

func.func @rank(%x: tensor<1x6x8xf32>, %w: tensor<72x4xf32>) -> tensor<1x4x4x4xf32> {
  // expected-error @+1 {{'graph.matmul' op (C9) a window of 2 spatial dimensions reads an image of 4 dimensions, not 3}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x6x8xf32>, tensor<72x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

func.func @small(%x: tensor<1x2x6x8xf32>, %w: tensor<72x4xf32>) -> tensor<1x4x4x4xf32> {
  // expected-error @+1 {{(C9) the window does not fit the image}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x2x6x8xf32>, tensor<72x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

func.func @groups(%x: tensor<1x6x6x8xf32>, %w: tensor<3x1x1x72x4xf32>) -> tensor<3x1x4x4x4xf32> {
  // expected-error @+1 {{(C9) 3 groups do not divide 8 channels}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 3>} : (tensor<1x6x6x8xf32>, tensor<3x1x1x72x4xf32>) -> tensor<3x1x4x4x4xf32>
  return %0 : tensor<3x1x4x4x4xf32>
}

// -----

func.func @depth(%x: tensor<1x6x6x8xf32>, %w: tensor<64x4xf32>) -> tensor<1x4x4x4xf32> {
  // expected-error @+1 {{(C2) src reduces over 72 elements, weights over 64}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x6x6x8xf32>, tensor<64x4xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

func.func @rows(%x: tensor<1x6x6x8xf32>, %w: tensor<72x4xf32>) -> tensor<1x15x4xf32> {
  // expected-error @+1 {{(C9) rows [1, 15] do not count the positions of the window [1, 4, 4]}}
  %0 = graph.matmul %x, %w {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1, rows = [1, 15]>} : (tensor<1x6x6x8xf32>, tensor<72x4xf32>) -> tensor<1x15x4xf32>
  return %0 : tensor<1x15x4xf32>
}

// -----

func.func @transposed(%x: tensor<1x6x6x8xf32>, %w: tensor<4x72xf32>) -> tensor<1x4x4x4xf32> {
  // expected-error @+1 {{(C9) a product of windows has weights of two or more dimensions, not transposed}}
  %0 = graph.matmul %x, %w {transpose_b = true, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x6x6x8xf32>, tensor<4x72xf32>) -> tensor<1x4x4x4xf32>
  return %0 : tensor<1x4x4x4xf32>
}

// -----

func.func @blocks(%x: tensor<1x6x6x8xf32>, %w: tensor<72x4xf32>) -> tensor<1x16x4xf32> {
  // expected-error @+1 {{(C7) windows need an MB in multiples of 4, a KB that divides 8 or is 24, one call for all of K, packA = false, and no slices}}
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 6, NB = 8, KB = 8, BS = 9, order = [m, n, k], packA = false, packB = true>, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1, rows = [1, 16]>} : (tensor<1x6x6x8xf32>, tensor<72x4xf32>) -> tensor<1x16x4xf32>
  return %0 : tensor<1x16x4xf32>
}
