// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of matmul, its template and bias_add, under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @matmul_c1(%a: tensor<f32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C1) operands of matmul must have rank 1 or more}}
  %0 = graph.matmul %a, %b : (tensor<f32>, tensor<8x2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @matmul_c2(%a: tensor<4x8xf32>, %b: tensor<7x2xf32>) {
  // expected-error @below {{(C2) src reduces over 8 elements, weights over 7}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<7x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// Transposed, 4 elements of src would have to meet 2 of weights.
func.func @matmul_c2_transposed(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C2) src reduces over 4 elements, weights over 2}}
  %0 = graph.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<8x8xf32>
  return
}

// -----

func.func @matmul_c3(%a: tensor<3x4x8xf32>, %b: tensor<2x8x2xf32>) {
  // expected-error @below {{(C3) leading dimensions of [3, 4, 8] and [2, 8, 2] do not broadcast}}
  %0 = graph.matmul %a, %b : (tensor<3x4x8xf32>, tensor<2x8x2xf32>) -> tensor<3x4x2xf32>
  return
}

// -----

func.func @matmul_c4(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'graph.matmul' op (C4) bias of shape [3] does not broadcast to the result [4, 2]}}
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<3xf32>) -> tensor<4x2xf32>
  return
}

// -----

// A bias may not make the result larger.
func.func @matmul_c4_grows(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<5x4x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C4) bias of shape [5, 4, 2] does not broadcast to the result [4, 2]}}
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<5x4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// An f32 src may have narrower weights, but not the other way round.
func.func @matmul_c5(%a: tensor<4x8xbf16>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C5) element types 'bf16' and 'f32' differ}}
  %0 = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c5_bias(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xbf16>) {
  // expected-error @below {{'graph.matmul' op (C5) element type 'bf16' of bias does not fit 'f32'}}
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xbf16>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c5_result(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C5) result of element type 'bf16' of operands of element type 'f32'}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xbf16>
  return
}

// -----

