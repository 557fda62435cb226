// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Causal attention: a query sees the keys up to its own place. The mask is computed
// from indices, so blocks of keys that it leaves nothing of are skipped
// (docs/attention.md).
func.func @causal(%query: tensor<4x2048x64xf32>, %key: tensor<4x2048x64xf32>, %value: tensor<4x2048x64xf32>) -> tensor<4x2048x64xf32> {
  %scores = graph.matmul %query, %key {transpose_b = true}
    : (tensor<4x2048x64xf32>, tensor<4x2048x64xf32>) -> tensor<4x2048x2048xf32>
  %scale = graph.constant dense<0.125> : tensor<1xf32>
  %scaled = graph.multiply %scores, %scale
    : (tensor<4x2048x2048xf32>, tensor<1xf32>) -> tensor<4x2048x2048xf32>
  %row = graph.gen_index %scores {axis = 1}
    : (tensor<4x2048x2048xf32>) -> tensor<4x2048x2048xsi32>
  %column = graph.gen_index %scores {axis = 2}
    : (tensor<4x2048x2048xf32>) -> tensor<4x2048x2048xsi32>
  %seen = graph.greater_equal %row, %column
    : (tensor<4x2048x2048xsi32>, tensor<4x2048x2048xsi32>) -> tensor<4x2048x2048xi1>
  %none = graph.constant dense<0xFF800000> : tensor<1xf32>
  %masked = graph.select %seen, %scaled, %none
    : (tensor<4x2048x2048xi1>, tensor<4x2048x2048xf32>, tensor<1xf32>) -> tensor<4x2048x2048xf32>
  %weights = graph.softmax %masked {axis = 2}
    : (tensor<4x2048x2048xf32>) -> tensor<4x2048x2048xf32>
  %result = graph.matmul %weights, %value
    : (tensor<4x2048x2048xf32>, tensor<4x2048x64xf32>) -> tensor<4x2048x64xf32>
  return %result : tensor<4x2048x64xf32>
}
