// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensors of rank 0, alone and together with others, and tensors of one
// element, which are not the same to numpy rules.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

func.func @main(%a: tensor<f32>, %b: tensor<f32>, %one: tensor<1x1xf32>,
                %row: tensor<19xf32>, %w: tensor<1x1xf32> {graph.const_arg})
  -> (tensor<f32>, tensor<1xf32>, tensor<1x1x1x1x1xf32>, tensor<19xf32>,
      tensor<1x1xf32>, tensor<f32>, tensor<1x19xf32>, tensor<f32>) {
  // No dimension: one element, no loop.
  %0 = graph.add %a, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.tanh %0 : (tensor<f32>) -> tensor<f32>
  // Dimensions of size 1 come and go.
  %2 = graph.static_reshape %1 {shape = array<i64: 1>} : (tensor<f32>) -> tensor<1xf32>
  %3 = graph.static_reshape %one {shape = array<i64: 1, 1, 1, 1, 1>} : (tensor<1x1xf32>) -> tensor<1x1x1x1x1xf32>
  %4 = graph.multiply %3, %a : (tensor<1x1x1x1x1xf32>, tensor<f32>) -> tensor<1x1x1x1x1xf32>
  // A scalar broadcast to a row whose length is not a multiple of a vector.
  %5 = graph.subtract %a, %row : (tensor<f32>, tensor<19xf32>) -> tensor<19xf32>
  // A product of 1 x 1 matrices, and one of scalars computed from it.
  %6 = graph.matmul %one, %w : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  %7 = graph.static_reshape %6 {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  %8 = graph.maximum %7, %b : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %9 = graph.add %6, %row : (tensor<1x1xf32>, tensor<19xf32>) -> tensor<1x19xf32>
  %half = graph.constant dense<0.5> : tensor<f32>
  %10 = graph.multiply %a, %half : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %1, %2, %4, %5, %6, %8, %9, %10 :
    tensor<f32>, tensor<1xf32>, tensor<1x1x1x1x1xf32>, tensor<19xf32>,
    tensor<1x1xf32>, tensor<f32>, tensor<1x19xf32>, tensor<f32>
}
