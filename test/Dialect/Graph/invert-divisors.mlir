// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Divisors that many elements share are inverted once.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-invert-divisors))" --remarks-filter-missed=graph-invert-divisors --remark-format=emitRemark 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// CHECK-LABEL: func.func @constants
// CHECK: %[[I:.*]] = graph.constant dense<2.000000e-01> : tensor<f32>
// CHECK: graph.multiply %arg0, %[[I]] : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
// CHECK: %[[V:.*]] = graph.constant dense<[5.000000e-01, -2.500000e-01]> : tensor<2xf32>
// CHECK: graph.multiply %arg1, %[[V]] : (tensor<64x2xf32>, tensor<2xf32>) -> tensor<64x2xf32>
// CHECK-NOT: graph.divide
func.func @constants(%x: tensor<64x32xf32>, %y: tensor<64x2xf32>) -> (tensor<64x32xf32>, tensor<64x2xf32>) {
  %c = graph.constant dense<5.0> : tensor<f32>
  %0 = graph.divide %x, %c : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %d = graph.constant dense<[2.0, -4.0]> : tensor<2xf32>
  %1 = graph.divide %y, %d : (tensor<64x2xf32>, tensor<2xf32>) -> tensor<64x2xf32>
  return %0, %1 : tensor<64x32xf32>, tensor<64x2xf32>
}

// The inverse of 3 is not a number of bf16. Products of bf16 and f32 need no
// casts.
// CHECK-LABEL: func.func @narrow
// CHECK: %[[I:.*]] = graph.constant dense<0.333333343> : tensor<f32>
// CHECK: graph.multiply %arg0, %[[I]] : (tensor<64x32xbf16>, tensor<f32>) -> tensor<64x32xbf16>
// CHECK-NOT: graph.type_cast
func.func @narrow(%x: tensor<64x32xbf16>) -> tensor<64x32xbf16> {
  %c = graph.constant dense<3.0> : tensor<bf16>
  %0 = graph.divide %x, %c : (tensor<64x32xbf16>, tensor<bf16>) -> tensor<64x32xbf16>
  return %0 : tensor<64x32xbf16>
}

// f16 is rounded after every op, and would overflow.
// CHECK-LABEL: func.func @half
// CHECK: %[[X:.*]] = graph.type_cast %arg0 : tensor<64x32xf16> -> tensor<64x32xf32>
// CHECK: %[[P:.*]] = graph.multiply %[[X]], %{{.*}} : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
// CHECK: graph.type_cast %[[P]] : tensor<64x32xf32> -> tensor<64x32xf16>
func.func @half(%x: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %c = graph.constant dense<3.0> : tensor<f16>
  %0 = graph.divide %x, %c : (tensor<64x32xf16>, tensor<f16>) -> tensor<64x32xf16>
  return %0 : tensor<64x32xf16>
}

// The sum of softmax is at least 1.
// CHECK-LABEL: func.func @softmax
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[S:.*]] = graph.reduce_sum %[[E]]
// CHECK: %[[I:.*]] = graph.reciprocal %[[S]] : (tensor<4x1xf32>) -> tensor<4x1xf32>
// CHECK: graph.multiply %[[E]], %[[I]]
func.func @softmax(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x32xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x32xf32>, tensor<4x1xf32>) -> tensor<4x32xf32>
  %e = graph.exp %d : (tensor<4x32xf32>) -> tensor<4x32xf32>
  %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x32xf32>) -> tensor<4x1xf32>
  %0 = graph.divide %e, %s : (tensor<4x32xf32>, tensor<4x1xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}

