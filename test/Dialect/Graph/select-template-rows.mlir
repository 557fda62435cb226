// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of A that share sets of the L1 cache: in place where tiles are wide and
// there are few of them, else packed.

// RUN: gc-opt %s --machine=zen5-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s --check-prefixes=CHECK,WIDE
// RUN: gc-opt %s --machine=graniterapids-2 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s --check-prefix=SETS
// RUN: gc-opt %s --machine=laptop-avx2-4 --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s --check-prefixes=CHECK,NARROW

// CHECK-LABEL: func.func @narrow_result
// WIDE: NB = {{64|128}}, {{.*}} packA = false
// NARROW: packA = true
func.func @narrow_result(%a: tensor<784x512xf32>, %b: tensor<512x128xf32> {graph.const_arg}) -> tensor<784x128xf32> {
  %0 = graph.matmul %a, %b : (tensor<784x512xf32>, tensor<512x128xf32>) -> tensor<784x128xf32>
  return %0 : tensor<784x128xf32>
}

// CHECK-LABEL: func.func @wide_result
// CHECK: packA = true
func.func @wide_result(%a: tensor<784x512xf32>, %b: tensor<512x16384xf32> {graph.const_arg}) -> tensor<784x16384xf32> {
  %0 = graph.matmul %a, %b : (tensor<784x512xf32>, tensor<512x16384xf32>) -> tensor<784x16384xf32>
  return %0 : tensor<784x16384xf32>
}

// Rows that share no sets are read in place by all.
// CHECK-LABEL: func.func @apart
// CHECK: packA = false
func.func @apart(%a: tensor<784x500xf32>, %b: tensor<500x16384xf32> {graph.const_arg}) -> tensor<784x16384xf32> {
  %0 = graph.matmul %a, %b : (tensor<784x500xf32>, tensor<500x16384xf32>) -> tensor<784x16384xf32>
  return %0 : tensor<784x16384xf32>
}

// A tile of B of 128 x 64 elements takes 8 of 12 lines of each set. With the six
// rows of a tile of A these are too many: B would be read from L2 as well.
// SETS-LABEL: func.func @lose_columns
// SETS: KB = 128, {{.*}} packA = true
func.func @lose_columns(%a: tensor<16x1000x128xf32, #graph.layout<strided, [128, 2048, 1]>>, %b: tensor<16x128x512xf32>) -> tensor<16x1000x512xf32> {
  %0 = graph.matmul %a, %b : (tensor<16x1000x128xf32, #graph.layout<strided, [128, 2048, 1]>>, tensor<16x128x512xf32>) -> tensor<16x1000x512xf32>
  return %0 : tensor<16x1000x512xf32>
}

// SETS-LABEL: func.func @keep_columns
// SETS: KB = 64, {{.*}} packA = false
func.func @keep_columns(%a: tensor<16x1000x64xf32, #graph.layout<strided, [64, 2048, 1]>>, %b: tensor<16x64x512xf32>) -> tensor<16x1000x512xf32> {
  %0 = graph.matmul %a, %b : (tensor<16x1000x64xf32, #graph.layout<strided, [64, 2048, 1]>>, tensor<16x64x512xf32>) -> tensor<16x1000x512xf32>
  return %0 : tensor<16x1000x512xf32>
}
