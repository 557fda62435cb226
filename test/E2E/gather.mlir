// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows of tables are read, and ops on them computed, as the reference does.

// RUN: gc-runner %s --entry=plain --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=plain --check --threads=1 --seed=7 | FileCheck %s
// RUN: gc-runner %s --entry=column --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=bytes --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=integers --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=embedding --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=embedding --check --threads=3 --pipeline-options=fine-grain=false | FileCheck %s
// RUN: gc-runner %s --entry=computed --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=before_matmul --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=before_matmul --check --threads=2 --pipeline-options=kernel=vector | FileCheck %s
// RUN: gc-runner %s --entry=known --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=strided --check --threads=2 | FileCheck %s
// CHECK: check {{ *}}passed

// 33 columns are not a multiple of any vector. Random indices are negative, too, and
// some are out of range by one.
func.func @plain(%table: tensor<19x33xf32>, %index: tensor<11x3xsi32>) -> tensor<11x3x33xf32> {
  %0 = graph.gather %table, %index : (tensor<19x33xf32>, tensor<11x3xsi32>) -> tensor<11x3x33xf32>
  return %0 : tensor<11x3x33xf32>
}

// Less than a vector.
func.func @column(%table: tensor<19x1xf32>, %index: tensor<40xsi32>) -> tensor<40x1xf32> {
  %0 = graph.gather %table, %index : (tensor<19x1xf32>, tensor<40xsi32>) -> tensor<40x1xf32>
  return %0 : tensor<40x1xf32>
}

// A post-op widens the rows that are read.
func.func @bytes(%table: tensor<19x21xsi8>, %index: tensor<9xsi32>) -> tensor<9x21xf32> {
  %0 = graph.gather %table, %index : (tensor<19x21xsi8>, tensor<9xsi32>) -> tensor<9x21xsi8>
  %1 = graph.dequantize %0 {scales = array<f32: 0.25>, zps = array<i64: 3>} : (tensor<9x21xsi8>) -> tensor<9x21xf32>
  return %1 : tensor<9x21xf32>
}

func.func @integers(%table: tensor<19x21xsi32>, %bytes: tensor<19x5xui8>, %index: tensor<9xsi32>) -> (tensor<9x21xsi32>, tensor<9x5xui8>) {
  %0 = graph.gather %table, %index : (tensor<19x21xsi32>, tensor<9xsi32>) -> tensor<9x21xsi32>
  %1 = graph.gather %bytes, %index : (tensor<19x5xui8>, tensor<9xsi32>) -> tensor<9x5xui8>
  return %0, %1 : tensor<9x21xsi32>, tensor<9x5xui8>
}

func.func @narrow(%table: tensor<19x40xbf16>, %index: tensor<9xsi32>) -> (tensor<9x40xbf16>, tensor<9x1xbf16>) {
  %0 = graph.gather %table, %index : (tensor<19x40xbf16>, tensor<9xsi32>) -> tensor<9x40xbf16>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<9x40xbf16>) -> tensor<9x1xbf16>
  return %0, %1 : tensor<9x40xbf16>, tensor<9x1xbf16>
}

func.func @embedding(%tokens: tensor<50x24xf32>, %segments: tensor<2x24xf32>, %places: tensor<1x9x24xf32>, %gamma: tensor<24xf32>, %beta: tensor<24xf32>, %token: tensor<2x9xsi32>, %segment: tensor<2x9xsi32>) -> tensor<2x9x24xf32> {
  %0 = graph.gather %tokens, %token : (tensor<50x24xf32>, tensor<2x9xsi32>) -> tensor<2x9x24xf32>
  %1 = graph.gather %segments, %segment : (tensor<2x24xf32>, tensor<2x9xsi32>) -> tensor<2x9x24xf32>
  %2 = graph.add %0, %1 : (tensor<2x9x24xf32>, tensor<2x9x24xf32>) -> tensor<2x9x24xf32>
  %3 = graph.add %2, %places : (tensor<2x9x24xf32>, tensor<1x9x24xf32>) -> tensor<2x9x24xf32>
  %4 = graph.layer_norm %3, %gamma, %beta {keep_stats = false} : (tensor<2x9x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<2x9x24xf32>
  return %4 : tensor<2x9x24xf32>
}

// Both operands are computed, all of them before the first row is read.
func.func @computed(%table: tensor<19x33xf32>, %index: tensor<9xsi32>) -> tensor<9x33xf32> {
  %0 = graph.relu %table : (tensor<19x33xf32>) -> tensor<19x33xf32>
  %1 = graph.add %index, %index : (tensor<9xsi32>, tensor<9xsi32>) -> tensor<9xsi32>
  %2 = graph.gather %0, %1 : (tensor<19x33xf32>, tensor<9xsi32>) -> tensor<9x33xf32>
  return %2 : tensor<9x33xf32>
}

// The matmul's blocked layouts are not those of the table, which a product shares.
func.func @before_matmul(%table: tensor<64x48xf32> {graph.const_arg}, %index: tensor<32xsi32>) -> tensor<32x64xf32> {
  %0 = graph.gather %table, %index : (tensor<64x48xf32>, tensor<32xsi32>) -> tensor<32x48xf32>
  %1 = graph.matmul %0, %table {transpose_b = true} : (tensor<32x48xf32>, tensor<64x48xf32>) -> tensor<32x64xf32>
  return %1 : tensor<32x64xf32>
}

// Computed when the constants arrive.
func.func @known(%table: tensor<19x33xf32> {graph.const_arg}, %x: tensor<3x33xf32>) -> tensor<3x33xf32> {
  %index = graph.constant dense<[-1, 0, 7]> : tensor<3xsi32>
  %0 = graph.gather %table, %index : (tensor<19x33xf32>, tensor<3xsi32>) -> tensor<3x33xf32>
  %1 = graph.add %0, %x : (tensor<3x33xf32>, tensor<3x33xf32>) -> tensor<3x33xf32>
  return %1 : tensor<3x33xf32>
}

// A table whose columns are rows in memory.
func.func @strided(%table: tensor<19x33xf32, #graph.layout<strided, [1, 19]>>, %index: tensor<9xsi32>) -> tensor<9x33xf32> {
  %0 = graph.gather %table, %index : (tensor<19x33xf32, #graph.layout<strided, [1, 19]>>, tensor<9xsi32>) -> tensor<9x33xf32>
  return %0 : tensor<9x33xf32>
}
