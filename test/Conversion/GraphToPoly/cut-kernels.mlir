// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --poly-cut-kernels --split-input-file | FileCheck %s

// A contraction starts a kernel and takes what is computed from it point by point.

// CHECK-LABEL: func.func @mlp_0(
// CHECK-SAME: %{{.*}}: tensor<8x8xf16> {graph.name = "x"}
// CHECK: graph.matmul
// CHECK: graph.add
// CHECK: graph.relu
// CHECK-NEXT: return
// CHECK-LABEL: func.func @mlp_1(
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: return
// CHECK-LABEL: func.func @mlp(
// CHECK-SAME: %[[X:.*]]: tensor<8x8xf16> {graph.name = "x"}, %[[W:.*]]: tensor<8x8xf16>, %[[B:.*]]: tensor<8xf16>
// CHECK-NEXT: %[[H:.*]] = call @mlp_0(%[[X]], %[[W]], %[[B]])
// CHECK-NEXT: %[[Y:.*]] = call @mlp_1(%[[H]], %[[W]])
// CHECK-NEXT: return %[[Y]]
func.func @mlp(%x: tensor<8x8xf16> {graph.name = "x"}, %w: tensor<8x8xf16>, %b: tensor<8xf16>) -> tensor<8x8xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = graph.add %0, %b : (tensor<8x8xf16>, tensor<8xf16>) -> tensor<8x8xf16>
  %2 = graph.relu %1 : (tensor<8x8xf16>) -> tensor<8x8xf16>
  %3 = graph.matmul %2, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %3 : tensor<8x8xf16>
}

// -----

// One kernel stays as it is: rows, what is computed from them, and back.

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT: call
// CHECK: graph.divide
// CHECK-NOT: func.func
func.func @softmax(%x: tensor<8x64xf16>) -> tensor<8x64xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x64xf16>) -> tensor<8x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  %2 = graph.exp %1 : (tensor<8x64xf16>) -> tensor<8x64xf16>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x64xf16>) -> tensor<8x1xf16>
  %4 = graph.divide %2, %3 : (tensor<8x64xf16>, tensor<8x1xf16>) -> tensor<8x64xf16>
  return %4 : tensor<8x64xf16>
}

// -----

// What computes a factor belongs to the product, a reduction after it is a kernel
// of its own.

// CHECK-LABEL: func.func @around_0(
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: return
// CHECK-LABEL: func.func @around_1(
// CHECK-NEXT: graph.reduce_sum
// CHECK-NEXT: graph.subtract
// CHECK-NEXT: return
// CHECK-LABEL: func.func @around(
func.func @around(%x: tensor<8x16xf16>, %w: tensor<16x32xf16>) -> tensor<8x32xf16> {
  %0 = graph.exp %x : (tensor<8x16xf16>) -> tensor<8x16xf16>
  %1 = graph.matmul %0, %w : (tensor<8x16xf16>, tensor<16x32xf16>) -> tensor<8x32xf16>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x32xf16>) -> tensor<8x1xf16>
  %3 = graph.subtract %1, %2 : (tensor<8x32xf16>, tensor<8x1xf16>) -> tensor<8x32xf16>
  return %3 : tensor<8x32xf16>
}

// -----

// A sum over columns is complete when all tiles have run.

// CHECK-LABEL: func.func @columns_0(
// CHECK-NEXT: graph.exp
// CHECK-NEXT: graph.reduce_sum
// CHECK: return
// CHECK-LABEL: func.func @columns_1(
// CHECK-NEXT: graph.subtract
// CHECK-NEXT: return
// CHECK-LABEL: func.func @columns(
func.func @columns(%x: tensor<8x16xf16>) -> tensor<8x16xf16> {
  %0 = graph.exp %x : (tensor<8x16xf16>) -> tensor<8x16xf16>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<8x16xf16>) -> tensor<1x16xf16>
  %2 = graph.subtract %0, %1 : (tensor<8x16xf16>, tensor<1x16xf16>) -> tensor<8x16xf16>
  return %2 : tensor<8x16xf16>
}

// -----

// Constants and reshapes are repeated where they are read.

