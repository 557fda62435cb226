// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Constant weights that are converted for a product stay in their own type: the matmul
// converts them.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s
// RUN: gc-opt %s --machine=zen3-2 --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s --check-prefixes=AVX2,ANY
// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s --check-prefixes=BF16,ANY

// CHECK-LABEL: func.func @groups
// CHECK: %[[Z:.*]] = graph.type_cast %arg3 : tensor<2x8xui4> -> tensor<2x8xf32>
// CHECK: %[[R:.*]] = graph.matmul %arg0, %arg1, %arg2, %[[Z]] {weights_group = 16 : i64} : (tensor<4x32xf32>, tensor<32x8xui4>, tensor<2x8xf32>, tensor<2x8xf32>) -> tensor<4x8xf32>
// CHECK: %[[S:.*]] = graph.add %[[R]], %arg4
// CHECK-NOT: graph.dynamic_dequantize
// CHECK: return %[[S]]
func.func @groups(%x: tensor<4x32xf32>, %w: tensor<32x8xui4> {graph.const_arg}, %s: tensor<2x8xf32> {graph.const_arg}, %z: tensor<2x8xui4> {graph.const_arg}, %bias: tensor<8xf32>) -> tensor<4x8xf32> {
  %0 = graph.dynamic_dequantize %w, %s, %z {qtype = "per_group", group_shape = array<i64: 16, 1>} : (tensor<32x8xui4>, tensor<2x8xf32>, tensor<2x8xui4>) -> tensor<32x8xf32>
  %1 = graph.matmul %x, %0, %bias : (tensor<4x32xf32>, tensor<32x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// In bf16, and transposed: scales become rows of columns, the product is in f32.
// CHECK-LABEL: func.func @transposed
// CHECK: %[[S:.*]] = graph.type_cast %arg2 : tensor<8x2xbf16> -> tensor<8x2xf32>
// CHECK: %[[ST:.*]] = graph.static_transpose %[[S]] {order = array<i64: 1, 0>} : (tensor<8x2xf32>) -> tensor<2x8xf32>
// CHECK: %[[X:.*]] = graph.type_cast %arg0 : tensor<4x32xbf16> -> tensor<4x32xf32>
// CHECK: %[[R:.*]] = graph.matmul %[[X]], %arg1, %[[ST]] {transpose_b = true, weights_group = 16 : i64} : {{.*}} -> tensor<4x8xf32>
// CHECK: graph.type_cast %[[R]] : tensor<4x8xf32> -> tensor<4x8xbf16>
func.func @transposed(%x: tensor<4x32xbf16>, %w: tensor<8x32xsi4> {graph.const_arg}, %s: tensor<8x2xbf16> {graph.const_arg}) -> tensor<4x8xbf16> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 1, 16>} : (tensor<8x32xsi4>, tensor<8x2xbf16>) -> tensor<8x32xbf16>
  %1 = graph.matmul %x, %0 {transpose_b = true} : (tensor<4x32xbf16>, tensor<8x32xbf16>) -> tensor<4x8xbf16>
  return %1 : tensor<4x8xbf16>
}

// One scale for all, or one per column, is an op after the matmul.
// CHECK-LABEL: func.func @columns
// CHECK: %[[A:.*]] = graph.matmul %arg0, %arg1 {weights_zp = 3 : i64} : (tensor<4x32xf32>, tensor<32x2xui8>) -> tensor<4x2xf32>
// CHECK: %[[S:.*]] = graph.constant dense<[2.500000e-01, 5.000000e-01]> : tensor<2xf32>
// CHECK: graph.multiply %[[A]], %[[S]]
// CHECK: %[[B:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x32xf32>, tensor<32x2xui8>) -> tensor<4x2xf32>
// CHECK: graph.multiply %[[B]], %arg2
func.func @columns(%x: tensor<4x32xf32>, %w: tensor<32x2xui8> {graph.const_arg}, %s: tensor<2xf32> {graph.const_arg}) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %0 = graph.dequantize %w {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.25, 0.5>, zps = array<i64: 3, 3>} : (tensor<32x2xui8>) -> tensor<32x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x32xf32>, tensor<32x2xf32>) -> tensor<4x2xf32>
  %2 = graph.dynamic_dequantize %w, %s {qtype = "per_channel", axis = 1 : i64} : (tensor<32x2xui8>, tensor<2xf32>) -> tensor<32x2xf32>
  %3 = graph.matmul %x, %2 : (tensor<4x32xf32>, tensor<32x2xf32>) -> tensor<4x2xf32>
  return %1, %3 : tensor<4x2xf32>, tensor<4x2xf32>
}

