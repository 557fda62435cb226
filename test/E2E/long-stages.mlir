// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows whose elements take long to compute before they are reduced: steps of four
// vectors, of one, and a rest, for sums, products, maxima and minima.

// RUN: gc-runner --strict %s --entry=sums --check --threads=1
// RUN: gc-runner --strict %s --entry=sums --check --threads=2
// RUN: gc-runner --strict %s --entry=several --check --threads=2
// RUN: gc-runner --strict %s --entry=rest_only --check --threads=2
// RUN: gc-runner --strict %s --entry=narrow --check --threads=2
// RUN: gc-runner --strict %s --entry=quotients --check --threads=2

// 65 and 320 elements, 5 and 8 rows.
func.func @sums(%x: tensor<5x65xf32>, %y: tensor<8x320xf32>) -> (tensor<5x1xf32>, tensor<8x1xf32>) {
  %0 = graph.tanh %x : (tensor<5x65xf32>) -> tensor<5x65xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<5x65xf32>) -> tensor<5x1xf32>
  %2 = graph.exp %y : (tensor<8x320xf32>) -> tensor<8x320xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x320xf32>) -> tensor<8x1xf32>
  return %1, %3 : tensor<5x1xf32>, tensor<8x1xf32>
}

// One stage with several reductions.
func.func @several(%x: tensor<7x83xf32>) -> (tensor<7x1xf32>, tensor<7x1xf32>, tensor<7x1xf32>) {
  %0 = graph.tanh %x : (tensor<7x83xf32>) -> tensor<7x83xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<7x83xf32>) -> tensor<7x1xf32>
  %2 = graph.reduce_min %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<7x83xf32>) -> tensor<7x1xf32>
  %3 = graph.exp %x : (tensor<7x83xf32>) -> tensor<7x83xf32>
  %4 = graph.reduce_prod %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<7x83xf32>) -> tensor<7x1xf32>
  return %1, %2, %4 : tensor<7x1xf32>, tensor<7x1xf32>, tensor<7x1xf32>
}

// Less than four vectors.
func.func @rest_only(%x: tensor<6x63xf32>) -> tensor<6x1xf32> {
  %0 = graph.exp %x : (tensor<6x63xf32>) -> tensor<6x63xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<6x63xf32>) -> tensor<6x1xf32>
  return %1 : tensor<6x1xf32>
}

// Rows that are stored in bf16 as well, and a bias that they share.
func.func @narrow(%x: tensor<9x129xbf16>, %b: tensor<129xbf16>) -> (tensor<9x129xbf16>, tensor<9x1xf32>) {
  %0 = graph.add %x, %b : (tensor<9x129xbf16>, tensor<129xbf16>) -> tensor<9x129xbf16>
  %1 = graph.type_cast %0 : tensor<9x129xbf16> -> tensor<9x129xf32>
  %2 = graph.exp %1 : (tensor<9x129xf32>) -> tensor<9x129xf32>
  %3 = graph.type_cast %2 : tensor<9x129xf32> -> tensor<9x129xbf16>
  %4 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<9x129xf32>) -> tensor<9x1xf32>
  return %3, %4 : tensor<9x129xbf16>, tensor<9x1xf32>
}

// Divisions of bf16 and f16 by numbers that many elements share.
func.func @quotients(%x: tensor<80x64xbf16>, %s: tensor<1xbf16>, %y: tensor<80x64xf16>, %r: tensor<80x1xf16>) -> (tensor<80x64xbf16>, tensor<80x64xf16>) {
  %0 = graph.divide %x, %s : (tensor<80x64xbf16>, tensor<1xbf16>) -> tensor<80x64xbf16>
  %1 = graph.divide %y, %r : (tensor<80x64xf16>, tensor<80x1xf16>) -> tensor<80x64xf16>
  return %0, %1 : tensor<80x64xbf16>, tensor<80x64xf16>
}
