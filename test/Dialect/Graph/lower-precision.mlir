// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls of dequantized integers become integer matmuls, with what zero points and
// scales contribute as ops after them.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s

// A zero point of A takes off the sums of the columns of constant weights; every
// column has a scale of its own.
// CHECK-LABEL: func.func @asymmetric
// CHECK: %[[SUM:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x16xui8>, tensor<16x2xsi8>) -> tensor<4x2xsi32>
// CHECK: %[[ZP:.*]] = graph.constant dense<3> : tensor<si32>
// CHECK: %[[B:.*]] = graph.type_cast %arg1 : tensor<16x2xsi8> -> tensor<16x2xf32>
// CHECK: %[[COLUMNS:.*]] = graph.reduce_sum %[[B]] {axes = array<i64: 0>, keep_dims = true}
// CHECK: %[[INTEGERS:.*]] = graph.type_cast %[[COLUMNS]] : tensor<1x2xf32> -> tensor<1x2xsi32>
// CHECK: %[[OFF:.*]] = graph.multiply %[[INTEGERS]], %[[ZP]]
// CHECK: %[[DIFFERENCE:.*]] = graph.subtract %[[SUM]], %[[OFF]] {no_overflow = true} : (tensor<4x2xsi32>, tensor<1x2xsi32>) -> tensor<4x2xsi32>
// CHECK: %[[FLOAT:.*]] = graph.type_cast %[[DIFFERENCE]] : tensor<4x2xsi32> -> tensor<4x2xf32>
// CHECK: %[[SCALES:.*]] = graph.constant dense<[1.250000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK: %[[SCALED:.*]] = graph.multiply %[[FLOAT]], %[[SCALES]]
// CHECK: graph.add %[[SCALED]], %arg2
// CHECK-NOT: graph.dequantize
func.func @asymmetric(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8> {graph.const_arg}, %bias: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.25, 0.5>} : (tensor<16x2xsi8>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1, %bias : (tensor<4x16xf32>, tensor<16x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Zero points of both sides: kernels subtract them from operands of the run.
// CHECK-LABEL: func.func @both
// CHECK: graph.matmul %arg0, %arg1 {src_zp = -2 : i64, transpose_b = true, weights_zp = 128 : i64} : (tensor<2x4x16xsi8>, tensor<2x8x16xui8>) -> tensor<2x4x8xsi32>
// CHECK-NOT: graph.reduce_sum
// CHECK: graph.constant dense<5.000000e-01> : tensor<f32>
func.func @both(%a: tensor<2x4x16xsi8>, %b: tensor<2x8x16xui8>) -> tensor<2x4x8xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 1.0>, zps = array<i64: -2>} : (tensor<2x4x16xsi8>) -> tensor<2x4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>, zps = array<i64: 128>} : (tensor<2x8x16xui8>) -> tensor<2x8x16xf32>
  %2 = graph.matmul %0, %1 {transpose_b = true} : (tensor<2x4x16xf32>, tensor<2x8x16xf32>) -> tensor<2x4x8xf32>
  return %2 : tensor<2x4x8xf32>
}

// Constant weights, transposed, with a zero point: sums of what is left of their
// rows, as columns.
// CHECK-LABEL: func.func @transposed
// CHECK: graph.matmul %arg0, %arg1 {transpose_b = true, weights_zp = 7 : i64} : (tensor<4x16xui8>, tensor<8x16xui8>) -> tensor<4x8xsi32>
// CHECK: graph.constant dense<3> : tensor<si32>
// CHECK: graph.constant dense<-7.000000e+00> : tensor<f32>
// CHECK: graph.add
// CHECK: graph.reduce_sum {{.*}}axes = array<i64: 1>{{.*}} -> tensor<8x1xf32>
// CHECK: graph.static_reshape {{.*}}shape = array<i64: 1, 8>
// CHECK: graph.subtract
func.func @transposed(%a: tensor<4x16xui8>, %b: tensor<8x16xui8> {graph.const_arg}) -> tensor<4x8xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 1.0>, zps = array<i64: 3>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>, zps = array<i64: 7>} : (tensor<8x16xui8>) -> tensor<8x16xf32>
  %2 = graph.matmul %0, %1 {transpose_b = true} : (tensor<4x16xf32>, tensor<8x16xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// A quantize followed by a dequantize rounds: both stay.
// CHECK-LABEL: func.func @between
// CHECK: graph.matmul {{.*}} -> tensor<4x16xsi32>
// CHECK: %[[Q:.*]] = graph.quantize
// CHECK: graph.matmul %[[Q]], %arg1 : (tensor<4x16xui8>, tensor<16x16xsi8>) -> tensor<4x16xsi32>
func.func @between(%a: tensor<4x16xui8>, %b: tensor<16x16xsi8>) -> tensor<4x16xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<16x16xsi8>) -> tensor<16x16xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  %3 = graph.quantize %2 {scales = array<f32: 2.0>} : (tensor<4x16xf32>) -> tensor<4x16xui8>
  %4 = graph.dequantize %3 {scales = array<f32: 2.0>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %5 = graph.matmul %4, %1 : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  return %5 : tensor<4x16xf32>
}

