// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-mark-constants{public-only=true}),graph-split-constants{keep-views=true})" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-mark-constants),graph-split-constants)" | FileCheck %s --check-prefix=ALL

// With keep-views a reshape at the end stays; one that other constants are computed
// from moves.

// CHECK-LABEL: func.func @shaped(
// CHECK-SAME: %[[W:[^:]*]]: tensor<2x4xf32> {graph.const_arg}) -> tensor<8xf32> {
// CHECK-NEXT: graph.static_reshape %[[W]]
// CHECK-LABEL: func.func @between(
// CHECK-SAME: %[[F:[^:]*]]: tensor<8xf32> {graph.folded = 0 : i64})
// CHECK-SAME: attributes {graph.fold_function = @between_fold}
// CHECK-NEXT: graph.static_reshape %[[F]]
// CHECK-LABEL: func.func private @between_fold(
// CHECK-NEXT: graph.static_reshape
// CHECK-NEXT: graph.exp
// CHECK-NEXT: return
// CHECK-LABEL: func.func private @reference(
// CHECK-NEXT: graph.exp
// CHECK-NOT: func.func

// ALL: func.func private @shaped_fold(
// ALL: func.func private @between_fold(
// ALL: func.func private @reference_fold(

func.func @shaped(%x: tensor<8xf32>, %w: tensor<2x4xf32> {graph.const_arg}) -> tensor<8xf32> {
  %0 = graph.static_reshape %w {shape = array<i64: 8>, special_zero = false} : (tensor<2x4xf32>) -> tensor<8xf32>
  %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func @between(%x: tensor<4x2xf32>, %w: tensor<2x4xf32> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.static_reshape %w {shape = array<i64: 8>, special_zero = false} : (tensor<2x4xf32>) -> tensor<8xf32>
  %1 = graph.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: 4, 2>, special_zero = false} : (tensor<8xf32>) -> tensor<4x2xf32>
  %3 = graph.add %x, %2 : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}
func.func private @reference(%x: tensor<8xf32>, %w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
  %0 = graph.exp %w : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
