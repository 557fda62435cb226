// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What stays in f32 although an operand is dequantized, and why.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" --remarks-filter-missed=graph-lower-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s --check-prefix=IR

// IR-NOT: -> tensor<{{.*}}xsi32>

// CHECK: remark: [Missed] NotLowered | Category:graph-lower-precision | Function=f32_weights | Reason="operand 1 is not dequantized", Remark="'graph.matmul' stays in f32"
func.func @f32_weights(%a: tensor<4x16xui8>, %b: tensor<16x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.matmul %0, %b : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// CHECK: Function=rows | {{.*}}operand 1 has a scale per element of a dimension other than the columns of the result
func.func @rows(%a: tensor<4x2xui8>, %b: tensor<2x8xsi8>) -> tensor<4x8xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x2xui8>) -> tensor<4x2xf32>
  %1 = graph.dequantize %b {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.25, 0.5>} : (tensor<2x8xsi8>) -> tensor<2x8xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x2xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK: Function=zero_points | {{.*}}operand 1 has different zero points
func.func @zero_points(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>) -> tensor<4x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.25, 0.5>, zps = array<i64: 1, 2>} : (tensor<16x2xsi8>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// CHECK: Function=float8 | {{.*}}operand 0 is dequantized from floating-point numbers of 8 bits, which have no kernels
func.func @float8(%a: tensor<4x16xf8E4M3FN>, %b: tensor<16x8xsi8>) -> tensor<4x8xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xf8E4M3FN>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<16x8xsi8>) -> tensor<16x8xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x8xf32>) -> tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK: Function=long | {{.*}}sums of so many products may not fit 32 bits
func.func @long(%a: tensor<1x65794xui8>, %b: tensor<65794x2xsi8>) -> tensor<1x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<1x65794xui8>) -> tensor<1x65794xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<65794x2xsi8>) -> tensor<65794x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x65794xf32>, tensor<65794x2xf32>) -> tensor<1x2xf32>
  return %2 : tensor<1x2xf32>
}

// CHECK: Function=big_zero_point | {{.*}}operand 0 has a zero point that 8 bits cannot hold
func.func @big_zero_point(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>) -> tensor<4x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>, zps = array<i64: 4000000000>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<16x2xsi8>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// CHECK: Function=parameters | {{.*}}it has the template parameters of a matmul in f32
func.func @parameters(%a: tensor<4x16xui8>, %b: tensor<16x16xsi8>) -> tensor<4x16xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<16x16xsi8>) -> tensor<16x16xf32>
  %2 = graph.matmul %0, %1 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 16, BS = 1, order = [m, n, k], packA = true, packB = true>} : (tensor<4x16xf32>, tensor<16x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// CHECK: Function=groups | {{.*}}operand 1 has a scale per group
func.func @groups(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>, %s: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dynamic_dequantize %b, %s {qtype = "per_group", group_shape = array<i64: 8, 1>} : (tensor<16x2xsi8>, tensor<2x2xf32>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// CHECK: Function=wide_zero_point | {{.*}}operand 0 has a zero point that may be larger than 8 bits
func.func @wide_zero_point(%a: tensor<4x16xui8>, %b: tensor<16x2xsi8>, %s: tensor<1xf32>, %z: tensor<1xsi32>) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %a, %s, %z : (tensor<4x16xui8>, tensor<1xf32>, tensor<1xsi32>) -> tensor<4x16xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<16x2xsi8>) -> tensor<16x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Weights that kernels do not convert.

// CHECK: Function=short_groups | {{.*}}operand 1 has scales for groups of 4 along k, not of a multiple of 8
func.func @short_groups(%x: tensor<4x16xf32>, %w: tensor<16x2xsi4> {graph.const_arg}, %s: tensor<4x2xf32> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 4, 1>} : (tensor<16x2xsi4>, tensor<4x2xf32>) -> tensor<16x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK: Function=odd_count | {{.*}}operand 1 has 15 elements of less than 8 bits along k, not a multiple of 8
func.func @odd_count(%x: tensor<4x15xf32>, %w: tensor<15x2xsi4> {graph.const_arg}, %s: tensor<2xf32> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_channel", axis = 1 : i64} : (tensor<15x2xsi4>, tensor<2xf32>) -> tensor<15x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x15xf32>, tensor<15x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK: Function=wide_groups | {{.*}}operand 1 has a scale for several columns of the result
func.func @wide_groups(%x: tensor<4x16xf32>, %w: tensor<16x2xsi8> {graph.const_arg}, %s: tensor<2x1xf32> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 8, 2>} : (tensor<16x2xsi8>, tensor<2x1xf32>) -> tensor<16x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK: Function=computed_scales | {{.*}}operand 1 has scales or zero points that are not constants
func.func @computed_scales(%x: tensor<4x16xf32>, %w: tensor<16x2xsi8> {graph.const_arg}, %s: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 8, 1>} : (tensor<16x2xsi8>, tensor<2x2xf32>) -> tensor<16x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK: Function=batched_weights | {{.*}}operand 1 is not a matrix of static shape
func.func @batched_weights(%x: tensor<3x4x16xf32>, %w: tensor<3x16x2xsi8> {graph.const_arg}) -> tensor<3x4x2xf32> {
  %0 = graph.dequantize %w {scales = array<f32: 0.5>} : (tensor<3x16x2xsi8>) -> tensor<3x16x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<3x4x16xf32>, tensor<3x16x2xf32>) -> tensor<3x4x2xf32>
  return %1 : tensor<3x4x2xf32>
}

// CHECK: Function=zero_point_of_all | {{.*}}operand 1 has one zero point for all columns, as an operand
func.func @zero_point_of_all(%x: tensor<4x16xf32>, %w: tensor<16x2xsi8> {graph.const_arg}, %s: tensor<1xf32> {graph.const_arg}, %z: tensor<1xsi8> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s, %z : (tensor<16x2xsi8>, tensor<1xf32>, tensor<1xsi8>) -> tensor<16x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x16xf32>, tensor<16x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// CHECK: Function=unknown_rows | {{.*}}operand 0 has a zero point, and the sizes of the other one are not known
func.func @unknown_rows(%x: tensor<4x16xui8>, %w: tensor<16x?xsi8>) -> tensor<4x?xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x16xui8>) -> tensor<4x16xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.5>} : (tensor<16x?xsi8>) -> tensor<16x?xf32>
  %2 = graph.matmul %0, %1 : (tensor<4x16xf32>, tensor<16x?xf32>) -> tensor<4x?xf32>
  return %2 : tensor<4x?xf32>
}
