// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One head of attention with rows so long that they are never stored: the four
// ops become one graph.attention. docs/attention.md tells how.
//
//   gc-runner examples/attention.mlir --check --threads=2

func.func @attention(%query: tensor<4096x64xf32>, %key: tensor<4096x64xf32>,
                     %value: tensor<4096x64xf32>, %mask: tensor<1x4096xf32>)
    -> tensor<4096x64xf32> {
  %scale = graph.constant dense<8.0> : tensor<1xf32>
  %scores = graph.matmul %query, %key {transpose_b = true}
      : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x4096xf32>
  %scaled = graph.divide %scores, %scale
      : (tensor<4096x4096xf32>, tensor<1xf32>) -> tensor<4096x4096xf32>
  %masked = graph.add %scaled, %mask
      : (tensor<4096x4096xf32>, tensor<1x4096xf32>) -> tensor<4096x4096xf32>
  %weights = graph.softmax %masked {axis = -1 : i64}
      : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %result = graph.matmul %weights, %value
      : (tensor<4096x4096xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  return %result : tensor<4096x64xf32>
}
