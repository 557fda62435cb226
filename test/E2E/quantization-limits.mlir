// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parameters of quantization at and beyond the limits of integer kernels: these
// graphs are computed in f32 where sums, zero points or groups do not fit, and
// scales that only the run knows may be zero, negative or NaN.

// RUN: gc-runner %s --check --strict --threads=2 --entry=main
// RUN: gc-runner %s --check --strict --threads=3 --entry=main --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=main --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict --threads=2 --entry=extremes
// RUN: gc-runner %s --check --strict --threads=2 --entry=extremes --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=extremes --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=quantize | FileCheck %s --check-prefix=EQUAL
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=dequantize | FileCheck %s --check-prefix=ALL
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=cache --pipeline-options=attention=always | FileCheck %s --check-prefix=CACHE
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=cache | FileCheck %s --check-prefix=CACHE
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-lower-precision))" --remarks-filter-missed=graph-lower-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARKS

// Weak: most results are NaN, or saturated, as they should be.
// EQUAL: check     weak, max abs error 0,
// ALL: 128 of 128 elements are not finite
// Of each head the rows that NaN reaches.
// CACHE: check     weak, {{.*}} 192 of 384 elements without an error bound

// REMARKS-DAG: Reason="operand 0 has a zero point that 8 bits cannot hold"
// REMARKS-DAG: Reason="sums of so many products may not fit 32 bits"
// REMARKS-DAG: Reason="operand 0 has a zero point that may be larger than 8 bits"
func.func @main(%a: tensor<4x64xui8>, %b: tensor<64x32xsi8>, %c: tensor<4x64xsi8>, %d: tensor<64x32xui8>, %long: tensor<2x66000xui8>, %deep: tensor<66000x32xsi8>, %most: tensor<2x21988xui8>, %deepest: tensor<21988x32xui8>, %odd: tensor<3x15xf32>, %nibbles: tensor<15x7xsi4>, %s: tensor<7xf32>, %zp: tensor<1xsi32>)
    -> (tensor<4x32xf32>, tensor<4x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<3x7xf32>, tensor<4x32xf32>) {
  // No number of u8 is so large.
  %a0 = graph.dequantize %a {scales = array<f32: 0.1>, zps = array<i64: 300>} : (tensor<4x64xui8>) -> tensor<4x64xf32>
  %b0 = graph.dequantize %b {scales = array<f32: 0.1>, zps = array<i64: 3>} : (tensor<64x32xsi8>) -> tensor<64x32xf32>
  %o0 = graph.matmul %a0, %b0 : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>

  // Beyond the range of their types, but not of 8 bits of the other sign.
  %a1 = graph.dequantize %c {scales = array<f32: 0.1>, zps = array<i64: 255>} : (tensor<4x64xsi8>) -> tensor<4x64xf32>
  %b1 = graph.dequantize %d {scales = array<f32: 0.1>, zps = array<i64: -128>} : (tensor<64x32xui8>) -> tensor<64x32xf32>
  %o1 = graph.matmul %a1, %b1 : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>

  %a2 = graph.dequantize %long {scales = array<f32: 0.01>, zps = array<i64: 3>} : (tensor<2x66000xui8>) -> tensor<2x66000xf32>
  %b2 = graph.dequantize %deep {scales = array<f32: 0.01>, zps = array<i64: 3>} : (tensor<66000x32xsi8>) -> tensor<66000x32xf32>
  %o2 = graph.matmul %a2, %b2 : (tensor<2x66000xf32>, tensor<66000x32xf32>) -> tensor<2x32xf32>

  // The longest sums that stay integers.
  %a3 = graph.dequantize %most {scales = array<f32: 0.01>, zps = array<i64: 255>} : (tensor<2x21988xui8>) -> tensor<2x21988xf32>
  %b3 = graph.dequantize %deepest {scales = array<f32: 0.01>, zps = array<i64: -128>} : (tensor<21988x32xui8>) -> tensor<21988x32xf32>
  %o3 = graph.matmul %a3, %b3 : (tensor<2x21988xf32>, tensor<21988x32xf32>) -> tensor<2x32xf32>

  %n4 = graph.dynamic_dequantize %nibbles, %s {qtype = "per_channel", axis = 1 : i64} : (tensor<15x7xsi4>, tensor<7xf32>) -> tensor<15x7xf32>
  %o4 = graph.matmul %odd, %n4 : (tensor<3x15xf32>, tensor<15x7xf32>) -> tensor<3x7xf32>

  %scale = graph.constant dense<0.1> : tensor<1xf32>
  %a5 = graph.dynamic_dequantize %a, %scale, %zp {qtype = "per_tensor"} : (tensor<4x64xui8>, tensor<1xf32>, tensor<1xsi32>) -> tensor<4x64xf32>
  %o5 = graph.matmul %a5, %b0 : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %o0, %o1, %o2, %o3, %o4, %o5 : tensor<4x32xf32>, tensor<4x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>, tensor<3x7xf32>, tensor<4x32xf32>
}

