// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One step of decoding: attention of a new token to a KV cache of any length up
// to 1024, for any batch up to 8. The cache grows by the token's own key and
// value. See docs/dynamic-sizes.md.

func.func @decode(
    %query: tensor<?x8x1x64xf32>
        {graph.name = "query", graph.dims = ["batch", "", "", ""]},
    %key: tensor<?x8x1x64xf32>
        {graph.name = "key", graph.dims = ["batch", "", "", ""]},
    %value: tensor<?x8x1x64xf32>
        {graph.name = "value", graph.dims = ["batch", "", "", ""]},
    %past_keys: tensor<?x8x?x64xf32>
        {graph.name = "past_keys", graph.dims = ["batch", "", "past", ""]},
    %past_values: tensor<?x8x?x64xf32>
        {graph.name = "past_values", graph.dims = ["batch", "", "past", ""]},
    %mask: tensor<?x1x1x?xf32>
        {graph.name = "mask", graph.dims = ["batch", "", "", "past + 1"]})
    -> (tensor<?x8x1x64xf32> {graph.name = "context"},
        tensor<?x8x?x64xf32> {graph.name = "keys"},
        tensor<?x8x?x64xf32> {graph.name = "values"})
    attributes {graph.dim_bounds = {batch = [1, 8], past = [1, 1024]}} {
  %keys = graph.concat %past_keys, %key {axis = 2 : i64} : (tensor<?x8x?x64xf32>, tensor<?x8x1x64xf32>) -> tensor<?x8x?x64xf32>
  %values = graph.concat %past_values, %value {axis = 2 : i64} : (tensor<?x8x?x64xf32>, tensor<?x8x1x64xf32>) -> tensor<?x8x?x64xf32>
  %0 = graph.matmul %query, %keys {transpose_b = true} : (tensor<?x8x1x64xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x1x?xf32>
  %scale = graph.constant dense<0.125> : tensor<1xf32>
  %1 = graph.multiply %0, %scale : (tensor<?x8x1x?xf32>, tensor<1xf32>) -> tensor<?x8x1x?xf32>
  %2 = graph.add %1, %mask : (tensor<?x8x1x?xf32>, tensor<?x1x1x?xf32>) -> tensor<?x8x1x?xf32>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<?x8x1x?xf32>) -> tensor<?x8x1x?xf32>
  %4 = graph.matmul %3, %values : (tensor<?x8x1x?xf32>, tensor<?x8x?x64xf32>) -> tensor<?x8x1x64xf32>
  return %4, %keys, %values : tensor<?x8x1x64xf32>, tensor<?x8x?x64xf32>, tensor<?x8x?x64xf32>
}
