// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of floating-point numbers and constant weights of a narrower type, which
// kernels convert: all types, scales per group, per column and for all, zero points,
// rests in every dimension, transposed weights, few and many rows, slices of k. Memory
// is NaN until something is written to it.

// RUN: env GC_POISON=1 gc-runner %s --entry=groups --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=groups --threads=3 --check --pipeline-options=vector-bytes=16 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=groups --threads=1 --check --pipeline-options=low-precision=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=groups --threads=2 --check --pipeline-options=fixed-point=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=columns --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=groups --threads=5 --check --pipeline-options=vector-bytes=64 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=floats --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=narrow --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=layers --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=layers --threads=2 --check --pipeline-options=propagate-layout=false | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=slices --threads=5 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=long_k --threads=1 --check --strict | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=operation --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=one_column --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=one_column --threads=2 --check --pipeline-options=vector-bytes=4 | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=strided_results --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=computed --threads=2 --check | FileCheck %s
// RUN: env GC_POISON=1 gc-runner %s --entry=exact --threads=2 --check | FileCheck %s --check-prefixes=CHECK,SMALL
// CHECK: check     passed

func.func @groups(%x: tensor<3x96xf32>, %y: tensor<41x96xf32>, %w: tensor<96x35xsi4> {graph.const_arg}, %v: tensor<19x96xui4> {graph.const_arg}, %t: tensor<96x70xsi8> {graph.const_arg}, %u: tensor<3x96xui8> {graph.const_arg}, %sw: tensor<3x35xf32> {graph.const_arg}, %sv: tensor<19x12xf32> {graph.const_arg}, %zv: tensor<19x12xui4> {graph.const_arg}, %st: tensor<24x70xf32> {graph.const_arg}, %zt: tensor<24x70xsi8> {graph.const_arg}, %su: tensor<3x1xf32> {graph.const_arg}) -> (tensor<3x35xf32>, tensor<41x35xf32>, tensor<3x19xf32>, tensor<41x19xf32>, tensor<3x70xf32>, tensor<41x3xf32>) {
  %dw = graph.dynamic_dequantize %w, %sw {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<96x35xsi4>, tensor<3x35xf32>) -> tensor<96x35xf32>
  %dv = graph.dynamic_dequantize %v, %sv, %zv {qtype = "per_group", group_shape = array<i64: 1, 8>} : (tensor<19x96xui4>, tensor<19x12xf32>, tensor<19x12xui4>) -> tensor<19x96xf32>
  %dt = graph.dynamic_dequantize %t, %st, %zt {qtype = "per_group", group_shape = array<i64: 4, 1>} : (tensor<96x70xsi8>, tensor<24x70xf32>, tensor<24x70xsi8>) -> tensor<96x70xf32>
  %du = graph.dynamic_dequantize %u, %su {qtype = "per_group", group_shape = array<i64: 1, 96>} : (tensor<3x96xui8>, tensor<3x1xf32>) -> tensor<3x96xf32>
  %0 = graph.matmul %x, %dw : (tensor<3x96xf32>, tensor<96x35xf32>) -> tensor<3x35xf32>
  %1 = graph.matmul %y, %dw : (tensor<41x96xf32>, tensor<96x35xf32>) -> tensor<41x35xf32>
  %2 = graph.matmul %x, %dv {transpose_b = true} : (tensor<3x96xf32>, tensor<19x96xf32>) -> tensor<3x19xf32>
  %3 = graph.matmul %y, %dv {transpose_b = true} : (tensor<41x96xf32>, tensor<19x96xf32>) -> tensor<41x19xf32>
  %4 = graph.matmul %x, %dt : (tensor<3x96xf32>, tensor<96x70xf32>) -> tensor<3x70xf32>
  %5 = graph.matmul %y, %du {transpose_b = true} : (tensor<41x96xf32>, tensor<3x96xf32>) -> tensor<41x3xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<3x35xf32>, tensor<41x35xf32>, tensor<3x19xf32>, tensor<41x19xf32>, tensor<3x70xf32>, tensor<41x3xf32>
}

