// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of many equal terms, with one accumulator for each of three channels:
// most elements of the gradient are 0. Their roundings do not cancel, and the
// bounds of the reference allow for that. Sums of products do the same where
// both factors are constant.

// RUN: gc-runner %s --check --strict --seed=10486 --threads=1 --entry=variance
// RUN: gc-runner %s --check --strict --seed=10486 --threads=1 --entry=variance --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=1 --entry=softmax
// RUN: gc-runner %s --check --strict --threads=1 --entry=matmul
// RUN: gc-runner %s --check --strict --threads=1 --entry=convolution
// RUN: gc-runner %s --check --strict --threads=1 --entry=weights

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

func.func @matmul(%a: tensor<16x1xf32>, %b: tensor<1x16xf32>) -> tensor<16x16xf32> {
  %o = graph.constant dense<1.0> : tensor<16x20000xf32>
  %p = graph.constant dense<1.0> : tensor<20000x16xf32>
  %0 = graph.multiply %a, %o : (tensor<16x1xf32>, tensor<16x20000xf32>) -> tensor<16x20000xf32>
  %1 = graph.multiply %b, %p : (tensor<1x16xf32>, tensor<20000x16xf32>) -> tensor<20000x16xf32>
  %2 = graph.matmul %0, %1 : (tensor<16x20000xf32>, tensor<20000x16xf32>) -> tensor<16x16xf32>
  return %2 : tensor<16x16xf32>
}

func.func @convolution(%a: tensor<16x1x1x1xf32>, %b: tensor<1x1x1x16xf32>) -> tensor<16x3x2x16xf32> {
  %o = graph.constant dense<1.0> : tensor<16x5x4x1024xf32>
  %p = graph.constant dense<1.0> : tensor<3x3x1024x16xf32>
  %x = graph.multiply %a, %o : (tensor<16x1x1x1xf32>, tensor<16x5x4x1024xf32>) -> tensor<16x5x4x1024xf32>
  %w = graph.multiply %b, %p : (tensor<1x1x1x16xf32>, tensor<3x3x1024x16xf32>) -> tensor<3x3x1024x16xf32>
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<16x5x4x1024xf32>, tensor<3x3x1024x16xf32>) -> tensor<16x3x2x16xf32>
  return %0 : tensor<16x3x2x16xf32>
}

func.func @weights(%a: tensor<1x1x1x16xf32>, %b: tensor<1x1x1x16xf32>) -> tensor<3x3x16x16xf32> {
  %o = graph.constant dense<1.0> : tensor<500x7x7x16xf32>
  %x = graph.multiply %a, %o : (tensor<1x1x1x16xf32>, tensor<500x7x7x16xf32>) -> tensor<500x7x7x16xf32>
  %d = graph.multiply %b, %o : (tensor<1x1x1x16xf32>, tensor<500x7x7x16xf32>) -> tensor<500x7x7x16xf32>
  %0 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 3, 16, 16>} : (tensor<500x7x7x16xf32>, tensor<500x7x7x16xf32>) -> tensor<3x3x16x16xf32>
  return %0 : tensor<3x3x16x16xf32>
}
