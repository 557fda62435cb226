// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Casts to 8 bits whose operands cannot be large.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-bound-casts))" | FileCheck %s

// 2^31 / 100 + 128, wherever it is moved; a per-channel scale of 0.5 is too large.
// CHECK-LABEL: func.func @sums
// CHECK: graph.static_transpose
// CHECK: graph.type_cast %{{.*}} {bounded = true} : tensor<4x8xf32> -> tensor<4x8xui8>
// CHECK: graph.type_cast %{{.*}} {bounded = true} : tensor<8x4xf32> -> tensor<8x4xsi8>
// CHECK: graph.type_cast %{{[0-9]*}} : tensor<8x4xf32> -> tensor<8x4xui8>
func.func @sums(%a: tensor<8x4xsi32>) -> (tensor<4x8xui8>, tensor<8x4xsi8>, tensor<8x4xui8>) {
  %scale = graph.constant dense<0.01> : tensor<f32>
  %zero = graph.constant dense<128.0> : tensor<f32>
  %0 = graph.type_cast %a : tensor<8x4xsi32> -> tensor<8x4xf32>
  %1 = graph.multiply %0, %scale : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %2 = graph.static_transpose %1 {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %3 = graph.add %2, %zero : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %4 = graph.type_cast %3 : tensor<4x8xf32> -> tensor<4x8xui8>
  %scales = graph.constant dense<[0.01, -0.1, 0.2, 0x7FC00000]> : tensor<4xf32>
  %5 = graph.multiply %0, %scales : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %6 = graph.type_cast %5 : tensor<8x4xf32> -> tensor<8x4xsi8>
  %larger = graph.constant dense<[0.01, 0.5, 0.02, 0.03]> : tensor<4xf32>
  %7 = graph.multiply %0, %larger : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  %8 = graph.type_cast %7 : tensor<8x4xf32> -> tensor<8x4xui8>
  return %4, %6, %8 : tensor<4x8xui8>, tensor<8x4xsi8>, tensor<8x4xui8>
}

// Nothing is known of an argument, unless it has limits; f16 may be infinite. Casts to
// 32 bits have other limits.
// CHECK-LABEL: func.func @arguments
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} {bounded = true} : tensor<8x4xf32> -> tensor<8x4xsi8>
// CHECK: graph.type_cast %{{[^ ]*}} {bounded = true} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf32> -> tensor<8x4xsi32>
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf16> -> tensor<8x4xui8>
func.func @arguments(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>, %i: tensor<8x4xsi32>)
    -> (tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xsi8>, tensor<8x4xui8>, tensor<8x4xsi32>, tensor<8x4xui8>) {
  %0 = graph.type_cast %x : tensor<8x4xf32> -> tensor<8x4xui8>
  %r = graph.relu %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.type_cast %r : tensor<8x4xf32> -> tensor<8x4xui8>
  %c = graph.clamp %x {min = -1.0e6 : f32, max = 1.0e6 : f32} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = graph.type_cast %c : tensor<8x4xf32> -> tensor<8x4xsi8>
  %s = graph.sigmoid %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = graph.multiply %s, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %d = graph.subtract %m, %s : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %least = graph.maximum %d, %c : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = graph.type_cast %least : tensor<8x4xf32> -> tensor<8x4xui8>
  %4 = graph.type_cast %c : tensor<8x4xf32> -> tensor<8x4xsi32>
  %h = graph.type_cast %c : tensor<8x4xf32> -> tensor<8x4xf16>
  %5 = graph.type_cast %h : tensor<8x4xf16> -> tensor<8x4xui8>
  return %0, %1, %2, %3, %4, %5 : tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xsi8>, tensor<8x4xui8>, tensor<8x4xsi32>, tensor<8x4xui8>
}

// Softmax, and softmax whose sums took a constant: 255 / sum.
// CHECK-LABEL: func.func @softmax
// CHECK: graph.type_cast %{{[^ ]*}} {bounded = true} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} {bounded = true} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf32> -> tensor<8x4xui8>
// CHECK: graph.type_cast %{{[^ ]*}} : tensor<8x4xf32> -> tensor<8x4xui8>
func.func @softmax(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xui8>) {
  %scale = graph.constant dense<255.0> : tensor<f32>
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.multiply %0, %scale : (tensor<8x4xf32>, tensor<f32>) -> tensor<8x4xf32>
  %2 = graph.type_cast %1 : tensor<8x4xf32> -> tensor<8x4xui8>
  %max = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<8x4xf32>) -> tensor<8x1xf32>
  %3 = graph.subtract %x, %max : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %e = graph.exp %3 {at_most_one = true} : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %sum = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<8x4xf32>) -> tensor<8x1xf32>
  %4 = graph.reciprocal %sum : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %5 = graph.multiply %4, %scale : (tensor<8x1xf32>, tensor<f32>) -> tensor<8x1xf32>
  %6 = graph.multiply %e, %5 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %7 = graph.type_cast %6 : tensor<8x4xf32> -> tensor<8x4xui8>
  // The sum of other exponentials.
  %f = graph.exp %y : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %8 = graph.multiply %f, %5 : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %9 = graph.type_cast %8 : tensor<8x4xf32> -> tensor<8x4xui8>
  // The sum may be so small that its inverse is infinite.
  %total = graph.reduce_sum %f {axes = array<i64: 1>, keep_dims = true} : (tensor<8x4xf32>) -> tensor<8x1xf32>
  %inverse = graph.reciprocal %total : (tensor<8x1xf32>) -> tensor<8x1xf32>
  %10 = graph.multiply %f, %inverse : (tensor<8x4xf32>, tensor<8x1xf32>) -> tensor<8x4xf32>
  %11 = graph.type_cast %10 : tensor<8x4xf32> -> tensor<8x4xui8>
  return %2, %7, %9, %11 : tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xui8>, tensor<8x4xui8>
}
