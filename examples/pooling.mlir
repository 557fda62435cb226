// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Pooling and what follows it, in one loop nest.
func.func @main(%x: tensor<1x56x56x64xf32>) -> tensor<1x28x28x64xf32> {
  %0 = graph.max_pool %x {
    kernel = array<i64: 3, 3>, strides = array<i64: 2, 2>,
    pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>
  } : (tensor<1x56x56x64xf32>) -> tensor<1x28x28x64xf32>
  %1 = graph.relu %0 : (tensor<1x28x28x64xf32>) -> tensor<1x28x28x64xf32>
  return %1 : tensor<1x28x28x64xf32>
}
