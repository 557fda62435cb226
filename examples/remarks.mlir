// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A graph in which some fusions are not possible, for docs/remarks.md: column
// sums of a product, and a bias vector that is computed.

func.func @remarks(%x: tensor<64x32xf32>, %w: tensor<32x48xf32> {graph.const_arg}, %b: tensor<48xf32>) -> (tensor<64x48xf32>, tensor<48xf32>) {
  %0 = graph.matmul %x, %w : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  %1 = graph.relu %b : (tensor<48xf32>) -> tensor<48xf32>
  %2 = graph.add %0, %1 : (tensor<64x48xf32>, tensor<48xf32>) -> tensor<64x48xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0>} : (tensor<64x48xf32>) -> tensor<48xf32>
  return %2, %3 : tensor<64x48xf32>, tensor<48xf32>
}
