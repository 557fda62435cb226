// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Concatenation against the reference.

// RUN: gc-runner %s --check --strict --threads=2 --entry=channels
// RUN: gc-runner %s --check --strict --threads=2 --entry=second
// RUN: gc-runner %s --check --strict --threads=2 --entry=shared
// RUN: gc-runner %s --check --strict --threads=2 --entry=nested
// RUN: gc-runner %s --check --strict --threads=2 --entry=constants
// RUN: gc-runner %s --check --strict --threads=2 --entry=int8
// RUN: gc-runner %s --check --threads=3 --entry=shared --pipeline-options=kernel=vector

// The producers write to their places.
func.func @channels(%x: tensor<2x5x6x16xf32>, %y: tensor<2x5x6x24xf32>) -> tensor<2x5x6x40xf32> {
  %0 = graph.relu %x : (tensor<2x5x6x16xf32>) -> tensor<2x5x6x16xf32>
  %1 = graph.tanh %y : (tensor<2x5x6x24xf32>) -> tensor<2x5x6x24xf32>
  %2 = graph.concat %0, %1 {axis = -1 : i64} : (tensor<2x5x6x16xf32>, tensor<2x5x6x24xf32>) -> tensor<2x5x6x40xf32>
  return %2 : tensor<2x5x6x40xf32>
}

func.func @second(%x: tensor<3x7x5xbf16>, %y: tensor<3x1x5xbf16>) -> tensor<3x8x5xbf16> {
  %0 = graph.concat %x, %y {axis = 1 : i64} : (tensor<3x7x5xbf16>, tensor<3x1x5xbf16>) -> tensor<3x8x5xbf16>
  return %0 : tensor<3x8x5xbf16>
}

// A matmul's tiles, the same tensor twice, and one that others read too.
func.func @shared(%x: tensor<40x32xf32>, %w: tensor<32x48xf32>) -> (tensor<120x48xf32>, tensor<40x48xf32>) {
  %0 = graph.matmul %x, %w : (tensor<40x32xf32>, tensor<32x48xf32>) -> tensor<40x48xf32>
  %1 = graph.relu %0 : (tensor<40x48xf32>) -> tensor<40x48xf32>
  %2 = graph.concat %1, %0, %1 {axis = 0 : i64} : (tensor<40x48xf32>, tensor<40x48xf32>, tensor<40x48xf32>) -> tensor<120x48xf32>
  return %2, %1 : tensor<120x48xf32>, tensor<40x48xf32>
}

// One within another, read by a product.
func.func @nested(%x: tensor<16x8xf32>, %y: tensor<16x24xf32>, %w: tensor<48x16xf32>) -> tensor<16x16xf32> {
  %0 = graph.exp %x : (tensor<16x8xf32>) -> tensor<16x8xf32>
  %1 = graph.concat %0, %x {axis = 1 : i64} : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x16xf32>
  %2 = graph.concat %1, %y, %0 {axis = 1 : i64} : (tensor<16x16xf32>, tensor<16x24xf32>, tensor<16x8xf32>) -> tensor<16x48xf32>
  %3 = graph.matmul %2, %w : (tensor<16x48xf32>, tensor<48x16xf32>) -> tensor<16x16xf32>
  return %3 : tensor<16x16xf32>
}

func.func @constants(%x: tensor<4x8xf32>) -> tensor<4x12xf32> {
  %c = graph.constant dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32>
  %0 = graph.concat %c, %c {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  %1 = graph.concat %0, %x {axis = 1 : i64} : (tensor<4x4xf32>, tensor<4x8xf32>) -> tensor<4x12xf32>
  return %1 : tensor<4x12xf32>
}

func.func @int8(%x: tensor<2x8x5xsi8>, %y: tensor<2x3x5xsi8>) -> tensor<2x11x5xsi8> {
  %0 = graph.concat %x, %y {axis = 1 : i64} : (tensor<2x8x5xsi8>, tensor<2x3x5xsi8>) -> tensor<2x11x5xsi8>
  return %0 : tensor<2x11x5xsi8>
}
