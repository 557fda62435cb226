// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// ONNX's Softmax has no statistics: one that keeps them is exported as what it
// decomposes to, others as they are.

// RUN: gc-translate --export-onnx %s -o %t.onnx
// RUN: gc-translate --import-onnx %t.onnx | FileCheck %s

// CHECK: %[[MAX:.*]] = graph.reduce_max %[[X:.*]] {axes = array<i64: 1>, keep_dims = true}
// CHECK: %[[SUM:.*]] = graph.reduce_sum
// CHECK: %[[Y:.*]] = graph.divide %{{.*}}, %[[SUM]]
// CHECK: %[[LOG:.*]] = graph.log %[[SUM]]
// CHECK: %[[S:.*]] = graph.add %[[MAX]], %[[LOG]]
// CHECK: %[[Z:.*]] = graph.softmax %[[X]] {{.*}} : (tensor<5x7xf32>) -> tensor<5x7xf32>
// CHECK: return %[[Y]], %[[S]], %[[Z]]
func.func @stats(%x: tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x1xf32>, tensor<5x7xf32>) {
  %y, %s = graph.softmax %x : (tensor<5x7xf32>) -> (tensor<5x7xf32>, tensor<5x1xf32>)
  %z = graph.softmax %x {axis = 0} : (tensor<5x7xf32>) -> tensor<5x7xf32>
  return %y, %s, %z : tensor<5x7xf32>, tensor<5x1xf32>, tensor<5x7xf32>
}