// CHECK-LABEL: func.func @cast
// CHECK-NEXT: %[[R:.*]] = graph.matmul %arg0, %arg1 : (tensor<4x32xf32>, tensor<32x2xbf16>) -> tensor<4x2xf32>
// CHECK-NEXT: return %[[R]]
func.func @cast(%x: tensor<4x32xf32>, %w: tensor<32x2xbf16> {graph.const_arg}) -> tensor<4x2xf32> {
  %0 = graph.type_cast %w : tensor<32x2xbf16> -> tensor<32x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<4x32xf32>, tensor<32x2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// What is no constant is converted by an op.
// CHECK-LABEL: func.func @computed
// CHECK: graph.dynamic_dequantize
// CHECK: graph.matmul {{.*}} : (tensor<16x32xf32>, tensor<32x2xf32>)
func.func @computed(%x: tensor<16x32xf32>, %w: tensor<32x2xui8>, %s: tensor<2xf32>) -> tensor<16x2xf32> {
  %0 = graph.dynamic_dequantize %w, %s {qtype = "per_channel", axis = 1 : i64} : (tensor<32x2xui8>, tensor<2xf32>) -> tensor<32x2xf32>
  %1 = graph.matmul %x, %0 : (tensor<16x32xf32>, tensor<32x2xf32>) -> tensor<16x2xf32>
  return %1 : tensor<16x2xf32>
}

// A factor of a type that the machine does not multiply is converted once.
// ANY-LABEL: func.func @half
// ANY: %[[X:.*]] = graph.type_cast %arg0 : tensor<16x32xf16> -> tensor<16x32xf32>
// ANY: %[[P:.*]] = graph.matmul %[[X]], %arg1 {{.*}}: (tensor<16x32xf32>, tensor<8x32xf16>) -> tensor<16x8xf32>
// ANY: graph.type_cast %[[P]] : tensor<16x8xf32> -> tensor<16x8xf16>
func.func @half(%x: tensor<16x32xf16>, %w: tensor<8x32xf16> {graph.const_arg}) -> tensor<16x8xf16> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<16x32xf16>, tensor<8x32xf16>) -> tensor<16x8xf16>
  return %0 : tensor<16x8xf16>
}

// AVX2-LABEL: func.func @brain
// AVX2: graph.matmul {{.*}} : (tensor<16x32xf32>, tensor<32x8xbf16>) -> tensor<16x8xf32>
// BF16-LABEL: func.func @brain
// BF16: graph.matmul {{.*}} : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
func.func @brain(%x: tensor<16x32xbf16>, %w: tensor<32x8xbf16> {graph.const_arg}) -> tensor<16x8xbf16> {
  %0 = graph.matmul %x, %w : (tensor<16x32xbf16>, tensor<32x8xbf16>) -> tensor<16x8xbf16>
  return %0 : tensor<16x8xbf16>
}

// Weights that are not constant are left to kernels.
// ANY-LABEL: func.func @both
// ANY: graph.matmul {{.*}} : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf16>
func.func @both(%x: tensor<16x32xf16>, %w: tensor<32x8xf16>) -> tensor<16x8xf16> {
  %0 = graph.matmul %x, %w : (tensor<16x32xf16>, tensor<32x8xf16>) -> tensor<16x8xf16>
  return %0 : tensor<16x8xf16>
}
