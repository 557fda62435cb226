// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What reductions, softmax, norms and quantisation decompose to. The unit tests
// of the reference check that this is what they compute.

// RUN: gc-opt %s --graph-decompose | FileCheck %s
// RUN: gc-opt %s --graph-decompose --graph-decompose | FileCheck %s
// RUN: gc-opt %s --graph-decompose=fast-softmax=true | FileCheck %s --check-prefix=FAST

// The maximum of each row is subtracted.
// CHECK-LABEL: func.func @softmax(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[MAX:.*]] = graph.reduce_max %[[X]] {any_if_nan, axes = array<i64: 2>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
// CHECK-NEXT: %[[D:.*]] = graph.subtract %[[X]], %[[MAX]]
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[D]]
// CHECK-NEXT: %[[SUM:.*]] = graph.reduce_sum %[[E]] {axes = array<i64: 2>, keep_dims = true}
// CHECK-NEXT: %[[Y:.*]] = graph.divide %[[E]], %[[SUM]]
// CHECK-NEXT: return %[[Y]]
// FAST-LABEL: func.func @softmax(
// FAST-NEXT: %[[C:.*]] = graph.clamp %{{.*}} {max = 6.400000e+01 : f32, min = -6.400000e+01 : f32}
// FAST-NEXT: %[[E:.*]] = graph.exp %[[C]]
// FAST-NEXT: %[[SUM:.*]] = graph.reduce_sum %[[E]] {axes = array<i64: 2>, keep_dims = true}
// FAST-NEXT: graph.divide %[[E]], %[[SUM]]
func.func @softmax(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xf32> {
  %y = graph.softmax %x {axis = -1} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %y : tensor<2x3x4xf32>
}

// Rows of -infinity keep their maximum finite and their sum above 0, with the
// option too.
// CHECK-LABEL: func.func @inf_as_zero(
// CHECK: %[[MAX:.*]] = graph.reduce_max
// CHECK: %[[LEAST:.*]] = graph.constant dense<-3.40282347E+38> : tensor<f32>
// CHECK: graph.maximum %[[MAX]], %[[LEAST]]
// CHECK: %[[SUM:.*]] = graph.reduce_sum
// CHECK: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
// CHECK: graph.maximum %[[SUM]], %[[ONE]]
// FAST-LABEL: func.func @inf_as_zero(
// FAST: graph.reduce_max
func.func @inf_as_zero(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.softmax %x {mode = "inf_as_zero"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// The statistics of a row are what turns its elements into results by exp.
// CHECK-LABEL: func.func @stats(
// CHECK: %[[MAX:.*]] = graph.reduce_max
// CHECK: %[[SUM:.*]] = graph.reduce_sum
// CHECK: %[[Y:.*]] = graph.type_cast {{.*}} -> tensor<2x3xbf16>
// CHECK-NEXT: %[[L:.*]] = graph.log %[[SUM]] : (tensor<2x1xf32>) -> tensor<2x1xf32>
// CHECK-NEXT: %[[T:.*]] = graph.add %[[MAX]], %[[L]]
// CHECK-NEXT: return %[[Y]], %[[T]]
// FAST-LABEL: func.func @stats(
// FAST: %[[SUM:.*]] = graph.reduce_sum
// FAST: %[[T:.*]] = graph.log %[[SUM]]
// FAST-NEXT: return %{{.*}}, %[[T]]
func.func @stats(%x: tensor<2x3xf32>) -> (tensor<2x3xbf16>, tensor<2x1xf32>) {
  %y, %t = graph.softmax %x : (tensor<2x3xf32>) -> (tensor<2x3xbf16>, tensor<2x1xf32>)
  return %y, %t : tensor<2x3xbf16>, tensor<2x1xf32>
}

// With a finite maximum and a sum above 0 the statistics are finite as well.
// CHECK-LABEL: func.func @inf_as_zero_stats(
// CHECK: %[[MAX:.*]] = graph.maximum
// CHECK: %[[SUM:.*]] = graph.maximum
// CHECK: %[[L:.*]] = graph.log %[[SUM]]
// CHECK-NEXT: %[[T:.*]] = graph.add %[[MAX]], %[[L]]
// CHECK-NEXT: return %[[T]]
func.func @inf_as_zero_stats(%x: tensor<2x3xf32>) -> tensor<1x3xf32> {
  %y, %t = graph.softmax %x {axis = 0, mode = "inf_as_zero"} : (tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<1x3xf32>)
  return %t : tensor<1x3xf32>
}

// Narrow types are computed in f32 and rounded once.
// CHECK-LABEL: func.func @softmax_bf16(
// CHECK-SAME: %[[X:.*]]: tensor<2x3xbf16>)
// CHECK-NEXT: graph.type_cast %[[X]] : tensor<2x3xbf16> -> tensor<2x3xf32>
// CHECK-NOT: bf16
// CHECK: %[[Y:.*]] = graph.divide {{.*}} -> tensor<2x3xf32>
// CHECK-NEXT: %[[R:.*]] = graph.type_cast %[[Y]] : tensor<2x3xf32> -> tensor<2x3xbf16>
// CHECK-NEXT: return %[[R]]
func.func @softmax_bf16(%x: tensor<2x3xbf16>) -> tensor<2x3xbf16> {
  %y = graph.softmax %x : (tensor<2x3xbf16>) -> tensor<2x3xbf16>
  return %y : tensor<2x3xbf16>
}

// CHECK-LABEL: func.func @log_softmax(
// CHECK: %[[D:.*]] = graph.subtract
// CHECK: %[[L:.*]] = graph.log
// CHECK: graph.subtract %[[D]], %[[L]]
func.func @log_softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %y = graph.log_softmax %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

// Reductions keep their dimensions and list them in order; those that do are
// left alone.
// CHECK-LABEL: func.func @reductions(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>)
// CHECK: %[[K:.*]] = graph.reduce_sum %[[X]] {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
// CHECK-NEXT: %[[R:.*]] = graph.static_reshape %[[K]] {shape = array<i64: 3>} : (tensor<1x3x1xf32>) -> tensor<3xf32>
// CHECK: %[[M:.*]] = graph.reduce_min %[[X]] {axes = array<i64: -1>, keep_dims = true}
// CHECK: %[[N:.*]] = graph.reorder %[[X]]
// CHECK: return %[[R]], %[[M]], %[[N]]
func.func @reductions(%x: tensor<2x3x4xf32>) -> (tensor<3xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>) {
  %0 = graph.reduce_sum %x {axes = array<i64: -1, 0>} : (tensor<2x3x4xf32>) -> tensor<3xf32>
  %1 = graph.reduce_min %x {axes = array<i64: -1>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<2x3x1xf32>
  %2 = graph.reduce_max %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return %0, %1, %2 : tensor<3xf32>, tensor<2x3x1xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @layer_norm(
// CHECK: %[[S:.*]] = graph.reduce_sum %[[X:.*]] {axes = array<i64: 1>, keep_dims = true}
// CHECK: %[[MEAN:.*]] = graph.multiply %[[S]]
// CHECK: %[[D:.*]] = graph.subtract %[[X]], %[[MEAN]]
// CHECK: %[[Q:.*]] = graph.multiply %[[D]], %[[D]]
// CHECK: graph.reduce_sum %[[Q]]
// CHECK: graph.sqrt
// CHECK: graph.reciprocal
func.func @layer_norm(%x: tensor<4x64xf32>, %g: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<4x64xf32> {
  %y = graph.layer_norm %x, %g, %b {keep_stats = false} : (tensor<4x64xf32>, tensor<64xf32>, tensor<64xf32>) -> tensor<4x64xf32>
  return %y : tensor<4x64xf32>
}

// CHECK-LABEL: func.func @quantize(
// CHECK-SAME: %[[X:.*]]: tensor<2x3x4xf32>)
// CHECK-NEXT: %[[SCALE:.*]] = graph.constant dense<{{.*}}> : tensor<3x1xf32>
// CHECK-NEXT: %[[D:.*]] = graph.divide %[[X]], %[[SCALE]]
// CHECK-NEXT: %[[ZP:.*]] = graph.constant dense<{{.*}}> : tensor<3x1xf32>
// CHECK-NEXT: %[[S:.*]] = graph.add %[[D]], %[[ZP]]
// CHECK-NEXT: graph.type_cast %[[S]] : tensor<2x3x4xf32> -> tensor<2x3x4xui8>
func.func @quantize(%x: tensor<2x3x4xf32>) -> tensor<2x3x4xui8> {
  %y = graph.quantize %x {qtype = "per_channel", scales = array<f32: 0.5, 0.25, 2.0>, zps = array<i64: 1, 2, 3>} : (tensor<2x3x4xf32>) -> tensor<2x3x4xui8>
  return %y : tensor<2x3x4xui8>
}

// Zero points of zero are not added.
// CHECK-LABEL: func.func @dequantize(
// CHECK: %[[F:.*]] = graph.type_cast %{{.*}} : tensor<2x3xsi8> -> tensor<2x3xf32>
// CHECK-NEXT: %[[SCALE:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: graph.multiply %[[F]], %[[SCALE]]
func.func @dequantize(%x: tensor<2x3xsi8>) -> tensor<2x3xf32> {
  %y = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 0>} : (tensor<2x3xsi8>) -> tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}
