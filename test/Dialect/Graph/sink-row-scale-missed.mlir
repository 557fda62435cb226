// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Scales that stay before the matmul, and the remarks that say why.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-sink-row-scale))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-sink-row-scale))" --remarks-filter-missed=graph-sink-row-scale --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// exp(x) alone may be as large as its type.
// REMARK: [[#@LINE+6]]:8: remark: [Missed] NotSunk | Category:graph-sink-row-scale | Remark="'graph.divide' of rows stays before 'graph.matmul': nothing bounds the rows before they are scaled, so the product might overflow"
// CHECK-LABEL: func.func @unbounded
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
func.func @unbounded(%x: tensor<4x8xf32>, %t: tensor<4x1xf32>, %v: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %e = graph.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// The maximum is taken over columns, or of something else.
// REMARK-COUNT-2: nothing bounds the rows
// CHECK-LABEL: func.func @other_maximum
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
func.func @other_maximum(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %t: tensor<4x1xf32>, %v: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>) {
  %m = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<1x8xf32>
  %d = graph.subtract %x, %m : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  %e = graph.exp %d : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %m1 = graph.reduce_max %y {axes = array<i64: 1>, keep_dims = true} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  %d1 = graph.subtract %x, %m1 : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %e1 = graph.exp %d1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p1 = graph.divide %e1, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %1 = graph.matmul %p1, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0, %1 : tensor<4x2xf32>, tensor<4x2xf32>
}

// -----

// The product is larger than what was scaled.
// REMARK: the product's rows are longer
// CHECK-LABEL: func.func @wide
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
func.func @wide(%x: tensor<4x8xf32>, %t: tensor<4x1xf32>, %v: tensor<8x9xf32>) -> tensor<4x9xf32> {
  %e = graph.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x9xf32>) -> tensor<4x9xf32>
  return %0 : tensor<4x9xf32>
}

// -----

// The attention weights are a result as well.
// REMARK: the scaled rows have other uses
// CHECK-LABEL: func.func @shared
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
func.func @shared(%x: tensor<4x8xf32>, %t: tensor<4x1xf32>, %v: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x8xf32>) {
  %e = graph.sigmoid %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %p = graph.divide %e, %t : (tensor<4x8xf32>, tensor<4x1xf32>) -> tensor<4x8xf32>
  %0 = graph.matmul %p, %v : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return %0, %p : tensor<4x2xf32>, tensor<4x8xf32>
}

// -----

// REMARK: the rows are columns of the product
// REMARK: the product has different rows
// CHECK-LABEL: func.func @other_rows
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
// CHECK: graph.divide
// CHECK-NEXT: graph.matmul
func.func @other_rows(%x: tensor<8x8xf32>, %t: tensor<8x1xf32>, %v: tensor<3x8x2xf32>, %w: tensor<8x2xf32>) -> (tensor<8x2xf32>, tensor<3x8x2xf32>) {
  %e = graph.sigmoid %x : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %p = graph.divide %e, %t : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %0 = graph.matmul %p, %w {transpose_a = true} : (tensor<8x8xf32>, tensor<8x2xf32>) -> tensor<8x2xf32>
  %q = graph.divide %e, %t : (tensor<8x8xf32>, tensor<8x1xf32>) -> tensor<8x8xf32>
  %1 = graph.matmul %q, %v : (tensor<8x8xf32>, tensor<3x8x2xf32>) -> tensor<3x8x2xf32>
  return %0, %1 : tensor<8x2xf32>, tensor<3x8x2xf32>
}

// -----

// The product is wider than what is scaled.
// REMARK: the product has another element type
// CHECK-LABEL: func.func @wider_product
// CHECK: graph.multiply
// CHECK-NEXT: graph.matmul
func.func @wider_product(%x: tensor<4x8xbf16>, %t: tensor<4x1xbf16>, %v: tensor<8x2xbf16>) -> tensor<4x2xf32> {
  %e = graph.sigmoid %x : (tensor<4x8xbf16>) -> tensor<4x8xbf16>
  %p = graph.multiply %e, %t : (tensor<4x8xbf16>, tensor<4x1xbf16>) -> tensor<4x8xbf16>
  %0 = graph.matmul %p, %v : (tensor<4x8xbf16>, tensor<8x2xbf16>) -> tensor<4x2xf32>
  return %0 : tensor<4x2xf32>
}

// -----

// The sum of 4096 elements near 1, times elements near 16, is not an f16.
// REMARK: products of rows that are not scaled might leave the range of the element type
// CHECK-LABEL: func.func @small_range
// CHECK: graph.multiply
// CHECK-NEXT: graph.matmul
func.func @small_range(%x: tensor<4x4096xf16>, %t: tensor<4x1xf16>, %v: tensor<4096x2xf16>) -> tensor<4x2xf16> {
  %e = graph.sigmoid %x : (tensor<4x4096xf16>) -> tensor<4x4096xf16>
  %p = graph.multiply %e, %t : (tensor<4x4096xf16>, tensor<4x1xf16>) -> tensor<4x4096xf16>
  %0 = graph.matmul %p, %v : (tensor<4x4096xf16>, tensor<4096x2xf16>) -> tensor<4x2xf16>
  return %0 : tensor<4x2xf16>
}
