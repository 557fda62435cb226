// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows that reductions work on together, four with 32 registers and two
// with 16, and one, two and three rows that are left over: in a block
// whose size is known, and in the last of several blocks, where it is not.

// RUN: gc-runner %s --check --strict --threads=2 --entry=one --pipeline-options=vector-bytes=64 | FileCheck %s
// RUN: gc-runner %s --check --strict --threads=2 --entry=two --pipeline-options=vector-bytes=64 | FileCheck %s
// RUN: gc-runner %s --check --strict --threads=2 --entry=three --pipeline-options=vector-bytes=64 | FileCheck %s
// RUN: gc-runner %s --check --strict --threads=2 --entry=three --pipeline-options=vector-bytes=32 | FileCheck %s
// RUN: gc-runner %s --check --strict --threads=2 --entry=plain --pipeline-options=vector-bytes=64 | FileCheck %s
// CHECK: check     passed

func.func @one(%x: tensor<9x16xf32>, %w: tensor<16x48xf32>) -> tensor<9x48xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<9x16xf32>, tensor<16x48xf32>) -> tensor<9x48xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<9x48xf32>) -> tensor<9x48xf32>
  return %1 : tensor<9x48xf32>
}

func.func @two(%x: tensor<18x16xf32>, %w: tensor<16x48xf32>) -> tensor<18x48xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<18x16xf32>, tensor<16x48xf32>) -> tensor<18x48xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<18x48xf32>) -> tensor<18x48xf32>
  return %1 : tensor<18x48xf32>
}

func.func @three(%x: tensor<19x16xf32>, %w: tensor<16x48xf32>) -> tensor<19x48xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<19x16xf32>, tensor<16x48xf32>) -> tensor<19x48xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<19x48xf32>) -> tensor<19x48xf32>
  return %1 : tensor<19x48xf32>
}

func.func @plain(%x: tensor<3x7x100xf32>) -> tensor<3x7x100xf32> {
  %0 = graph.softmax %x {axis = 2 : i64} : (tensor<3x7x100xf32>) -> tensor<3x7x100xf32>
  return %0 : tensor<3x7x100xf32>
}