// Scales and zero points that only the run knows: their terms are ops.
// CHECK-LABEL: func.func @dynamic
// CHECK: %[[SUM:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x16xui8>, tensor<16x2xsi8>) -> tensor<4x2xsi32>
// CHECK: graph.static_reshape %arg3 {{.*}} : (tensor<1xui8>) -> tensor<ui8>
// CHECK: graph.reduce_sum {{.*}}axes = array<i64: 0>{{.*}} -> tensor<1x2xf32>
// CHECK: %[[COLUMNS:.*]] = graph.subtract %[[SUM]]
// CHECK: graph.static_reshape %arg5 {{.*}} : (tensor<1xsi8>) -> tensor<si8>
// CHECK: graph.reduce_sum {{.*}}axes = array<i64: 1>{{.*}} -> tensor<4x1xf32>
// CHECK: %[[ROWS:.*]] = graph.subtract %[[COLUMNS]]
// CHECK: graph.constant dense<16> : tensor<si32>
// CHECK: %[[ALL:.*]] = graph.add %[[ROWS]]
// CHECK: %[[FLOAT:.*]] = graph.type_cast %[[ALL]]
// CHECK: %[[S:.*]] = graph.static_reshape %arg2
// CHECK: %[[SCALED:.*]] = graph.multiply %[[FLOAT]], %[[S]]
// CHECK: %[[T:.*]] = graph.static_reshape %arg4
// CHECK: graph.multiply %[[SCALED]], %[[T]]
// CHECK-NOT: graph.multiply
func.func @dynamic(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>, %sa: tensor<1xf32>, %za: tensor<1xui8>, %sb: tensor<1xf32>, %zb: tensor<1xsi8>) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %a, %sa, %za : (tensor<4x16xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<4x16xf32>
  %1 = graph.dynamic_dequantize %b, %sb, %zb : (tensor<16x2xsi8>, tensor<1xf32>, tensor<1xsi8>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// A scale per column that only the run knows, and constants.
// CHECK-LABEL: func.func @dynamic_columns
// CHECK: %[[SUM:.*]] = graph.matmul %arg0, %arg1 {src_zp = 3 : i64}
// CHECK: %[[FLOAT:.*]] = graph.type_cast %[[SUM]]
// CHECK: %[[SCALED:.*]] = graph.multiply %[[FLOAT]], %arg2 : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
// CHECK: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
// CHECK: graph.multiply %[[SCALED]], %[[HALF]]
func.func @dynamic_columns(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>, %s: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dynamic_dequantize %b, %s {qtype = "per_channel", axis = 1 : i64} : (tensor<16x2xsi8>, tensor<2xf32>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Keys with scales for groups of columns, and values with scales for each token:
// the first are dequantized where they are read, the second by basic ops.
// CHECK-LABEL: func.func @groups
// CHECK: graph.dynamic_dequantize {{.*}}graph.where_read, group_shape = array<i64: 1, 16>
// CHECK: graph.dynamic_dequantize %{{[^{]*}} {group_shape = array<i64: 1, 32>
func.func @groups(%q: tensor<4x32xf32>, %k: tensor<40x32xsi8>, %ks: tensor<40x2xf32>, %v: tensor<40x32xsi4>, %vs: tensor<40x1xf32>) -> tensor<4x32xf32> {
  %key = graph.dynamic_dequantize %k, %ks {qtype = "per_group", group_shape = array<i64: 1, 16>} : (tensor<40x32xsi8>, tensor<40x2xf32>) -> tensor<40x32xf32>
  %value = graph.dynamic_dequantize %v, %vs {qtype = "per_group", group_shape = array<i64: 1, 32>} : (tensor<40x32xsi4>, tensor<40x1xf32>) -> tensor<40x32xf32>
  %s = graph.matmul %q, %key {transpose_b = true} : (tensor<4x32xf32>, tensor<40x32xf32>) -> tensor<4x40xf32>
  %o = graph.matmul %s, %value : (tensor<4x40xf32>, tensor<40x32xf32>) -> tensor<4x32xf32>
  return %o : tensor<4x32xf32>
}
