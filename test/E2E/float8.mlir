// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Matmuls of dequantized floats of 8 bits, constant weights and run-time ones, also
// by way of bf16, with quantized results; casts from and to the other types.

// RUN: gc-runner %s --entry=weights --check --strict --threads=2
// RUN: gc-runner %s --entry=ties --seed=1 --check --strict --threads=2
// RUN: gc-runner %s --entry=by_bf16 --check --strict --threads=2
// RUN: gc-runner %s --entry=casts --check --strict --threads=2
// RUN: gc-runner %s --entry=weights --remarks 2>&1 | FileCheck %s

// CHECK: 'graph.matmul' stays in f32; reason: operand 0 is dequantized from floating-point numbers of 8 bits, which have no kernels

func.func @weights(%a: tensor<19x70xf8E4M3FN>, %b: tensor<70x37xf8E4M3FN> {graph.const_arg}) -> tensor<19x37xf8E5M2> {
  %0 = graph.dequantize %a {scales = array<f32: 0.25>} : (tensor<19x70xf8E4M3FN>) -> tensor<19x70xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.125>} : (tensor<70x37xf8E4M3FN>) -> tensor<70x37xf32>
  %2 = graph.matmul %0, %1 : (tensor<19x70xf32>, tensor<70x37xf32>) -> tensor<19x37xf32>
  %3 = graph.tanh %2 : (tensor<19x37xf32>) -> tensor<19x37xf32>
  %4 = graph.quantize %3 {scales = array<f32: 0.5>} : (tensor<19x37xf32>) -> tensor<19x37xf8E5M2>
  return %4 : tensor<19x37xf8E5M2>
}

// Sums that are not exact are close to ties of f8.
func.func @ties(%a: tensor<256x64xf32>, %b: tensor<64x256xf32>) -> tensor<256x256xf8E5M2> {
  %0 = graph.matmul %a, %b : (tensor<256x64xf32>, tensor<64x256xf32>) -> tensor<256x256xf32>
  %1 = graph.quantize %0 {scales = array<f32: 0.3>} : (tensor<256x256xf32>) -> tensor<256x256xf8E5M2>
  return %1 : tensor<256x256xf8E5M2>
}

func.func @by_bf16(%a: tensor<19x70xf8E5M2>, %b: tensor<70x37xf8E5M2>) -> tensor<19x37xbf16> {
  %0 = graph.dequantize %a {scales = array<f32: 0.25>} : (tensor<19x70xf8E5M2>) -> tensor<19x70xf32>
  %1 = graph.dequantize %b {scales = array<f32: 0.125>} : (tensor<70x37xf8E5M2>) -> tensor<70x37xf32>
  %2 = graph.type_cast %0 : tensor<19x70xf32> -> tensor<19x70xbf16>
  %3 = graph.type_cast %1 : tensor<70x37xf32> -> tensor<70x37xbf16>
  %4 = graph.matmul %2, %3 : (tensor<19x70xbf16>, tensor<70x37xbf16>) -> tensor<19x37xbf16>
  return %4 : tensor<19x37xbf16>
}

func.func @casts(%a: tensor<5x37xbf16>, %b: tensor<f8E4M3FN>, %c: tensor<37xsi8>) -> (tensor<5x37xf8E5M2>, tensor<f16>, tensor<37xf8E4M3FN>, tensor<37x5xf8E4M3FN>, tensor<f8E5M2>) {
  %0 = graph.type_cast %a : tensor<5x37xbf16> -> tensor<5x37xf8E5M2>
  %1 = graph.type_cast %b : tensor<f8E4M3FN> -> tensor<f16>
  %2 = graph.type_cast %c : tensor<37xsi8> -> tensor<37xf8E4M3FN>
  %3 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<5x37xf8E5M2>) -> tensor<37x5xf8E5M2>
  %4 = graph.type_cast %3 : tensor<37x5xf8E5M2> -> tensor<37x5xf8E4M3FN>
  %5 = graph.type_cast %b : tensor<f8E4M3FN> -> tensor<f8E5M2>
  return %0, %1, %2, %4, %5 : tensor<5x37xf8E5M2>, tensor<f16>, tensor<37xf8E4M3FN>, tensor<37x5xf8E4M3FN>, tensor<f8E5M2>
}
