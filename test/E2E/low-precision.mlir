// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls of narrow types with rests in every dimension: integers of all signs, zero
// points of both sides, scales per column, transposed and batched operands, layers
// that hand integers on, bf16 and f16. Memory is NaN until something is written to
// it, so that padding counts.

// RUN: env GC_POISON=1 gc-runner %s --entry=signs --threads=2 --check | FileCheck %s --check-prefix=EXACT
// RUN: env GC_POISON=1 gc-runner %s --entry=quantized --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=quantized --threads=3 --check --pipeline-options=vector-bytes=16 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=quantized --threads=1 --check --pipeline-options=low-precision=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=layers --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=layers --threads=2 --check --pipeline-options=propagate-layout=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=floats --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=slices --threads=3 --check | FileCheck %s --check-prefix=EXACT
// RUN: env GC_POISON=1 gc-runner %s --entry=few_columns --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=packed --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=packed --threads=3 --check --pipeline-options=vector-bytes=16 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=dynamic --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=dynamic_weights --threads=2 --check | FileCheck %s
// CHECK: check     passed
// EXACT: check     passed, max abs error 0,

func.func @signs(%u: tensor<5x13xui8>, %s: tensor<5x13xsi8>, %v: tensor<13x21xui8>, %w: tensor<13x21xsi8> {graph.const_arg}) -> (tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>) {
  %0 = graph.matmul %u, %w : (tensor<5x13xui8>, tensor<13x21xsi8>) -> tensor<5x21xsi32>
  %1 = graph.matmul %s, %w : (tensor<5x13xsi8>, tensor<13x21xsi8>) -> tensor<5x21xsi32>
  %2 = graph.matmul %u, %v : (tensor<5x13xui8>, tensor<13x21xui8>) -> tensor<5x21xsi32>
  %3 = graph.matmul %s, %v : (tensor<5x13xsi8>, tensor<13x21xui8>) -> tensor<5x21xsi32>
  return %0, %1, %2, %3 : tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>, tensor<5x21xsi32>
}

func.func @quantized(%a: tensor<3x7x33xui8>, %b: tensor<33x3xsi8> {graph.const_arg}, %c: tensor<3x18x33xsi8>) -> (tensor<3x7x3xf32>, tensor<3x7x18xf32>) {
  %0 = graph.dequantize %a {scales = array<f32: 0.05>, zps = array<i64: 134>} : (tensor<3x7x33xui8>) -> tensor<3x7x33xf32>
  %1 = graph.dequantize %b {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.25, 0.5, 0.125>} : (tensor<33x3xsi8>) -> tensor<33x3xf32>
  %2 = graph.dequantize %c {scales = array<f32: 0.5>, zps = array<i64: -5>} : (tensor<3x18x33xsi8>) -> tensor<3x18x33xf32>
  %3 = graph.matmul %0, %1 : (tensor<3x7x33xf32>, tensor<33x3xf32>) -> tensor<3x7x3xf32>
  %4 = graph.matmul %0, %2 {transpose_b = true} : (tensor<3x7x33xf32>, tensor<3x18x33xf32>) -> tensor<3x7x18xf32>
  return %3, %4 : tensor<3x7x3xf32>, tensor<3x7x18xf32>
}

func.func @layers(%a: tensor<37x13xui8>, %b: tensor<13x70xsi8> {graph.const_arg}, %c: tensor<70x27xsi8> {graph.const_arg}, %bias: tensor<70xf32> {graph.const_arg}) -> tensor<37x27xui8> {
  %0 = graph.dequantize %a {scales = array<f32: 0.02>, zps = array<i64: 128>} : (tensor<37x13xui8>) -> tensor<37x13xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.01>} : (tensor<13x70xsi8>) -> tensor<13x70xf32>
  %2 = graph.matmul %0, %1, %bias : (tensor<37x13xf32>, tensor<13x70xf32>, tensor<70xf32>) -> tensor<37x70xf32>
  %3 = graph.relu %2 : (tensor<37x70xf32>) -> tensor<37x70xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.02>, zps = array<i64: 3>} : (tensor<37x70xf32>) -> tensor<37x70xui8>
  %5 = graph.dequantize %4 {scales = array<f32: 0.02>, zps = array<i64: 3>} : (tensor<37x70xui8>) -> tensor<37x70xf32>
  %6 = graph.dequantize %c {scales = array<f32: 0.01>} : (tensor<70x27xsi8>) -> tensor<70x27xf32>
  %7 = graph.matmul %5, %6 : (tensor<37x70xf32>, tensor<70x27xf32>) -> tensor<37x27xf32>
  %8 = graph.quantize %7 {scales = array<f32: 0.05>, zps = array<i64: 128>} : (tensor<37x27xf32>) -> tensor<37x27xui8>
  return %8 : tensor<37x27xui8>
}

