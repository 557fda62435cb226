// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops that compute an operand of a matmul: chains of them with
// broadcasts, on A and on B, in batches, after another matmul, casts, transposed
// operands, and what a reduction keeps in front.

// RUN: split-file %s %t
// RUN: gc-runner %t/chain.mlir --check --threads=1
// RUN: gc-runner %t/chain.mlir --check --threads=2
// RUN: gc-runner %t/chain.mlir --check --threads=5
// RUN: gc-runner %t/batch.mlir --check --threads=1
// RUN: gc-runner %t/batch.mlir --check --threads=2
// RUN: gc-runner %t/batch.mlir --check --threads=5
// RUN: gc-runner %t/merge.mlir --check --threads=1
// RUN: gc-runner %t/merge.mlir --check --threads=2
// RUN: gc-runner %t/merge.mlir --check --threads=5
// RUN: gc-runner %t/norm.mlir --check --threads=1
// RUN: gc-runner %t/norm.mlir --check --threads=2
// RUN: gc-runner %t/norm.mlir --check --threads=5
// RUN: gc-runner %t/cast.mlir --check --threads=1
// RUN: gc-runner %t/cast.mlir --check --threads=2
// RUN: gc-runner %t/cast.mlir --check --threads=5
// RUN: gc-runner %t/transposed.mlir --check --threads=1
// RUN: gc-runner %t/transposed.mlir --check --threads=2
// RUN: gc-runner %t/transposed.mlir --check --threads=5
// RUN: gc-opt %t/chain.mlir --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %t/chain.mlir

//--- chain.mlir
// CHECK: graph.tanh {{.*}}graph.anchor = #graph.anchor<pre,
func.func @f(%x: tensor<200x136xf32>, %s: tensor<136xf32>, %t: tensor<200x1xf32>, %w: tensor<136x72xf32>) -> tensor<200x72xf32> {
  %0 = graph.multiply %x, %s : (tensor<200x136xf32>, tensor<136xf32>) -> tensor<200x136xf32>
  %1 = graph.add %0, %t : (tensor<200x136xf32>, tensor<200x1xf32>) -> tensor<200x136xf32>
  %2 = graph.tanh %1 : (tensor<200x136xf32>) -> tensor<200x136xf32>
  %3 = graph.matmul %2, %w : (tensor<200x136xf32>, tensor<136x72xf32>) -> tensor<200x72xf32>
  %4 = graph.relu %3 : (tensor<200x72xf32>) -> tensor<200x72xf32>
  return %4 : tensor<200x72xf32>
}

//--- batch.mlir
func.func @f(%x: tensor<3x4x50x64xf32>, %w: tensor<3x4x64x40xf32>, %m: tensor<3x4x64x40xf32>) -> tensor<3x4x50x40xf32> {
  %1 = graph.multiply %w, %m : (tensor<3x4x64x40xf32>, tensor<3x4x64x40xf32>) -> tensor<3x4x64x40xf32>
  %2 = graph.tanh %1 : (tensor<3x4x64x40xf32>) -> tensor<3x4x64x40xf32>
  %5 = graph.sigmoid %x : (tensor<3x4x50x64xf32>) -> tensor<3x4x50x64xf32>
  %3 = graph.matmul %5, %2 : (tensor<3x4x50x64xf32>, tensor<3x4x64x40xf32>) -> tensor<3x4x50x40xf32>
  return %3 : tensor<3x4x50x40xf32>
}

//--- merge.mlir
func.func @f(%x: tensor<96x128xf32>, %w: tensor<128x256xf32>{graph.const_arg}, %w2: tensor<96x256xf32>) -> tensor<96x96xf32> {
  %0 = graph.matmul %x, %w : (tensor<96x128xf32>, tensor<128x256xf32>) -> tensor<96x256xf32>
  %1 = graph.relu %0 : (tensor<96x256xf32>) -> tensor<96x256xf32>
  %2 = graph.square %w2 : (tensor<96x256xf32>) -> tensor<96x256xf32>
  %3 = graph.matmul %1, %2 {transpose_b = true} : (tensor<96x256xf32>, tensor<96x256xf32>) -> tensor<96x96xf32>
  return %3 : tensor<96x96xf32>
}

//--- norm.mlir
func.func @f(%x: tensor<64x512xf32>, %g: tensor<512xf32>, %b: tensor<512xf32>, %w: tensor<512x128xf32>{graph.const_arg}) -> tensor<64x128xf32> {
  %0 = graph.layer_norm %x, %g, %b {keep_stats = false} : (tensor<64x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<64x512xf32>
  %3 = graph.matmul %0, %w : (tensor<64x512xf32>, tensor<512x128xf32>) -> tensor<64x128xf32>
  return %3 : tensor<64x128xf32>
}

//--- cast.mlir
func.func @f(%x: tensor<70x130xbf16>, %y: tensor<130xf16>, %w: tensor<130x50xf32>) -> tensor<70x50xf32> {
  %0 = graph.type_cast %x : tensor<70x130xbf16> -> tensor<70x130xf32>
  %1 = graph.type_cast %y : tensor<130xf16> -> tensor<130xf32>
  %2 = graph.multiply %0, %1 : (tensor<70x130xf32>, tensor<130xf32>) -> tensor<70x130xf32>
  %3 = graph.matmul %2, %w : (tensor<70x130xf32>, tensor<130x50xf32>) -> tensor<70x50xf32>
  return %3 : tensor<70x50xf32>
}

//--- transposed.mlir
func.func @f(%x: tensor<2x90x3x40xf32>, %m: tensor<3x90x40xf32>, %w: tensor<90x33xf32>) -> tensor<2x3x40x33xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1, 3>} : (tensor<2x90x3x40xf32>) -> tensor<2x3x90x40xf32>
  %1 = graph.subtract %0, %m : (tensor<2x3x90x40xf32>, tensor<3x90x40xf32>) -> tensor<2x3x90x40xf32>
  %2 = graph.abs %w : (tensor<90x33xf32>) -> tensor<90x33xf32>
  %3 = graph.matmul %1, %2 {transpose_a = true} : (tensor<2x3x90x40xf32>, tensor<90x33xf32>) -> tensor<2x3x40x33xf32>
  return %3 : tensor<2x3x40x33xf32>
}
