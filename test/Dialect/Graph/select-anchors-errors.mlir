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

// expected-error @below {{target description: 'num_vector_registers' is not an integer from 4 to 1024}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_vector_registers" = 0 : i64>>} {
func.func @f() {
  return
}
}

// -----

func.func @no_place(%x: tensor<8x8xf32>, %y: tensor<3x4xf32>) -> tensor<3x4xf32> {
  %0 = graph.fused_op -> (tensor<3x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    // expected-error @below {{has no place in the iteration space of its region}}
    %2 = graph.relu %y : (tensor<3x4xf32>) -> tensor<3x4xf32>
    graph.yield %2 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}
