// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of a table: through text, the generic form and bytecode, and inferred types.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s
// RUN: gc-opt %s --graph-infer-shapes | FileCheck %s --check-prefix=INFERRED

// CHECK-LABEL: func.func @rows(
// CHECK: graph.gather %arg0, %arg1 : (tensor<50x16xf32>, tensor<2x3xsi32>) -> tensor<2x3x16xf32>
func.func @rows(%table: tensor<50x16xf32>, %index: tensor<2x3xsi32>) -> tensor<2x3x16xf32> {
  %0 = graph.gather %table, %index : (tensor<50x16xf32>, tensor<2x3xsi32>) -> tensor<2x3x16xf32>
  return %0 : tensor<2x3x16xf32>
}

// INFERRED-LABEL: func.func @open(
// INFERRED: graph.gather {{.*}} -> tensor<4x7xsi8>
func.func @open(%table: tensor<5x7xsi8>, %index: tensor<4xsi32>) -> tensor<?x?xsi8> {
  %0 = graph.gather %table, %index : (tensor<5x7xsi8>, tensor<4xsi32>) -> tensor<?x?xsi8>
  return %0 : tensor<?x?xsi8>
}