func.func @floats(%a: tensor<2x9x13xbf16>, %b: tensor<13x21xbf16> {graph.const_arg}, %c: tensor<9x7xf16>, %d: tensor<7x5xf16>, %e: tensor<2x21x19xbf16>) -> (tensor<2x9x19xbf16>, tensor<9x5xf16>, tensor<2x9x21xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x9x13xbf16>, tensor<13x21xbf16>) -> tensor<2x9x21xbf16>
  %1 = graph.relu %0 : (tensor<2x9x21xbf16>) -> tensor<2x9x21xbf16>
  %2 = graph.matmul %1, %e : (tensor<2x9x21xbf16>, tensor<2x21x19xbf16>) -> tensor<2x9x19xbf16>
  %3 = graph.matmul %c, %d : (tensor<9x7xf16>, tensor<7x5xf16>) -> tensor<9x5xf16>
  %4 = graph.matmul %a, %b : (tensor<2x9x13xbf16>, tensor<13x21xbf16>) -> tensor<2x9x21xf32>
  return %2, %3, %4 : tensor<2x9x19xbf16>, tensor<9x5xf16>, tensor<2x9x21xf32>
}

// Three cores share the blocks of k.
func.func @slices(%a: tensor<4x1030xui8>, %b: tensor<1030x16xsi8> {graph.const_arg}) -> tensor<4x16xsi32> {
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 64, BS = 2, order = [m, n, k], packA = true, packB = true, KPN = 3>} : (tensor<4x1030xui8>, tensor<1030x16xsi8>) -> tensor<4x16xsi32>
  return %0 : tensor<4x16xsi32>
}

// Vectors of fewer than four lanes, which no dot product of the machine has.
func.func @few_columns(%u: tensor<5x13xui8>, %s: tensor<5x13xsi8>, %w: tensor<13x2xsi8>, %v: tensor<13x1xui8>, %x: tensor<5x13xbf16>, %y: tensor<13x2xbf16>, %z: tensor<13xbf16>, %p: tensor<1x6xf16>, %q: tensor<6x1xf16>) -> (tensor<5x2xsi32>, tensor<5x1xsi32>, tensor<5x2xbf16>, tensor<5xf32>, tensor<1x1xf16>) {
  %0 = graph.matmul %u, %w : (tensor<5x13xui8>, tensor<13x2xsi8>) -> tensor<5x2xsi32>
  %1 = graph.matmul %s, %v : (tensor<5x13xsi8>, tensor<13x1xui8>) -> tensor<5x1xsi32>
  %2 = graph.matmul %x, %y : (tensor<5x13xbf16>, tensor<13x2xbf16>) -> tensor<5x2xbf16>
  %3 = graph.matmul %x, %z : (tensor<5x13xbf16>, tensor<13xbf16>) -> tensor<5xf32>
  %4 = graph.matmul %p, %q : (tensor<1x6xf16>, tensor<6x1xf16>) -> tensor<1x1xf16>
  return %0, %1, %2, %3, %4 : tensor<5x2xsi32>, tensor<5x1xsi32>, tensor<5x2xbf16>, tensor<5xf32>, tensor<1x1xf16>
}

