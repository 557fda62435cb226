// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Rows by a transposed operand of their own that is read in place. Where dot products
// would take longer, kernels exchange the operands: a vector has the rows of C, which
// leave lanes unused here; columns leave a smaller tile, k less than a square, and blocks
// of k are added to what C holds. Zero points and signs of either side.

// DEFINE: %{entry} =
// DEFINE: %{options} =
// DEFINE: %{prefix} =
// DEFINE: %{run} = env GC_POISON=1 gc-runner %s --threads=2 --check --strict --entry=%{entry} %{options} | FileCheck %s --check-prefix=%{prefix}
// EXACT: check     passed, max abs error 0,
// CLOSE: check     passed

// REDEFINE: %{entry} = squares
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = squares
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = squares
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = squares
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = few_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = few_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = few_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = few_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = four_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = four_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = four_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = four_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = blocks_of_rows
// REDEFINE: %{prefix} = EXACT
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = squares_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = squares_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = squares_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = squares_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = rest_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = rest_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = few_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = few_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = few_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = few_bf16
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = squares_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = squares_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = squares_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = squares_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = rest_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = rest_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = rest_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = rest_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}
// REDEFINE: %{entry} = few_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = 
// RUN: %{run}
// REDEFINE: %{entry} = few_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-zen4-2
// RUN: %{run}
// REDEFINE: %{entry} = few_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --machine=%runnable-laptop-avx2-4
// RUN: %{run}
// REDEFINE: %{entry} = few_f32
// REDEFINE: %{prefix} = CLOSE
// REDEFINE: %{options} = --pipeline-options=vector-bytes=16
// RUN: %{run}

// Whole vectors of rows; columns that are no whole tile.
func.func @squares(%a0: tensor<16x80xui8>, %b0: tensor<37x80xsi8>, %a1: tensor<16x80xsi8>, %b1: tensor<37x80xsi8>, %a2: tensor<16x80xui8>, %b2: tensor<37x80xui8>, %a3: tensor<16x80xsi8>, %b3: tensor<37x80xui8>) -> (tensor<16x37xsi32>, tensor<16x37xsi32>, tensor<16x37xsi32>, tensor<16x37xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xui8>, tensor<37x80xsi8>) -> tensor<16x37xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xsi8>, tensor<37x80xsi8>) -> tensor<16x37xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xui8>, tensor<37x80xui8>) -> tensor<16x37xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xsi8>, tensor<37x80xui8>) -> tensor<16x37xsi32>
  return %0, %1, %2, %3 : tensor<16x37xsi32>, tensor<16x37xsi32>, tensor<16x37xsi32>, tensor<16x37xsi32>
}

// Two vectors of rows, the second of four; blocks of k, two at a time and one.
func.func @rest_of_rows(%a0: tensor<20x96xui8>, %b0: tensor<53x96xsi8>, %a1: tensor<20x96xsi8>, %b1: tensor<53x96xsi8>, %a2: tensor<20x96xui8>, %b2: tensor<53x96xui8>, %a3: tensor<20x96xsi8>, %b3: tensor<53x96xui8>) -> (tensor<20x53xsi32>, tensor<20x53xsi32>, tensor<20x53xsi32>, tensor<20x53xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 20, NB = 32, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<20x96xui8>, tensor<53x96xsi8>) -> tensor<20x53xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 20, NB = 32, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<20x96xsi8>, tensor<53x96xsi8>) -> tensor<20x53xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 20, NB = 32, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<20x96xui8>, tensor<53x96xui8>) -> tensor<20x53xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 20, NB = 32, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<20x96xsi8>, tensor<53x96xui8>) -> tensor<20x53xsi32>
  return %0, %1, %2, %3 : tensor<20x53xsi32>, tensor<20x53xsi32>, tensor<20x53xsi32>, tensor<20x53xsi32>
}

// Half a vector, less than a square of groups.
func.func @few_rows(%a0: tensor<5x20xui8>, %b0: tensor<16x20xsi8>, %a1: tensor<5x20xsi8>, %b1: tensor<16x20xsi8>, %a2: tensor<5x20xui8>, %b2: tensor<16x20xui8>, %a3: tensor<5x20xsi8>, %b3: tensor<16x20xui8>) -> (tensor<5x16xsi32>, tensor<5x16xsi32>, tensor<5x16xsi32>, tensor<5x16xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x20xui8>, tensor<16x20xsi8>) -> tensor<5x16xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x20xsi8>, tensor<16x20xsi8>) -> tensor<5x16xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x20xui8>, tensor<16x20xui8>) -> tensor<5x16xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x20xsi8>, tensor<16x20xui8>) -> tensor<5x16xsi32>
  return %0, %1, %2, %3 : tensor<5x16xsi32>, tensor<5x16xsi32>, tensor<5x16xsi32>, tensor<5x16xsi32>
}

