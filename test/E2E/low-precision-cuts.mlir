// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls of narrow types whose K cuts a group of elements that share a lane: what
// follows the cut is not read of A, and of B it is memory that nobody has written.
// Memory is NaN until something is written to it.

// RUN: env GC_POISON=1 gc-runner %s --entry=one --threads=2 --check | FileCheck %s --check-prefix=EXACT
// RUN: env GC_POISON=1 gc-runner %s --entry=one_float --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=slices --threads=3 --check | FileCheck %s --check-prefix=EXACT
// RUN: env GC_POISON=1 gc-runner %s --entry=chain --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=chain --threads=3 --check --pipeline-options=propagate-layout=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=chain --threads=1 --check --pipeline-options=vector-bytes=16 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=rest_of_nine --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=quantized_chain --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=zero_points --threads=2 --check | FileCheck %s --check-prefix=EXACT
// RUN: env GC_POISON=1 gc-runner %s --entry=zero_points --threads=1 --check --pipeline-options=vector-bytes=16 | FileCheck %s --check-prefix=EXACT
// CHECK: check     passed
// EXACT: check     passed, max abs error 0,

func.func @one(%u: tensor<5x1xui8>, %s: tensor<5x1xsi8>, %v: tensor<1x21xui8>, %w: tensor<1x21xsi8> {graph.const_arg}) -> (tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>) {
  %0 = graph.matmul %u, %w : (tensor<5x1xui8>, tensor<1x21xsi8>) -> tensor<5x21xsi32>
  %1 = graph.matmul %s, %w : (tensor<5x1xsi8>, tensor<1x21xsi8>) -> tensor<5x21xsi32>
  %2 = graph.matmul %u, %v : (tensor<5x1xui8>, tensor<1x21xui8>) -> tensor<5x21xsi32>
  %3 = graph.matmul %s, %v : (tensor<5x1xsi8>, tensor<1x21xui8>) -> tensor<5x21xsi32>
  return %0, %1, %2, %3 : tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>
}

func.func @one_float(%a: tensor<5x1xbf16>, %b: tensor<1x21xbf16>, %c: tensor<5x1xf16>, %d: tensor<1x21xf16>) -> (tensor<5x21xf32>, tensor<5x21xf16>) {
  %0 = graph.matmul %a, %b : (tensor<5x1xbf16>, tensor<1x21xbf16>) -> tensor<5x21xf32>
  %1 = graph.matmul %c, %d : (tensor<5x1xf16>, tensor<1x21xf16>) -> tensor<5x21xf16>
  return %0, %1 : tensor<5x21xf32>, tensor<5x21xf16>
}

// The last of the blocks of k has one element.
func.func @slices(%a: tensor<4x193xui8>, %b: tensor<193x16xsi8>, %c: tensor<4x193xsi8>) -> (tensor<4x16xsi32>, tensor<4x16xsi32>) {
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 64, BS = 1, order = [m, n, k], packA = true, packB = true, KPN = 3>} : (tensor<4x193xui8>, tensor<193x16xsi8>) -> tensor<4x16xsi32>
  %1 = graph.matmul %c, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true, KPN = 3>} : (tensor<4x193xsi8>, tensor<193x16xsi8>) -> tensor<4x16xsi32>
  return %0, %1 : tensor<4x16xsi32>, tensor<4x16xsi32>
}

// Each layer's result is the next one's A, with an odd number of columns.
func.func @chain(%x: tensor<37x65xbf16>, %a: tensor<65x97xbf16> {graph.const_arg}, %b: tensor<97x127xbf16>, %c: tensor<127x9xbf16> {graph.const_arg}) -> tensor<37x9xbf16> {
  %0 = graph.matmul %x, %a : (tensor<37x65xbf16>, tensor<65x97xbf16>) -> tensor<37x97xbf16>
  %1 = graph.relu %0 : (tensor<37x97xbf16>) -> tensor<37x97xbf16>
  %2 = graph.matmul %1, %b : (tensor<37x97xbf16>, tensor<97x127xbf16>) -> tensor<37x127xbf16>
  %3 = graph.tanh %2 : (tensor<37x127xbf16>) -> tensor<37x127xbf16>
  %4 = graph.matmul %3, %c : (tensor<37x127xbf16>, tensor<127x9xbf16>) -> tensor<37x9xbf16>
  return %4 : tensor<37x9xbf16>
}

