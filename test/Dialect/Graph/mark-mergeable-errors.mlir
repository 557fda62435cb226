// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(graph-mark-mergeable))"

func.func @no_template(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    // expected-error @below {{'graph.matmul' op has no template; run graph-select-template}}
    %1 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// A region that was written by hand and has no common iteration space.
func.func @no_place(%x: tensor<8x8xf32>, %y: tensor<3x4xf32>) -> tensor<8x8xf32> {
  %0:2 = graph.fused_op -> (tensor<8x8xf32>, tensor<3x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @below {{has no place in the iteration space of its region}}
    %2 = graph.relu %y : (tensor<3x4xf32>) -> tensor<3x4xf32>
    graph.yield %1, %2 : tensor<8x8xf32>, tensor<3x4xf32>
  }
  return %0#0 : tensor<8x8xf32>
}
