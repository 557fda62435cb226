// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposes in registers: whole squares, tails in either direction, dimensions
// of one element, and layouts along another dimension.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3

#columns = #graph.layout<strided, [1, 44]>
#packed = #graph.layout<blocked, outer = [1, 0], inner = [0 : 16, 1 : 32]>

func.func @main(%x0: tensor<8x8xf32>, %x1: tensor<16x24xf32>, %x2: tensor<1x9xf32>, %x3: tensor<9x1xf32>, %x4: tensor<33x70xf32>, %x5: tensor<130x67xf32>, %x6: tensor<5x19x13xf32>, %x7: tensor<5x19x13xf32>, %x8: tensor<5x19x13xf32>, %x9: tensor<5x19x13xf32>, %x10: tensor<5x19x13xf32>, %x11: tensor<2x9x17x12xf32>, %x12: tensor<2x9x17x12xf32>, %x13: tensor<2x9x17x12xf32>, %x14: tensor<2x9x17x12xf32>, %x15: tensor<2x9x17x12xf32>, %i: tensor<21x35xbf16>, %c: tensor<40x70xf32, #columns>)
  -> (tensor<8x8xf32>, tensor<24x16xf32>, tensor<9x1xf32>, tensor<1x9xf32>, tensor<70x33xf32>, tensor<67x130xf32>, tensor<5x13x19xf32>, tensor<19x5x13xf32>, tensor<19x13x5xf32>, tensor<13x5x19xf32>, tensor<13x19x5xf32>, tensor<2x17x9x12xf32>, tensor<2x17x12x9xf32>, tensor<12x9x17x2xf32>, tensor<2x9x12x17xf32>, tensor<17x12x2x9xf32>, tensor<35x21xbf16>, tensor<40x70xf32>, tensor<40x70xf32>) {
  %y0 = graph.static_transpose %x0 {order = array<i64: 1, 0>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %y1 = graph.static_transpose %x1 {order = array<i64: 1, 0>} : (tensor<16x24xf32>) -> tensor<24x16xf32>
  %y2 = graph.static_transpose %x2 {order = array<i64: 1, 0>} : (tensor<1x9xf32>) -> tensor<9x1xf32>
  %y3 = graph.static_transpose %x3 {order = array<i64: 1, 0>} : (tensor<9x1xf32>) -> tensor<1x9xf32>
  %y4 = graph.static_transpose %x4 {order = array<i64: 1, 0>} : (tensor<33x70xf32>) -> tensor<70x33xf32>
  %y5 = graph.static_transpose %x5 {order = array<i64: 1, 0>} : (tensor<130x67xf32>) -> tensor<67x130xf32>
  %y6 = graph.static_transpose %x6 {order = array<i64: 0, 2, 1>} : (tensor<5x19x13xf32>) -> tensor<5x13x19xf32>
  %y7 = graph.static_transpose %x7 {order = array<i64: 1, 0, 2>} : (tensor<5x19x13xf32>) -> tensor<19x5x13xf32>
  %y8 = graph.static_transpose %x8 {order = array<i64: 1, 2, 0>} : (tensor<5x19x13xf32>) -> tensor<19x13x5xf32>
  %y9 = graph.static_transpose %x9 {order = array<i64: 2, 0, 1>} : (tensor<5x19x13xf32>) -> tensor<13x5x19xf32>
  %y10 = graph.static_transpose %x10 {order = array<i64: 2, 1, 0>} : (tensor<5x19x13xf32>) -> tensor<13x19x5xf32>
  %y11 = graph.static_transpose %x11 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x9x17x12xf32>) -> tensor<2x17x9x12xf32>
  %y12 = graph.static_transpose %x12 {order = array<i64: 0, 2, 3, 1>} : (tensor<2x9x17x12xf32>) -> tensor<2x17x12x9xf32>
  %y13 = graph.static_transpose %x13 {order = array<i64: 3, 1, 2, 0>} : (tensor<2x9x17x12xf32>) -> tensor<12x9x17x2xf32>
  %y14 = graph.static_transpose %x14 {order = array<i64: 0, 1, 3, 2>} : (tensor<2x9x17x12xf32>) -> tensor<2x9x12x17xf32>
  %y15 = graph.static_transpose %x15 {order = array<i64: 2, 3, 0, 1>} : (tensor<2x9x17x12xf32>) -> tensor<17x12x2x9xf32>
  %i0 = graph.static_transpose %i {order = array<i64: 1, 0>} : (tensor<21x35xbf16>) -> tensor<35x21xbf16>
  // Rows along the other dimension, into blocks.
  %k = graph.reorder %c : tensor<40x70xf32, #columns> -> tensor<40x70xf32, #packed>
  %k1 = graph.reorder %k : tensor<40x70xf32, #packed> -> tensor<40x70xf32>
  %k2 = graph.add %c, %k1 : (tensor<40x70xf32, #columns>, tensor<40x70xf32>) -> tensor<40x70xf32>
  return %y0, %y1, %y2, %y3, %y4, %y5, %y6, %y7, %y8, %y9, %y10, %y11, %y12, %y13, %y14, %y15, %i0, %k1, %k2 :
    tensor<8x8xf32>, tensor<24x16xf32>, tensor<9x1xf32>, tensor<1x9xf32>, tensor<70x33xf32>, tensor<67x130xf32>, tensor<5x13x19xf32>, tensor<19x5x13xf32>, tensor<19x13x5xf32>, tensor<13x5x19xf32>, tensor<13x19x5xf32>, tensor<2x17x9x12xf32>, tensor<2x17x12x9xf32>, tensor<12x9x17x2xf32>, tensor<2x9x12x17xf32>, tensor<17x12x2x9xf32>, tensor<35x21xbf16>, tensor<40x70xf32>, tensor<40x70xf32>
}