// A quarter of a vector.
func.func @four_rows(%a0: tensor<4x80xui8>, %b0: tensor<130x80xsi8>, %a1: tensor<4x80xsi8>, %b1: tensor<130x80xsi8>, %a2: tensor<4x80xui8>, %b2: tensor<130x80xui8>, %a3: tensor<4x80xsi8>, %b3: tensor<130x80xui8>) -> (tensor<4x130xsi32>, tensor<4x130xsi32>, tensor<4x130xsi32>, tensor<4x130xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 144, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x80xui8>, tensor<130x80xsi8>) -> tensor<4x130xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 144, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x80xsi8>, tensor<130x80xsi8>) -> tensor<4x130xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 144, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x80xui8>, tensor<130x80xui8>) -> tensor<4x130xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 144, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x80xsi8>, tensor<130x80xui8>) -> tensor<4x130xsi32>
  return %0, %1, %2, %3 : tensor<4x130xsi32>, tensor<4x130xsi32>, tensor<4x130xsi32>, tensor<4x130xsi32>
}

// Blocks of rows, the last one of one.
func.func @blocks_of_rows(%a0: tensor<33x64xui8>, %b0: tensor<70x64xsi8>, %a1: tensor<33x64xsi8>, %b1: tensor<70x64xsi8>, %a2: tensor<33x64xui8>, %b2: tensor<70x64xui8>, %a3: tensor<33x64xsi8>, %b3: tensor<70x64xui8>) -> (tensor<33x70xsi32>, tensor<33x70xsi32>, tensor<33x70xsi32>, tensor<33x70xsi32>) {
  %0 = graph.matmul %a0, %b0 {transpose_b = true, src_zp = 134 : i64, weights_zp = -3 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 80, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<33x64xui8>, tensor<70x64xsi8>) -> tensor<33x70xsi32>
  %1 = graph.matmul %a1, %b1 {transpose_b = true, src_zp = -128 : i64, weights_zp = 5 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 80, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<33x64xsi8>, tensor<70x64xsi8>) -> tensor<33x70xsi32>
  %2 = graph.matmul %a2, %b2 {transpose_b = true, src_zp = 255 : i64, weights_zp = 128 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 80, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<33x64xui8>, tensor<70x64xui8>) -> tensor<33x70xsi32>
  %3 = graph.matmul %a3, %b3 {transpose_b = true, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 80, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<33x64xsi8>, tensor<70x64xui8>) -> tensor<33x70xsi32>
  return %0, %1, %2, %3 : tensor<33x70xsi32>, tensor<33x70xsi32>, tensor<33x70xsi32>, tensor<33x70xsi32>
}

func.func @squares_bf16(%a: tensor<16x80xbf16>, %b: tensor<37x80xbf16>) -> tensor<16x37xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xbf16>, tensor<37x80xbf16>) -> tensor<16x37xf32>
  return %0 : tensor<16x37xf32>
}

func.func @rest_bf16(%a: tensor<20x96xbf16>, %b: tensor<53x96xbf16>) -> tensor<20x53xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 20, NB = 32, KB = 32, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<20x96xbf16>, tensor<53x96xbf16>) -> tensor<20x53xf32>
  return %0 : tensor<20x53xf32>
}

func.func @few_bf16(%a: tensor<5x20xbf16>, %b: tensor<16x20xbf16>) -> tensor<5x16xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 16, KB = 20, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<5x20xbf16>, tensor<16x20xbf16>) -> tensor<5x16xf32>
  return %0 : tensor<5x16xf32>
}

func.func @squares_f32(%a: tensor<16x80xf32>, %b: tensor<37x80xf32>) -> tensor<16x37xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 64, KB = 80, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<16x80xf32>, tensor<37x80xf32>) -> tensor<16x37xf32>
  return %0 : tensor<16x37xf32>
}

func.func @rest_f32(%a: tensor<12x93xf32>, %b: tensor<53x93xf32>) -> tensor<12x53xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 12, NB = 32, KB = 31, BS = 2, order = [m, n, k], packA = false, packB = false>} : (tensor<12x93xf32>, tensor<53x93xf32>) -> tensor<12x53xf32>
  return %0 : tensor<12x53xf32>
}

func.func @few_f32(%a: tensor<8x37xf32>, %b: tensor<19x37xf32>) -> tensor<8x19xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 32, KB = 37, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x37xf32>, tensor<19x37xf32>) -> tensor<8x19xf32>
  return %0 : tensor<8x19xf32>
}