// A scalar may be so small that its inverse is infinity, or so large that it is not
// a normal number.
// CHECK-LABEL: func.func @scalar
// CHECK: %[[A:.*]] = graph.abs %arg1
// CHECK: %[[HIGH:.*]] = graph.constant dense<1.84467441E+19> : tensor<f32>
// CHECK: %[[H:.*]] = graph.greater_equal %[[A]], %[[HIGH]]
// CHECK: %[[UP:.*]] = graph.select %[[H]],
// CHECK: %[[LOW:.*]] = graph.constant dense<5.42101086E-20> : tensor<f32>
// CHECK: %[[L:.*]] = graph.greater_equal %[[A]], %[[LOW]]
// CHECK: %[[S:.*]] = graph.select %[[L]], %[[UP]],
// CHECK: %[[D:.*]] = graph.multiply %arg1, %[[S]]
// CHECK: %[[I:.*]] = graph.reciprocal %[[D]]
// CHECK: %[[X:.*]] = graph.multiply %arg0, %[[S]]
// CHECK: graph.multiply %[[X]], %[[I]]
func.func @scalar(%x: tensor<64x64xf32>, %c: tensor<1xf32>) -> tensor<64x64xf32> {
  %0 = graph.divide %x, %c : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One divisor per row.
// CHECK-LABEL: func.func @rows
// CHECK: graph.reciprocal {{.*}} : (tensor<64x1xf32>) -> tensor<64x1xf32>
// CHECK-COUNT-2: graph.multiply {{.*}} : (tensor<64x32xf32>, tensor<64x1xf32>)
func.func @rows(%x: tensor<64x32xf32>, %s: tensor<64x1xf32>) -> tensor<64x32xf32> {
  %0 = graph.divide %x, %s : (tensor<64x32xf32>, tensor<64x1xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}

// Constant factors join the inverse: of the scale of integers, and of what softmax
// is quantized by.
// CHECK-LABEL: func.func @factors
// CHECK: %[[I:.*]] = graph.reciprocal {{.*}} : (tensor<1xf32>) -> tensor<1xf32>
// CHECK: %[[F:.*]] = graph.multiply %[[I]], {{.*}} : (tensor<1xf32>, tensor<f32>) -> tensor<1xf32>
// CHECK: %[[X:.*]] = graph.type_cast %arg0
// CHECK: %[[Y:.*]] = graph.multiply %[[X]], {{.*}} : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
// CHECK: graph.multiply %[[Y]], %[[F]]
// CHECK: %[[E:.*]] = graph.exp
// CHECK: %[[R:.*]] = graph.reciprocal {{.*}} : (tensor<64x1xf32>) -> tensor<64x1xf32>
// CHECK: %[[Q:.*]] = graph.multiply %[[R]], {{.*}} : (tensor<64x1xf32>, tensor<f32>) -> tensor<64x1xf32>
// CHECK: %[[P:.*]] = graph.multiply %[[E]], %[[Q]]
// CHECK: graph.type_cast %[[P]] : tensor<64x64xf32> -> tensor<64x64xui8>
func.func @factors(%x: tensor<64x64xsi32>, %d: tensor<1xf32>) -> tensor<64x64xui8> {
  %c = graph.constant dense<0.01> : tensor<f32>
  %q = graph.constant dense<0.00390625> : tensor<f32>
  %f = graph.type_cast %x : tensor<64x64xsi32> -> tensor<64x64xf32>
  %0 = graph.multiply %f, %c : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = graph.divide %0, %d : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  %m = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %s = graph.subtract %1, %m : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %e = graph.exp %s : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %p = graph.divide %e, %t : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %3 = graph.divide %p, %q : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %4 = graph.type_cast %3 : tensor<64x64xf32> -> tensor<64x64xui8>
  return %4 : tensor<64x64xui8>
}

// Not those of other numbers, which might overflow, very large ones, and what is
// used elsewhere.
// CHECK-LABEL: func.func @apart
// CHECK: graph.multiply %arg0, %{{.*}} : (tensor<64x64xf32>, tensor<f32>)
// CHECK: graph.multiply %{{.*}}, %{{.*}} : (tensor<64x64xf32>, tensor<f32>)
// CHECK: graph.multiply %{{.*}}, %{{.*}} : (tensor<64x64xf32>, tensor<f32>)
// CHECK: return
func.func @apart(%x: tensor<64x64xf32>, %y: tensor<64x64xsi32>, %d: tensor<1xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>) {
  %c = graph.constant dense<0.01> : tensor<f32>
  %large = graph.constant dense<1.0e20> : tensor<f32>
  %0 = graph.multiply %x, %c : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %1 = graph.divide %0, %d : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  %f = graph.type_cast %y : tensor<64x64xsi32> -> tensor<64x64xf32>
  %2 = graph.multiply %f, %large : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %3 = graph.divide %2, %d : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  %4 = graph.multiply %f, %c : (tensor<64x64xf32>, tensor<f32>) -> tensor<64x64xf32>
  %5 = graph.divide %4, %d : (tensor<64x64xf32>, tensor<1xf32>) -> tensor<64x64xf32>
  return %1, %3, %4, %5 : tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>, tensor<64x64xf32>
}

// A cast to integers rounds what was computed.
// CHECK-LABEL: func.func @quantized
// CHECK-NOT: graph.divide
func.func @quantized(%x: tensor<64x32xf32>) -> tensor<64x32xui8> {
  %c = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.divide %x, %c : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %1 = graph.type_cast %0 : tensor<64x32xf32> -> tensor<64x32xui8>
  return %1 : tensor<64x32xui8>
}

// A comparison of what was cast to another type depends on the last bit.
// CHECK-LABEL: func.func @compared
// CHECK: graph.divide
// REMARK: Function=compared{{.*}}a comparison or rounding depends on the last bit
func.func @compared(%x: tensor<64x32xf32>, %y: tensor<64x32xbf16>) -> tensor<64x32xi1> {
  %c = graph.constant dense<3.0> : tensor<f32>
  %0 = graph.divide %x, %c : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %1 = graph.type_cast %0 : tensor<64x32xf32> -> tensor<64x32xbf16>
  %2 = graph.greater_equal %1, %y : (tensor<64x32xbf16>, tensor<64x32xbf16>) -> tensor<64x32xi1>
  return %2 : tensor<64x32xi1>
}

// What stays: quotients that are compared, constants without an inverse, divisors of
// few elements, small tensors, divisors per column. Values without operands are
// not looked into.
// CHECK-LABEL: func.func @divided
// CHECK-COUNT-6: graph.divide
// REMARK: NotInverted{{.*}}Reason="a comparison or rounding depends on the last bit", Remark="'graph.divide' does not become a multiplication"
// REMARK: Reason="the inverse of a divisor is not a normal number"
// REMARK: Reason="there are too few elements for a scalar to be computed before"
// REMARK: Reason="the elements of a row have different divisors"
// REMARK-NOT: NotInverted
func.func @divided(%x: tensor<64x32xf32>, %y: tensor<64x4xf32>, %s: tensor<64x1xf32>, %c: tensor<1xf32>) -> (tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x4xf32>, tensor<64x32xf32>) {
  %d = graph.constant dense<41.0> : tensor<f32>
  %0 = graph.divide %x, %d : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %one = graph.constant dense<1.0> : tensor<f32>
  %1 = graph.greater_equal %0, %one : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xi1>
  %zero = graph.constant dense<0.0> : tensor<f32>
  %2 = graph.divide %x, %zero : (tensor<64x32xf32>, tensor<f32>) -> tensor<64x32xf32>
  %w = graph.wildcard : () -> tensor<1xf32>
  %3 = graph.divide %x, %w : (tensor<64x32xf32>, tensor<1xf32>) -> tensor<64x32xf32>
  %v = graph.constant dense<[1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0]> : tensor<32xf32>
  %r = graph.exp %v : (tensor<32xf32>) -> tensor<32xf32>
  %4 = graph.divide %x, %r : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %5 = graph.divide %y, %s : (tensor<64x4xf32>, tensor<64x1xf32>) -> tensor<64x4xf32>
  %6 = graph.divide %x, %x : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1, %2, %3, %4, %5, %6 : tensor<64x32xi1>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>, tensor<64x4xf32>, tensor<64x32xf32>
}
