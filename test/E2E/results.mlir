// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a function may return: each way to fill a buffer of the caller.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

#pitched = #graph.layout<strided, [50, 1]>
#columns = #graph.layout<strided, [1, 33]>

func.func @main(%x: tensor<33x47xf32>, %w: tensor<47x47xf32> {graph.const_arg},
                %b: tensor<47xf32> {graph.const_arg},
                %unused: tensor<5xf32>)
  -> (tensor<33x47xf32>, tensor<33x47xf32>, tensor<33x47xf32>,
      tensor<33x47xf32>, tensor<33x47xf32>, tensor<47xf32>, tensor<2x2xf32>,
      tensor<33x47xf32, #pitched>, tensor<33x47xf32, #columns>,
      tensor<1551xf32>, tensor<47x33xf32>, tensor<47xf32>) {
  // The matmul, its post-op and the residual are all results: the tile in the
  // cache must not be overwritten by the one that is stored first.
  %0 = graph.matmul %x, %w : (tensor<33x47xf32>, tensor<47x47xf32>) -> tensor<33x47xf32>
  %1 = graph.relu %0 : (tensor<33x47xf32>) -> tensor<33x47xf32>
  %2 = graph.add %1, %x : (tensor<33x47xf32>, tensor<33x47xf32>) -> tensor<33x47xf32>
  // Two post-ops of one matmul, neither the other's operand.
  %3 = graph.matmul %2, %w, %b : (tensor<33x47xf32>, tensor<47x47xf32>, tensor<47xf32>) -> tensor<33x47xf32>
  %4 = graph.tanh %3 : (tensor<33x47xf32>) -> tensor<33x47xf32, #pitched>
  %5 = graph.abs %3 : (tensor<33x47xf32>) -> tensor<33x47xf32, #columns>
  // A constant, an argument and a reshape of a result.
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
  %6 = graph.static_reshape %2 {shape = array<i64: -1>} : (tensor<33x47xf32>) -> tensor<1551xf32>
  %7 = graph.static_transpose %2 {order = array<i64: 1, 0>} : (tensor<33x47xf32>) -> tensor<47x33xf32>
  // Something that is computed from constants alone.
  %8 = graph.square %b : (tensor<47xf32>) -> tensor<47xf32>
  graph.end %2 : tensor<33x47xf32>
  // %2 goes to two buffers.
  return %0, %1, %2, %2, %x, %b, %c, %4, %5, %6, %7, %8 :
    tensor<33x47xf32>, tensor<33x47xf32>, tensor<33x47xf32>, tensor<33x47xf32>,
    tensor<33x47xf32>, tensor<47xf32>, tensor<2x2xf32>,
    tensor<33x47xf32, #pitched>, tensor<33x47xf32, #columns>, tensor<1551xf32>,
    tensor<47x33xf32>, tensor<47xf32>
}
