// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-anchors))" --split-input-file --verify-diagnostics

func.func @no_template(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    // expected-error @below {{'graph.matmul' op has no template; run graph-select-template}}
    %1 = graph.matmul %x, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// B is packed by an op of its own.
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 8]>
func.func @weights(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    // expected-error @below {{'graph.reorder' op has no feasible pre-op anchor for operand 1 of the template}}
    %p = graph.reorder %x : tensor<8x8xf32> -> tensor<8x8xf32, #b>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<8x8xf32>, tensor<8x8xf32, #b>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Nothing can follow an op at post-op anchor 3, which the template does not offer.
func.func @after_anchor_3(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = graph.exp %1 {graph.anchor = #graph.anchor<post, 3>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @below {{'graph.relu' op has no feasible post-op anchor for operand 0 of the template}}
    %3 = graph.relu %2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %3 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// expected-error @below {{target description: 'num_vector_registers' is not a positive integer}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"num_vector_registers" = 0 : i64>>} {
func.func @f() {
  return
}
}
