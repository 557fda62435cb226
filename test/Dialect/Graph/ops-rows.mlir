// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions, softmax, norms, selection and quantisation in every form they can
// be written in, through text, the generic form and bytecode.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

// CHECK-LABEL: func.func @reductions
func.func @reductions(%x: tensor<2x3x4xf32>, %h: tensor<2x?xbf16>, %s: tensor<f32>) {
  // CHECK: graph.reduce_max %{{.*}} {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  %0 = graph.reduce_max %x {axes = array<i64: -1>} : (tensor<2x3x4xf32>) -> tensor<2x3xf32>
  // CHECK: graph.reduce_min %{{.*}} {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  %1 = graph.reduce_min %x {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<2x3x4xf32>) -> tensor<1x3x1xf32>
  // CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 1>} : (tensor<2x?xbf16>) -> tensor<2xbf16>
  %2 = graph.reduce_sum %h {axes = array<i64: 1>} : (tensor<2x?xbf16>) -> tensor<2xbf16>
  // CHECK: graph.reduce_prod %{{.*}} {axes = array<i64: 2, 1, 0>} : (tensor<2x3x4xf32>) -> tensor<f32>
  %3 = graph.reduce_prod %x {axes = array<i64: 2, 1, 0>, keep_dims = false} : (tensor<2x3x4xf32>) -> tensor<f32>
  // CHECK: graph.reduce_mean %{{[^{]*}} : (tensor<f32>) -> tensor<f32>
  %4 = graph.reduce_mean %s : (tensor<f32>) -> tensor<f32>
  // CHECK: graph.reduce_l1
  %5 = graph.reduce_l1 %x {axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  // CHECK: graph.reduce_l2
  %6 = graph.reduce_l2 %x {axes = array<i64: 0>} : (tensor<2x3x4xf32>) -> tensor<3x4xf32>
  // CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 2, 1>, keep_dims = true, part_size = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x2x1xf32>
  %7 = graph.reduce_sum %x {axes = array<i64: 2, 1>, keep_dims = true, part_size = 2 : i64} : (tensor<2x3x4xf32>) -> tensor<2x2x1xf32>
  // CHECK: graph.reduce_max %{{.*}} {axes = array<i64: 1>, keep_dims = true, part_size = 5 : i64} : (tensor<2x?xbf16>) -> tensor<2x?xbf16>
  %8 = graph.reduce_max %h {axes = array<i64: 1>, keep_dims = true, part_size = 5 : i64} : (tensor<2x?xbf16>) -> tensor<2x?xbf16>
  return
}

// The element type of softmax may change; defaults are not printed.
// CHECK-LABEL: func.func @softmax
func.func @softmax(%x: tensor<2x3xf32>, %h: tensor<2x3xbf16>) {
  // CHECK: graph.softmax %{{[^{]*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %0 = graph.softmax %x {axis = 1, mode = "none"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.softmax %{{.*}} {axis = -2 : i64, mode = "inf_as_zero"} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  %1 = graph.softmax %x {axis = -2, mode = "inf_as_zero"} : (tensor<2x3xf32>) -> tensor<2x3xf16>
  // CHECK: graph.softmax %{{[^{]*}} : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  %2 = graph.softmax %h : (tensor<2x3xbf16>) -> tensor<2x3xf32>
  // Statistics of the rows, in f32 whatever the other types are.
  // CHECK: %{{.*}}, %{{.*}} = graph.softmax %{{[^{]*}} : (tensor<2x3xbf16>) -> (tensor<2x3xbf16>, tensor<2x1xf32>)
  %4, %5 = graph.softmax %h : (tensor<2x3xbf16>) -> (tensor<2x3xbf16>, tensor<2x1xf32>)
  // CHECK: %{{.*}}, %{{.*}} = graph.softmax %{{.*}} {axis = -2 : i64} : (tensor<2x3xf32>) -> (tensor<2x3xf16>, tensor<1x3xf32>)
  %6, %7 = graph.softmax %x {axis = -2} : (tensor<2x3xf32>) -> (tensor<2x3xf16>, tensor<1x3xf32>)
  // CHECK: graph.log_softmax %{{[^{]*}} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = graph.log_softmax %x {axis = -1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<2x3x4xf32>, %h: tensor<2x4x3xbf16>, %c: tensor<4xf32>, %hc: tensor<4xbf16>,
                 %g: tensor<3x4xf32>) {
  // CHECK: graph.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  %0:3 = graph.layer_norm %x, %c, %c : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: graph.layer_norm %{{.*}} {begin_norm_axis = 1 : i64, epsilon = 1.000000e-01 : f32, keep_stats = false, use_affine = false}
  %1 = graph.layer_norm %x {begin_norm_axis = 1, use_affine = false, keep_stats = false, epsilon = 0.1 : f32} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.rms_norm %{{.*}}, %{{.*}} {begin_norm_axis = -2 : i64}
  %2 = graph.rms_norm %x, %g {begin_norm_axis = -2} : (tensor<2x3x4xf32>, tensor<3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.rms_norm %{{[^{]*}} : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  %3 = graph.rms_norm %x : (tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  // CHECK: graph.group_norm %{{.*}}, %{{.*}}, %{{.*}} {groups = 2 : i64} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %4:3 = graph.group_norm %x, %c, %c {groups = 2} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  // CHECK: graph.group_norm %{{.*}} {data_format = "NCX", groups = 4 : i64, keep_stats = false, use_affine = false} : (tensor<2x4x3xbf16>) -> tensor<2x4x3xbf16>
  %5 = graph.group_norm %h {groups = 4, data_format = "NCX", use_affine = false, keep_stats = false} : (tensor<2x4x3xbf16>) -> tensor<2x4x3xbf16>
  // CHECK: graph.batch_norm_inference %{{.*}} {data_format = "NCX", epsilon = 1.000000e-03 : f32}
  %6 = graph.batch_norm_inference %h, %hc, %hc, %hc, %hc {epsilon = 1.0e-3 : f32, data_format = "NCX"} : (tensor<2x4x3xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<2x4x3xbf16>
  return
}

// CHECK-LABEL: func.func @selection
func.func @selection(%x: tensor<2x1x4xf32>, %m: tensor<3x1xi1>, %s: tensor<f32>, %b: tensor<i1>) {
  // CHECK: graph.select %{{.*}} : (tensor<3x1xi1>, tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  %0 = graph.select %m, %x, %s : (tensor<3x1xi1>, tensor<2x1x4xf32>, tensor<f32>) -> tensor<2x3x4xf32>
  // CHECK: graph.select %{{.*}} {auto_broadcast = "none"} : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.select %b, %s, %s {auto_broadcast = "none"} : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  // CHECK: graph.gen_index %{{.*}} {axis = -1 : i64} : (tensor<2x1x4xf32>) -> tensor<2x1x4xsi32>
  %2 = graph.gen_index %x {axis = -1} : (tensor<2x1x4xf32>) -> tensor<2x1x4xsi32>
  // CHECK: graph.greater_equal %{{.*}} : (tensor<2x1x4xsi32>, tensor<2x1x4xsi32>) -> tensor<2x1x4xi1>
  %3 = graph.greater_equal %2, %2 : (tensor<2x1x4xsi32>, tensor<2x1x4xsi32>) -> tensor<2x1x4xi1>
  return
}

// CHECK-LABEL: func.func @quantisation
func.func @quantisation(%x: tensor<4x6xf32>, %s: tensor<6xf32>, %z: tensor<6xsi32>, %q: tensor<4x6xui4>,
                        %t: tensor<2x6xbf16>) {
  // CHECK: graph.quantize %{{.*}} {scales = array<f32: 5.000000e-01>, zps = array<i64: 3>} : (tensor<4x6xf32>) -> tensor<4x6xui8>
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x6xf32>) -> tensor<4x6xui8>
  // CHECK: graph.dequantize %{{.*}} {axis = 0 : i64, qtype = "per_channel", scales = array<f32: 1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00>}
  %1 = graph.dequantize %0 {axis = 0, qtype = "per_channel", scales = array<f32: 1.0, 2.0, 3.0, 4.0>} : (tensor<4x6xui8>) -> tensor<4x6xf32>
  // CHECK: graph.dynamic_quantize %{{.*}}, %{{.*}}, %{{.*}} {qtype = "per_channel"} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xsi32>) -> tensor<4x6xsi8>
  %2 = graph.dynamic_quantize %x, %s, %z {qtype = "per_channel"} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xsi32>) -> tensor<4x6xsi8>
  // CHECK: graph.dynamic_dequantize %{{.*}} {group_shape = array<i64: 2, 1>, qtype = "per_group"} : (tensor<4x6xui4>, tensor<2x6xbf16>) -> tensor<4x6xbf16>
  %3 = graph.dynamic_dequantize %q, %t {group_shape = array<i64: 2, 1>, qtype = "per_group"} : (tensor<4x6xui4>, tensor<2x6xbf16>) -> tensor<4x6xbf16>
  // CHECK: graph.quantize %{{.*}} : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FN>
  %f8 = graph.quantize %x {scales = array<f32: 0.5>, zps = array<i64: 0>} : (tensor<4x6xf32>) -> tensor<4x6xf8E4M3FN>
  // CHECK: graph.type_cast %{{.*}} : tensor<4x6xf8E4M3FN> -> tensor<4x6xf8E5M2>
  %f8_other = graph.type_cast %f8 : tensor<4x6xf8E4M3FN> -> tensor<4x6xf8E5M2>
  // CHECK: graph.type_cast %{{.*}} : tensor<4x6xsi8> -> tensor<4x6xf32>
  %4 = graph.type_cast %2 : tensor<4x6xsi8> -> tensor<4x6xf32>
  return
}

// The largest element where NaN does not matter; casts between narrow types.
// CHECK-LABEL: func.func @forms
func.func @forms(%x: tensor<4x6xf16>, %s: tensor<f32>) {
  // CHECK: graph.reduce_max %{{.*}} {any_if_nan, axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf16>) -> tensor<4x1xf16>
  %0 = graph.reduce_max %x {any_if_nan, axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf16>) -> tensor<4x1xf16>
  // CHECK: graph.type_cast %{{.*}} : tensor<4x6xf16> -> tensor<4x6xsi8>
  %1 = graph.type_cast %x : tensor<4x6xf16> -> tensor<4x6xsi8>
  // CHECK: graph.type_cast %{{.*}} : tensor<4x6xsi8> -> tensor<4x6xsi32>
  %2 = graph.type_cast %1 : tensor<4x6xsi8> -> tensor<4x6xsi32>
  // CHECK: graph.type_cast %{{.*}} : tensor<4x6xsi32> -> tensor<4x6xbf16>
  %3 = graph.type_cast %2 : tensor<4x6xsi32> -> tensor<4x6xbf16>
  // CHECK: graph.divide %{{.*}} : (tensor<4x6xbf16>, tensor<f32>) -> tensor<4x6xbf16>
  %4 = graph.divide %3, %s : (tensor<4x6xbf16>, tensor<f32>) -> tensor<4x6xbf16>
  // CHECK: graph.divide %{{.*}} : (tensor<4x6xbf16>, tensor<f32>) -> tensor<4x6xf32>
  %5 = graph.divide %3, %s : (tensor<4x6xbf16>, tensor<f32>) -> tensor<4x6xf32>
  return
}

// Operands narrower than the result.
// CHECK-LABEL: func.func @matmul_types
func.func @matmul_types(%a: tensor<4x8xbf16>, %b: tensor<8x2xbf16>, %c: tensor<2xbf16>, %d: tensor<4x8xf16>, %e: tensor<8x2xf16>, %f: tensor<4x8xsi8>, %g: tensor<8x2xsi8>, %h: tensor<2xsi32>) {
  // CHECK: (tensor<4x8xbf16>, tensor<8x2xbf16>, tensor<2xbf16>) -> tensor<4x2xf32>
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xbf16>, tensor<8x2xbf16>, tensor<2xbf16>) -> tensor<4x2xf32>
  // CHECK: (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  %1 = graph.matmul %d, %e : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf16>
  // CHECK: (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf32>
  %2 = graph.matmul %d, %e : (tensor<4x8xf16>, tensor<8x2xf16>) -> tensor<4x2xf32>
  // CHECK: (tensor<4x8xsi8>, tensor<8x2xsi8>, tensor<2xsi32>) -> tensor<4x2xsi32>
  %3 = graph.matmul %f, %g, %h : (tensor<4x8xsi8>, tensor<8x2xsi8>, tensor<2xsi32>) -> tensor<4x2xsi32>
  return
}
