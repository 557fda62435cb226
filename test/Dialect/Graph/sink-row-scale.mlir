// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-sink-row-scale))" | FileCheck %s

// The example of the pass's description: the numerator of softmax.
// CHECK-LABEL: func.func @example
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[T:.*]] = graph.reduce_sum %[[E]]
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[E]], %arg1 : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: %[[R:.*]] = graph.divide %[[P]], %[[T]] : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @example(%x: tensor<4x8xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e = graph.exp %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// As decomposition leaves it, with batch dimensions and more users after it.
// CHECK-LABEL: func.func @batched
// CHECK: %[[P:.*]] = graph.matmul %[[E:.*]], %arg1
// CHECK: %[[R:.*]] = graph.divide %[[P]], %{{.*}} : (tensor<2x3x4x8xf32>, tensor<2x3x4x1xf32>) -> tensor<2x3x4x8xf32>
// CHECK: graph.relu %[[R]]
// CHECK: graph.exp %[[R]]
func.func @batched(%x: tensor<2x3x4x8xf32>, %v: tensor<2x3x8x8xf32>) -> (tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>) {
  %m = graph.reduce_max %x {axes = array<i64: 3>, keep_dims = true} : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x1xf32>
  %d = graph.subtract %x, %m : (tensor<2x3x4x8xf32>, tensor<2x3x4x1xf32>) -> tensor<2x3x4x8xf32>
  %e = graph.exp %d : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 3>, keep_dims = true} : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x1xf32>
  %p = graph.divide %e, %t : (tensor<2x3x4x8xf32>, tensor<2x3x4x1xf32>) -> tensor<2x3x4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<2x3x4x8xf32>, tensor<2x3x8x8xf32>) -> tensor<2x3x4x8xf32>
  %1 = graph.relu %0 : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  %2 = graph.exp %0 : (tensor<2x3x4x8xf32>) -> tensor<2x3x4x8xf32>
  return %1, %2 : tensor<2x3x4x8xf32>, tensor<2x3x4x8xf32>
}

// A factor per row, on either side; a sigmoid is bounded.
// CHECK-LABEL: func.func @gate
// CHECK: %[[S:.*]] = graph.sigmoid
// CHECK: %[[P:.*]] = graph.matmul %[[S]], %arg2
// CHECK: graph.multiply %arg1, %[[P]] : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
func.func @gate(%x: tensor<4x8xf32>, %g: tensor<4x1xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  %s = graph.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.multiply %g, %s : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// A scale for each matrix after a softmax, and the softmax's own division; one for
// all.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[P:.*]] = graph.matmul %[[E]], %arg1
// CHECK-NEXT: %[[D:.*]] = graph.divide %[[P]], %{{.*}} : (tensor<3x4x8xf32>, tensor<3x4x1xf32>)
// CHECK-NEXT: %[[H:.*]] = graph.multiply %[[D]], %arg2 : (tensor<3x4x8xf32>, tensor<3x1x1xf32>)
// CHECK: %[[S:.*]] = graph.matmul %{{.*}}, %arg1
// CHECK-NEXT: %[[R:.*]] = graph.divide %[[S]], %arg3 : (tensor<3x4x8xf32>, tensor<f32>)
// CHECK-NEXT: return %[[H]], %[[R]]
func.func @softmax(%x: tensor<3x4x8xf32>, %v: tensor<3x8x8xf32>, %h: tensor<3x1x1xf32>, %c: tensor<f32>) -> (tensor<3x4x8xf32>, tensor<3x4x8xf32>) {
  %m = graph.reduce_max %x {axes = array<i64: 2>, keep_dims = true} : (tensor<3x4x8xf32>) -> tensor<3x4x1xf32>
  %d = graph.subtract %x, %m : (tensor<3x4x8xf32>, tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
  %e = graph.exp %d : (tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 2>, keep_dims = true} : (tensor<3x4x8xf32>) -> tensor<3x4x1xf32>
  %p = graph.divide %e, %t : (tensor<3x4x8xf32>, tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
  %w = graph.multiply %p, %h : (tensor<3x4x8xf32>, tensor<3x1x1xf32>) -> tensor<3x4x8xf32>
  %0 = graph.matmul %w, %v : (tensor<3x4x8xf32>, tensor<3x8x8xf32>) -> tensor<3x4x8xf32>
  %y = graph.softmax %x {axis = 2 : i64} : (tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %q = graph.divide %y, %c : (tensor<3x4x8xf32>, tensor<f32>) -> tensor<3x4x8xf32>
  %1 = graph.matmul %q, %v : (tensor<3x4x8xf32>, tensor<3x8x8xf32>) -> tensor<3x4x8xf32>
  return %0, %1 : tensor<3x4x8xf32>, tensor<3x4x8xf32>
}

// A factor per element or per column is none of this.
// CHECK-LABEL: func.func @columns
// CHECK: graph.multiply
// CHECK: graph.multiply
// CHECK: graph.matmul
func.func @columns(%x: tensor<4x8xf32>, %g: tensor<8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %s = graph.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.multiply %g, %s : (tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %q = graph.multiply %p, %x : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %q, %w : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// The bounded softmax cuts the exponent off.
// CHECK-LABEL: func.func @clamped
// CHECK: %[[E:.*]] = graph.exp
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[E]], %arg2
// CHECK-NEXT: graph.divide %[[P]], %arg1
func.func @clamped(%x: tensor<4x8xf32>, %t: tensor<4x1xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %d = graph.clamp %x {min = -60.0 : f32, max = 60.0 : f32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %e = graph.exp %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// Two scales after a softmax, for matrices and for rows: both move, in their
// order.
// CHECK-LABEL: func.func @two_scales
// CHECK: %[[S:.*]] = graph.softmax
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[S]], %arg1
// CHECK-NEXT: %[[H:.*]] = graph.multiply %[[P]], %arg2 : (tensor<3x4x8xf32>, tensor<3x1x1xf32>)
// CHECK-NEXT: %[[R:.*]] = graph.divide %[[H]], %arg3 : (tensor<3x4x8xf32>, tensor<3x4x1xf32>)
// CHECK-NEXT: return %[[R]]
func.func @two_scales(%x: tensor<3x4x8xf32>, %v: tensor<3x8x8xf32>, %h: tensor<3x1x1xf32>, %r: tensor<3x4x1xf32>) -> tensor<3x4x8xf32> {
  %s = graph.softmax %x {axis = 2 : i64} : (tensor<3x4x8xf32>) -> tensor<3x4x8xf32>
  %m = graph.multiply %s, %h : (tensor<3x4x8xf32>, tensor<3x1x1xf32>) -> tensor<3x4x8xf32>
  %d = graph.divide %m, %r : (tensor<3x4x8xf32>, tensor<3x4x1xf32>) -> tensor<3x4x8xf32>
  %0 = graph.matmul %d, %v : (tensor<3x4x8xf32>, tensor<3x8x8xf32>) -> tensor<3x4x8xf32>
  return %0 : tensor<3x4x8xf32>
}
