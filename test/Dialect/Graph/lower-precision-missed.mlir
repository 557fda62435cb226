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

// CHECK: Function=long | {{.*}}sums of so many products may not fit 32 bits
func.func @long(%a: tensor<1x8193xui8>, %b: tensor<8193x2xsi8>) -> tensor<1x2xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.5>} : (tensor<1x8193xui8>) -> tensor<1x8193xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.5>} : (tensor<8193x2xsi8>) -> tensor<8193x2xf32>
  %2 = graph.matmul %0, %1 : (tensor<1x8193xf32>, tensor<8193x2xf32>) -> tensor<1x2xf32>
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
