// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A few rows of 8-bit integers by operands of their own, which kernels read in place:
// transposed ones along k, the others four rows at a time. Zero points and signs of
// either side; remainders of rows, columns, vectors and, where rows are interleaved,
// of the four. Without a template in the IR, the cost model decides.

// DEFINE: %{entry} =
// DEFINE: %{options} =
// DEFINE: %{run} = env GC_POISON=1 gc-runner %s --threads=2 --check --strict --entry=%{entry} %{options} | FileCheck %s
// CHECK: check     passed, max abs error 0,

// REDEFINE: %{entry} = keys
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = keys
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = keys
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = short_keys
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = short_keys
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = short_keys
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_keys
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_keys
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_keys
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_keys
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_keys
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_keys
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = values
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = values
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = values
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_values
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_values
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_values
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_values
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = slices_of_values
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = slices_of_values
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = slices_of_values
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = column
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = column
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = column
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = chosen_keys
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = chosen_keys
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = chosen_keys
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = chosen_values
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = chosen_values
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = chosen_values
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// RUN: gc-runner %s --threads=2 --check --strict --entry=decode
// RUN: gc-runner %s --threads=2 --check --strict --entry=decode --machine=%runnable-laptop-avx2-4

// Whole vectors, and columns left of every tile.
func.func @keys(%a0: tensor<4x128xui8>, %b0: tensor<45x128xsi8>, %a1: tensor<4x128xsi8>, %b1: tensor<45x128xsi8>, %a2: tensor<4x128xui8>, %b2: tensor<45x128xui8>, %a3: tensor<4x128xsi8>, %b3: tensor<45x128xui8>) -> (tensor<4x45xsi32>, tensor<4x45xsi32>, tensor<4x45xsi32>, tensor<4x45xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 128, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x128xui8>, tensor<45x128xsi8>) -> tensor<4x45xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 128, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x128xsi8>, tensor<45x128xsi8>) -> tensor<4x45xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 128, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x128xui8>, tensor<45x128xui8>) -> tensor<4x45xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 128, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x128xsi8>, tensor<45x128xui8>) -> tensor<4x45xsi32>
  return %0, %1, %2, %3 : tensor<4x45xsi32>, tensor<4x45xsi32>, tensor<4x45xsi32>, tensor<4x45xsi32>
}

// Less than a vector of k.
func.func @short_keys(%a0: tensor<3x20xui8>, %b0: tensor<29x20xsi8>, %a1: tensor<3x20xsi8>, %b1: tensor<29x20xsi8>, %a2: tensor<3x20xui8>, %b2: tensor<29x20xui8>, %a3: tensor<3x20xsi8>, %b3: tensor<29x20xui8>) -> (tensor<3x29xsi32>, tensor<3x29xsi32>, tensor<3x29xsi32>, tensor<3x29xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 32, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x20xui8>, tensor<29x20xsi8>) -> tensor<3x29xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 32, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x20xsi8>, tensor<29x20xsi8>) -> tensor<3x29xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 32, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x20xui8>, tensor<29x20xui8>) -> tensor<3x29xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 32, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x20xsi8>, tensor<29x20xui8>) -> tensor<3x29xsi32>
  return %0, %1, %2, %3 : tensor<3x29xsi32>, tensor<3x29xsi32>, tensor<3x29xsi32>, tensor<3x29xsi32>
}

// A vector, and less than one.
func.func @rest_of_keys(%a0: tensor<5x100xui8>, %b0: tensor<31x100xsi8>, %a1: tensor<5x100xsi8>, %b1: tensor<31x100xsi8>, %a2: tensor<5x100xui8>, %b2: tensor<31x100xui8>, %a3: tensor<5x100xsi8>, %b3: tensor<31x100xui8>) -> (tensor<5x31xsi32>, tensor<5x31xsi32>, tensor<5x31xsi32>, tensor<5x31xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 100, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x100xui8>, tensor<31x100xsi8>) -> tensor<5x31xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 100, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x100xsi8>, tensor<31x100xsi8>) -> tensor<5x31xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 100, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x100xui8>, tensor<31x100xui8>) -> tensor<5x31xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 100, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x100xsi8>, tensor<31x100xui8>) -> tensor<5x31xsi32>
  return %0, %1, %2, %3 : tensor<5x31xsi32>, tensor<5x31xsi32>, tensor<5x31xsi32>, tensor<5x31xsi32>
}

