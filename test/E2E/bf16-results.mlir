// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results in bf16 that are copied, moved and computed, of sizes that leave odd
// rests of vectors.

// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=2

func.func @main(%a: tensor<9xbf16>, %b: tensor<7x1x2x73xbf16>, %c: tensor<3x5xbf16>, %d: tensor<5x31xf32>)
    -> (tensor<9xbf16>, tensor<7x1x2x73xbf16>, tensor<5x3xbf16>, tensor<9xbf16>, tensor<5x31xbf16>) {
  %0 = graph.static_transpose %c {order = array<i64: 1, 0>} : (tensor<3x5xbf16>) -> tensor<5x3xbf16>
  %1 = graph.leaky_relu %a {alpha = 0.5 : f32} : (tensor<9xbf16>) -> tensor<9xbf16>
  %2 = graph.type_cast %d : tensor<5x31xf32> -> tensor<5x31xbf16>
  return %a, %b, %0, %1, %2 : tensor<9xbf16>, tensor<7x1x2x73xbf16>, tensor<5x3xbf16>, tensor<9xbf16>, tensor<5x31xbf16>
}
