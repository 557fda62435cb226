// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What gradients and prelu decompose to. The unit tests of the reference check
// that this is what they compute.

// RUN: gc-opt %s --graph-decompose | FileCheck %s
// RUN: gc-opt %s --graph-decompose --graph-decompose | FileCheck %s

// The boundary belongs to the side of zeros.
// CHECK-LABEL: func.func @relu(
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>, %[[D:.*]]: tensor<3x5xf32>)
// CHECK-NEXT: %[[ZERO:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[LIMIT:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT: %[[C:.*]] = graph.greater_equal %[[LIMIT]], %[[X]] : (tensor<f32>, tensor<3x5xf32>) -> tensor<3x5xi1>
// CHECK-NEXT: %[[Y:.*]] = graph.select %[[C]], %[[ZERO]], %[[D]]
// CHECK-NEXT: return %[[Y]]
func.func @relu(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.relu_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Both limits of clamp give 0.
// CHECK-LABEL: func.func @clamp(
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>, %[[D:.*]]: tensor<3x5xf32>)
// CHECK: %[[HIGH:.*]] = graph.constant dense<2.000000e+00>
// CHECK-NEXT: %[[ABOVE:.*]] = graph.greater_equal %[[X]], %[[HIGH]]
// CHECK-NEXT: %[[S:.*]] = graph.select %[[ABOVE]], %[[ZERO:.*]], %[[D]]
// CHECK-NEXT: %[[LOW:.*]] = graph.constant dense<-1.000000e+00>
// CHECK-NEXT: %[[BELOW:.*]] = graph.greater_equal %[[LOW]], %[[X]]
// CHECK-NEXT: graph.select %[[BELOW]], %[[ZERO]], %[[S]]
func.func @clamp(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The slope is that of the erf, and a bell.
// CHECK-LABEL: func.func @gelu(
// CHECK: graph.erf
// CHECK: graph.exp %{{.*}}
func.func @gelu(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.gelu_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// The result of sigmoid is used as it is.
// CHECK-LABEL: func.func @sigmoid(
// CHECK-SAME: %[[X:.*]]: tensor<3x5xf32>, %[[D:.*]]: tensor<3x5xf32>)
// CHECK: %[[REST:.*]] = graph.subtract %{{.*}}, %[[X]] : (tensor<f32>, tensor<3x5xf32>)
// CHECK-NEXT: %[[SLOPE:.*]] = graph.multiply %[[X]], %[[REST]]
// CHECK-NEXT: graph.multiply %[[D]], %[[SLOPE]]
func.func @sigmoid(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.sigmoid_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// Without it, nothing close to 1 is taken from 1. Narrow types are computed in
// f32 and rounded once.
// CHECK-LABEL: func.func @sigmoid_bf16(
// CHECK-COUNT-2: graph.type_cast {{.*}} -> tensor<3x5xf32>
// CHECK-NOT: bf16
// CHECK-NOT: graph.subtract
// CHECK: graph.abs
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[SUM:.*]] = graph.add %[[E]]
// CHECK: %[[SQUARE:.*]] = graph.multiply %[[SUM]], %[[SUM]]
// CHECK: %[[SLOPE:.*]] = graph.divide %[[E]], %[[SQUARE]]
// CHECK: graph.type_cast %{{.*}} : tensor<3x5xf32> -> tensor<3x5xbf16>
func.func @sigmoid_bf16(%x: tensor<3x5xbf16>, %d: tensor<3x5xbf16>) -> tensor<3x5xbf16> {
  %0 = graph.sigmoid_backward %x, %d {use_dst = false} : (tensor<3x5xbf16>, tensor<3x5xbf16>) -> tensor<3x5xbf16>
  return %0 : tensor<3x5xbf16>
}

// CHECK-LABEL: func.func @mish(
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[B:.*]] = graph.multiply %[[E]]
// CHECK: %[[A:.*]] = graph.add %[[B]]
// CHECK: %[[S:.*]] = graph.reciprocal %[[A]]
// CHECK: %[[T:.*]] = graph.multiply %[[B]], %[[S]]
// CHECK: graph.add %[[T]]
func.func @mish(%x: tensor<3x5xf32>, %d: tensor<3x5xf32>) -> tensor<3x5xf32> {
  %0 = graph.mish_backward %x, %d : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return %0 : tensor<3x5xf32>
}

// CHECK-LABEL: func.func @prelu(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x4xf32>, %[[S:[^:]*]]: tensor<3xf32>)
// CHECK-NEXT: %[[R:.*]] = graph.static_reshape %[[S]] {shape = array<i64: 1, 3, 1>}
// CHECK: %[[C:.*]] = graph.greater_equal %[[X]]
// CHECK-NEXT: %[[M:.*]] = graph.multiply %[[X]], %[[R]]
// CHECK-NEXT: graph.select %[[C]], %[[X]], %[[M]]
func.func @prelu(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>) -> tensor<2x3x4xf32> {
  %0 = graph.prelu %x, %s {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return %0 : tensor<2x3x4xf32>
}

// The gradient of the slope is summed over what it was broadcast to.
// CHECK-LABEL: func.func @prelu_backward(
// CHECK: %[[SUM:.*]] = graph.reduce_sum %{{.*}} {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
// CHECK: graph.static_reshape %[[SUM]] {shape = array<i64: 3>}
func.func @prelu_backward(%x: tensor<2x3x4xf32>, %s: tensor<3xf32>, %d: tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>) {
  %0:2 = graph.prelu_backward %x, %s, %d {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>)
  return %0#0, %0#1 : tensor<2x3x4xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @bias(
// CHECK: %[[SUM:.*]] = graph.reduce_sum %{{.*}} {axes = array<i64: 0, 1>, keep_dims = true}
// CHECK: graph.static_reshape %[[SUM]] {shape = array<i64: 4>}
func.func @bias(%d: tensor<2x3x4xf32>, %v: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.bias_add_backward %d : (tensor<2x3x4xf32>) -> tensor<4xf32>
  // Nothing to add.
  // CHECK: graph.reorder
  %1 = graph.bias_add_backward %v : (tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