// The longest sums, of the largest products of either sign.
func.func @extremes() -> (tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>) {
  %a = graph.constant dense<255> : tensor<2x65793xui8>
  %b = graph.constant dense<-128> : tensor<65793x2xsi8>
  %a0 = graph.dequantize %a {scales = array<f32: 1.0>} : (tensor<2x65793xui8>) -> tensor<2x65793xf32>
  %b0 = graph.dequantize %b {scales = array<f32: 1.0>} : (tensor<65793x2xsi8>) -> tensor<65793x2xf32>
  %o0 = graph.matmul %a0, %b0 : (tensor<2x65793xf32>, tensor<65793x2xf32>) -> tensor<2x2xf32>

  // Without their zero points, 255 and -255.
  %c = graph.constant dense<0> : tensor<2x33025xui8>
  %d = graph.constant dense<127> : tensor<33025x2xsi8>
  %a1 = graph.dequantize %c {scales = array<f32: 1.0>, zps = array<i64: 255>} : (tensor<2x33025xui8>) -> tensor<2x33025xf32>
  %b1 = graph.dequantize %d {scales = array<f32: 1.0>, zps = array<i64: -128>} : (tensor<33025x2xsi8>) -> tensor<33025x2xf32>
  %o1 = graph.matmul %a1, %b1 : (tensor<2x33025xf32>, tensor<33025x2xf32>) -> tensor<2x2xf32>

  // Zero points that the run knows.
  %e = graph.constant dense<255> : tensor<2x16512xui8>
  %f = graph.constant dense<127> : tensor<16512x2xsi8>
  %s = graph.constant dense<1.0> : tensor<1xf32>
  %ze = graph.constant dense<0> : tensor<1xui8>
  %zf = graph.constant dense<-128> : tensor<1xsi8>
  %a2 = graph.dynamic_dequantize %e, %s, %ze {qtype = "per_tensor"} : (tensor<2x16512xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<2x16512xf32>
  %b2 = graph.dynamic_dequantize %f, %s, %zf {qtype = "per_tensor"} : (tensor<16512x2xsi8>, tensor<1xf32>, tensor<1xsi8>) -> tensor<16512x2xf32>
  %o2 = graph.matmul %a2, %b2 : (tensor<2x16512xf32>, tensor<16512x2xf32>) -> tensor<2x2xf32>
  return %o0, %o1, %o2 : tensor<2x2xf32>, tensor<2x2xf32>, tensor<2x2xf32>
}

func.func @quantize(%a: tensor<4x64xf32>) -> (tensor<4x64xui8>, tensor<4x64xsi8>, tensor<4x64xsi8>, tensor<4x64xui8>) {
  %s = graph.constant dense<0.0> : tensor<1xf32>
  %n = graph.constant dense<0x7FC00000> : tensor<1xf32>
  %m = graph.constant dense<-0.01> : tensor<1xf32>
  %x = graph.dynamic_quantize %a, %s {qtype = "per_tensor"} : (tensor<4x64xf32>, tensor<1xf32>) -> tensor<4x64xui8>
  %y = graph.dynamic_quantize %a, %n {qtype = "per_tensor"} : (tensor<4x64xf32>, tensor<1xf32>) -> tensor<4x64xsi8>
  %z = graph.dynamic_quantize %a, %m {qtype = "per_tensor"} : (tensor<4x64xf32>, tensor<1xf32>) -> tensor<4x64xsi8>
  %w = graph.quantize %a {scales = array<f32: 0.01>, zps = array<i64: 300>} : (tensor<4x64xf32>) -> tensor<4x64xui8>
  return %x, %y, %z, %w : tensor<4x64xui8>, tensor<4x64xsi8>, tensor<4x64xsi8>, tensor<4x64xui8>
}

func.func @dequantize(%a: tensor<4x64xui8>, %b: tensor<64x32xsi8>) -> tensor<4x32xf32> {
  %s = graph.constant dense<0.0> : tensor<1xf32>
  %n = graph.constant dense<0x7FC00000> : tensor<1xf32>
  %x = graph.dynamic_dequantize %a, %s {qtype = "per_tensor"} : (tensor<4x64xui8>, tensor<1xf32>) -> tensor<4x64xf32>
  %y = graph.dynamic_dequantize %b, %n {qtype = "per_tensor"} : (tensor<64x32xsi8>, tensor<1xf32>) -> tensor<64x32xf32>
  %z = graph.matmul %x, %y : (tensor<4x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %z : tensor<4x32xf32>
}

// Scales of keys: zero and negative ones in the first head, NaN in the second.
func.func @cache(%q: tensor<2x6x32xf32>, %k: tensor<2x40x32xsi8>, %v: tensor<2x40x32xsi8>) -> tensor<2x6x32xf32> {
  %ks = graph.constant dense<[[[0.0, -0.001]], [[0.001, 0x7FC00000]]]> : tensor<2x1x2xf32>
  %vs = graph.constant dense<-0.5> : tensor<2x20x2xf32>
  %kf = graph.dynamic_dequantize %k, %ks {qtype = "per_group", group_shape = array<i64: 1, 40, 16>} : (tensor<2x40x32xsi8>, tensor<2x1x2xf32>) -> tensor<2x40x32xf32>
  %vf = graph.dynamic_dequantize %v, %vs {qtype = "per_group", group_shape = array<i64: 1, 2, 16>} : (tensor<2x40x32xsi8>, tensor<2x20x2xf32>) -> tensor<2x40x32xf32>
  %s = graph.matmul %q, %kf {transpose_b = true} : (tensor<2x6x32xf32>, tensor<2x40x32xf32>) -> tensor<2x6x40xf32>
  %p = graph.softmax %s {axis = 2 : i64} : (tensor<2x6x40xf32>) -> tensor<2x6x40xf32>
  %o = graph.matmul %p, %vf : (tensor<2x6x40xf32>, tensor<2x40x32xf32>) -> tensor<2x6x32xf32>
  return %o : tensor<2x6x32xf32>
}
