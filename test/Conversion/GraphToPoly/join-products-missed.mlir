// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-join-products --remarks-filter-missed=poly-join-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s

// CHECK: Join{{.*}}Reason="without reductions of rows between them each pipelines better on its own"
func.func @elementwise(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.relu %0 : (tensor<32x32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %1, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %2 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="what is between them is read elsewhere"
func.func @returned(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> (tensor<32x32xf16>, tensor<32x1xf16>) {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf16>) -> tensor<32x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<32x32xf16>, tensor<32x1xf16>) -> tensor<32x32xf16>
  %3 = graph.matmul %2, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %3, %1 : tensor<32x32xf16>, tensor<32x1xf16>
}

// -----

// CHECK: Join{{.*}}Reason="blocks of rows do not fit"
func.func @wide(%x: tensor<32x32xf16>, %w: tensor<32x8192xf16>, %v: tensor<8192x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x8192xf16>) -> tensor<32x8192xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x8192xf16>) -> tensor<32x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<32x8192xf16>, tensor<32x1xf16>) -> tensor<32x8192xf16>
  %3 = graph.matmul %2, %v : (tensor<32x8192xf16>, tensor<8192x32xf16>) -> tensor<32x32xf16>
  return %3 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="elements between them are computed in f32"
func.func @precise(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.type_cast %0 : tensor<32x32xf16> -> tensor<32x32xf32>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf32>) -> tensor<32x1xf32>
  %3 = graph.multiply %1, %2 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
  %4 = graph.type_cast %3 : tensor<32x32xf32> -> tensor<32x32xf16>
  %5 = graph.matmul %4, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %5 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="values of rows between them come from elsewhere"
func.func @rows(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>, %y: tensor<32x1xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf16>) -> tensor<32x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<32x32xf16>, tensor<32x1xf16>) -> tensor<32x32xf16>
  %3 = graph.multiply %2, %y : (tensor<32x32xf16>, tensor<32x1xf16>) -> tensor<32x32xf16>
  %4 = graph.matmul %3, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %4 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="factors or the first product are not f16"
func.func @wide_sums(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>, %v: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf32>
  %1 = graph.type_cast %0 : tensor<32x32xf32> -> tensor<32x32xf16>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf16>) -> tensor<32x1xf16>
  %3 = graph.subtract %1, %2 : (tensor<32x32xf16>, tensor<32x1xf16>) -> tensor<32x32xf16>
  %4 = graph.matmul %3, %v : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %4 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="elements between them are computed in f32"
func.func @rounded_later(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.type_cast %0 : tensor<32x32xf16> -> tensor<32x32xf32>
  %2 = graph.square %1 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %3 = graph.type_cast %2 : tensor<32x32xf32> -> tensor<32x32xf16>
  %4 = graph.reduce_max %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf16>) -> tensor<32x1xf16>
  %5 = graph.subtract %3, %4 : (tensor<32x32xf16>, tensor<32x1xf16>) -> tensor<32x32xf16>
  %6 = graph.matmul %5, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %6 : tensor<32x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="sizes are not known"
func.func @unknown(%x: tensor<?x32xf16>, %w: tensor<32x32xf16>) -> tensor<?x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<?x32xf16>, tensor<32x32xf16>) -> tensor<?x32xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<?x32xf16>) -> tensor<?x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<?x32xf16>, tensor<?x1xf16>) -> tensor<?x32xf16>
  %3 = graph.matmul %2, %w : (tensor<?x32xf16>, tensor<32x32xf16>) -> tensor<?x32xf16>
  return %3 : tensor<?x32xf16>
}

// -----

// CHECK: Join{{.*}}Reason="the second adds up other numbers of terms than multiples of 16"
func.func @odd(%x: tensor<32x32xf16>, %w: tensor<32x40xf16>, %v: tensor<40x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x40xf16>) -> tensor<32x40xf16>
  %c = graph.constant dense<2.0> : tensor<f16>
  %1 = graph.divide %0, %c : (tensor<32x40xf16>, tensor<f16>) -> tensor<32x40xf16>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x40xf16>) -> tensor<32x1xf16>
  %3 = graph.subtract %1, %2 : (tensor<32x40xf16>, tensor<32x1xf16>) -> tensor<32x40xf16>
  %4 = graph.matmul %3, %v : (tensor<32x40xf16>, tensor<40x32xf16>) -> tensor<32x32xf16>
  return %4 : tensor<32x32xf16>
}