// K has rests: lanes of kernels hold four bytes.
func.func @columns(%x: tensor<2x83xf32>, %y: tensor<83xf32>, %z: tensor<3x4x83xf32>, %w: tensor<83x37xsi8> {graph.const_arg}, %v: tensor<9x83xui8> {graph.const_arg}, %u: tensor<83x17xui8> {graph.const_arg}, %su: tensor<17xf32> {graph.const_arg}, %s: tensor<1xf32> {graph.const_arg}, %bias: tensor<37xf32>) -> (tensor<2x37xf32>, tensor<37xf32>, tensor<3x4x9xf32>, tensor<2x17xf32>, tensor<2x9xf32>) {
  %dw = graph.dequantize %w {qtype = "per_tensor", scales = array<f32: 0.02>, zps = array<i64: -7>} : (tensor<83x37xsi8>) -> tensor<83x37xf32>
  %dv = graph.dequantize %v {qtype = "per_channel", axis = 0 : i64, scales = array<f32: 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09>, zps = array<i64: 120, 120, 120, 120, 120, 120, 120, 120, 120>} : (tensor<9x83xui8>) -> tensor<9x83xf32>
  %du = graph.dynamic_dequantize %u, %su {qtype = "per_channel", axis = 1 : i64} : (tensor<83x17xui8>, tensor<17xf32>) -> tensor<83x17xf32>
  %dn = graph.dynamic_dequantize %v, %s : (tensor<9x83xui8>, tensor<1xf32>) -> tensor<9x83xf32>
  %0 = graph.matmul %x, %dw, %bias : (tensor<2x83xf32>, tensor<83x37xf32>, tensor<37xf32>) -> tensor<2x37xf32>
  %1 = graph.matmul %y, %dw : (tensor<83xf32>, tensor<83x37xf32>) -> tensor<37xf32>
  %2 = graph.matmul %z, %dv {transpose_b = true} : (tensor<3x4x83xf32>, tensor<9x83xf32>) -> tensor<3x4x9xf32>
  %3 = graph.matmul %x, %du : (tensor<2x83xf32>, tensor<83x17xf32>) -> tensor<2x17xf32>
  %4 = graph.matmul %x, %dn {transpose_b = true} : (tensor<2x83xf32>, tensor<9x83xf32>) -> tensor<2x9xf32>
  return %0, %1, %2, %3, %4 : tensor<2x37xf32>, tensor<37xf32>, tensor<3x4x9xf32>, tensor<2x17xf32>, tensor<2x9xf32>
}

func.func @floats(%x: tensor<5x31xf32>, %w: tensor<31x21xbf16> {graph.const_arg}, %v: tensor<18x31xf16> {graph.const_arg}) -> (tensor<5x21xf32>, tensor<5x18xf32>) {
  %fw = graph.type_cast %w : tensor<31x21xbf16> -> tensor<31x21xf32>
  %fv = graph.type_cast %v : tensor<18x31xf16> -> tensor<18x31xf32>
  %0 = graph.matmul %x, %fw : (tensor<5x31xf32>, tensor<31x21xf32>) -> tensor<5x21xf32>
  %1 = graph.matmul %x, %fv {transpose_b = true} : (tensor<5x31xf32>, tensor<18x31xf32>) -> tensor<5x18xf32>
  return %0, %1 : tensor<5x21xf32>, tensor<5x18xf32>
}

// The type of src, scales and the result is narrow as well.
func.func @narrow(%x: tensor<3x64xbf16>, %y: tensor<7x64xf16>, %w: tensor<64x20xui4> {graph.const_arg}, %sw: tensor<2x20xbf16> {graph.const_arg}, %zw: tensor<2x20xsi32> {graph.const_arg}, %sy: tensor<2x20xf32> {graph.const_arg}, %bias: tensor<20xbf16>) -> (tensor<3x20xbf16>, tensor<7x20xf16>) {
  %dw = graph.dynamic_dequantize %w, %sw, %zw {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<64x20xui4>, tensor<2x20xbf16>, tensor<2x20xsi32>) -> tensor<64x20xbf16>
  %dy = graph.dynamic_dequantize %w, %sy {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<64x20xui4>, tensor<2x20xf32>) -> tensor<64x20xf32>
  %cy = graph.type_cast %dy : tensor<64x20xf32> -> tensor<64x20xf16>
  %0 = graph.matmul %x, %dw, %bias : (tensor<3x64xbf16>, tensor<64x20xbf16>, tensor<20xbf16>) -> tensor<3x20xbf16>
  %1 = graph.matmul %y, %cy : (tensor<7x64xf16>, tensor<64x20xf16>) -> tensor<7x20xf16>
  return %0, %1 : tensor<3x20xbf16>, tensor<7x20xf16>
}

