// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numpy broadcasting up to rank 5: which dimension of which operand is 1 or
// missing decides how vectors are loaded.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3

func.func @main(%full: tensor<3x5x7x9xf32>, %row: tensor<9xf32>,
                %column: tensor<7x1xf32>, %outer: tensor<3x1x1x1xf32>,
                %inner: tensor<5x1x9xf32>, %five: tensor<2x1x5x7x1xf32>,
                %long: tensor<4097xf32>, %longer: tensor<16411xf32>,
                %scalar: tensor<f32>)
  -> (tensor<3x5x7x9xf32>, tensor<3x5x7x9xf32>, tensor<3x5x7x9xf32>,
      tensor<3x5x7x9xf32>, tensor<7x9xf32>, tensor<2x3x5x7x9xf32>,
      tensor<4097xf32>, tensor<16411xf32>) {
  // The last dimension alone: a vector per row. It comes first here, where an
  // op that does not commute would show a swap.
  %0 = graph.subtract %row, %full : (tensor<9xf32>, tensor<3x5x7x9xf32>) -> tensor<3x5x7x9xf32>
  // One element per row, in all lanes.
  %1 = graph.multiply %full, %column : (tensor<3x5x7x9xf32>, tensor<7x1xf32>) -> tensor<3x5x7x9xf32>
  // The first dimension alone.
  %2 = graph.maximum %full, %outer : (tensor<3x5x7x9xf32>, tensor<3x1x1x1xf32>) -> tensor<3x5x7x9xf32>
  // A 1 between others.
  %3 = graph.squared_difference %full, %inner : (tensor<3x5x7x9xf32>, tensor<5x1x9xf32>) -> tensor<3x5x7x9xf32>
  // Both operands grow.
  %4 = graph.add %column, %row : (tensor<7x1xf32>, tensor<9xf32>) -> tensor<7x9xf32>
  %5 = graph.minimum %five, %full : (tensor<2x1x5x7x1xf32>, tensor<3x5x7x9xf32>) -> tensor<2x3x5x7x9xf32>
  // One dimension, cut among threads: pieces of 2048 and a rest of 1, and of
  // more than a piece with a rest of 27.
  %6 = graph.divide %scalar, %long : (tensor<f32>, tensor<4097xf32>) -> tensor<4097xf32>
  %7 = graph.multiply %longer, %longer : (tensor<16411xf32>, tensor<16411xf32>) -> tensor<16411xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 :
    tensor<3x5x7x9xf32>, tensor<3x5x7x9xf32>, tensor<3x5x7x9xf32>,
    tensor<3x5x7x9xf32>, tensor<7x9xf32>, tensor<2x3x5x7x9xf32>,
    tensor<4097xf32>, tensor<16411xf32>
}
