// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of many equal terms, with one accumulator for each of three channels:
// most elements of the gradient are 0. Their roundings do not cancel, and the
// bounds of the reference allow for that.

// RUN: gc-runner %s --check --strict --seed=10486 --threads=1 --entry=variance
// RUN: gc-runner %s --check --strict --seed=10486 --threads=1 --entry=variance --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=1 --entry=softmax

func.func @variance(%x: tensor<31x64x7x3xf32>, %d: tensor<31x2x16x3xf32>, %m: tensor<3xf32>, %v: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.interpolate_backward %x, %d {mode = "linear", sizes = array<i64: 2, 16>} : (tensor<31x64x7x3xf32>, tensor<31x2x16x3xf32>) -> tensor<31x64x7x3xf32>
  %y, %rm, %rv, %bm, %bv = graph.batch_norm_forward_training %0, %m, %v {epsilon = 1.0e-05 : f32} : (tensor<31x64x7x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<31x64x7x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return %bv : tensor<3xf32>
}

func.func @softmax(%x: tensor<128x64x7x3xf32>, %d: tensor<128x2x16x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.interpolate_backward %x, %d {mode = "linear", sizes = array<i64: 2, 16>} : (tensor<128x64x7x3xf32>, tensor<128x2x16x3xf32>) -> tensor<128x64x7x3xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 57344, 3>} : (tensor<128x64x7x3xf32>) -> tensor<57344x3xf32>
  %y, %s = graph.softmax %1 {axis = 0 : i64} : (tensor<57344x3xf32>) -> (tensor<57344x3xf32>, tensor<1x3xf32>)
  return %s : tensor<1x3xf32>
}
