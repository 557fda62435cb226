// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that take an instruction from a tensor as large are computed again by
// the regions that read them.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse{max-ops=2}))" | FileCheck %s --check-prefix=FULL

// The centred elements are not stored, but for the reduction that is computed
// with them.
// CHECK-LABEL: func.func @norm
// CHECK: %[[SUM:.*]] = graph.fused_op attributes {name = "subtract+multiply+reduce_sum"} -> (tensor<8x1x64xf32>)
// CHECK: graph.fused_op attributes {name = "subtract+multiply"} -> (tensor<8x96x64xf32>)
// CHECK-NEXT: %[[CENTRED:.*]] = graph.subtract %{{.*}}, %{{.*}}
// CHECK-NEXT: graph.multiply %[[CENTRED]], %{{.*}}
// The reader is full.
// FULL-LABEL: func.func @norm
// FULL: -> (tensor<8x96x64xf32>, tensor<8x1x64xf32>)
func.func @norm(%x: tensor<8x96x64xf32>, %mean: tensor<8x1x64xf32>) -> tensor<8x96x64xf32> {
  %0 = graph.subtract %x, %mean : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  %1 = graph.multiply %0, %0 : (tensor<8x96x64xf32>, tensor<8x96x64xf32>) -> tensor<8x96x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x96x64xf32>) -> tensor<8x1x64xf32>
  // Between the reduction and its reader: another loop.
  %3 = graph.static_reshape %2 {shape = array<i64: 8, 1, 64>} : (tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
  %4 = graph.multiply %0, %3 : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  return %4 : tensor<8x96x64xf32>
}

// The caller gets it anyway.
// CHECK-LABEL: func.func @returned
// CHECK: -> (tensor<8x96x64xf32>, tensor<8x1x64xf32>)
// CHECK: graph.fused_op attributes {name = "multiply"}
func.func @returned(%x: tensor<8x96x64xf32>, %mean: tensor<8x1x64xf32>) -> (tensor<8x96x64xf32>, tensor<8x96x64xf32>) {
  %0 = graph.subtract %x, %mean : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  %1 = graph.multiply %0, %0 : (tensor<8x96x64xf32>, tensor<8x96x64xf32>) -> tensor<8x96x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x96x64xf32>) -> tensor<8x1x64xf32>
  %3 = graph.static_reshape %2 {shape = array<i64: 8, 1, 64>} : (tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
  %4 = graph.multiply %0, %3 : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  return %4, %0 : tensor<8x96x64xf32>, tensor<8x96x64xf32>
}

// Two large tensors would be read in place of one.
// CHECK-LABEL: func.func @two
// CHECK: -> (tensor<8x96x64xf32>, tensor<8x1x64xf32>)
// CHECK: graph.fused_op attributes {name = "multiply"}
func.func @two(%x: tensor<8x96x64xf32>, %y: tensor<8x96x64xf32>) -> tensor<8x96x64xf32> {
  %0 = graph.subtract %x, %y : (tensor<8x96x64xf32>, tensor<8x96x64xf32>) -> tensor<8x96x64xf32>
  %1 = graph.multiply %0, %0 : (tensor<8x96x64xf32>, tensor<8x96x64xf32>) -> tensor<8x96x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x96x64xf32>) -> tensor<8x1x64xf32>
  %3 = graph.static_reshape %2 {shape = array<i64: 8, 1, 64>} : (tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
  %4 = graph.multiply %0, %3 : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  return %4 : tensor<8x96x64xf32>
}

// Exponentials take longer than a store.
// CHECK-LABEL: func.func @expensive
// CHECK: -> (tensor<8x96x64xf32>, tensor<8x1x64xf32>)
// CHECK: graph.fused_op attributes {name = "multiply"}
func.func @expensive(%x: tensor<8x96x64xf32>) -> tensor<8x96x64xf32> {
  %0 = graph.exp %x : (tensor<8x96x64xf32>) -> tensor<8x96x64xf32>
  %2 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x96x64xf32>) -> tensor<8x1x64xf32>
  %3 = graph.static_reshape %2 {shape = array<i64: 8, 1, 64>} : (tensor<8x1x64xf32>) -> tensor<8x1x64xf32>
  %4 = graph.multiply %0, %3 : (tensor<8x96x64xf32>, tensor<8x1x64xf32>) -> tensor<8x96x64xf32>
  return %4 : tensor<8x96x64xf32>
}

// What it is computed from takes more bytes.
// CHECK-LABEL: func.func @wide
// CHECK: -> (tensor<8x96x64xbf16>, tensor<8x1x64xbf16>)
func.func @wide(%x: tensor<8x96x64xf32>) -> tensor<8x96x64xbf16> {
  %0 = graph.type_cast %x : tensor<8x96x64xf32> -> tensor<8x96x64xbf16>
  %2 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x96x64xbf16>) -> tensor<8x1x64xbf16>
  %3 = graph.static_reshape %2 {shape = array<i64: 8, 1, 64>} : (tensor<8x1x64xbf16>) -> tensor<8x1x64xbf16>
  %4 = graph.multiply %0, %3 : (tensor<8x96x64xbf16>, tensor<8x1x64xbf16>) -> tensor<8x96x64xbf16>
  return %4 : tensor<8x96x64xbf16>
}

// The reader sees it in two orders, of which the clone could have only one.
// CHECK-LABEL: func.func @orders
// CHECK: -> (tensor<64x64xf32>, tensor<1x64xf32>)
// CHECK: %[[BOTH:.*]] = graph.fused_op attributes {name = "static_transpose+add"}
// CHECK-NEXT: graph.static_transpose %{{.*}}#0
func.func @orders(%x: tensor<64x64xf32>, %mean: tensor<1x64xf32>) -> (tensor<64x64xf32>, tensor<1x64xf32>) {
  %0:2 = graph.fused_op attributes {name = "subtract+multiply+reduce_sum"} -> (tensor<64x64xf32>, tensor<1x64xf32>) {
    %3 = graph.subtract %x, %mean : (tensor<64x64xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    %4 = graph.multiply %3, %3 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = graph.reduce_sum %4 {axes = array<i64: 0>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<1x64xf32>
    graph.yield %3, %5 : tensor<64x64xf32>, tensor<1x64xf32>
  }
  %1 = graph.fused_op attributes {name = "static_transpose+add"} -> (tensor<64x64xf32>) {
    %3 = graph.static_transpose %0#0 {order = array<i64: 1, 0>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = graph.add %3, %0#0 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %4 : tensor<64x64xf32>
  }
  return %1, %0#1 : tensor<64x64xf32>, tensor<1x64xf32>
}
