// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates and anchors that the cost model would not choose compute the same
// numbers as the reference interpreter, on as many threads as they were made for
// and on others.

// RUN: gc-runner %s --machine=%runnable_machine --entry=tails --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=tails --threads=3 --check --pipeline-options=kernel=vector
// RUN: gc-runner %s --machine=%runnable_machine --entry=k_outermost --threads=1 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=k_outermost --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=both_anchors --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=transposed --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=rounded --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=rounded --threads=2 --check --pipeline-options=kernel=vector
// RUN: gc-runner %s --machine=%runnable_machine --entry=repacked --threads=2 --check
// RUN: gc-runner %s --machine=%runnable_machine --entry=shared_row --threads=2 --check

// A rest in m, n and k; 5 blocks of rows and 3 of columns on 2 x 2 cores.
func.func @tails(%x: tensor<19x23xf32>, %w: tensor<23x40xf32>, %b: tensor<40xf32>) -> tensor<19x40xf32> {
  %0 = graph.matmul %x, %w, %b {template_params = #graph.matmul_template<MPN = 2, NPN = 2, MB = 4, NB = 16, KB = 5, BS = 3, order = [m, n, k], packA = false, packB = false>} : (tensor<19x23xf32>, tensor<23x40xf32>, tensor<40xf32>) -> tensor<19x40xf32>
  %1 = graph.tanh %0 : (tensor<19x40xf32>) -> tensor<19x40xf32>
  return %1 : tensor<19x40xf32>
}

// All of C stays open while chunks of k are added.
func.func @k_outermost(%x: tensor<17x33xf32>, %w: tensor<33x31xf32> {graph.const_arg}) -> tensor<17x31xbf16> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 4, NB = 8, KB = 4, BS = 3, order = [k, n, m], packA = true, packB = true>} : (tensor<17x33xf32>, tensor<33x31xf32>) -> tensor<17x31xf32>
  %1 = graph.sigmoid %0 : (tensor<17x31xf32>) -> tensor<17x31xf32>
  %2 = graph.type_cast %1 : tensor<17x31xf32> -> tensor<17x31xbf16>
  return %2 : tensor<17x31xbf16>
}

// C is a result, is read at both anchors, and what the first makes is read again.
func.func @both_anchors(%x: tensor<16x16xf32>, %w: tensor<16x16xf32>) -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 3, NB = 7, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  %1 = graph.tanh %0 {graph.anchor = #graph.anchor<post, 1>} : (tensor<16x16xf32>) -> tensor<16x16xf32>
  %2 = graph.multiply %1, %0 {graph.anchor = #graph.anchor<post, 2>} : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x16xf32>
  return %0, %2 : tensor<16x16xf32>, tensor<16x16xf32>
}

// Both operands transposed, one matrix for all of the batch.
func.func @transposed(%x: tensor<3x9x10xf32>, %w: tensor<1x12x9xf32>) -> tensor<3x10x12xf32> {
  %0 = graph.matmul %x, %w {transpose_a = true, transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 8, KB = 4, BS = 2, order = [n, m, k], packA = true, packB = true>} : (tensor<3x9x10xf32>, tensor<1x12x9xf32>) -> tensor<3x10x12xf32>
  return %0 : tensor<3x10x12xf32>
}

// Blocks of columns and of k that are rounded up beyond the matrix.
func.func @rounded(%x: tensor<5x13xf32>, %w: tensor<13x21xf32> {graph.const_arg}) -> tensor<5x21xf32> {
  %0 = graph.exp %x : (tensor<5x13xf32>) -> tensor<5x13xf32>
  %1 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 32, KB = 32, BS = 1, order = [m, n, k], packA = true, packB = true>} : (tensor<5x13xf32>, tensor<13x21xf32>) -> tensor<5x21xf32>
  return %1 : tensor<5x21xf32>
}

// The result of one template in the blocks of another, which do not fit its own.
func.func @repacked(%x: tensor<12x10xf32>, %w: tensor<10x14xf32>, %v: tensor<14x9xf32>) -> tensor<12x9xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 5, NB = 6, KB = 10, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<12x10xf32>, tensor<10x14xf32>) -> tensor<12x14xf32>
  %1 = graph.tanh %0 : (tensor<12x14xf32>) -> tensor<12x14xf32>
  %2 = graph.matmul %1, %v {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 4, NB = 5, KB = 4, BS = 2, order = [m, n, k], packA = true, packB = true>} : (tensor<12x14xf32>, tensor<14x9xf32>) -> tensor<12x9xf32>
  return %2 : tensor<12x9xf32>
}

// All rows of A are one row in memory: nothing a kernel could read.
func.func @shared_row(%x: tensor<6x8xf32, #graph.layout<strided, [0, 1]>>, %w: tensor<8x5xf32>) -> tensor<6x5xf32> {
  %0 = graph.matmul %x, %w : (tensor<6x8xf32, #graph.layout<strided, [0, 1]>>, tensor<8x5xf32>) -> tensor<6x5xf32>
  return %0 : tensor<6x5xf32>
}