// Several blocks of k, the last one shorter.
func.func @blocks_of_keys(%a0: tensor<2x172xui8>, %b0: tensor<9x172xsi8>, %a1: tensor<2x172xsi8>, %b1: tensor<9x172xsi8>, %a2: tensor<2x172xui8>, %b2: tensor<9x172xui8>, %a3: tensor<2x172xsi8>, %b3: tensor<9x172xui8>) -> (tensor<2x9xsi32>, tensor<2x9xsi32>, tensor<2x9xsi32>, tensor<2x9xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 64, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<2x172xui8>, tensor<9x172xsi8>) -> tensor<2x9xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 64, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<2x172xsi8>, tensor<9x172xsi8>) -> tensor<2x9xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 64, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<2x172xui8>, tensor<9x172xui8>) -> tensor<2x9xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 16, KB = 64, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<2x172xsi8>, tensor<9x172xui8>) -> tensor<2x9xsi32>
  return %0, %1, %2, %3 : tensor<2x9xsi32>, tensor<2x9xsi32>, tensor<2x9xsi32>, tensor<2x9xsi32>
}

// Rows in fours.
func.func @values(%a0: tensor<4x96xui8>, %b0: tensor<96x40xsi8>, %a1: tensor<4x96xsi8>, %b1: tensor<96x40xsi8>, %a2: tensor<4x96xui8>, %b2: tensor<96x40xui8>, %a3: tensor<4x96xsi8>, %b3: tensor<96x40xui8>) -> (tensor<4x40xsi32>, tensor<4x40xsi32>, tensor<4x40xsi32>, tensor<4x40xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 32, BS = 3, order = [m, n, k], packA = false, packB = false>} : (tensor<4x96xui8>, tensor<96x40xsi8>) -> tensor<4x40xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 32, BS = 3, order = [m, n, k], packA = false, packB = false>} : (tensor<4x96xsi8>, tensor<96x40xsi8>) -> tensor<4x40xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 32, BS = 3, order = [m, n, k], packA = false, packB = false>} : (tensor<4x96xui8>, tensor<96x40xui8>) -> tensor<4x40xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 48, KB = 32, BS = 3, order = [m, n, k], packA = false, packB = false>} : (tensor<4x96xsi8>, tensor<96x40xui8>) -> tensor<4x40xsi32>
  return %0, %1, %2, %3 : tensor<4x40xsi32>, tensor<4x40xsi32>, tensor<4x40xsi32>, tensor<4x40xsi32>
}

// A row is left, and columns.
func.func @rest_of_values(%a0: tensor<3x65xui8>, %b0: tensor<65x37xsi8>, %a1: tensor<3x65xsi8>, %b1: tensor<65x37xsi8>, %a2: tensor<3x65xui8>, %b2: tensor<65x37xui8>, %a3: tensor<3x65xsi8>, %b3: tensor<65x37xui8>) -> (tensor<3x37xsi32>, tensor<3x37xsi32>, tensor<3x37xsi32>, tensor<3x37xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 48, KB = 68, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x65xui8>, tensor<65x37xsi8>) -> tensor<3x37xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 48, KB = 68, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x65xsi8>, tensor<65x37xsi8>) -> tensor<3x37xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 48, KB = 68, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x65xui8>, tensor<65x37xui8>) -> tensor<3x37xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 48, KB = 68, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<3x65xsi8>, tensor<65x37xui8>) -> tensor<3x37xsi32>
  return %0, %1, %2, %3 : tensor<3x37xsi32>, tensor<3x37xsi32>, tensor<3x37xsi32>, tensor<3x37xsi32>
}

