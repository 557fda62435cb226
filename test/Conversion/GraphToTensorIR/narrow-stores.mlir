// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of 8 bits are computed in four vectors as one where these fill a register,
// and a cast says whether its operand may be large.

// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=tensor" | FileCheck %s
// RUN: gc-opt %s --machine=zen3-2 --gc-cpu-pipeline="stop-after=tensor" | FileCheck %s --check-prefix=SHORT

// CHECK-LABEL: func.func @bounded
// CHECK: arith.trunci %{{.*}} {tir.bounded} : vector<64xi32> to vector<64xi8>
// CHECK: vector.store %{{.*}} : memref<4x128xi8>, vector<64xi8>
// SHORT-LABEL: func.func @bounded
// SHORT: arith.trunci %{{.*}} {tir.bounded} : vector<8xi32> to vector<8xi8>
func.func @bounded(%a: tensor<4x128xsi32>) -> tensor<4x128xui8> {
  %s = graph.constant dense<0.01> : tensor<f32>
  %0 = graph.type_cast %a : tensor<4x128xsi32> -> tensor<4x128xf32>
  %1 = graph.multiply %0, %s : (tensor<4x128xf32>, tensor<f32>) -> tensor<4x128xf32>
  %2 = graph.type_cast %1 : tensor<4x128xf32> -> tensor<4x128xui8>
  return %2 : tensor<4x128xui8>
}

// Rows shorter than that have vectors of a register.
// CHECK-LABEL: func.func @any
// CHECK-NOT: tir.bounded
// CHECK: arith.trunci %{{.*}} : vector<16xi32> to vector<16xi8>
// CHECK-NOT: tir.bounded
func.func @any(%a: tensor<8x3x32xf32>) -> tensor<3x8x32xsi8> {
  %0 = graph.type_cast %a : tensor<8x3x32xf32> -> tensor<8x3x32xsi8>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0, 2>} : (tensor<8x3x32xsi8>) -> tensor<3x8x32xsi8>
  return %1 : tensor<3x8x32xsi8>
}