func.func @layers(%x: tensor<6x64xf32>, %w: tensor<64x48xsi4> {graph.const_arg}, %sw: tensor<2x48xf32> {graph.const_arg}, %v: tensor<48x33xsi8> {graph.const_arg}, %sv: tensor<33xf32> {graph.const_arg}) -> tensor<6x33xf32> {
  %dw = graph.dynamic_dequantize %w, %sw {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<64x48xsi4>, tensor<2x48xf32>) -> tensor<64x48xf32>
  %dv = graph.dynamic_dequantize %v, %sv {qtype = "per_channel", axis = 1 : i64} : (tensor<48x33xsi8>, tensor<33xf32>) -> tensor<48x33xf32>
  %0 = graph.matmul %x, %dw : (tensor<6x64xf32>, tensor<64x48xf32>) -> tensor<6x48xf32>
  %1 = graph.relu %0 : (tensor<6x48xf32>) -> tensor<6x48xf32>
  %2 = graph.matmul %1, %dv : (tensor<6x48xf32>, tensor<48x33xf32>) -> tensor<6x33xf32>
  return %2 : tensor<6x33xf32>
}

// One row, of more groups than are converted to fixed point together.
func.func @long_k(%x: tensor<1x8320xf32>, %w: tensor<8320x40xui4> {graph.const_arg}, %s: tensor<130x40xf32> {graph.const_arg}, %z: tensor<130x40xui4> {graph.const_arg}) -> tensor<1x40xf32> {
  %d = graph.dynamic_dequantize %w, %s, %z {qtype = "per_group", group_shape = array<i64: 64, 1>} : (tensor<8320x40xui4>, tensor<130x40xf32>, tensor<130x40xui4>) -> tensor<8320x40xf32>
  %0 = graph.matmul %x, %d : (tensor<1x8320xf32>, tensor<8320x40xf32>) -> tensor<1x40xf32>
  return %0 : tensor<1x40xf32>
}

// Threads share the groups of a long k.
func.func @slices(%x: tensor<2x4160xf32>, %w: tensor<4160x5xui4> {graph.const_arg}, %s: tensor<65x5xf32> {graph.const_arg}, %z: tensor<65x5xui4> {graph.const_arg}) -> tensor<2x5xf32> {
  %d = graph.dynamic_dequantize %w, %s, %z {qtype = "per_group", group_shape = array<i64: 64, 1>} : (tensor<4160x5xui4>, tensor<65x5xf32>, tensor<65x5xui4>) -> tensor<4160x5xf32>
  %0 = graph.matmul %x, %d : (tensor<2x4160xf32>, tensor<4160x5xf32>) -> tensor<2x5xf32>
  return %0 : tensor<2x5xf32>
}

// What the pass makes, written by hand: the reference evaluates it as well.
func.func @operation(%x: tensor<3x32xf32>, %w: tensor<20x32xsi4> {graph.const_arg}, %s: tensor<4x20xf32> {graph.const_arg}, %z: tensor<4x20xf32> {graph.const_arg}, %v: tensor<32x9xui8>) -> (tensor<3x20xf32>, tensor<3x9xf32>) {
  %0 = graph.matmul %x, %w, %s, %z {transpose_b = true, weights_group = 8 : i64} : (tensor<3x32xf32>, tensor<20x32xsi4>, tensor<4x20xf32>, tensor<4x20xf32>) -> tensor<3x20xf32>
  %1 = graph.matmul %x, %v {weights_zp = 100 : i64} : (tensor<3x32xf32>, tensor<32x9xui8>) -> tensor<3x9xf32>
  return %0, %1 : tensor<3x20xf32>, tensor<3x9xf32>
}

