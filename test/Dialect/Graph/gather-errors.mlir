// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @rank(%table: tensor<5x7x2xf32>, %index: tensor<4xsi32>) {
  // expected-error @below {{'graph.gather' op (C1) src has 3 dimensions instead of two}}
  %0 = graph.gather %table, %index : (tensor<5x7x2xf32>, tensor<4xsi32>) -> tensor<4x7x2xf32>
  return
}

// -----

func.func @empty(%table: tensor<0x7xf32>, %index: tensor<4xsi32>) {
  // expected-error @below {{'graph.gather' op (C1) src has 0 rows}}
  %0 = graph.gather %table, %index : (tensor<0x7xf32>, tensor<4xsi32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @many(%table: tensor<2147483648x7xf32>, %index: tensor<4xsi32>) {
  // expected-error @below {{'graph.gather' op (C1) src has 2147483648 rows}}
  %0 = graph.gather %table, %index : (tensor<2147483648x7xf32>, tensor<4xsi32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @scalar(%table: tensor<5x7xf32>, %index: tensor<si32>) {
  // expected-error @below {{'graph.gather' op (C2) index has no dimension}}
  %0 = graph.gather %table, %index : (tensor<5x7xf32>, tensor<si32>) -> tensor<7xf32>
  return
}

// -----

func.func @float(%table: tensor<5x7xf32>, %index: tensor<4xf32>) {
  // expected-error @below {{operand #1 must be}}
  %0 = graph.gather %table, %index : (tensor<5x7xf32>, tensor<4xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @result(%table: tensor<5x7xf32>, %index: tensor<4xsi32>) {
  // expected-error @below {{'graph.gather' op}}
  %0 = graph.gather %table, %index : (tensor<5x7xf32>, tensor<4xsi32>) -> tensor<4x7xbf16>
  return
}

// -----

func.func @template(%table: tensor<5x7xf32>, %index: tensor<4xsi32>) {
  // expected-error @below {{'graph.gather' op has the template #graph.matmul_template<}}
  %0 = graph.gather %table, %index {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1, NB = 1, KB = 1, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x7xf32>, tensor<4xsi32>) -> tensor<4x7xf32>
  return
}