// CHECK-LABEL: func.func @views_0(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x16xf16>, %[[W:.*]]: tensor<16x16xf16>) -> tensor<8x16xf16>
// CHECK-NEXT: %[[R:.*]] = graph.static_reshape %[[X]]
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[R]], %[[W]]
// CHECK-NEXT: %[[C:.*]] = graph.constant
// CHECK-NEXT: %[[M:.*]] = graph.multiply %[[P]], %[[C]]
// CHECK-NEXT: return %[[M]]
// CHECK-LABEL: func.func @views_1(
// CHECK-SAME: -> tensor<2x4x16xf16>
// CHECK-NEXT: graph.matmul
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.multiply
// CHECK-NEXT: graph.static_reshape
// CHECK-NEXT: return
// CHECK-LABEL: func.func @views(
func.func @views(%x: tensor<2x4x16xf16>, %w: tensor<16x16xf16>) -> tensor<2x4x16xf16> {
  %half = graph.constant dense<0.5> : tensor<1xf16>
  %0 = graph.static_reshape %x {shape = array<i64: 8, 16>, special_zero = false} : (tensor<2x4x16xf16>) -> tensor<8x16xf16>
  %1 = graph.matmul %0, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %2 = graph.multiply %1, %half : (tensor<8x16xf16>, tensor<1xf16>) -> tensor<8x16xf16>
  %3 = graph.matmul %2, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %4 = graph.multiply %3, %half : (tensor<8x16xf16>, tensor<1xf16>) -> tensor<8x16xf16>
  %5 = graph.static_reshape %4 {shape = array<i64: 2, 4, 16>, special_zero = false} : (tensor<8x16xf16>) -> tensor<2x4x16xf16>
  return %5 : tensor<2x4x16xf16>
}

// -----

// Private functions, and those that hold other ops, stay.

// CHECK-LABEL: func.func private @private(
// CHECK-COUNT-2: graph.matmul
// CHECK-LABEL: func.func @caller(
// CHECK-NEXT: call @private
func.func private @private(%x: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %0 = graph.matmul %x, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = graph.matmul %0, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %1 : tensor<8x8xf16>
}
func.func @caller(%x: tensor<8x8xf16>, %w: tensor<8x8xf16>) -> tensor<8x8xf16> {
  %0 = call @private(%x, %w) : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}

// -----

// Kernels of a fold function are called first, once. The copy that runs repeatedly
// has their results as arguments.

// CHECK-LABEL: func.func private @folded_repeated(
// CHECK-SAME: %[[F:[^:]*]]: tensor<8x8xf16> {graph.folded = 0 : i64})
// CHECK-NEXT: graph.matmul %{{.*}}, %[[F]]
// CHECK-LABEL: func.func @folded_0(
// CHECK-NEXT: graph.matmul
// CHECK-LABEL: func.func @folded(
// CHECK-SAME: %[[X:[^:]*]]: tensor<8x8xf16>, %[[W:[^:]*]]: tensor<8x8xf16> {graph.const_arg}) -> tensor<8x8xf16> attributes {npu.repeated = @folded_repeated}
// CHECK-NEXT: %[[T:.*]] = call @folded_fold_0(%[[W]]) {npu.once}
// CHECK-NEXT: %[[U:.*]] = call @folded_fold_1(%[[T]]) {npu.once}
// CHECK-NEXT: %[[R:.*]] = call @folded_0(%[[X]], %[[U]])
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: func.func @folded_fold_0(
// CHECK-NEXT: graph.matmul
// CHECK-LABEL: func.func @folded_fold_1(
// CHECK-NEXT: graph.reduce_sum
// CHECK-NOT: @folded_fold(
func.func @folded(%x: tensor<8x8xf16>, %w: tensor<8x8xf16> {graph.const_arg}, %f: tensor<8x8xf16> {graph.folded = 0 : i64}) -> tensor<8x8xf16> attributes {graph.fold_function = @folded_fold} {
  %0 = graph.matmul %x, %f : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  return %0 : tensor<8x8xf16>
}
func.func private @folded_fold(%w: tensor<8x8xf16> {graph.const_arg}) -> tensor<8x8xf16> {
  %0 = graph.matmul %w, %w : (tensor<8x8xf16>, tensor<8x8xf16>) -> tensor<8x8xf16>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x8xf16>) -> tensor<8x1xf16>
  %2 = graph.multiply %0, %1 : (tensor<8x8xf16>, tensor<8x1xf16>) -> tensor<8x8xf16>
  return %2 : tensor<8x8xf16>
}
