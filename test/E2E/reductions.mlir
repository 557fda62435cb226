// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions over every set of dimensions of a tensor, all kinds of them, alone
// and fused with what comes before and after.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3

func.func @main(%x: tensor<3x5x7x11xf32>, %p: tensor<4x9xf32>, %big: tensor<70000xf32>, %col: tensor<300x70xf32>)
  -> (tensor<1x5x7x11xf32>, tensor<3x1x7x11xf32>, tensor<3x5x1x11xf32>, tensor<3x5x7x1xf32>, tensor<1x1x7x11xf32>, tensor<1x5x1x11xf32>, tensor<1x5x7x1xf32>, tensor<3x1x1x11xf32>, tensor<3x7xf32>, tensor<3x5x1x1xf32>, tensor<11xf32>, tensor<7xf32>, tensor<5xf32>, tensor<3xf32>, tensor<f32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<f32>, tensor<1x70xf32>, tensor<300x70xf32>) {
  %s0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<1x5x7x11xf32>
  %s1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<3x1x7x11xf32>
  %s2 = graph.reduce_sum %x {axes = array<i64: 2>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<3x5x1x11xf32>
  %s3 = graph.reduce_sum %x {axes = array<i64: 3>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<3x5x7x1xf32>
  %s4 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<1x1x7x11xf32>
  %s5 = graph.reduce_sum %x {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<1x5x1x11xf32>
  %s6 = graph.reduce_sum %x {axes = array<i64: 0, 3>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<1x5x7x1xf32>
  %s7 = graph.reduce_sum %x {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<3x1x1x11xf32>
  %s8 = graph.reduce_sum %x {axes = array<i64: 1, 3>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<3x7xf32>
  %s9 = graph.reduce_sum %x {axes = array<i64: 2, 3>, keep_dims = true} : (tensor<3x5x7x11xf32>) -> tensor<3x5x1x1xf32>
  %s10 = graph.reduce_sum %x {axes = array<i64: 0, 1, 2>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<11xf32>
  %s11 = graph.reduce_sum %x {axes = array<i64: 0, 1, 3>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<7xf32>
  %s12 = graph.reduce_sum %x {axes = array<i64: 0, 2, 3>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<5xf32>
  %s13 = graph.reduce_sum %x {axes = array<i64: 1, 2, 3>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<3xf32>
  %s14 = graph.reduce_sum %x {axes = array<i64: 0, 1, 2, 3>, keep_dims = false} : (tensor<3x5x7x11xf32>) -> tensor<f32>
  %s15 = graph.reduce_max %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s16 = graph.reduce_max %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  %s17 = graph.reduce_min %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s18 = graph.reduce_min %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  %s19 = graph.reduce_prod %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s20 = graph.reduce_prod %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  %s21 = graph.reduce_mean %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s22 = graph.reduce_mean %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  %s23 = graph.reduce_l1 %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s24 = graph.reduce_l1 %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  %s25 = graph.reduce_l2 %p {axes = array<i64: -1>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<4x1xf32>
  %s26 = graph.reduce_l2 %p {axes = array<i64: 0>, keep_dims = true} : (tensor<4x9xf32>) -> tensor<1x9xf32>
  // All of it, to one number.
  %big0 = graph.reduce_sum %big {axes = array<i64: 0>, keep_dims = false} : (tensor<70000xf32>) -> tensor<f32>
  %cc = graph.exp %col : (tensor<300x70xf32>) -> tensor<300x70xf32>
  %c0 = graph.reduce_sum %cc {axes = array<i64: 0>, keep_dims = true} : (tensor<300x70xf32>) -> tensor<1x70xf32>
  %c1 = graph.divide %cc, %c0 : (tensor<300x70xf32>, tensor<1x70xf32>) -> tensor<300x70xf32>
  return %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7, %s8, %s9, %s10, %s11, %s12, %s13, %s14, %s15, %s16, %s17, %s18, %s19, %s20, %s21, %s22, %s23, %s24, %s25, %s26, %big0, %c0, %c1 :
    tensor<1x5x7x11xf32>, tensor<3x1x7x11xf32>, tensor<3x5x1x11xf32>, tensor<3x5x7x1xf32>, tensor<1x1x7x11xf32>, tensor<1x5x1x11xf32>, tensor<1x5x7x1xf32>, tensor<3x1x1x11xf32>, tensor<3x7xf32>, tensor<3x5x1x1xf32>, tensor<11xf32>, tensor<7xf32>, tensor<5xf32>, tensor<3xf32>, tensor<f32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<4x1xf32>, tensor<1x9xf32>, tensor<f32>, tensor<1x70xf32>, tensor<300x70xf32>
}
