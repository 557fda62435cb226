// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-cut-kernels --remarks-filter-missed=poly-cut-kernels --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: Cut{{.*}}Reason="a kernel has one contraction", Remark="'graph.matmul' is not in the kernel of 'graph.matmul'"
// CHECK: Cut{{.*}}Reason="a reduction is not computed on the tiles of a contraction", Remark="'graph.reduce_sum' is not in the kernel of 'graph.matmul'"
func.func @product(%x: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x1xf16> {
  %1 = graph.matmul %x, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %2 = graph.matmul %1, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x8xf16>) -> tensor<8x1xf16>
  return %3 : tensor<8x1xf16>
}

// -----

// The product lies between the two.

// CHECK: Cut{{.*}}Reason="only what is computed from a contraction joins it", Remark="'graph.add' is not in the kernel of 'graph.exp'"
func.func @around(%x: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %0 = graph.exp %x : (tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = graph.matmul %0, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %2 = graph.add %0, %1 : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %2 : tensor<8x8xf16>
}

// -----

// CHECK: Cut{{.*}}Reason="a kernel's reductions are of one space, along the same dimensions", Remark="'graph.reduce_sum' is not in the kernel of 'graph.subtract'"
func.func @axes(%x: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x16xf16>) -> tensor<8x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<8x16xf16>, tensor<8x1xf16>) -> tensor<8x16xf16>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>, keep_dims = true} : (tensor<8x16xf16>) -> tensor<1x16xf16>
  %3 = graph.subtract %1, %2 : (tensor<8x16xf16>, tensor<1x16xf16>) -> tensor<8x16xf16>
  return %3 : tensor<8x16xf16>
}

// -----

// A tile has one order.

// CHECK: Cut{{.*}}Reason="it takes the elements in another order", Remark="'graph.static_transpose' is not in the kernel of 'graph.exp'"
func.func @orders(%x: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %0 = graph.exp %x : (tensor<16x16xf16>) -> tensor<16x16xf16>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  return %1 : tensor<16x16xf16>
}

// -----

// CHECK: Cut{{.*}}Reason="it takes the elements in another order", Remark="'graph.static_transpose' is not in the kernel of 'graph.matmul'"
func.func @product(%x: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %0 = graph.matmul %x, %x : (tensor<16x16xf16>, tensor<16x16xf16>) -> tensor<16x16xf16>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  return %1 : tensor<16x16xf16>
}
