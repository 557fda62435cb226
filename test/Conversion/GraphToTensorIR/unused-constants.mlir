// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights that are folded are in the program once: the function that folds them
// has a copy of the constant, and nothing reads the other one.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s --check-prefix=GRAPH
// RUN: gc-opt %s --gc-cpu-pipeline=threads=2 | FileCheck %s

// GRAPH: func.func @layer
// GRAPH: graph.constant
// GRAPH: func.func private @layer_fold
// GRAPH: graph.constant

// CHECK-COUNT-1: llvm.mlir.global private constant @gc_constant
// CHECK-NOT:     llvm.mlir.global private constant @gc_constant
func.func @layer(%x: tensor<16x160xf32>) -> tensor<16x128xf32> {
  %w = graph.constant dense<0.0625> : tensor<160x128xf32>
  %0 = graph.matmul %x, %w : (tensor<16x160xf32>, tensor<160x128xf32>) -> tensor<16x128xf32>
  return %0 : tensor<16x128xf32>
}