// Vectors of nine bf16 numbers, which code generators do not know.
func.func @rest_of_nine(%a: tensor<9x9xbf16>, %b: tensor<9x41xbf16>, %c: tensor<9x41xbf16>) -> (tensor<9x41xbf16>, tensor<9x9xbf16>) {
  %0 = graph.matmul %a, %b : (tensor<9x9xbf16>, tensor<9x41xbf16>) -> tensor<9x41xbf16>
  %1 = graph.matmul %0, %c {transpose_b = true} : (tensor<9x41xbf16>, tensor<9x41xbf16>) -> tensor<9x9xbf16>
  return %0, %1 : tensor<9x41xbf16>, tensor<9x9xbf16>
}

// One op dequantizes both operands.
func.func @quantized_chain(%a: tensor<7x7xui8>, %b: tensor<7x9xsi8> {graph.const_arg}) -> tensor<7x9xf32> {
  %0 = graph.dequantize %a {scales = array<f32: 0.05>, zps = array<i64: 3>} : (tensor<7x7xui8>) -> tensor<7x7xf32>
  %1 = graph.matmul %0, %0 : (tensor<7x7xf32>, tensor<7x7xf32>) -> tensor<7x7xf32>
  %2 = graph.quantize %1 {scales = array<f32: 0.5>, zps = array<i64: 7>} : (tensor<7x7xf32>) -> tensor<7x7xui8>
  %3 = graph.dequantize %2 {scales = array<f32: 0.5>, zps = array<i64: 7>} : (tensor<7x7xui8>) -> tensor<7x7xf32>
  %4 = graph.dequantize %b {scales = array<f32: 0.25>} : (tensor<7x9xsi8>) -> tensor<7x9xf32>
  %5 = graph.matmul %3, %4 : (tensor<7x7xf32>, tensor<7x9xf32>) -> tensor<7x9xf32>
  return %5 : tensor<7x9xf32>
}

// Zero points of all signs; of K in blocks, with a rest of vectors and of groups.
func.func @zero_points(%u: tensor<17x77xui8>, %s: tensor<17x77xsi8>, %v: tensor<77x37xui8>, %w: tensor<77x37xsi8>, %x: tensor<3x200xui8>, %y: tensor<5x200xui8>) -> (tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<3x5xsi32>, tensor<17x37xsi32>) {
  %0 = graph.matmul %u, %w {src_zp = 134 : i64, weights_zp = -3 : i64} : (tensor<17x77xui8>, tensor<77x37xsi8>) -> tensor<17x37xsi32>
  %1 = graph.matmul %s, %w {src_zp = -128 : i64, weights_zp = 5 : i64} : (tensor<17x77xsi8>, tensor<77x37xsi8>) -> tensor<17x37xsi32>
  %2 = graph.matmul %u, %v {src_zp = 255 : i64, weights_zp = 128 : i64} : (tensor<17x77xui8>, tensor<77x37xui8>) -> tensor<17x37xsi32>
  %3 = graph.matmul %s, %v {weights_zp = 130 : i64} : (tensor<17x77xsi8>, tensor<77x37xui8>) -> tensor<17x37xsi32>
  %4 = graph.matmul %x, %y {transpose_b = true, src_zp = 7 : i64, weights_zp = 130 : i64, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 3, NB = 16, KB = 60, BS = 2, order = [m, n, k], packA = false, packB = true>} : (tensor<3x200xui8>, tensor<5x200xui8>) -> tensor<3x5xsi32>
  %5 = graph.matmul %s, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 16, KB = 32, BS = 1, order = [m, n, k], packA = true, packB = true>} : (tensor<17x77xsi8>, tensor<77x37xsi8>) -> tensor<17x37xsi32>
  return %0, %1, %2, %3, %4, %5 : tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<17x37xsi32>, tensor<3x5xsi32>, tensor<17x37xsi32>
}