// Sums of 8-bit integers are 32-bit integers.
func.func @matmul_c5_integers(%a: tensor<4x8xsi8>, %b: tensor<8x2xsi8>) {
  // expected-error @below {{'graph.matmul' op inferred type(s) 'tensor<4x2xsi32>' are incompatible with return type(s) of operation 'tensor<4x2xf32>'}}
  %0 = graph.matmul %a, %b : (tensor<4x8xsi8>, tensor<8x2xsi8>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c5_integer_bias(%a: tensor<4x8xsi8>, %b: tensor<8x2xsi8>, %c: tensor<2xf32>) {
  // expected-error @below {{'graph.matmul' op (C5) element type 'f32' of bias does not fit 'si32'}}
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xsi8>, tensor<8x2xsi8>, tensor<2xf32>) -> tensor<4x2xsi32>
  return
}

// -----

// Products of wider integers are another op set.
func.func @matmul_integers(%a: tensor<4x8xsi32>, %b: tensor<8x2xsi32>) {
  // expected-error @below {{'graph.matmul' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float or 8-bit signed integer or 8-bit unsigned integer values, but got 'tensor<4x8xsi32>'}}
  %0 = graph.matmul %a, %b : (tensor<4x8xsi32>, tensor<8x2xsi32>) -> tensor<4x2xsi32>
  return
}

// -----

func.func @matmul_result(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op inferred type(s) 'tensor<4x2xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @template_c1(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C1) parameters of a matmul template must be at least 1}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 0, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c2(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C2) order must be a permutation of m, n, k}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 8, BS = 1, order = [m, m, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c3_mb(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter MB = 5 exceeds 4}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// Blocks of columns and of k may be rounded up to 64.
func.func @template_c3_nb(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter NB = 65 exceeds 64}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 65, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c3_kb(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter KB = 65 exceeds 64}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 65, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

// Two blocks of rows cannot be divided among three threads.
func.func @template_c3_mpn(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter MPN = 3 exceeds 2}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 3, NPN = 1, MB = 2, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c3_npn(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter NPN = 2 exceeds 1}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 2, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c3_bs(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C3) template parameter BS = 3 exceeds 2}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 2, KB = 4, BS = 3, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c4_a(%a: tensor<8x4xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C4) operand 0 of type 'tensor<8x4xf32>' cannot be read in place; the template has to pack it}}
  %0 = graph.matmul %a, %b {transpose_a = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<8x4xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c4_b(%a: tensor<4x8xf32>, %b: tensor<8x2xf32, #graph.layout<strided, [2, 16]>>) {
  // expected-error @below {{'graph.matmul' op (C4) operand 1 of type 'tensor<8x2xf32, #graph.layout<strided, [2, 16]>>' cannot be read in place; the template has to pack it}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x8xf32>, tensor<8x2xf32, #graph.layout<strided, [2, 16]>>) -> tensor<4x2xf32>
  return
}

// -----

// Rows that overlap, a sliding window.
func.func @template_c4_overlap(%a: tensor<4x8xf32, #graph.layout<strided, [1, 1]>>, %b: tensor<8x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C4) operand 0 of type 'tensor<4x8xf32, #graph.layout<strided, [1, 1]>>' cannot be read in place; the template has to pack it}}
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 2, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x8xf32, #graph.layout<strided, [1, 1]>>, tensor<8x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @bias_add_c1(%x: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{(C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0 = graph.bias_add %x, %b {data_format = "NHWC"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @bias_add_c2(%x: tensor<2x3x4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{(C2) bias of shape [4] does not fit 3 channels}}
  %0 = graph.bias_add %x, %b {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @bias_add_c2_rank(%x: tensor<2x4xf32>, %b: tensor<1x4xf32>) {
  // expected-error @below {{(C2) bias of shape [1, 4] does not fit 4 channels}}
  %0 = graph.bias_add %x, %b : (tensor<2x4xf32>, tensor<1x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @bias_add_c3(%x: tensor<4xf32>, %b: tensor<4xf32>) {
  // expected-error @below {{(C3) src of rank 1 has no channels}}
  %0 = graph.bias_add %x, %b {data_format = "NCX"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bias_add_c4(%x: tensor<2x4xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{(C4) element types 'f32' and 'bf16' differ}}
  %0 = graph.bias_add %x, %b : (tensor<2x4xf32>, tensor<4xbf16>) -> tensor<2x4xf32>
  return
}

// -----

func.func @zero_point_of_floats(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) -> tensor<2x4xf32> {
  // expected-error @below {{'graph.matmul' op (C6) zero points must be from -128 to 255, and 0 unless the elements are integers}}
  %0 = graph.matmul %a, %b {src_zp = 3 : i64} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return %0 : tensor<2x4xf32>
}

// -----

func.func @large_zero_point(%a: tensor<2x3xui8>, %b: tensor<3x4xsi8>) -> tensor<2x4xsi32> {
  // expected-error @below {{'graph.matmul' op (C6) zero points must be from -128 to 255}}
  %0 = graph.matmul %a, %b {weights_zp = -129 : i64} : (tensor<2x3xui8>, tensor<3x4xsi8>) -> tensor<2x4xsi32>
  return %0 : tensor<2x4xsi32>
}

// -----

func.func @matmul_c5_wider(%a: tensor<4x8xbf16>, %b: tensor<8x2xsi8>) {
  // expected-error @below {{(C5) element types 'bf16' and 'si8' differ}}
  %0 = graph.matmul %a, %b : (tensor<4x8xbf16>, tensor<8x2xsi8>) -> tensor<4x2xbf16>
  return
}

// -----

func.func @matmul_c7_operands(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %c: tensor<2xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) has 4 operands, takes 2 or 3}}
  %0 = graph.matmul %a, %b, %c, %c : (tensor<4x8xf32>, tensor<8x2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_floats(%a: tensor<4x8xf32>, %b: tensor<8x2xbf16>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) weights with groups must be a matrix of integers, and src f32}}
  %0 = graph.matmul %a, %b, %s {weights_group = 8 : i64} : (tensor<4x8xf32>, tensor<8x2xbf16>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_group(%a: tensor<4x8xf32>, %b: tensor<8x2xsi4>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) groups of 16 do not divide 8 elements along k}}
  %0 = graph.matmul %a, %b, %s {weights_group = 16 : i64} : (tensor<4x8xf32>, tensor<8x2xsi4>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_negative(%a: tensor<4x8xf32>, %b: tensor<8x2xsi4>, %s: tensor<1x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) weights_group is -8, must be a positive multiple of 8}}
  %0 = graph.matmul %a, %b, %s {weights_group = -8 : i64} : (tensor<4x8xf32>, tensor<8x2xsi4>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_no_scales(%a: tensor<4x8xf32>, %b: tensor<8x2xsi4>) {
  // expected-error @below {{'graph.matmul' op (C7) groups need scales, may have zps, and have no weights_zp}}
  %0 = graph.matmul %a, %b {weights_group = 8 : i64} : (tensor<4x8xf32>, tensor<8x2xsi4>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_shape(%a: tensor<4x8xf32>, %b: tensor<8x2xsi4>, %s: tensor<2x1xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) scales or zps of type 'tensor<2x1xf32>' must be of type 'tensor<1x2xf32>'}}
  %0 = graph.matmul %a, %b, %s {weights_group = 8 : i64} : (tensor<4x8xf32>, tensor<8x2xsi4>, tensor<2x1xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c7_lane(%a: tensor<4x8xf32>, %b: tensor<8x2xsi8>, %s: tensor<4x2xf32>) {
  // expected-error @below {{'graph.matmul' op (C7) weights_group is 2, must be a positive multiple of 4}}
  %0 = graph.matmul %a, %b, %s {weights_group = 2 : i64} : (tensor<4x8xf32>, tensor<8x2xsi8>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @matmul_c8(%a: tensor<4x12xf32>, %b: tensor<12x2xui4>) {
  // expected-error @below {{'graph.matmul' op (C8) weights of 4 bits must be matrices with a multiple of 8 elements along k}}
  %0 = graph.matmul %a, %b : (tensor<4x12xf32>, tensor<12x2xui4>) -> tensor<4x2xf32>
  return
}

// -----

func.func @template_c6(%a: tensor<4x16xf32>, %b: tensor<16x16xsi4>, %s: tensor<2x16xf32>) {
  // expected-error @below {{'graph.matmul' op (C6) weights with groups of 8 need a KB of as many}}
  %0 = graph.matmul %a, %b, %s {weights_group = 8 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<4x16xf32>, tensor<16x16xsi4>, tensor<2x16xf32>) -> tensor<4x16xf32>
  return
}
