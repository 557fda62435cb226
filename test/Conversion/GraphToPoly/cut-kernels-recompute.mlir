// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-cut-kernels | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-cut-kernels --remarks-filter=poly-cut-kernels 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK

// Both kernels read f16 and convert it.
// CHECK-LABEL: func.func @centred_0(
// CHECK-SAME:      -> tensor<1x64xf32>
// CHECK:         graph.type_cast
// CHECK:         graph.reduce_max
// CHECK-LABEL: func.func @centred_1(
// CHECK-SAME:      tensor<512x64xf16>
// CHECK:         graph.type_cast
// CHECK:         graph.subtract
// REMARK: [Passed] Recompute{{.*}}Remark="'graph.type_cast' is computed again"
func.func @centred(%x: tensor<512x64xf16>) -> tensor<512x64xf16> {
  %0 = graph.type_cast %x : tensor<512x64xf16> -> tensor<512x64xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<1x64xf32>
  %2 = graph.subtract %0, %1 : (tensor<512x64xf32>, tensor<1x64xf32>) -> tensor<512x64xf32>
  %3 = graph.type_cast %2 : tensor<512x64xf32> -> tensor<512x64xf16>
  return %3 : tensor<512x64xf16>
}

// -----

// What is returned is stored anyhow.
// CHECK-LABEL: func.func @returned_1(
// CHECK-SAME:      tensor<512x64xf32>
// CHECK-NEXT:    graph.subtract
func.func @returned(%x: tensor<512x64xf16>) -> (tensor<512x64xf32>, tensor<512x64xf32>) {
  %0 = graph.type_cast %x : tensor<512x64xf16> -> tensor<512x64xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<1x64xf32>
  %2 = graph.subtract %0, %1 : (tensor<512x64xf32>, tensor<1x64xf32>) -> tensor<512x64xf32>
  return %0, %2 : tensor<512x64xf32>, tensor<512x64xf32>
}

// -----

// What it is computed from has as many bytes.
// CHECK-LABEL: func.func @large_1(
// CHECK-NEXT:    graph.subtract
func.func @large(%x: tensor<512x64xf32>) -> tensor<512x64xf32> {
  %0 = graph.relu %x : (tensor<512x64xf32>) -> tensor<512x64xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<1x64xf32>
  %2 = graph.subtract %0, %1 : (tensor<512x64xf32>, tensor<1x64xf32>) -> tensor<512x64xf32>
  return %2 : tensor<512x64xf32>
}
