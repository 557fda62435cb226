// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// K divided among cores, with rests of k, rows and columns, and B read row by row:
// parameters that the cost model would not choose for such small sizes.

// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=5
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

func.func @main(%a0: tensor<4x70xf32>,
                %b0: tensor<70x20xf32>,
                %c0: tensor<20xf32>,
                %a1: tensor<33x64xf32>,
                %b1: tensor<64x17xf32>,
                %c1: tensor<17xf32>,
                %a2: tensor<1x1000xf32>,
                %b2: tensor<1000x1xf32>,
                %c2: tensor<1xf32>,
                %a3: tensor<1x129xf32>,
                %b3: tensor<129x77xf32>,
                %c3: tensor<77xf32>,
                %a4: tensor<3x50xf32>,
                %b4: tensor<50x100xf32>,
                %c4: tensor<100xf32>)
  -> (tensor<4x20xf32>, tensor<33x17xf32>, tensor<1x1xf32>, tensor<1x77xf32>, tensor<3x100xf32>) {
  %m0 = graph.matmul %a0, %b0 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 9, order = [m, n, k], packA = false, packB = false, KPN = 3>} : (tensor<4x70xf32>, tensor<70x20xf32>) -> tensor<4x20xf32>
  %r0 = graph.add %m0, %c0 : (tensor<4x20xf32>, tensor<20xf32>) -> tensor<4x20xf32>
  %m1 = graph.matmul %a1, %b1 {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 8, NB = 16, KB = 16, BS = 4, order = [n, m, k], packA = false, packB = true, KPN = 4>} : (tensor<33x64xf32>, tensor<64x17xf32>) -> tensor<33x17xf32>
  %r1 = graph.add %m1, %c1 : (tensor<33x17xf32>, tensor<17xf32>) -> tensor<33x17xf32>
  %m2 = graph.matmul %a2, %b2 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1, NB = 1, KB = 64, BS = 15, order = [m, n, k], packA = false, packB = false, KPN = 5>} : (tensor<1x1000xf32>, tensor<1000x1xf32>) -> tensor<1x1xf32>
  %r2 = graph.add %m2, %c2 : (tensor<1x1xf32>, tensor<1xf32>) -> tensor<1x1xf32>
  %m3 = graph.matmul %a3, %b3 {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 1, NB = 32, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<1x129xf32>, tensor<129x77xf32>) -> tensor<1x77xf32>
  %r3 = graph.add %m3, %c3 : (tensor<1x77xf32>, tensor<77xf32>) -> tensor<1x77xf32>
  %m4 = graph.matmul %a4, %b4 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 64, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<3x50xf32>, tensor<50x100xf32>) -> tensor<3x100xf32>
  %r4 = graph.add %m4, %c4 : (tensor<3x100xf32>, tensor<100xf32>) -> tensor<3x100xf32>
  return %r0, %r1, %r2, %r3, %r4 : tensor<4x20xf32>, tensor<33x17xf32>, tensor<1x1xf32>, tensor<1x77xf32>, tensor<3x100xf32>
}
