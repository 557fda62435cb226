// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions that do not fit a tile and cannot be divided evenly, and those that the
// vector unit does not have, are one error at the op.

// RUN: gc-opt %s --split-input-file --verify-diagnostics --gc-npu-pipeline

func.func @columns(%x: tensor<5003x16xf32>) -> tensor<16xf32> {
  // expected-error@+1 {{reduces 5003 elements, which have to be in one tile; the smallest one needs 336640 bytes of UB, which has 262144, most of them for @I0}}
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = false} : (tensor<5003x16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// -----

func.func @rows(%x: tensor<4x200003xf16>) -> tensor<4xf16> {
  // expected-error@+1 {{reduces 200003 elements, which have to be in one tile}}
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = false} : (tensor<4x200003xf16>) -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// The vector unit has no product of elements.
func.func @product(%x: tensor<4x20xf32>) -> tensor<4xf32> {
  // expected-error@+1 {{'graph.reduce_prod' op cannot run on target 'npu': the vector unit adds up elements or finds the largest or smallest, and no other reduction}}
  %0 = graph.reduce_prod %x {axes = array<i64: 1>, keep_dims = false} : (tensor<4x20xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @all(%x: tensor<1x307301xf32>) -> tensor<f32> {
  // expected-error@+1 {{reduces 307301 elements, which have to be in one tile}}
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<1x307301xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