// Blocks of rows, the last one with three.
func.func @blocks_of_values(%a0: tensor<7x131xui8>, %b0: tensor<131x18xsi8>, %a1: tensor<7x131xsi8>, %b1: tensor<131x18xsi8>, %a2: tensor<7x131xui8>, %b2: tensor<131x18xui8>, %a3: tensor<7x131xsi8>, %b3: tensor<131x18xui8>) -> (tensor<7x18xsi32>, tensor<7x18xsi32>, tensor<7x18xsi32>, tensor<7x18xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 7, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<7x131xui8>, tensor<131x18xsi8>) -> tensor<7x18xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 7, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<7x131xsi8>, tensor<131x18xsi8>) -> tensor<7x18xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 7, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<7x131xui8>, tensor<131x18xui8>) -> tensor<7x18xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 7, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<7x131xsi8>, tensor<131x18xui8>) -> tensor<7x18xsi32>
  return %0, %1, %2, %3 : tensor<7x18xsi32>, tensor<7x18xsi32>, tensor<7x18xsi32>, tensor<7x18xsi32>
}

// Threads share k.
func.func @slices_of_values(%a0: tensor<4x128xui8>, %b0: tensor<128x32xsi8>, %a1: tensor<4x128xsi8>, %b1: tensor<128x32xsi8>, %a2: tensor<4x128xui8>, %b2: tensor<128x32xui8>, %a3: tensor<4x128xsi8>, %b3: tensor<128x32xui8>) -> (tensor<4x32xsi32>, tensor<4x32xsi32>, tensor<4x32xsi32>, tensor<4x32xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x128xui8>, tensor<128x32xsi8>) -> tensor<4x32xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x128xsi8>, tensor<128x32xsi8>) -> tensor<4x32xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x128xui8>, tensor<128x32xui8>) -> tensor<4x32xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false, KPN = 2>} : (tensor<4x128xsi8>, tensor<128x32xui8>) -> tensor<4x32xsi32>
  return %0, %1, %2, %3 : tensor<4x32xsi32>, tensor<4x32xsi32>, tensor<4x32xsi32>, tensor<4x32xsi32>
}

// A single column runs along k.
func.func @column(%a0: tensor<6x140xui8>, %b0: tensor<140x1xsi8>, %a1: tensor<6x140xsi8>, %b1: tensor<140x1xsi8>, %a2: tensor<6x140xui8>, %b2: tensor<140x1xui8>, %a3: tensor<6x140xsi8>, %b3: tensor<140x1xui8>) -> (tensor<6x1xsi32>, tensor<6x1xsi32>, tensor<6x1xsi32>, tensor<6x1xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64} : (tensor<6x140xui8>, tensor<140x1xsi8>) -> tensor<6x1xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64} : (tensor<6x140xsi8>, tensor<140x1xsi8>) -> tensor<6x1xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64} : (tensor<6x140xui8>, tensor<140x1xui8>) -> tensor<6x1xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64} : (tensor<6x140xsi8>, tensor<140x1xui8>) -> tensor<6x1xsi32>
  return %0, %1, %2, %3 : tensor<6x1xsi32>, tensor<6x1xsi32>, tensor<6x1xsi32>, tensor<6x1xsi32>
}

// The cost model.
func.func @chosen_keys(%a0: tensor<4x128xui8>, %b0: tensor<200x128xsi8>, %a1: tensor<4x128xsi8>, %b1: tensor<200x128xsi8>, %a2: tensor<4x128xui8>, %b2: tensor<200x128xui8>, %a3: tensor<4x128xsi8>, %b3: tensor<200x128xui8>) -> (tensor<4x200xsi32>, tensor<4x200xsi32>, tensor<4x200xsi32>, tensor<4x200xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64} : (tensor<4x128xui8>, tensor<200x128xsi8>) -> tensor<4x200xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64} : (tensor<4x128xsi8>, tensor<200x128xsi8>) -> tensor<4x200xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64} : (tensor<4x128xui8>, tensor<200x128xui8>) -> tensor<4x200xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64} : (tensor<4x128xsi8>, tensor<200x128xui8>) -> tensor<4x200xsi32>
  return %0, %1, %2, %3 : tensor<4x200xsi32>, tensor<4x200xsi32>, tensor<4x200xsi32>, tensor<4x200xsi32>
}

