// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dropout against the reference, whose random numbers are written independently.

// RUN: gc-runner %s --check --strict --threads=1 --entry=random
// RUN: gc-runner %s --check --strict --threads=3 --entry=random
// RUN: gc-runner %s --check --strict --threads=2 --entry=bits
// RUN: gc-runner %s --check --strict --threads=2 --entry=narrow
// RUN: gc-runner %s --check --strict --threads=2 --entry=half
// RUN: gc-runner %s --check --strict --threads=2 --entry=after_matmul
// RUN: gc-runner %s --check --strict --threads=2 --entry=after_matmul --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=transposed
// RUN: gc-runner %s --check --strict --threads=2 --entry=strided
// RUN: gc-runner %s --check --strict --threads=2 --entry=probabilities
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=all
// RUN: gc-runner %s --check --strict=false --threads=2 --entry=scalar

func.func @random(%x: tensor<3x5x67xf32>, %s: tensor<1xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>) -> tensor<3x5x67xf32> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<3x5x67xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<3x5x67xf32>
  return %0 : tensor<3x5x67xf32>
}

// All 64 bits of seed and offset count.
func.func @bits(%x: tensor<9x33xf32>) -> tensor<9x33xf32> {
  %s = graph.constant dense<2945182322382062114> : tensor<1xui64>
  %o = graph.constant dense<17630066747093281416> : tensor<1xui64>
  %p = graph.constant dense<0.3> : tensor<1xf32>
  %0 = graph.dropout %x, %s, %o, %p : (tensor<9x33xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<9x33xf32>
  return %0 : tensor<9x33xf32>
}

func.func @narrow(%x: tensor<2x3x4x31xbf16>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>) -> tensor<2x3x4x31xbf16> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<2x3x4x31xbf16>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<2x3x4x31xbf16>
  return %0 : tensor<2x3x4x31xbf16>
}

func.func @half(%x: tensor<130xf16>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>) -> tensor<130xf16> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<130xf16>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<130xf16>
  return %0 : tensor<130xf16>
}

// In the region of a matmul, and another op after it.
func.func @after_matmul(%a: tensor<65x40xf32>, %b: tensor<40x70xf32>, %s: tensor<1xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>, %r: tensor<65x70xf32>) -> tensor<65x70xf32> {
  %0 = graph.matmul %a, %b : (tensor<65x40xf32>, tensor<40x70xf32>) -> tensor<65x70xf32>
  %1 = graph.dropout %0, %s, %o, %p : (tensor<65x70xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<65x70xf32>
  %2 = graph.add %1, %r : (tensor<65x70xf32>, tensor<65x70xf32>) -> tensor<65x70xf32>
  return %2 : tensor<65x70xf32>
}

// The index is that of the operand, not of where the result is stored.
func.func @transposed(%x: tensor<17x9x6xf32>, %s: tensor<1xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>) -> tensor<6x17x9xf32> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<17x9x6xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<17x9x6xf32>
  %1 = graph.static_transpose %0 {order = array<i64: 2, 0, 1>} : (tensor<17x9x6xf32>) -> tensor<6x17x9xf32>
  return %1 : tensor<6x17x9xf32>
}

func.func @strided(%x: tensor<5x21xf32, #graph.layout<strided, [1, 7]>>, %s: tensor<1xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>) -> tensor<5x21xf32, #graph.layout<strided, [1, 5]>> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<5x21xf32, #graph.layout<strided, [1, 7]>>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<5x21xf32, #graph.layout<strided, [1, 5]>>
  return %0 : tensor<5x21xf32, #graph.layout<strided, [1, 5]>>
}

// Outside of [0, 1] and at its ends; what is added tells the results apart.
func.func @probabilities(%x: tensor<40xf32>, %s: tensor<ui64>, %o: tensor<ui64>, %y: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>) {
  %p0 = graph.constant dense<0.0> : tensor<f32>
  %p1 = graph.constant dense<1.0> : tensor<f32>
  %p2 = graph.constant dense<-3.0> : tensor<f32>
  %p3 = graph.constant dense<7.0> : tensor<f32>
  %0 = graph.dropout %x, %s, %o, %p0 : (tensor<40xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<40xf32>
  %1 = graph.dropout %x, %s, %o, %p1 : (tensor<40xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<40xf32>
  %2 = graph.dropout %x, %s, %o, %p2 : (tensor<40xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<40xf32>
  %3 = graph.dropout %x, %s, %o, %p3 : (tensor<40xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<40xf32>
  %4 = graph.add %0, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %5 = graph.add %1, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %6 = graph.add %2, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  %7 = graph.add %3, %y : (tensor<40xf32>, tensor<40xf32>) -> tensor<40xf32>
  return %4, %5, %6, %7 : tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>
}

// NaN drops everything.
func.func @all(%x: tensor<40xf32>, %s: tensor<ui64>, %o: tensor<ui64>) -> tensor<40xf32> {
  %p = graph.constant dense<0x7FC00000> : tensor<f32>
  %0 = graph.dropout %x, %s, %o, %p : (tensor<40xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<40xf32>
  return %0 : tensor<40xf32>
}

func.func @scalar(%x: tensor<f32>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>) -> tensor<f32> {
  %0 = graph.dropout %x, %s, %o, %p : (tensor<f32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