// Operands of whole groups, which are packed by vectors: contiguous along the
// columns, along k, in strided views, constant, with a rest of columns and of rows
// of groups.
func.func @packed(%a: tensor<2x9x24xui8>, %b: tensor<2x24x53xsi8>, %c: tensor<2x53x24xsi8>, %x: tensor<3x5x36xbf16>, %y: tensor<3x36x20xbf16, #graph.layout<strided, [720, 1, 36]>>, %z: tensor<36x33xbf16> {graph.const_arg}, %v: tensor<3x36x16xbf16, #graph.layout<strided, [48, 144, 1]>>) -> (tensor<2x9x53xsi32>, tensor<2x9x53xsi32>, tensor<3x5x20xf32>, tensor<3x5x33xf32>, tensor<3x5x16xf32>) {
  %0 = graph.matmul %a, %b : (tensor<2x9x24xui8>, tensor<2x24x53xsi8>) -> tensor<2x9x53xsi32>
  %1 = graph.matmul %a, %c {transpose_b = true} : (tensor<2x9x24xui8>, tensor<2x53x24xsi8>) -> tensor<2x9x53xsi32>
  %2 = graph.matmul %x, %y : (tensor<3x5x36xbf16>, tensor<3x36x20xbf16, #graph.layout<strided, [720, 1, 36]>>) -> tensor<3x5x20xf32>
  %3 = graph.matmul %x, %z : (tensor<3x5x36xbf16>, tensor<36x33xbf16>) -> tensor<3x5x33xf32>
  %4 = graph.matmul %x, %v : (tensor<3x5x36xbf16>, tensor<3x36x16xbf16, #graph.layout<strided, [48, 144, 1]>>) -> tensor<3x5x16xf32>
  return %0, %1, %2, %3, %4 : tensor<2x9x53xsi32>, tensor<2x9x53xsi32>, tensor<3x5x20xf32>, tensor<3x5x33xf32>, tensor<3x5x16xf32>
}

// Scales and zero points of the run, of one operand or both.
func.func @dynamic(%a: tensor<2x9x33xui8>, %b: tensor<33x21xsi8> {graph.const_arg}, %c: tensor<2x17x33xsi8>, %sa: tensor<1xf32>, %za: tensor<1xui8>, %sb: tensor<21xf32>, %sc: tensor<1xf32>, %zc: tensor<1xsi8>) -> (tensor<2x9x21xf32>, tensor<2x9x17xf32>, tensor<2x9x17xf32>) {
  %0 = graph.dynamic_dequantize %a, %sa, %za : (tensor<2x9x33xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<2x9x33xf32>
  %1 = graph.dynamic_dequantize %b, %sb {qtype = "per_channel", axis = 1 : i64} : (tensor<33x21xsi8>, tensor<21xf32>) -> tensor<33x21xf32>
  %2 = graph.matmul %0, %1 : (tensor<2x9x33xf32>, tensor<33x21xf32>) -> tensor<2x9x21xf32>
  %3 = graph.dynamic_dequantize %c, %sc, %zc : (tensor<2x17x33xsi8>, tensor<1xf32>, tensor<1xsi8>) -> tensor<2x17x33xf32>
  %4 = graph.matmul %0, %3 {transpose_b = true} : (tensor<2x9x33xf32>, tensor<2x17x33xf32>) -> tensor<2x9x17xf32>
  %5 = graph.dequantize %a {scales = array<f32: 0.05>, zps = array<i64: 134>} : (tensor<2x9x33xui8>) -> tensor<2x9x33xf32>
  %6 = graph.matmul %5, %3 {transpose_b = true} : (tensor<2x9x33xf32>, tensor<2x17x33xf32>) -> tensor<2x9x17xf32>
  return %2, %4, %6 : tensor<2x9x21xf32>, tensor<2x9x17xf32>, tensor<2x9x17xf32>
}

// Constant weights with a zero point of the run, and a constant one of the other
// operand, whose sums of columns are folded.
func.func @dynamic_weights(%a: tensor<9x33xui8>, %b: tensor<33x21xui8> {graph.const_arg}, %c: tensor<21x33xsi8> {graph.const_arg}, %sb: tensor<1xf32>, %zb: tensor<1xui8>, %zc: tensor<1xsi8>) -> (tensor<9x21xf32>, tensor<9x21xf32>) {
  %0 = graph.dequantize %a {scales = array<f32: 0.05>, zps = array<i64: 134>} : (tensor<9x33xui8>) -> tensor<9x33xf32>
  %1 = graph.dynamic_dequantize %b, %sb, %zb : (tensor<33x21xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<33x21xf32>
  %2 = graph.matmul %0, %1 : (tensor<9x33xf32>, tensor<33x21xf32>) -> tensor<9x21xf32>
  %3 = graph.dynamic_dequantize %c, %sb, %zc : (tensor<21x33xsi8>, tensor<1xf32>, tensor<1xsi8>) -> tensor<21x33xf32>
  %4 = graph.matmul %0, %3 {transpose_b = true} : (tensor<9x33xf32>, tensor<21x33xf32>) -> tensor<9x21xf32>
  return %2, %4 : tensor<9x21xf32>, tensor<9x21xf32>
}
