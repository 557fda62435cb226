// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-join-products | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-join-products --poly-cut-kernels | FileCheck %s --check-prefix=CUT
// RUN: gc-opt %s --split-input-file --poly-join-products --remarks-filter-passed=poly-join-products --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: are one kernel; what is between them is computed in f16 instead of f32
// REMARK: are one kernel{{"?}}{{$}}

// The division by sums of rows comes after the second product, and what is
// between the products is computed in f16.

// CHECK-LABEL: func.func @softmax
// CHECK: %[[S:.*]] = graph.matmul %{{.*}}, %{{.*}} {poly.joined = 0 : i64, transpose_b = true}
// CHECK: %[[M:.*]] = graph.reduce_max %[[S]] {{.*}} -> tensor<32x1xf16>
// CHECK: %[[D:.*]] = graph.subtract %[[S]], %[[M]] {{.*}} -> tensor<32x48xf16>
// CHECK: %[[E:.*]] = graph.exp %[[D]] {{.*}} -> tensor<32x48xf16>
// CHECK: %[[W:.*]] = graph.type_cast %[[E]] {{.*}} -> tensor<32x48xf32>
// CHECK: %[[R:.*]] = graph.reduce_sum %[[W]] {{.*}} -> tensor<32x1xf32>
// CHECK: %[[P:.*]] = graph.matmul %[[E]], %{{.*}} -> tensor<32x64xf32>
// CHECK: %[[Q:.*]] = graph.divide %[[P]], %[[R]] {{.*}} -> tensor<32x64xf32>
// CHECK: graph.type_cast %[[Q]] {poly.joined = 0 : i64} : tensor<32x64xf32> -> tensor<32x64xf16>
// CUT-LABEL: func.func @softmax
// CUT-NOT: poly.joined
// CUT-NOT: call
// CUT: return
func.func @softmax(%q: tensor<32x64xf16>, %k: tensor<48x64xf16>, %v: tensor<48x64xf16>) -> tensor<32x64xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<32x64xf16>, tensor<48x64xf16>) -> tensor<32x48xf16>
  %1 = graph.type_cast %0 : tensor<32x48xf16> -> tensor<32x48xf32>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %3 = graph.subtract %1, %2 : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %4 = graph.exp %3 {at_most_one = true} : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %5 = graph.reduce_sum %4 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %6 = graph.divide %4, %5 : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %7 = graph.type_cast %6 : tensor<32x48xf32> -> tensor<32x48xf16>
  %8 = graph.matmul %7, %v : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
  return %8 : tensor<32x64xf16>
}

// -----

// Without a division nothing is rewritten; what comes after the second product
// is another kernel.

// CHECK-LABEL: func.func @largest
// CHECK: graph.matmul {{.*}} {poly.joined = 0 : i64}
// CHECK: graph.reduce_max {{.*}} {axes = array<i64: 1>, keep_dims = true, poly.joined = 0 : i64}
// CHECK: graph.subtract {{.*}} {poly.joined = 0 : i64}
// CHECK: graph.matmul {{.*}} {poly.joined = 0 : i64} {{.*}} -> tensor<32x16xf16>
// CHECK: graph.relu %{{[0-9]+}} :
// CUT-LABEL: func.func @largest_0
// CUT: graph.matmul
// CUT: graph.matmul
// CUT-LABEL: func.func @largest_1
// CUT: graph.relu
func.func @largest(%x: tensor<32x64xf16>, %w: tensor<64x48xf16>, %v: tensor<48x16xf16>) -> tensor<32x16xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf16>) -> tensor<32x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
  %3 = graph.matmul %2, %v : (tensor<32x48xf16>, tensor<48x16xf16>) -> tensor<32x16xf16>
  %4 = graph.relu %3 : (tensor<32x16xf16>) -> tensor<32x16xf16>
  return %4 : tensor<32x16xf16>
}

// -----

// A scale of 1/2, 1/4 ... becomes one of the left factor, where f32 is left out
// as well. It is part of the kernel.

// CHECK-LABEL: func.func @scaled
// CHECK: %[[C:.*]] = graph.constant dense<1.250000e-01> : tensor<f16>
// CHECK: %[[Q:.*]] = graph.multiply %{{.*}}, %[[C]] {poly.joined = 0 : i64} : (tensor<32x64xf16>, tensor<f16>) -> tensor<32x64xf16>
// CHECK: %[[S:.*]] = graph.matmul %[[Q]], %{{.*}} {poly.joined = 0 : i64}
// CHECK: graph.reduce_max %[[S]] {{.*}} -> tensor<32x1xf16>
// CUT-LABEL: func.func @scaled
// CUT-NOT: call
// CUT: return
func.func @scaled(%q: tensor<32x64xf16>, %k: tensor<64x48xf16>, %v: tensor<48x64xf16>) -> tensor<32x64xf16> {
  %c = graph.constant dense<8.0> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = graph.type_cast %0 : tensor<32x48xf16> -> tensor<32x48xf32>
  %2 = graph.divide %1, %c : (tensor<32x48xf32>, tensor<1xf32>) -> tensor<32x48xf32>
  %3 = graph.reduce_max %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf32>) -> tensor<32x1xf32>
  %4 = graph.subtract %2, %3 : (tensor<32x48xf32>, tensor<32x1xf32>) -> tensor<32x48xf32>
  %5 = graph.exp %4 {at_most_one = true} : (tensor<32x48xf32>) -> tensor<32x48xf32>
  %6 = graph.type_cast %5 : tensor<32x48xf32> -> tensor<32x48xf16>
  %7 = graph.matmul %6, %v : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
  return %7 : tensor<32x64xf16>
}

// -----

// Other scales stay where they are: 0.3 would round the factor, and 2 could make
// it overflow where the product does not.

// CHECK-LABEL: func.func @inexact
// CHECK: %[[S:.*]] = graph.matmul %arg0, %{{.*}} {poly.joined = 0 : i64}
// CHECK: graph.multiply %[[S]], {{.*}} {poly.joined = 0 : i64}
func.func @inexact(%q: tensor<32x64xf16>, %k: tensor<64x48xf16>, %v: tensor<48x64xf16>) -> tensor<32x64xf16> {
  %c = graph.constant dense<0.3> : tensor<f16>
  %0 = graph.matmul %q, %k : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = graph.multiply %0, %c : (tensor<32x48xf16>, tensor<f16>) -> tensor<32x48xf16>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf16>) -> tensor<32x1xf16>
  %3 = graph.subtract %1, %2 : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
  %4 = graph.matmul %3, %v : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
  return %4 : tensor<32x64xf16>
}

// -----

// CHECK-LABEL: func.func @doubled
// CHECK: %[[S:.*]] = graph.matmul %arg0, %{{.*}} {poly.joined = 0 : i64}
// CHECK: graph.multiply %[[S]], {{.*}} {poly.joined = 0 : i64}
func.func @doubled(%q: tensor<32x64xf16>, %k: tensor<64x48xf16>, %v: tensor<48x64xf16>) -> tensor<32x64xf16> {
  %c = graph.constant dense<2.0> : tensor<f16>
  %0 = graph.matmul %q, %k : (tensor<32x64xf16>, tensor<64x48xf16>) -> tensor<32x48xf16>
  %1 = graph.multiply %0, %c : (tensor<32x48xf16>, tensor<f16>) -> tensor<32x48xf16>
  %2 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x48xf16>) -> tensor<32x1xf16>
  %3 = graph.subtract %1, %2 : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
  %4 = graph.matmul %3, %v : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
  return %4 : tensor<32x64xf16>
}
