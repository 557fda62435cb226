// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every complex op, against its definition in the operation's description.

// RUN: gc-opt %s --graph-decompose | FileCheck %s
// The result is no longer complex.
// RUN: gc-opt %s --graph-decompose --graph-decompose | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[A:.*]]: tensor<4x8xf32>, %[[B:.*]]: tensor<8x2xf32>, %[[BIAS:.*]]: tensor<2xf32>)
func.func @example(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %bias: tensor<2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[A]], %[[B]] : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: %[[S:.*]] = graph.add %[[M]], %[[BIAS]] : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: return %[[S]]
  %0 = graph.matmul %a, %b, %bias : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// A bias in f32 is added in f32 before the result is rounded.
// CHECK-LABEL: func.func @matmul_bf16
func.func @matmul_bf16(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>, %bias: tensor<2xf32>) -> tensor<4x2xbf16> {
  // CHECK-NEXT: %[[M:.*]] = graph.matmul {{.*}} -> tensor<4x2xbf16>
  // CHECK-NEXT: %[[S:.*]] = graph.add %[[M]], %{{.*}} : (tensor<4x2xbf16>, tensor<2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: graph.type_cast %[[S]] : tensor<4x2xf32> -> tensor<4x2xbf16>
  %0 = graph.matmul %a, %b, %bias : (tensor<4x8xbf16>, tensor<8x2xbf16>, tensor<2xf32>) -> tensor<4x2xbf16>
  return %0 : tensor<4x2xbf16>
}

// Rows and columns become matrices; transposing a vector has no effect.
// CHECK-LABEL: func.func @matmul_vectors
// CHECK-SAME: (%[[ROW:[^:]*]]: tensor<8xf32>, %[[B:[^:]*]]: tensor<5x8x2xf32>, %[[A:[^:]*]]: tensor<3x4x8xf32>, %[[BIAS:[^:]*]]: tensor<f32>)
func.func @matmul_vectors(%row: tensor<8xf32>, %b: tensor<5x8x2xf32>, %a: tensor<3x4x8xf32>, %bias: tensor<f32>)
    -> (tensor<5x2xf32>, tensor<3x4xf32>, tensor<f32>) {
  // CHECK: %[[R:.*]] = graph.static_reshape %[[ROW]] {shape = array<i64: 1, 8>} : (tensor<8xf32>) -> tensor<1x8xf32>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[R]], %[[B]] : (tensor<1x8xf32>, tensor<5x8x2xf32>) -> tensor<5x1x2xf32>
  // CHECK-NEXT: %[[R0:.*]] = graph.static_reshape %[[M]] {shape = array<i64: 5, 2>}
  %0 = graph.matmul %row, %b {transpose_a = true} : (tensor<8xf32>, tensor<5x8x2xf32>) -> tensor<5x2xf32>
  // CHECK: %[[C:.*]] = graph.static_reshape %[[ROW]] {shape = array<i64: 8, 1>} : (tensor<8xf32>) -> tensor<8x1xf32>
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[A]], %[[C]] : (tensor<3x4x8xf32>, tensor<8x1xf32>) -> tensor<3x4x1xf32>
  // CHECK-NEXT: %[[R1:.*]] = graph.static_reshape %[[M]] {shape = array<i64: 3, 4>}
  %1 = graph.matmul %a, %row {transpose_b = true} : (tensor<3x4x8xf32>, tensor<8xf32>) -> tensor<3x4xf32>
  // The bias broadcasts to the result, not to the matrix.
  // CHECK: graph.matmul {{.*}} -> tensor<1x1xf32>
  // CHECK-NEXT: %[[R:.*]] = graph.static_reshape %{{.*}} {shape = array<i64>} : (tensor<1x1xf32>) -> tensor<f32>
  // CHECK-NEXT: %[[R2:.*]] = graph.add %[[R]], %[[BIAS]]
  %2 = graph.matmul %row, %row, %bias : (tensor<8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<f32>
  // CHECK-NEXT: return %[[R0]], %[[R1]], %[[R2]]
  return %0, %1, %2 : tensor<5x2xf32>, tensor<3x4xf32>, tensor<f32>
}

