// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A result that the L2 cache does not hold is written block by block, while
// kernels compute the next block: the stores of a whole matrix would be one
// burst. If it stays in the L2 cache, all rows of a matrix are one loop.

// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-select-anchors))" | FileCheck %s

// CHECK-LABEL: func.func @large
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @large(%x: tensor<768x64x64xf32>, %y: tensor<768x64x64xf32>) -> tensor<768x64x64xf32> {
  %0 = graph.fused_op -> (tensor<768x64x64xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 64, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<768x64x64xf32>, tensor<768x64x64xf32>) -> tensor<768x64x64xf32>
    %2 = graph.relu %1 : (tensor<768x64x64xf32>) -> tensor<768x64x64xf32>
    graph.yield %2 : tensor<768x64x64xf32>
  }
  return %0 : tensor<768x64x64xf32>
}

// CHECK-LABEL: func.func @small
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, 2>}
func.func @small(%x: tensor<8x64x64xf32>, %y: tensor<8x64x64xf32>) -> tensor<8x64x64xf32> {
  %0 = graph.fused_op -> (tensor<8x64x64xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 64, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x64x64xf32>, tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    %2 = graph.relu %1 : (tensor<8x64x64xf32>) -> tensor<8x64x64xf32>
    graph.yield %2 : tensor<8x64x64xf32>
  }
  return %0 : tensor<8x64x64xf32>
}
