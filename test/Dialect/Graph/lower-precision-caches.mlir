// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands that are not constant and that few rows read are converted as they are
// multiplied.
// Scales are multiplied with what varies along the same dimension: the result, or the
// other factor.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" --remarks-filter-missed=graph-lower-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REASON

// One scale and zero point.
// CHECK-LABEL: func.func @one_scale
// CHECK: %[[SCALE:.*]] = graph.static_reshape %{{.*}} {shape = array<i64>} : (tensor<1xf32>) -> tensor<f32>
// CHECK: %[[SUM:.*]] = graph.matmul %arg0, %arg1 {transpose_b = true, weights_zp = 3 : i64} : (tensor<2x4x16xf32>, tensor<2x8x16xsi8>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[RESULT:.*]] = graph.multiply %[[SUM]], %[[SCALE]]
// CHECK-NEXT: return %[[RESULT]]
func.func @one_scale(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xsi8>) -> tensor<2x4x8xf32> {
  %0 = graph.dequantize %k {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<2x8x16xsi8>) -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 {transpose_b = true} : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// A scale for each key.
// CHECK-LABEL: func.func @keys
// CHECK: %[[SCALE:.*]] = graph.static_reshape %arg2 {shape = array<i64: 2, 1, 8>} : (tensor<2x8x1xf32>) -> tensor<2x1x8xf32>
// CHECK: %[[SUM:.*]] = graph.matmul %arg0, %arg1 {transpose_b = true}
// CHECK-NEXT: graph.multiply %[[SUM]], %[[SCALE]] : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
func.func @keys(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xui8>, %s: tensor<2x8x1xf32>) -> tensor<2x4x8xf32> {
  %0 = graph.dynamic_dequantize %k, %s {qtype = "per_group", group_shape = array<i64: 1, 1, 16>} : (tensor<2x8x16xui8>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 {transpose_b = true} : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// A scale for each value, which is reduced.
// CHECK-LABEL: func.func @values
// CHECK: %[[SCALE:.*]] = graph.static_reshape %arg2 {shape = array<i64: 2, 1, 8>} : (tensor<2x8x1xf32>) -> tensor<2x1x8xf32>
// CHECK: %[[SCALED:.*]] = graph.multiply %arg0, %[[SCALE]] : (tensor<2x4x8xf32>, tensor<2x1x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: %[[RESULT:.*]] = graph.matmul %[[SCALED]], %arg1 : (tensor<2x4x8xf32>, tensor<2x8x16xsi8>) -> tensor<2x4x16xf32>
// CHECK-NEXT: return %[[RESULT]]
func.func @values(%p: tensor<2x4x8xf32>, %v: tensor<2x8x16xsi8>, %s: tensor<2x8x1xf32>) -> tensor<2x4x16xf32> {
  %0 = graph.dynamic_dequantize %v, %s {qtype = "per_group", group_shape = array<i64: 1, 1, 16>} : (tensor<2x8x16xsi8>, tensor<2x8x1xf32>) -> tensor<2x8x16xf32>
  %1 = graph.matmul %p, %0 : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>
  return %1 : tensor<2x4x16xf32>
}

// A scale for each head, keys that are cast to the type of the queries, and a bias.
// CHECK-LABEL: func.func @heads
// CHECK: %[[WIDE:.*]] = graph.type_cast %arg0 : tensor<2x4x16xbf16> -> tensor<2x4x16xf32>
// CHECK: %[[SCALE:.*]] = graph.static_reshape %{{.*}} {shape = array<i64: 2, 1, 1>} : (tensor<2xf32>) -> tensor<2x1x1xf32>
// CHECK: %[[SUM:.*]] = graph.matmul %[[WIDE]], %arg1 {transpose_b = true}
// CHECK-NEXT: graph.multiply %[[SUM]], %[[SCALE]]
// CHECK: graph.add
// CHECK: graph.type_cast %{{.*}} : tensor<2x4x8xf32> -> tensor<2x4x8xbf16>
func.func @heads(%q: tensor<2x4x16xbf16>, %k: tensor<2x8x16xsi8>, %b: tensor<8xbf16>) -> tensor<2x4x8xbf16> {
  %0 = graph.dequantize %k {qtype = "per_channel", axis = -3 : i64, scales = array<f32: 0.5, 0.25>} : (tensor<2x8x16xsi8>) -> tensor<2x8x16xf32>
  %1 = graph.type_cast %0 : tensor<2x8x16xf32> -> tensor<2x8x16xbf16>
  %2 = graph.matmul %q, %1, %b {transpose_b = true} : (tensor<2x4x16xbf16>, tensor<2x8x16xbf16>, tensor<8xbf16>) -> tensor<2x4x8xbf16>
  return %2 : tensor<2x4x8xbf16>
}

// Nothing but a cast.
// CHECK-LABEL: func.func @halves
// CHECK-NEXT: %[[RESULT:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x16xf32>, tensor<16x8xf16>) -> tensor<4x8xf32>
// CHECK-NEXT: return %[[RESULT]]
func.func @halves(%x: tensor<4x16xf32>, %y: tensor<16x8xf16>) -> tensor<4x8xf32> {
  %0 = graph.type_cast %y : tensor<16x8xf16> -> tensor<16x8xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// Another op reads what is converted.
// CHECK-LABEL: func.func @shared
// CHECK: %[[WIDE:.*]] = graph.type_cast %arg1
// CHECK: graph.matmul %arg0, %arg1
// CHECK: graph.relu %[[WIDE]]
func.func @shared(%x: tensor<4x16xf32>, %y: tensor<16x8xf16>) -> (tensor<4x8xf32>, tensor<16x8xf32>) {
  %0 = graph.type_cast %y : tensor<16x8xf16> -> tensor<16x8xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  %2 = graph.relu %0 : (tensor<16x8xf32>) -> tensor<16x8xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<16x8xf32>
}

// Nine rows: groups of three heads of three queries that share keys.
// CHECK-LABEL: func.func @many_rows
// CHECK: graph.dequantize
// CHECK: graph.matmul {{.*}} : (tensor<2x3x3x16xf32>, tensor<2x1x8x16xf32>)
func.func @many_rows(%q: tensor<2x3x3x16xf32>, %k: tensor<2x1x8x16xsi8>) -> tensor<2x3x3x8xf32> {
  %0 = graph.dequantize %k {scales = array<f32: 0.5>} : (tensor<2x1x8x16xsi8>) -> tensor<2x1x8x16xf32>
  %1 = graph.matmul %q, %0 {transpose_b = true} : (tensor<2x3x3x16xf32>, tensor<2x1x8x16xf32>) -> tensor<2x3x3x8xf32>
  return %1 : tensor<2x3x3x8xf32>
}

// CHECK-LABEL: func.func @groups
// CHECK: graph.dynamic_dequantize
// REASON: Reason="operand 1 has scales for groups of several elements", Remark="'graph.matmul' stays in f32"
func.func @groups(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xsi8>, %s: tensor<2x8x4xf32>) -> tensor<2x4x8xf32> {
  %0 = graph.dynamic_dequantize %k, %s {qtype = "per_group", group_shape = array<i64: 1, 1, 4>} : (tensor<2x8x16xsi8>, tensor<2x8x4xf32>) -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 {transpose_b = true} : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @each_element
// CHECK: graph.dynamic_dequantize
// REASON: Reason="operand 1 has scales that vary along both dimensions of its matrices", Remark="'graph.matmul' stays in f32"
func.func @each_element(%q: tensor<2x4x16xf32>, %k: tensor<2x8x16xsi8>, %s: tensor<1x8x16xf32>) -> tensor<2x4x8xf32> {
  %0 = graph.dynamic_dequantize %k, %s {qtype = "per_group", group_shape = array<i64: 2, 1, 1>} : (tensor<2x8x16xsi8>, tensor<1x8x16xf32>) -> tensor<2x8x16xf32>
  %1 = graph.matmul %q, %0 {transpose_b = true} : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
  return %1 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @zero_points
// CHECK: graph.dynamic_dequantize
// REASON: Reason="operand 1 has zero points that are operands", Remark="'graph.matmul' stays in f32"
func.func @zero_points(%q: tensor<4x16xf32>, %k: tensor<16x8xui8>, %s: tensor<1xf32>, %z: tensor<1xui8>) -> tensor<4x8xf32> {
  %0 = graph.dynamic_dequantize %k, %s, %z : (tensor<16x8xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<16x8xf32>
  %1 = graph.matmul %q, %0 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @four_bits
// CHECK: graph.dynamic_dequantize
// REASON: Reason="operand 1 is not dequantized from integers of 8 bits", Remark="'graph.matmul' stays in f32"
func.func @four_bits(%q: tensor<4x16xf32>, %k: tensor<16x8xui4>, %s: tensor<1xf32>) -> tensor<4x8xf32> {
  %0 = graph.dynamic_dequantize %k, %s : (tensor<16x8xui4>, tensor<1xf32>) -> tensor<16x8xf32>
  %1 = graph.matmul %q, %0 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}
