// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The padding of blocks, with memory that is NaN until something is written to it:
// arenas, folded weights and results. Blocks that sizes do not divide, in each
// dimension, of constant and of computed operands, between layers, in slices of k
// and in attention.

// RUN: env GC_POISON=1 gc-runner %s --entry=weights --threads=2 --check
// RUN: env GC_POISON=1 gc-runner %s --entry=weights --threads=2 --check --pipeline-options=kernel=vector
// RUN: env GC_POISON=1 gc-runner %s --entry=weights --threads=2 --check --pipeline-options=vector-bytes=16
// RUN: env GC_POISON=1 gc-runner %s --entry=computed --threads=2 --check
// RUN: env GC_POISON=1 gc-runner %s --entry=computed --threads=1 --check --pipeline-options=propagate-layout=false
// RUN: env GC_POISON=1 gc-runner %s --entry=chosen --threads=2 --check
// RUN: env GC_POISON=1 gc-runner %s --entry=slices --threads=3 --check
// RUN: env GC_POISON=1 gc-runner %s --entry=attention --threads=2 --check --pipeline-options=attention=always
// RUN: env GC_POISON=1 gc-runner %s --entry=attention --threads=2 --check --pipeline-options=attention=never

// RUN: env GC_POISON=1 gc-runner %s --entry=full_block --threads=1 --check --pipeline-options=vector-bytes=64

// What is packed ends in zeros, up to a whole vector of eight: the last 6 of 70
// columns are followed by 2.
// RUN: gc-opt %s --gc-cpu-pipeline="vector-bytes=32 threads=2 stop-after=tensor" | FileCheck %s
// CHECK-LABEL: func.func private @weights_fold
// CHECK: vector.shuffle %{{.*}}, %{{.*}} [0, 1, 2, 3, 4, 5, 6, 6] : vector<6xf32>, vector<6xf32>
// CHECK: vector.store %{{.*}} : memref<{{.*}}x32xf32{{.*}}>, vector<8xf32>

func.func @weights(%x: tensor<5x33xf32>, %w: tensor<33x70xf32> {graph.const_arg}, %v: tensor<70x9xf32> {graph.const_arg}) -> tensor<5x9xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 32, KB = 16, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<5x33xf32>, tensor<33x70xf32>) -> tensor<5x70xf32>
  %1 = graph.relu %0 : (tensor<5x70xf32>) -> tensor<5x70xf32>
  %2 = graph.matmul %1, %v {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 32, BS = 1, order = [m, n, k], packA = true, packB = true>} : (tensor<5x70xf32>, tensor<70x9xf32>) -> tensor<5x9xf32>
  return %2 : tensor<5x9xf32>
}

func.func @computed(%x: tensor<3x7x33xf32>, %w: tensor<3x70x33xf32>) -> tensor<3x7x70xf32> {
  %0 = graph.exp %w : (tensor<3x70x33xf32>) -> tensor<3x70x33xf32>
  %1 = graph.relu %x : (tensor<3x7x33xf32>) -> tensor<3x7x33xf32>
  %2 = graph.matmul %1, %0 {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 16, BS = 2, order = [m, n, k], packA = true, packB = true>} : (tensor<3x7x33xf32>, tensor<3x70x33xf32>) -> tensor<3x7x70xf32>
  return %2 : tensor<3x7x70xf32>
}

func.func @chosen(%x: tensor<37x53xf32>, %w: tensor<53x101xf32> {graph.const_arg}, %b: tensor<101xf32> {graph.const_arg}, %v: tensor<101x19xf32> {graph.const_arg}) -> tensor<37x19xf32> {
  %0 = graph.matmul %x, %w, %b : (tensor<37x53xf32>, tensor<53x101xf32>, tensor<101xf32>) -> tensor<37x101xf32>
  %1 = graph.softmax %0 {axis = 1 : i64} : (tensor<37x101xf32>) -> tensor<37x101xf32>
  %2 = graph.matmul %1, %v : (tensor<37x101xf32>, tensor<101x19xf32>) -> tensor<37x19xf32>
  return %2 : tensor<37x19xf32>
}

func.func @slices(%x: tensor<5x100xf32>, %w: tensor<100x70xf32> {graph.const_arg}) -> tensor<5x70xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 32, KB = 16, BS = 2, order = [m, n, k], packA = false, packB = true, KPN = 3>} : (tensor<5x100xf32>, tensor<100x70xf32>) -> tensor<5x70xf32>
  return %0 : tensor<5x70xf32>
}

func.func @attention(%q: tensor<2x3x45x20xf32>, %k: tensor<2x3x77x20xf32>, %v: tensor<2x3x77x23xf32>) -> tensor<2x3x45x23xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x3x45x20xf32>, tensor<2x3x77x20xf32>) -> tensor<2x3x45x77xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<2x3x45x77xf32>) -> tensor<2x3x45x77xf32>
  %2 = graph.matmul %1, %v : (tensor<2x3x45x77xf32>, tensor<2x3x77x23xf32>) -> tensor<2x3x45x23xf32>
  return %2 : tensor<2x3x45x23xf32>
}

// A block of 24 columns is full although vectors of 16 leave a rest: there is no
// room for zeros. The strided operand makes the pass transpose in registers.
func.func @full_block(%x: tensor<47x24xf32>, %y: tensor<47x24xf32, #graph.layout<strided, [1, 63]>>, %z: tensor<1x47xf32>) -> tensor<1x24xf32> {
  %0 = graph.subtract %x, %y : (tensor<47x24xf32>, tensor<47x24xf32, #graph.layout<strided, [1, 63]>>) -> tensor<47x24xf32>
  %1 = graph.matmul %z, %0 : (tensor<1x47xf32>, tensor<47x24xf32>) -> tensor<1x24xf32>
  return %1 : tensor<1x24xf32>
}
