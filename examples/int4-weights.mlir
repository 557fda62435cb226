// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One row times weights of 4 bits, as language models decode a token: groups of 128
// neighbours along k share a scale and a zero point. The kernels convert the weights.

func.func @decode(%x: tensor<1x1024xf32> {graph.name = "x"}, %w: tensor<1024x1024xui4> {graph.name = "w", graph.const_arg}, %scales: tensor<8x1024xf32> {graph.name = "scales", graph.const_arg}, %zps: tensor<8x1024xui4> {graph.name = "zps", graph.const_arg}) -> tensor<1x1024xf32> {
  %0 = graph.dynamic_dequantize %w, %scales, %zps {qtype = "per_group", group_shape = array<i64: 128, 1>} : (tensor<1024x1024xui4>, tensor<8x1024xf32>, tensor<8x1024xui4>) -> tensor<1024x1024xf32>
  %1 = graph.matmul %x, %0 : (tensor<1x1024xf32>, tensor<1024x1024xf32>) -> tensor<1x1024xf32>
  return %1 : tensor<1x1024xf32>
}
