// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(graph-decompose,canonicalize,cse,poly-narrow-factors,poly-extract,poly.scop(poly-conv-to-fractal,poly-schedule,poly-tile,poly-fuse,poly-map-units,poly-promote))"

// What factors cannot be computed from in the tiles of their contraction.

// expected-error @below {{is what a factor of a contraction is computed from, but its elements are 'f32'; matrices of f16 are supported}}
func.func @wide(%x: tensor<32x48xf32>, %w: tensor<48x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.type_cast %x : tensor<32x48xf32> -> tensor<32x48xf16>
  %1 = graph.matmul %0, %w : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @reduced(%x: tensor<32x48xf16>, %w: tensor<48x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{computes a factor of a contraction, but not element by element}}
  %s = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf16>) -> tensor<32x1xf16>
  %0 = graph.subtract %x, %s : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
  %1 = graph.matmul %0, %w : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @twice(%x: tensor<48x48xf16>, %w: tensor<48x32xf16>) -> tensor<48x32xf16> {
  // expected-error @below {{computes a factor of a contraction, but reads @I0 at other indices than another statement}}
  %t = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<48x48xf16>) -> tensor<48x48xf16>
  %0 = graph.add %x, %t : (tensor<48x48xf16>, tensor<48x48xf16>) -> tensor<48x48xf16>
  %1 = graph.matmul %0, %w : (tensor<48x48xf16>, tensor<48x32xf16>) -> tensor<48x32xf16>
  return %1 : tensor<48x32xf16>
}

// -----

func.func @compared(%x: tensor<1x12x12x20xf16>, %w: tensor<3x3x20x32xf16>) -> tensor<1x12x12x32xf16> {
  %0 = graph.leaky_relu %x {alpha = 0.25 : f32} : (tensor<1x12x12x20xf16>) -> tensor<1x12x12x20xf16>
  // expected-error @below {{whose channels are not a multiple of 16 and are computed by a comparison}}
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x12x12x20xf16>, tensor<3x3x20x32xf16>) -> tensor<1x12x12x32xf16>
  return %1 : tensor<1x12x12x32xf16>
}