func.func @one_column(%x: tensor<3x96xf32>, %w: tensor<96x1xsi4> {graph.const_arg}, %v: tensor<2x96xui4> {graph.const_arg}, %sw: tensor<3x1xf32> {graph.const_arg}, %sv: tensor<2x3xf32> {graph.const_arg}, %zv: tensor<2x3xui4> {graph.const_arg}) -> (tensor<3x1xf32>, tensor<3x2xf32>) {
  %dw = graph.dynamic_dequantize %w, %sw {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<96x1xsi4>, tensor<3x1xf32>) -> tensor<96x1xf32>
  %dv = graph.dynamic_dequantize %v, %sv, %zv {qtype = "per_group", group_shape = array<i64: 1, 32>} : (tensor<2x96xui4>, tensor<2x3xf32>, tensor<2x3xui4>) -> tensor<2x96xf32>
  %0 = graph.matmul %x, %dw : (tensor<3x96xf32>, tensor<96x1xf32>) -> tensor<3x1xf32>
  %1 = graph.matmul %x, %dv {transpose_b = true} : (tensor<3x96xf32>, tensor<2x96xf32>) -> tensor<3x2xf32>
  return %0, %1 : tensor<3x1xf32>, tensor<3x2xf32>
}

// Results keep the layout that the graph gives them.
func.func @strided_results(%x: tensor<2x22xf32>, %w: tensor<15x22xbf16> {graph.const_arg}, %bias: tensor<15xf32>, %y: tensor<2x22xbf16>, %v: tensor<22x15xsi8> {graph.const_arg}) -> (tensor<2x15xf32, #graph.layout<strided, [31, 1]>>, tensor<2x15xbf16, #graph.layout<strided, [1, 2]>>) {
  %0 = graph.type_cast %w : tensor<15x22xbf16> -> tensor<15x22xf32>
  %1 = graph.matmul %x, %0, %bias {transpose_b = true} : (tensor<2x22xf32>, tensor<15x22xf32>, tensor<15xf32>) -> tensor<2x15xf32, #graph.layout<strided, [31, 1]>>
  %2 = graph.dequantize %v {scales = array<f32: 0.125>, zps = array<i64: 3>} : (tensor<22x15xsi8>) -> tensor<22x15xf32>
  %3 = graph.type_cast %2 : tensor<22x15xf32> -> tensor<22x15xbf16>
  %4 = graph.matmul %y, %3 : (tensor<2x22xbf16>, tensor<22x15xbf16>) -> tensor<2x15xbf16, #graph.layout<strided, [1, 2]>>
  return %1, %4 : tensor<2x15xf32, #graph.layout<strided, [31, 1]>>, tensor<2x15xbf16, #graph.layout<strided, [1, 2]>>
}

// The weights are computed from constants, and packed after that.
func.func @computed(%x: tensor<5x64xf32>, %y: tensor<64x33xsi8> {graph.const_arg}, %s: tensor<2x33xf32> {graph.const_arg}) -> tensor<5x33xf32> {
  %w = graph.type_cast %y : tensor<64x33xsi8> -> tensor<64x33xsi4>
  %d = graph.dynamic_dequantize %w, %s {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<64x33xsi4>, tensor<2x33xf32>) -> tensor<64x33xf32>
  %0 = graph.matmul %x, %d : (tensor<5x64xf32>, tensor<64x33xf32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}

// Weights close to their zero point: what is subtracted is much larger than what is
// left, and must not be rounded.
// SMALL: max abs error {{[0-9.]+}}e-{{0[6-9]|1[0-9]}},
func.func @exact(%x: tensor<5x64xf32>, %y: tensor<64x33xf32> {graph.const_arg}) -> tensor<5x33xf32> {
  %w = graph.quantize %y {scales = array<f32: 0.1>, zps = array<i64: 120>} : (tensor<64x33xf32>) -> tensor<64x33xui8>
  %d = graph.dequantize %w {scales = array<f32: 0.1>, zps = array<i64: 120>} : (tensor<64x33xui8>) -> tensor<64x33xf32>
  %0 = graph.matmul %x, %d : (tensor<5x64xf32>, tensor<64x33xf32>) -> tensor<5x33xf32>
  return %0 : tensor<5x33xf32>
}