// The cost model.
func.func @chosen_values(%a0: tensor<4x200xui8>, %b0: tensor<200x128xsi8>, %a1: tensor<4x200xsi8>, %b1: tensor<200x128xsi8>, %a2: tensor<4x200xui8>, %b2: tensor<200x128xui8>, %a3: tensor<4x200xsi8>, %b3: tensor<200x128xui8>) -> (tensor<4x128xsi32>, tensor<4x128xsi32>, tensor<4x128xsi32>, tensor<4x128xsi32>) {
  %0 = graph.matmul %a0, %b0 {src_zp = 134 : i64, weights_zp = -3 : i64} : (tensor<4x200xui8>, tensor<200x128xsi8>) -> tensor<4x128xsi32>
  %1 = graph.matmul %a1, %b1 {src_zp = -128 : i64, weights_zp = 5 : i64} : (tensor<4x200xsi8>, tensor<200x128xsi8>) -> tensor<4x128xsi32>
  %2 = graph.matmul %a2, %b2 {src_zp = 255 : i64, weights_zp = 128 : i64} : (tensor<4x200xui8>, tensor<200x128xui8>) -> tensor<4x128xsi32>
  %3 = graph.matmul %a3, %b3 {weights_zp = 130 : i64} : (tensor<4x200xsi8>, tensor<200x128xui8>) -> tensor<4x128xsi32>
  return %0, %1, %2, %3 : tensor<4x128xsi32>, tensor<4x128xsi32>, tensor<4x128xsi32>, tensor<4x128xsi32>
}

// Decoding with queries, keys, values and weights of 8 bits.
func.func @decode(%q: tensor<1x3x4x1x128xui8>, %k: tensor<1x3x1x200x128xsi8>, %v: tensor<1x3x1x200x128xui8>) -> tensor<1x3x4x1x128xui8> {
  %qf = graph.dequantize %q {scales = array<f32: 0.015>, zps = array<i64: 134>} : (tensor<1x3x4x1x128xui8>) -> tensor<1x3x4x1x128xf32>
  %kf = graph.dequantize %k {scales = array<f32: 0.015>, zps = array<i64: 0>} : (tensor<1x3x1x200x128xsi8>) -> tensor<1x3x1x200x128xf32>
  %vf = graph.dequantize %v {scales = array<f32: 0.02>, zps = array<i64: 130>} : (tensor<1x3x1x200x128xui8>) -> tensor<1x3x1x200x128xf32>
  %0 = graph.matmul %qf, %kf {transpose_b = true} : (tensor<1x3x4x1x128xf32>, tensor<1x3x1x200x128xf32>) -> tensor<1x3x4x1x200xf32>
  %1 = graph.softmax %0 {axis = 4} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %2 = graph.quantize %1 {scales = array<f32: 0.00392157>, zps = array<i64: 0>} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xui8>
  %3 = graph.dequantize %2 {scales = array<f32: 0.00392157>, zps = array<i64: 0>} : (tensor<1x3x4x1x200xui8>) -> tensor<1x3x4x1x200xf32>
  %4 = graph.matmul %3, %vf : (tensor<1x3x4x1x200xf32>, tensor<1x3x1x200x128xf32>) -> tensor<1x3x4x1x128xf32>
  %5 = graph.quantize %4 {scales = array<f32: 0.01>, zps = array<i64: 128>} : (tensor<1x3x4x1x128xf32>) -> tensor<1x3x4x1x128xui8>
  return %5 : tensor<1x3x4x1x128xui8>
}
