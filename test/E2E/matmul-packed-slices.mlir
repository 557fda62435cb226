// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K divided among cores that pack their own slices: of B, of A, of both, with
// rests of k (in the last slice, which may have fewer blocks), rows and columns, an
// elementwise op that computes an operand, a batch.

// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=5
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

func.func @main(%a0: tensor<4x70xf32>, %b0: tensor<20x70xf32>,
                %a1: tensor<64x33xf32>, %b1: tensor<64x17xf32>,
                %a2: tensor<67x9xf32>, %b2: tensor<40x67xf32>,
                %a3: tensor<3x5x100xf32>, %b3: tensor<3x18x100xf32>, %c3: tensor<18xf32>)
  -> (tensor<4x20xf32>, tensor<33x17xf32>, tensor<9x40xf32>, tensor<3x5x18xf32>) {
  // 8 blocks of 8 in three slices, and a rest of 6.
  %r0 = graph.matmul %a0, %b0 {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 9, order = [m, n, k], packA = false, packB = true, KPN = 3>} : (tensor<4x70xf32>, tensor<20x70xf32>) -> tensor<4x20xf32>
  // A is transposed; its pre-op computes it.
  %e1 = graph.abs %a1 : (tensor<64x33xf32>) -> tensor<64x33xf32>
  %r1 = graph.matmul %e1, %b1 {transpose_a = true, template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 4, order = [n, m, k], packA = true, packB = true, KPN = 4>} : (tensor<64x33xf32>, tensor<64x17xf32>) -> tensor<33x17xf32>
  // Both, columns in two parts.
  %r2 = graph.matmul %a2, %b2 {transpose_a = true, transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 4, NB = 16, KB = 12, BS = 1, order = [m, n, k], packA = true, packB = true, KPN = 5>} : (tensor<67x9xf32>, tensor<40x67xf32>) -> tensor<9x40xf32>
  %m3 = graph.matmul %a3, %b3 {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 32, KB = 16, BS = 3, order = [m, n, k], packA = false, packB = true, KPN = 2>} : (tensor<3x5x100xf32>, tensor<3x18x100xf32>) -> tensor<3x5x18xf32>
  %r3 = graph.add %m3, %c3 : (tensor<3x5x18xf32>, tensor<18xf32>) -> tensor<3x5x18xf32>
  return %r0, %r1, %r2, %r3 : tensor<4x20xf32>, tensor<33x17xf32>, tensor<9x40xf32>, tensor<3x5x18xf32>
}
