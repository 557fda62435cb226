// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K divided among cores whose slices take several calls, of BS blocks each: as many
// in every slice or one more in some, a last call of fewer blocks, a rest of k, the
// loop over calls inside and outside of that over columns.

// RUN: gc-runner %s --check --strict --threads=1
// RUN: gc-runner %s --check --strict --threads=2
// RUN: gc-runner %s --check --strict --threads=5
// RUN: gc-runner %s --check --strict --threads=2 --pipeline-options=kernel=vector

func.func @main(%a0: tensor<4x70xf32>, %b0: tensor<70x40xf32>,
                %a1: tensor<33x208xf32>, %b1: tensor<208x17xf32>, %c1: tensor<17xf32>,
                %a2: tensor<9x96xf32>, %b2: tensor<40x96xf32>,
                %a3: tensor<3x5x69xf32>, %b3: tensor<3x69x18xf32>,
                %a4: tensor<2x50xf32>, %b4: tensor<50x35xf32>)
  -> (tensor<4x40xf32>, tensor<33x17xf32>, tensor<9x40xf32>, tensor<3x5x18xf32>, tensor<2x35xf32>) {
  // 3, 3 and 2 blocks in two calls, two and one, and a rest of 6.
  %r0 = graph.matmul %a0, %b0 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, k, n], packA = false, packB = false, KPN = 3>} : (tensor<4x70xf32>, tensor<70x40xf32>) -> tensor<4x40xf32>
  // 7 and 6 blocks in three calls and two.
  %m1 = graph.matmul %a1, %b1 {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 3, order = [n, m, k], packA = true, packB = true, KPN = 2>} : (tensor<33x208xf32>, tensor<208x17xf32>) -> tensor<33x17xf32>
  %r1 = graph.add %m1, %c1 : (tensor<33x17xf32>, tensor<17xf32>) -> tensor<33x17xf32>
  // 6 blocks in calls of 4 and 2.
  %r2 = graph.matmul %a2, %b2 {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 4, order = [m, k, n], packA = true, packB = true, KPN = 2>} : (tensor<9x96xf32>, tensor<40x96xf32>) -> tensor<9x40xf32>
  // A rest of 5 after two calls of two blocks.
  %r3 = graph.matmul %a3, %b3 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = true, KPN = 2>} : (tensor<3x5x69xf32>, tensor<3x69x18xf32>) -> tensor<3x5x18xf32>
  // One call in each slice, two in the first.
  %r4 = graph.matmul %a4, %b4 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 10, BS = 1, order = [m, k, n], packA = false, packB = true, KPN = 4>} : (tensor<2x50xf32>, tensor<50x35xf32>) -> tensor<2x35xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<4x40xf32>, tensor<33x17xf32>, tensor<9x40xf32>, tensor<3x5x18xf32>, tensor<2x35xf32>
}
