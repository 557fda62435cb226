// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A graph that fits the L2 cache of a core finds its constant weights there:
// threads divide the rows, each reads all weights, and what it computes stays with
// it. If the graph is larger, or the weights are not constant, threads divide the
// columns, and with them the weights.

// RUN: gc-opt %s --machine=server-avx512-64 --pass-pipeline="builtin.module(func.func(graph-select-template{threads=2}))" | FileCheck %s

// CHECK-LABEL: func.func @small
// CHECK-COUNT-2: #graph.matmul_template<MPN = 2, NPN = 1,
func.func @small(%x: tensor<32x512xf32>, %w: tensor<512x256xf32> {graph.const_arg}, %v: tensor<256x128xf32> {graph.const_arg}) -> tensor<32x128xf32> {
  %0 = graph.matmul %x, %w : (tensor<32x512xf32>, tensor<512x256xf32>) -> tensor<32x256xf32>
  %1 = graph.relu %0 : (tensor<32x256xf32>) -> tensor<32x256xf32>
  %2 = graph.matmul %1, %v : (tensor<32x256xf32>, tensor<256x128xf32>) -> tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}

// CHECK-LABEL: func.func @large
// CHECK: #graph.matmul_template<MPN = 1, NPN = 2,
func.func @large(%x: tensor<32x512xf32>, %w: tensor<512x256xf32> {graph.const_arg}, %v: tensor<256x128xf32> {graph.const_arg}, %y: tensor<1024x1024xf32>) -> (tensor<32x128xf32>, tensor<1024x1024xf32>) {
  %0 = graph.matmul %x, %w : (tensor<32x512xf32>, tensor<512x256xf32>) -> tensor<32x256xf32>
  %1 = graph.relu %0 : (tensor<32x256xf32>) -> tensor<32x256xf32>
  %2 = graph.matmul %1, %v : (tensor<32x256xf32>, tensor<256x128xf32>) -> tensor<32x128xf32>
  %3 = graph.relu %y : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  return %2, %3 : tensor<32x128xf32>, tensor<1024x1024xf32>
}

// CHECK-LABEL: func.func @not_constant
// CHECK: #graph.matmul_template<MPN = 1, NPN = 2,
func.func @not_constant(%x: tensor<32x512xf32>, %w: tensor<512x256xf32>, %v: tensor<256x128xf32>) -> tensor<32x128xf32> {
  %0 = graph.matmul %x, %w : (tensor<32x512xf32>, tensor<512x256xf32>) -> tensor<32x256xf32>
  %1 = graph.relu %0 : (tensor<32x256xf32>) -> tensor<32x256xf32>
  %2 = graph.matmul %1, %v : (tensor<32x256xf32>, tensor<256x128xf32>) -> tensor<32x128xf32>
  return %2 : tensor<32x128xf32>
}
