// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Perceptrons whose layers hand blocked activations on: sizes that are no
// multiples of blocks between layers, a residual around one layer, weights that
// two layers share, and a last layer of one column.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=8
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=libxsmm
// RUN: gc-runner %s --check --threads=2 --seed=7

func.func @main(%x: tensor<131x97xf32>,
                %w0: tensor<97x257xf32> {graph.const_arg},
                %b0: tensor<257xf32> {graph.const_arg},
                %w1: tensor<257x257xf32> {graph.const_arg},
                %b1: tensor<257xf32> {graph.const_arg},
                %w2: tensor<33x257xf32> {graph.const_arg},
                %scale: tensor<1x33xf32>, %w3: tensor<33x1xf32>)
  -> (tensor<131x1xf32>, tensor<131x33xf32>) {
  %0 = graph.matmul %x, %w0, %b0 : (tensor<131x97xf32>, tensor<97x257xf32>, tensor<257xf32>) -> tensor<131x257xf32>
  %1 = graph.relu %0 : (tensor<131x257xf32>) -> tensor<131x257xf32>
  %2 = graph.matmul %1, %w1, %b1 : (tensor<131x257xf32>, tensor<257x257xf32>, tensor<257xf32>) -> tensor<131x257xf32>
  %3 = graph.gelu %2 : (tensor<131x257xf32>) -> tensor<131x257xf32>
  %4 = graph.add %3, %1 : (tensor<131x257xf32>, tensor<131x257xf32>) -> tensor<131x257xf32>
  %5 = graph.matmul %4, %w1 : (tensor<131x257xf32>, tensor<257x257xf32>) -> tensor<131x257xf32>
  %6 = graph.bias_add %5, %b1 : (tensor<131x257xf32>, tensor<257xf32>) -> tensor<131x257xf32>
  %7 = graph.sigmoid %6 : (tensor<131x257xf32>) -> tensor<131x257xf32>
  %8 = graph.matmul %7, %w2 {transpose_b = true} : (tensor<131x257xf32>, tensor<33x257xf32>) -> tensor<131x33xf32>
  %9 = graph.multiply %8, %scale : (tensor<131x33xf32>, tensor<1x33xf32>) -> tensor<131x33xf32>
  %10 = graph.matmul %9, %w3 : (tensor<131x33xf32>, tensor<33x1xf32>) -> tensor<131x1xf32>
  return %10, %9 : tensor<131x1xf32>, tensor<131x33xf32>
}
