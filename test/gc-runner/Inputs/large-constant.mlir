// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights of 80 KiB that are part of the program.
func.func @layer(%x: tensor<16x160xf32>) -> tensor<16x128xf32> {
  %w = graph.constant dense<0.0625> : tensor<160x128xf32>
  %0 = graph.matmul %x, %w : (tensor<16x160xf32>, tensor<160x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
