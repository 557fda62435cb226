// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tables of weights that would be too large are refused, with one error.

// RUN: gc-opt %s --split-input-file --graph-decompose --verify-diagnostics

func.func @interpolate(%x: tensor<1x4x1xf32>) -> tensor<1x536870912x1xf32> {
  // expected-error @below {{'graph.interpolate' op has windows of 2 elements at 536870912 positions along a dimension, which is too many}}
  %0 = graph.interpolate %x {mode = "linear", sizes = array<i64: 536870912>} : (tensor<1x4x1xf32>) -> tensor<1x536870912x1xf32>
  return %0 : tensor<1x536870912x1xf32>
}

// -----

func.func @average(%x: tensor<1x16777216x1xf32>) -> tensor<1x16777209x1xf32> {
  // expected-error @below {{'graph.avg_pool' op has windows of 8 elements at 16777209 positions along a dimension, which is too many}}
  %0 = graph.avg_pool %x {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 8>, exclude_pad = true} : (tensor<1x16777216x1xf32>) -> tensor<1x16777209x1xf32>
  return %0 : tensor<1x16777209x1xf32>
}