// A matmul without bias on matrices is not complex, and keeps its template.
// CHECK-LABEL: func.func @matmul_basic
func.func @matmul_basic(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>, %bias: tensor<2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK-NEXT: graph.matmul %{{.*}}, %{{.*}} {transpose_a = true} :
  %0 = graph.matmul %a, %b {transpose_a = true} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  // CHECK-NEXT: graph.matmul %{{.*}}, %{{.*}} {template_params = #graph.matmul_template<MPN = 1,{{.*}}>, transpose_a = true} :
  // CHECK-NEXT: graph.add
  %1 = graph.matmul %a, %b, %bias {transpose_a = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<8x4xf32>, tensor<8x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// Channels last: numpy broadcasting does it. Channels second: the bias gets
// dimensions of size 1 behind.
// CHECK-LABEL: func.func @bias_add
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x3x4x4xf32>, %[[L:[^:]*]]: tensor<4xf32>, %[[S:[^:]*]]: tensor<3xf32>, %[[Y:[^:]*]]: tensor<2x3xf32>)
func.func @bias_add(%x: tensor<2x3x4x4xf32>, %last: tensor<4xf32>, %second: tensor<3xf32>, %y: tensor<2x3xf32>)
    -> (tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: graph.add %[[X]], %[[L]] : (tensor<2x3x4x4xf32>, tensor<4xf32>)
  %0 = graph.bias_add %x, %last : (tensor<2x3x4x4xf32>, tensor<4xf32>) -> tensor<2x3x4x4xf32>
  // CHECK-NEXT: %[[R:.*]] = graph.static_reshape %[[S]] {shape = array<i64: 3, 1, 1>}
  // CHECK-NEXT: graph.add %[[X]], %[[R]] : (tensor<2x3x4x4xf32>, tensor<3x1x1xf32>)
  %1 = graph.bias_add %x, %second {data_format = "NCX"} : (tensor<2x3x4x4xf32>, tensor<3xf32>) -> tensor<2x3x4x4xf32>
  // Without spatial dimensions the second is the last.
  // CHECK-NEXT: graph.add %[[Y]], %[[S]] : (tensor<2x3xf32>, tensor<3xf32>)
  %2 = graph.bias_add %y, %second {data_format = "NCX"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1, %2 : tensor<2x3x4x4xf32>, tensor<2x3x4x4xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @squares
// CHECK-SAME: (%[[X:[^:]*]]: tensor<2x3xf32>, %[[Y:[^:]*]]: tensor<3xf32>)
func.func @squares(%x: tensor<2x3xf32>, %y: tensor<3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK-NEXT: graph.multiply %[[X]], %[[X]]
  %0 = graph.square %x : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NEXT: %[[D:.*]] = graph.subtract %[[X]], %[[Y]]
  // CHECK-NEXT: graph.multiply %[[D]], %[[D]]
  %1 = graph.squared_difference %x, %y : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return %0, %1 : tensor<2x3xf32>, tensor<2x3xf32>
}

// 0.5 x (1 + erf(x / sqrt(2))), with 1 / sqrt(2) = 0.70710678.
// CHECK-LABEL: func.func @gelu_erf
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
func.func @gelu_erf(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-DAG: %[[ROOT:.*]] = graph.constant dense<0.707106769> : tensor<f32>
  // CHECK-DAG: %[[SCALED:.*]] = graph.multiply %[[X]], %[[ROOT]]
  // CHECK-DAG: %[[ERF:.*]] = graph.erf %[[SCALED]]
  // CHECK-DAG: %[[ONE:.*]] = graph.constant dense<1.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[GATE:.*]] = graph.add %[[ERF]], %[[ONE]]
  // CHECK-DAG: %[[HALF:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
  // CHECK-DAG: %[[HALVED:.*]] = graph.multiply %[[X]], %[[HALF]]
  // CHECK: %[[Y:.*]] = graph.multiply %[[HALVED]], %[[GATE]]
  // CHECK-NEXT: return %[[Y]]
  %0 = graph.gelu %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), sqrt(2 / pi) = 0.79788456.
// CHECK-LABEL: func.func @gelu_tanh
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
func.func @gelu_tanh(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-DAG: %[[SQUARE:.*]] = graph.multiply %[[X]], %[[X]]
  // CHECK-DAG: %[[CUBE:.*]] = graph.multiply %[[SQUARE]], %[[X]]
  // CHECK-DAG: %[[C:.*]] = graph.constant dense<4.471500e-02> : tensor<f32>
  // CHECK-DAG: %[[TERM:.*]] = graph.multiply %[[CUBE]], %[[C]]
  // CHECK-DAG: %[[SUM:.*]] = graph.add %[[X]], %[[TERM]]
  // CHECK-DAG: %[[ROOT:.*]] = graph.constant dense<0.797884583> : tensor<f32>
  // CHECK-DAG: %[[ARG:.*]] = graph.multiply %[[SUM]], %[[ROOT]]
  // CHECK: graph.tanh %[[ARG]]
  %0 = graph.gelu %x {mode = "gelu_tanh"} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// CHECK-LABEL: func.func @hard
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
func.func @hard(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  // CHECK-DAG: %[[ALPHA:.*]] = graph.constant dense<1.250000e-01> : tensor<f32>
  // CHECK-DAG: %[[PRODUCT:.*]] = graph.multiply %[[X]], %[[ALPHA]]
  // CHECK-DAG: %[[BETA:.*]] = graph.constant dense<5.000000e-01> : tensor<f32>
  // CHECK-DAG: %[[LINE:.*]] = graph.add %[[PRODUCT]], %[[BETA]]
  // CHECK: graph.clamp %[[LINE]] {max = 1.000000e+00 : f32, min = 0.000000e+00 : f32}
  %0 = graph.hard_sigmoid %x {alpha = 0.125 : f32, beta = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  // CHECK-DAG: %[[THREE:.*]] = graph.constant dense<3.000000e+00> : tensor<f32>
  // CHECK-DAG: %[[SUM:.*]] = graph.add %[[X]], %[[THREE]]
  // CHECK-DAG: %[[GATE:.*]] = graph.clamp %[[SUM]] {max = 6.000000e+00 : f32, min = 0.000000e+00 : f32}
  // CHECK-DAG: %[[SIXTH:.*]] = graph.constant dense<0.166666672> : tensor<f32>
  // CHECK-DAG: %[[SHARE:.*]] = graph.multiply %[[GATE]], %[[SIXTH]]
  // CHECK: graph.multiply %[[X]], %[[SHARE]]
  %1 = graph.hard_swish %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

// CHECK-LABEL: func.func @mish
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
func.func @mish(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK: %[[M:.*]] = graph.minimum %[[X]], %{{.*}}
  // CHECK-NEXT: %[[E:.*]] = graph.exp %[[M]]
  // CHECK: %[[S:.*]] = graph.add %[[E]], %{{.*}}
  // CHECK-NEXT: %[[B:.*]] = graph.multiply %[[E]], %[[S]]
  // CHECK: %[[A:.*]] = graph.add %[[B]], %{{.*}}
  // CHECK-NEXT: %[[Q:.*]] = graph.divide %[[B]], %[[A]]
  // CHECK-NEXT: graph.multiply %[[X]], %[[Q]]
  %0 = graph.mish %x : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// Scalars have the type of what they meet; what the program said about the
// result, a layout or a size, stays.
// CHECK-LABEL: func.func @types
func.func @types(%b: tensor<3xbf16>, %x: tensor<2x3xf32>)
    -> (tensor<3xbf16>, tensor<2x3xf32, #graph.layout<strided, [1, 2]>>) {
  // CHECK: graph.constant dense<3.000000e+00> : tensor<bf16>
  // CHECK-NOT: f32
  // CHECK: -> tensor<3xbf16>
  %0 = graph.hard_swish %b : (tensor<3xbf16>) -> tensor<3xbf16>
  // CHECK: graph.multiply {{.*}} -> tensor<2x3xf32, #graph.layout<strided, [1, 2]>>
  %1 = graph.square %x : (tensor<2x3xf32>) -> tensor<2x3xf32, #graph.layout<strided, [1, 2]>>
  return %0, %1 : tensor<3xbf16>, tensor<2x3xf32, #graph.layout<strided, [1, 2]>>
}

// Basic ops stay as they are.
// CHECK-LABEL: func.func @basic
func.func @basic(%x: tensor<3xf32>) -> tensor<3xf32> {
  // CHECK-NEXT: graph.soft_plus
  // CHECK-NEXT: graph.elu
  // CHECK-NEXT: graph.pow
  // CHECK-NEXT: return
  %0 = graph.soft_plus %x : (tensor<3xf32>) -> tensor<3xf32>
  %1 = graph.elu %0 {alpha = 0.5 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  %2 = graph.pow %1 {beta = 2.0 : f32} : (tensor<3xf32>) -> tensor<3xf32>
  return %2 : tensor<3xf32>
}

// Groups get dimensions of their own; what all of a dimension shares is broadcast.
// CHECK-LABEL: func.func @groups
// CHECK: %[[F:.*]] = graph.type_cast %arg0
// CHECK: %[[G:.*]] = graph.static_reshape %[[F]] {{.*}} -> tensor<1x4x2x3xf32>
// CHECK: %[[S:.*]] = graph.static_reshape %arg1 {{.*}} -> tensor<1x1x2x1xf32>
// CHECK: %[[P:.*]] = graph.multiply %[[G]], %[[S]]
// CHECK: graph.static_reshape %[[P]] {{.*}} -> tensor<4x6xf32>
// CHECK: %[[T:.*]] = graph.type_cast %arg0
// CHECK-NEXT: graph.multiply %[[T]], %arg2 : (tensor<4x6xf32>, tensor<4x1xf32>)
// CHECK: graph.dynamic_dequantize
func.func @groups(%x: tensor<4x6xsi8>, %s: tensor<1x2xf32>, %t: tensor<4x1xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>) {
  %0 = graph.dynamic_dequantize %x, %s {qtype = "per_group", group_shape = array<i64: 4, 3>} : (tensor<4x6xsi8>, tensor<1x2xf32>) -> tensor<4x6xf32>
  %1 = graph.dynamic_dequantize %x, %t {qtype = "per_group", group_shape = array<i64: 1, 6>} : (tensor<4x6xsi8>, tensor<4x1xf32>) -> tensor<4x6xf32>
  // Where it is read it is computed as it is.
  %2 = graph.dynamic_dequantize %x, %s {qtype = "per_group", group_shape = array<i64: 4, 3>, graph.where_read} : (tensor<4x6xsi8>, tensor<1x2xf32>) -> tensor<4x6xf32>
  return %0, %1, %2 : tensor<4x6xf32>, tensor<4x6xf32>, tensor<4x6xf32>
}
