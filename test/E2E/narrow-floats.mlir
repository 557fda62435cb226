// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions that return bf16 and f16: cast, computed, transposed, strided, as
// scalars, folded. They run on the host, and compile for processors with
// instructions for bf16, with ones for f16, with both and with neither, whose code
// generators treat the types differently. Sizes: one element, less than a vector,
// odd, several vectors and a rest.

// RUN: gc-runner %s --entry=casts --check --threads=2
// RUN: gc-runner %s --entry=computed --check --threads=2
// RUN: gc-runner %s --entry=moved --check --threads=2
// RUN: gc-runner %s --entry=folded --check --threads=2
// RUN: gc-runner %s --entry=reduced --check --threads=2
// RUN: gc-runner %s --entry=casts --emit=obj --cpu=cooperlake -o %t.o
// RUN: gc-runner %s --entry=computed --emit=obj --cpu=cooperlake -o %t.o
// RUN: gc-runner %s --entry=moved --emit=obj --cpu=cooperlake -o %t.o
// RUN: gc-runner %s --entry=folded --emit=obj --cpu=cooperlake -o %t.o
// RUN: gc-runner %s --entry=reduced --emit=obj --cpu=cooperlake -o %t.o
// RUN: gc-runner %s --entry=casts --emit=obj --cpu=sapphirerapids -o %t.o
// RUN: gc-runner %s --entry=moved --emit=obj --cpu=sapphirerapids -o %t.o
// RUN: gc-runner %s --entry=casts --emit=obj --cpu=znver4 -o %t.o
// RUN: gc-runner %s --entry=moved --emit=obj --cpu=znver4 -o %t.o
// RUN: gc-runner %s --entry=casts --emit=obj --cpu=haswell -o %t.o
// RUN: gc-runner %s --entry=moved --emit=obj --cpu=haswell -o %t.o

#transposed = #graph.layout<strided, [1, 37]>
#gaps = #graph.layout<strided, [210, 3]>

func.func @casts(%a: tensor<f32>, %b: tensor<1xf32>, %c: tensor<7xf32>, %d: tensor<37x70xf32>) -> (tensor<bf16>, tensor<1xbf16>, tensor<7xbf16>, tensor<37x70xbf16>, tensor<f16>, tensor<1xf16>, tensor<7xf16>, tensor<37x70xf16>) {
  %0 = graph.type_cast %a : tensor<f32> -> tensor<bf16>
  %1 = graph.type_cast %b : tensor<1xf32> -> tensor<1xbf16>
  %2 = graph.type_cast %c : tensor<7xf32> -> tensor<7xbf16>
  %3 = graph.type_cast %d : tensor<37x70xf32> -> tensor<37x70xbf16>
  %4 = graph.type_cast %a : tensor<f32> -> tensor<f16>
  %5 = graph.type_cast %b : tensor<1xf32> -> tensor<1xf16>
  %6 = graph.type_cast %c : tensor<7xf32> -> tensor<7xf16>
  %7 = graph.type_cast %d : tensor<37x70xf32> -> tensor<37x70xf16>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<bf16>, tensor<1xbf16>, tensor<7xbf16>, tensor<37x70xbf16>, tensor<f16>, tensor<1xf16>, tensor<7xf16>, tensor<37x70xf16>
}

