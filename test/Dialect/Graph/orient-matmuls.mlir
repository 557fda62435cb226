// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposes before matmuls become flags, and a product whose second operand
// follows another product row by row is turned around.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-orient-matmuls))" | FileCheck %s

// The example of the pass's description, with the first product.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[X:.*]]: tensor<8x3xf32>, %[[W:.*]]: tensor<3x4xf32>, %[[A:.*]]: tensor<2x4xf32>)
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[Q:.*]] = graph.matmul %[[P]], %[[A]] {transpose_b = true} : (tensor<8x4xf32>, tensor<2x4xf32>) -> tensor<8x2xf32>
// CHECK-NEXT: %[[R:.*]] = graph.static_transpose %[[Q]] {order = array<i64: 1, 0>} : (tensor<8x2xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: return %[[R]]
func.func @example(%x: tensor<8x3xf32>, %w: tensor<3x4xf32>, %a: tensor<2x4xf32>) -> tensor<2x8xf32> {
  %p = graph.matmul %x, %w : (tensor<8x3xf32>, tensor<3x4xf32>) -> tensor<8x4xf32>
  %t = graph.static_transpose %p {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %a, %t : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Through a strided view, a copy of it, and ops on the rows; the transpose of the
// result joins the one after it.
// CHECK-LABEL: func.func @attention
// CHECK: %[[E:.*]] = graph.exp
// CHECK-NEXT: %[[Q:.*]] = graph.matmul %[[E]], %{{.*}} {transpose_b = true} : (tensor<2x3x5x5xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5x4xf32>
// CHECK-NEXT: %[[R:.*]] = graph.static_transpose %[[Q]] {order = array<i64: 0, 2, 1, 3>} : (tensor<2x3x5x4xf32>) -> tensor<2x5x3x4xf32>
// CHECK-NEXT: return %[[R]]
func.func @attention(%q: tensor<2x3x5x4xf32>, %k: tensor<2x3x4x5xf32>, %vt: tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32> {
  %s = graph.matmul %q, %k : (tensor<2x3x5x4xf32>, tensor<2x3x4x5xf32>) -> tensor<2x3x5x5xf32>
  %e = graph.exp %s : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32>
  %t = graph.static_transpose %e {order = array<i64: 0, 1, -1, 2>} : (tensor<2x3x5x5xf32>) -> tensor<2x3x5x5xf32, #graph.layout<strided, [75, 25, 1, 5]>>
  %c = graph.reorder %t : tensor<2x3x5x5xf32, #graph.layout<strided, [75, 25, 1, 5]>> -> tensor<2x3x5x5xf32>
  %o = graph.matmul %vt, %c : (tensor<2x3x4x5xf32>, tensor<2x3x5x5xf32>) -> tensor<2x3x4x5xf32>
  %r = graph.static_transpose %o {order = array<i64: 0, 3, 1, 2>} : (tensor<2x3x4x5xf32>) -> tensor<2x5x3x4xf32>
  return %r : tensor<2x5x3x4xf32>
}

// A transposed argument is read where it is; nothing follows a product, so that
// nothing is turned around.
// CHECK-LABEL: func.func @flags
// CHECK-NEXT: graph.matmul %{{.*}}, %{{.*}} {transpose_a = true, transpose_b = true} : (tensor<4x2xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
// CHECK-NEXT: return
func.func @flags(%a: tensor<4x2xf32>, %b: tensor<8x4xf32>) -> tensor<2x8xf32> {
  %s = graph.static_transpose %a {order = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  %t = graph.static_transpose %b {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %s, %t : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// A flag that is there is undone.
// CHECK-LABEL: func.func @undone
// CHECK-NEXT: graph.matmul %{{.*}}, %{{.*}} : (tensor<2x4xf32>, tensor<4x8xf32>) -> tensor<2x8xf32>
func.func @undone(%a: tensor<2x4xf32>, %b: tensor<4x8xf32>) -> tensor<2x8xf32> {
  %t = graph.static_transpose %b {order = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %0 = graph.matmul %a, %t {transpose_b = true} : (tensor<2x4xf32>, tensor<8x4xf32>) -> tensor<2x8xf32>
  return %0 : tensor<2x8xf32>
}

// Other permutations stay, and so does a product of two products.
// CHECK-LABEL: func.func @stays
// CHECK: graph.static_transpose
// CHECK: graph.matmul
// CHECK: graph.matmul
// CHECK: graph.matmul %{{.*}}, %{{.*}} {transpose_b = true}
// CHECK-NOT: graph.static_transpose
// CHECK: return
func.func @stays(%a: tensor<3x2x4xf32>, %b: tensor<2x4x3xf32>, %c: tensor<2x4x5xf32>) -> tensor<2x3x3xf32> {
  %t = graph.static_transpose %a {order = array<i64: 1, 0, 2>} : (tensor<3x2x4xf32>) -> tensor<2x3x4xf32>
  %0 = graph.matmul %t, %c : (tensor<2x3x4xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %1 = graph.matmul %b, %c {transpose_a = true} : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<2x3x5xf32>
  %2 = graph.matmul %0, %1 {transpose_b = true} : (tensor<2x3x5xf32>, tensor<2x3x5xf32>) -> tensor<2x3x3xf32>
  return %2 : tensor<2x3x3xf32>
}
