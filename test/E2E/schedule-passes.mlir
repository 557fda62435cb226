// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// However vectors lie in the passes of a template, results are right: along rows
// or columns, in squares or not, also where a pass reduces or has single elements,
// which nothing transposes.

// DEFINE: %{passes} =
// DEFINE: %{run} = sed 's/vector_bytes = 32/vector_bytes = 32, passes = [%{passes}]/' %s > %t.mlir && gc-runner %t.mlir --threads=1 --check --entry
// REDEFINE: %{passes} = post 1 : 0
// RUN: %{run}=stored
// RUN: %{run}=summed
// RUN: %{run}=single
// REDEFINE: %{passes} = post 1 : 1
// RUN: %{run}=stored
// RUN: %{run}=summed
// REDEFINE: %{passes} = post 1 : 0 transposed 1
// RUN: %{run}=stored
// RUN: %{run}=summed
// RUN: %{run}=single
// REDEFINE: %{passes} = post 1 : 1 transposed 0
// RUN: %{run}=stored
// RUN: %{run}=summed
// RUN: %{run}=single

#rows = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>

// A tail of rows, a transposed result.
func.func @stored(%x: tensor<37x16xf32>, %y: tensor<16x32xf32>) -> tensor<32x37xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32>} -> (tensor<32x37xf32>) {
    %1 = graph.matmul %x, %y {template_params = #rows} : (tensor<37x16xf32>, tensor<16x32xf32>) -> tensor<37x32xf32>
    %2 = graph.static_transpose %1 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 1, 0>} : (tensor<37x32xf32>) -> tensor<32x37xf32>
    graph.yield %2 : tensor<32x37xf32>
  }
  return %0 : tensor<32x37xf32>
}

func.func @summed(%x: tensor<32x16xf32>, %y: tensor<16x32xf32>) -> tensor<32x1xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32>} -> (tensor<32x1xf32>) {
    %1 = graph.matmul %x, %y {template_params = #rows} : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
    %2 = graph.reduce_sum %1 {graph.anchor = #graph.anchor<post, 1>, axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf32>) -> tensor<32x1xf32>
    graph.yield %2 : tensor<32x1xf32>
  }
  return %0 : tensor<32x1xf32>
}

// One element of a row beside the product.
func.func @single(%x: tensor<32x16xf32>, %y: tensor<16x32xf32>, %b: tensor<32x1xf32>) -> (tensor<32x32xf32>, tensor<32x1xf32>) {
  %0:2 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32>} -> (tensor<32x32xf32>, tensor<32x1xf32>) {
    %1 = graph.matmul %x, %y {template_params = #rows} : (tensor<32x16xf32>, tensor<16x32xf32>) -> tensor<32x32xf32>
    %2 = graph.relu %b {graph.anchor = #graph.anchor<post, 1>} : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %3 = graph.add %1, %2 {graph.anchor = #graph.anchor<post, 1>} : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
    graph.yield %3, %2 : tensor<32x32xf32>, tensor<32x1xf32>
  }
  return %0#0, %0#1 : tensor<32x32xf32>, tensor<32x1xf32>
}
