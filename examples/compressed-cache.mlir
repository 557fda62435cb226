// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decoding a token with compressed keys and values: keys of 8 bits, values of 4
// bits, each with a scale for 32 neighbours. They are dequantized block by block
// where they are read (docs/attention.md).
func.func @compressed_cache(%query: tensor<1x8x4x64xf32>, %key: tensor<1x8x1024x64xsi8>, %key_scales: tensor<1x8x1024x2xf32>, %value: tensor<1x8x1024x64xui4>, %value_scales: tensor<1x8x1024x2xf32>, %value_zps: tensor<1x8x1024x2xui4>) -> tensor<1x8x4x64xf32> {
  %k = graph.dynamic_dequantize %key, %key_scales {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 32>}
    : (tensor<1x8x1024x64xsi8>, tensor<1x8x1024x2xf32>) -> tensor<1x8x1024x64xf32>
  %v = graph.dynamic_dequantize %value, %value_scales, %value_zps {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 32>}
    : (tensor<1x8x1024x64xui4>, tensor<1x8x1024x2xf32>, tensor<1x8x1024x2xui4>) -> tensor<1x8x1024x64xf32>
  %scale = graph.constant dense<0.001> : tensor<1xf32>
  %scores = graph.matmul %query, %k {transpose_b = true}
    : (tensor<1x8x4x64xf32>, tensor<1x8x1024x64xf32>) -> tensor<1x8x4x1024xf32>
  %scaled = graph.multiply %scores, %scale
    : (tensor<1x8x4x1024xf32>, tensor<1xf32>) -> tensor<1x8x4x1024xf32>
  %weights = graph.softmax %scaled {axis = 3}
    : (tensor<1x8x4x1024xf32>) -> tensor<1x8x4x1024xf32>
  %result = graph.matmul %weights, %v
    : (tensor<1x8x4x1024xf32>, tensor<1x8x1024x64xf32>) -> tensor<1x8x4x64xf32>
  return %result : tensor<1x8x4x64xf32>
}
