// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Decoding a token: 32 heads have one query each, and groups of 4 heads share keys
// and values of 1024 earlier tokens. Nothing is copied (docs/attention.md).
func.func @decode(%query: tensor<1x8x4x1x64xf32>, %key: tensor<1x8x1x1024x64xf32>, %value: tensor<1x8x1x1024x64xf32>, %mask: tensor<1x1x1x1x1024xf32>) -> tensor<1x8x4x1x64xf32> {
  %scale = graph.constant dense<8.0> : tensor<1xf32>
  %scores = graph.matmul %query, %key {transpose_b = true}
    : (tensor<1x8x4x1x64xf32>, tensor<1x8x1x1024x64xf32>) -> tensor<1x8x4x1x1024xf32>
  %scaled = graph.divide %scores, %scale
    : (tensor<1x8x4x1x1024xf32>, tensor<1xf32>) -> tensor<1x8x4x1x1024xf32>
  %masked = graph.add %scaled, %mask
    : (tensor<1x8x4x1x1024xf32>, tensor<1x1x1x1x1024xf32>) -> tensor<1x8x4x1x1024xf32>
  %weights = graph.softmax %masked {axis = 4}
    : (tensor<1x8x4x1x1024xf32>) -> tensor<1x8x4x1x1024xf32>
  %result = graph.matmul %weights, %value
    : (tensor<1x8x4x1x1024xf32>, tensor<1x8x1x1024x64xf32>) -> tensor<1x8x4x1x64xf32>
  return %result : tensor<1x8x4x1x64xf32>
}
