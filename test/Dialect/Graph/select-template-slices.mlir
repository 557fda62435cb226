// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slices of k where they save a lot, not where they save as much as their sums
// and waiting for each other take. On the host of this preset, a perceptron with
// the first product was up to 4% faster with its columns divided. The second
// one has too few rows and columns to divide.

// RUN: gc-opt %s --machine=graniterapids-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s

// CHECK-LABEL: func.func @columns
// CHECK: graph.matmul
// CHECK-NOT: KPN
// CHECK: return
func.func @columns(%a: tensor<47x2048xf32>, %b: tensor<2048x1925xf32> {graph.const_arg}) -> tensor<47x1925xf32> {
  %0 = graph.matmul %a, %b : (tensor<47x2048xf32>, tensor<2048x1925xf32>) -> tensor<47x1925xf32>
  return %0 : tensor<47x1925xf32>
}

// CHECK-LABEL: func.func @slices
// CHECK: KPN = 2
func.func @slices(%a: tensor<16x65536xf32>, %b: tensor<65536x16xf32> {graph.const_arg}) -> tensor<16x16xf32> {
  %0 = graph.matmul %a, %b : (tensor<16x65536xf32>, tensor<65536x16xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}
