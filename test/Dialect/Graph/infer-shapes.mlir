// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --graph-infer-shapes | FileCheck %s

// The example of the pass's description: sizes become static from the arguments
// to the results of the function.
// CHECK-LABEL: func.func @example
// CHECK-SAME: -> tensor<4x2xf32>
func.func @example(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<?x?xf32> {
  // CHECK: graph.matmul {{.*}} -> tensor<4x2xf32>
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<?x?xf32>
  // CHECK: graph.relu %{{.*}} : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %1 = graph.relu %0 : (tensor<?x?xf32>) -> tensor<?x?xf32>
  // CHECK: return %{{.*}} : tensor<4x2xf32>
  return %1 : tensor<?x?xf32>
}

// Every way a result type follows.
// CHECK-LABEL: func.func @kinds
// CHECK-SAME: -> (tensor<2x4x3xf32>, tensor<24xbf16>, tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<5x2x3x7xf32>)
func.func @kinds(%x: tensor<2x3x4xf32>, %row: tensor<4xf32>, %w: tensor<5x1x4x7xf32>)
    -> (tensor<?x?x?xf32>, tensor<?xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x?xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  %1 = graph.static_reshape %x {shape = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<?xf32>
  %2 = graph.type_cast %1 : tensor<?xf32> -> tensor<?xbf16>
  %3 = graph.add %row, %x : (tensor<4xf32>, tensor<2x3x4xf32>) -> tensor<?x?x?xf32>
  %4 = graph.bias_add %x, %row : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<?x?x?xf32>
  %5 = graph.matmul %x, %w : (tensor<2x3x4xf32>, tensor<5x1x4x7xf32>) -> tensor<?x?x?x?xf32>
  return %0, %2, %3, %4, %5 : tensor<?x?x?xf32>, tensor<?xbf16>, tensor<?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x?xf32>
}

// Layouts that the program asked for stay; inference does not look at those of
// operands.
// CHECK-LABEL: func.func @layouts
// CHECK-SAME: -> tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
func.func @layouts(%x: tensor<4x8xf32, #graph.layout<strided, [16, 1]>>)
    -> tensor<4x8xf32, #graph.layout<strided, [1, 4]>> {
  // CHECK: graph.relu {{.*}} -> tensor<4x8xf32>
  %0 = graph.relu %x : (tensor<4x8xf32, #graph.layout<strided, [16, 1]>>) -> tensor<4x8xf32>
  // CHECK: graph.abs {{.*}} -> tensor<4x8xf32, #graph.layout<any>>
  %1 = graph.abs %0 : (tensor<4x8xf32>) -> tensor<?x8xf32, #graph.layout<any>>
  // CHECK: graph.exp {{.*}} -> tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
  %2 = graph.exp %1 : (tensor<?x8xf32, #graph.layout<any>>) -> tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
  return %2 : tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
}

// Functions without graph ops are none of its business, dynamic or not.
// CHECK-LABEL: func.func @other
// CHECK-SAME: (%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}

// CHECK-LABEL: func.func private @declaration(tensor<?xf32>)
func.func private @declaration(tensor<?xf32>)

// Element types that the program chose stay; so do those that follow from none
// of the operands.
// CHECK-LABEL: func.func @rows
func.func @rows(%x: tensor<4x6xbf16>, %y: tensor<4x6xf32>) -> (tensor<4x?xf32>, tensor<?x6xui8>, tensor<?xf32>) {
  // CHECK: graph.softmax {{.*}} {axis = 0 : i64} {{.*}} -> (tensor<4x6xf32>, tensor<1x6xf32>)
  %unused, %stats = graph.softmax %x {axis = 0} : (tensor<4x6xbf16>) -> (tensor<4x?xf32>, tensor<?x6xf32>)
  // CHECK: graph.softmax {{.*}} -> tensor<4x6xf32>
  %0 = graph.softmax %x : (tensor<4x6xbf16>) -> tensor<4x?xf32>
  // CHECK: graph.quantize {{.*}} -> tensor<4x6xui8>
  %1 = graph.quantize %y {scales = array<f32: 1.0>} : (tensor<4x6xf32>) -> tensor<?x6xui8>
  // CHECK: graph.reduce_sum {{.*}} -> tensor<4xf32>
  %2 = graph.reduce_sum %0 {axes = array<i64: 1>} : (tensor<4x?xf32>) -> tensor<?xf32>
  return %0, %1, %2 : tensor<4x?xf32>, tensor<?x6xui8>, tensor<?xf32>
}