func.func @computed(%x: tensor<5x33xbf16>, %s: tensor<bf16>, %p: tensor<5x33xi1>, %y: tensor<5x33xf16>, %t: tensor<f16>) -> (tensor<5x33xbf16>, tensor<5x33xf16>) {
  %0 = graph.multiply %x, %s : (tensor<5x33xbf16>, tensor<bf16>) -> tensor<5x33xbf16>
  %1 = graph.maximum %0, %x : (tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %2 = graph.tanh %1 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %3 = graph.select %p, %2, %s : (tensor<5x33xi1>, tensor<5x33xbf16>, tensor<bf16>) -> tensor<5x33xbf16>
  %4 = graph.multiply %y, %t : (tensor<5x33xf16>, tensor<f16>) -> tensor<5x33xf16>
  %5 = graph.maximum %4, %y : (tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %6 = graph.tanh %5 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %7 = graph.select %p, %6, %t : (tensor<5x33xi1>, tensor<5x33xf16>, tensor<f16>) -> tensor<5x33xf16>
  return %3, %7 : tensor<5x33xbf16>, tensor<5x33xf16>
}

func.func @moved(%x: tensor<37x70xbf16>, %y: tensor<37x70xf16>, %z: tensor<37x70xf32>) -> (tensor<70x37xbf16>, tensor<37x70xbf16, #transposed>, tensor<37x70xbf16, #gaps>, tensor<70x37xf16>, tensor<37x70xf16, #transposed>, tensor<37x70xf16, #gaps>) {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<37x70xbf16>) -> tensor<70x37xbf16>
  %1 = graph.reorder %x : tensor<37x70xbf16> -> tensor<37x70xbf16, #transposed>
  %2 = graph.type_cast %z : tensor<37x70xf32> -> tensor<37x70xbf16, #gaps>
  %3 = graph.static_transpose %y {order = array<i64: 1, 0>} : (tensor<37x70xf16>) -> tensor<70x37xf16>
  %4 = graph.reorder %y : tensor<37x70xf16> -> tensor<37x70xf16, #transposed>
  %5 = graph.type_cast %z : tensor<37x70xf32> -> tensor<37x70xf16, #gaps>
  return %0, %1, %2, %3, %4, %5 : tensor<70x37xbf16>, tensor<37x70xbf16, #transposed>, tensor<37x70xbf16, #gaps>, tensor<70x37xf16>, tensor<37x70xf16, #transposed>, tensor<37x70xf16, #gaps>
}

// What is folded is compiled without optimisation.
func.func @folded(%w: tensor<8x17xf32> {graph.const_arg}, %x: tensor<8x17xbf16>, %y: tensor<8x17xf16>) -> (tensor<8x17xbf16>, tensor<8x17xf16>) {
  %0 = graph.type_cast %w : tensor<8x17xf32> -> tensor<8x17xbf16>
  %1 = graph.add %x, %0 : (tensor<8x17xbf16>, tensor<8x17xbf16>) -> tensor<8x17xbf16>
  %2 = graph.type_cast %w : tensor<8x17xf32> -> tensor<8x17xf16>
  %3 = graph.add %y, %2 : (tensor<8x17xf16>, tensor<8x17xf16>) -> tensor<8x17xf16>
  return %1, %3 : tensor<8x17xbf16>, tensor<8x17xf16>
}

func.func @reduced(%x: tensor<37x70xbf16>, %y: tensor<37x70xf16>, %a: tensor<37x64xf32>, %b: tensor<64x70xf32>) -> (tensor<37x1xbf16>, tensor<37x70xbf16>, tensor<1x70xf16>, tensor<37x70xf16>, tensor<37x70xbf16>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<37x70xbf16>) -> tensor<37x1xbf16>
  %1 = graph.softmax %x {axis = 1 : i64} : (tensor<37x70xbf16>) -> tensor<37x70xbf16>
  %2 = graph.reduce_max %y {axes = array<i64: 0>, keep_dims = true} : (tensor<37x70xf16>) -> tensor<1x70xf16>
  %3 = graph.softmax %y {axis = 1 : i64} : (tensor<37x70xf16>) -> tensor<37x70xf16>
  %4 = graph.matmul %a, %b : (tensor<37x64xf32>, tensor<64x70xf32>) -> tensor<37x70xf32>
  %5 = graph.relu %4 : (tensor<37x70xf32>) -> tensor<37x70xf32>
  %6 = graph.type_cast %5 : tensor<37x70xf32> -> tensor<37x70xbf16>
  return %0, %1, %2, %3, %6 : tensor<37x1xbf16>, tensor<37x70xbf16>, tensor<1x70xf16>, tensor<37x70xf16>, tensor<37x70xbf16>
}
