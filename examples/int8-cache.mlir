// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decoding a token with keys and values of 8 bits and a scale for each token: kernels
// convert them in registers (docs/attention.md).
func.func @int8_cache(%query: tensor<1x8x4x1x128xf32>, %key: tensor<1x8x1x1024x128xsi8>, %key_scales: tensor<1x8x1x1024x1xf32>, %value: tensor<1x8x1x1024x128xsi8>, %value_scales: tensor<1x8x1x1024x1xf32>) -> tensor<1x8x4x1x128xf32> {
  %k = graph.dynamic_dequantize %key, %key_scales {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 128>}
    : (tensor<1x8x1x1024x128xsi8>, tensor<1x8x1x1024x1xf32>) -> tensor<1x8x1x1024x128xf32>
  %v = graph.dynamic_dequantize %value, %value_scales {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 1, 128>}
    : (tensor<1x8x1x1024x128xsi8>, tensor<1x8x1x1024x1xf32>) -> tensor<1x8x1x1024x128xf32>
  %scale = graph.constant dense<0.001> : tensor<1xf32>
  %scores = graph.matmul %query, %k {transpose_b = true}
    : (tensor<1x8x4x1x128xf32>, tensor<1x8x1x1024x128xf32>) -> tensor<1x8x4x1x1024xf32>
  %scaled = graph.multiply %scores, %scale
    : (tensor<1x8x4x1x1024xf32>, tensor<1xf32>) -> tensor<1x8x4x1x1024xf32>
  %weights = graph.softmax %scaled {axis = 4}
    : (tensor<1x8x4x1x1024xf32>) -> tensor<1x8x4x1x1024xf32>
  %result = graph.matmul %weights, %v
    : (tensor<1x8x4x1x1024xf32>, tensor<1x8x1x1024x128xf32>) -> tensor<1x8x4x1x128xf32>
  return %result : tensor<1x8x4x1x128xf32>
}
