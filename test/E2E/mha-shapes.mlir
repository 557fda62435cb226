// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention over strided views at sizes that are not multiples of blocks or of
// vectors: rows (33, 100, 197, 300), heads (40, 80, 17), other keys than
// queries; more threads than heads divide the rows.

// RUN: gc-runner %s --check --threads=2 --entry=s33_d40
// RUN: gc-runner %s --check --threads=2 --entry=s100_d80
// RUN: gc-runner %s --check --threads=2 --entry=s197_d64
// RUN: gc-runner %s --check --threads=2 --entry=s2_d16
// RUN: gc-runner %s --check --threads=2 --entry=s16_d8
// RUN: gc-runner %s --check --threads=2 --entry=s64_d128
// RUN: gc-runner %s --check --threads=2 --entry=cross_31_129_d24
// RUN: gc-runner %s --check --threads=2 --entry=s300_d17
// RUN: gc-runner %s --check --threads=7 --entry=s33_d40
// RUN: gc-runner %s --check --threads=7 --entry=s100_d80
// RUN: gc-runner %s --check --threads=7 --entry=s197_d64
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector --entry=s33_d40
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector --entry=s100_d80
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector --entry=s197_d64

func.func @s33_d40(%q: tensor<2x2x33x40xf32, #graph.layout<strided, [2640, 40, 80, 1]>>, %k: tensor<2x2x40x33xf32, #graph.layout<strided, [2640, 40, 1, 80]>>, %mask: tensor<2x1x1x33xf32>, %v: tensor<2x2x33x40xf32, #graph.layout<strided, [2640, 40, 80, 1]>>) -> tensor<2x33x2x40xf32> {
  %c = graph.constant dense<6.3246> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<2x2x33x40xf32, #graph.layout<strided, [2640, 40, 80, 1]>>, tensor<2x2x40x33xf32, #graph.layout<strided, [2640, 40, 1, 80]>>) -> tensor<2x2x33x33xf32>
  %1 = graph.divide %0, %c : (tensor<2x2x33x33xf32>, tensor<1xf32>) -> tensor<2x2x33x33xf32>
  %2 = graph.add %1, %mask : (tensor<2x2x33x33xf32>, tensor<2x1x1x33xf32>) -> tensor<2x2x33x33xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<2x2x33x33xf32>) -> tensor<2x2x33x33xf32>
  %4 = graph.matmul %3, %v : (tensor<2x2x33x33xf32>, tensor<2x2x33x40xf32, #graph.layout<strided, [2640, 40, 80, 1]>>) -> tensor<2x2x33x40xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x2x33x40xf32>) -> tensor<2x33x2x40xf32>
  return %5 : tensor<2x33x2x40xf32>
}

func.func @s100_d80(%q: tensor<1x3x100x80xf32, #graph.layout<strided, [24000, 80, 240, 1]>>, %k: tensor<1x3x80x100xf32, #graph.layout<strided, [24000, 80, 1, 240]>>, %mask: tensor<1x1x1x100xf32>, %v: tensor<1x3x100x80xf32, #graph.layout<strided, [24000, 80, 240, 1]>>) -> tensor<1x100x3x80xf32> {
  %c = graph.constant dense<8.9443> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x3x100x80xf32, #graph.layout<strided, [24000, 80, 240, 1]>>, tensor<1x3x80x100xf32, #graph.layout<strided, [24000, 80, 1, 240]>>) -> tensor<1x3x100x100xf32>
  %1 = graph.divide %0, %c : (tensor<1x3x100x100xf32>, tensor<1xf32>) -> tensor<1x3x100x100xf32>
  %2 = graph.add %1, %mask : (tensor<1x3x100x100xf32>, tensor<1x1x1x100xf32>) -> tensor<1x3x100x100xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x3x100x100xf32>) -> tensor<1x3x100x100xf32>
  %4 = graph.matmul %3, %v : (tensor<1x3x100x100xf32>, tensor<1x3x100x80xf32, #graph.layout<strided, [24000, 80, 240, 1]>>) -> tensor<1x3x100x80xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x3x100x80xf32>) -> tensor<1x100x3x80xf32>
  return %5 : tensor<1x100x3x80xf32>
}

func.func @s197_d64(%q: tensor<1x2x197x64xf32, #graph.layout<strided, [25216, 64, 128, 1]>>, %k: tensor<1x2x64x197xf32, #graph.layout<strided, [25216, 64, 1, 128]>>, %mask: tensor<1x1x1x197xf32>, %v: tensor<1x2x197x64xf32, #graph.layout<strided, [25216, 64, 128, 1]>>) -> tensor<1x197x2x64xf32> {
  %c = graph.constant dense<8.0000> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x2x197x64xf32, #graph.layout<strided, [25216, 64, 128, 1]>>, tensor<1x2x64x197xf32, #graph.layout<strided, [25216, 64, 1, 128]>>) -> tensor<1x2x197x197xf32>
  %1 = graph.divide %0, %c : (tensor<1x2x197x197xf32>, tensor<1xf32>) -> tensor<1x2x197x197xf32>
  %2 = graph.add %1, %mask : (tensor<1x2x197x197xf32>, tensor<1x1x1x197xf32>) -> tensor<1x2x197x197xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x2x197x197xf32>) -> tensor<1x2x197x197xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x197x197xf32>, tensor<1x2x197x64xf32, #graph.layout<strided, [25216, 64, 128, 1]>>) -> tensor<1x2x197x64xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x2x197x64xf32>) -> tensor<1x197x2x64xf32>
  return %5 : tensor<1x197x2x64xf32>
}

func.func @s2_d16(%q: tensor<2x2x2x16xf32, #graph.layout<strided, [64, 16, 32, 1]>>, %k: tensor<2x2x16x2xf32, #graph.layout<strided, [64, 16, 1, 32]>>, %mask: tensor<2x1x1x2xf32>, %v: tensor<2x2x2x16xf32, #graph.layout<strided, [64, 16, 32, 1]>>) -> tensor<2x2x2x16xf32> {
  %c = graph.constant dense<4.0000> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<2x2x2x16xf32, #graph.layout<strided, [64, 16, 32, 1]>>, tensor<2x2x16x2xf32, #graph.layout<strided, [64, 16, 1, 32]>>) -> tensor<2x2x2x2xf32>
  %1 = graph.divide %0, %c : (tensor<2x2x2x2xf32>, tensor<1xf32>) -> tensor<2x2x2x2xf32>
  %2 = graph.add %1, %mask : (tensor<2x2x2x2xf32>, tensor<2x1x1x2xf32>) -> tensor<2x2x2x2xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
  %4 = graph.matmul %3, %v : (tensor<2x2x2x2xf32>, tensor<2x2x2x16xf32, #graph.layout<strided, [64, 16, 32, 1]>>) -> tensor<2x2x2x16xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x2x2x16xf32>) -> tensor<2x2x2x16xf32>
  return %5 : tensor<2x2x2x16xf32>
}

func.func @s16_d8(%q: tensor<1x2x16x8xf32, #graph.layout<strided, [256, 8, 16, 1]>>, %k: tensor<1x2x8x16xf32, #graph.layout<strided, [256, 8, 1, 16]>>, %mask: tensor<1x1x1x16xf32>, %v: tensor<1x2x16x8xf32, #graph.layout<strided, [256, 8, 16, 1]>>) -> tensor<1x16x2x8xf32> {
  %c = graph.constant dense<2.8284> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x2x16x8xf32, #graph.layout<strided, [256, 8, 16, 1]>>, tensor<1x2x8x16xf32, #graph.layout<strided, [256, 8, 1, 16]>>) -> tensor<1x2x16x16xf32>
  %1 = graph.divide %0, %c : (tensor<1x2x16x16xf32>, tensor<1xf32>) -> tensor<1x2x16x16xf32>
  %2 = graph.add %1, %mask : (tensor<1x2x16x16xf32>, tensor<1x1x1x16xf32>) -> tensor<1x2x16x16xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x2x16x16xf32>) -> tensor<1x2x16x16xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x16x16xf32>, tensor<1x2x16x8xf32, #graph.layout<strided, [256, 8, 16, 1]>>) -> tensor<1x2x16x8xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x2x16x8xf32>) -> tensor<1x16x2x8xf32>
  return %5 : tensor<1x16x2x8xf32>
}

func.func @s64_d128(%q: tensor<1x2x64x128xf32, #graph.layout<strided, [16384, 128, 256, 1]>>, %k: tensor<1x2x128x64xf32, #graph.layout<strided, [16384, 128, 1, 256]>>, %mask: tensor<1x1x1x64xf32>, %v: tensor<1x2x64x128xf32, #graph.layout<strided, [16384, 128, 256, 1]>>) -> tensor<1x64x2x128xf32> {
  %c = graph.constant dense<11.3137> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x2x64x128xf32, #graph.layout<strided, [16384, 128, 256, 1]>>, tensor<1x2x128x64xf32, #graph.layout<strided, [16384, 128, 1, 256]>>) -> tensor<1x2x64x64xf32>
  %1 = graph.divide %0, %c : (tensor<1x2x64x64xf32>, tensor<1xf32>) -> tensor<1x2x64x64xf32>
  %2 = graph.add %1, %mask : (tensor<1x2x64x64xf32>, tensor<1x1x1x64xf32>) -> tensor<1x2x64x64xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x64x64xf32>, tensor<1x2x64x128xf32, #graph.layout<strided, [16384, 128, 256, 1]>>) -> tensor<1x2x64x128xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x2x64x128xf32>) -> tensor<1x64x2x128xf32>
  return %5 : tensor<1x64x2x128xf32>
}

func.func @cross_31_129_d24(%q: tensor<1x2x31x24xf32, #graph.layout<strided, [1488, 24, 48, 1]>>, %k: tensor<1x2x24x129xf32, #graph.layout<strided, [6192, 24, 1, 48]>>, %mask: tensor<1x1x1x129xf32>, %v: tensor<1x2x129x24xf32, #graph.layout<strided, [6192, 24, 48, 1]>>) -> tensor<1x31x2x24xf32> {
  %c = graph.constant dense<4.8990> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x2x31x24xf32, #graph.layout<strided, [1488, 24, 48, 1]>>, tensor<1x2x24x129xf32, #graph.layout<strided, [6192, 24, 1, 48]>>) -> tensor<1x2x31x129xf32>
  %1 = graph.divide %0, %c : (tensor<1x2x31x129xf32>, tensor<1xf32>) -> tensor<1x2x31x129xf32>
  %2 = graph.add %1, %mask : (tensor<1x2x31x129xf32>, tensor<1x1x1x129xf32>) -> tensor<1x2x31x129xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x2x31x129xf32>) -> tensor<1x2x31x129xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x31x129xf32>, tensor<1x2x129x24xf32, #graph.layout<strided, [6192, 24, 48, 1]>>) -> tensor<1x2x31x24xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x2x31x24xf32>) -> tensor<1x31x2x24xf32>
  return %5 : tensor<1x31x2x24xf32>
}

func.func @s300_d17(%q: tensor<1x2x300x17xf32, #graph.layout<strided, [10200, 17, 34, 1]>>, %k: tensor<1x2x17x300xf32, #graph.layout<strided, [10200, 17, 1, 34]>>, %mask: tensor<1x1x1x300xf32>, %v: tensor<1x2x300x17xf32, #graph.layout<strided, [10200, 17, 34, 1]>>) -> tensor<1x300x2x17xf32> {
  %c = graph.constant dense<4.1231> : tensor<1xf32>
  %0 = graph.matmul %q, %k : (tensor<1x2x300x17xf32, #graph.layout<strided, [10200, 17, 34, 1]>>, tensor<1x2x17x300xf32, #graph.layout<strided, [10200, 17, 1, 34]>>) -> tensor<1x2x300x300xf32>
  %1 = graph.divide %0, %c : (tensor<1x2x300x300xf32>, tensor<1xf32>) -> tensor<1x2x300x300xf32>
  %2 = graph.add %1, %mask : (tensor<1x2x300x300xf32>, tensor<1x1x1x300xf32>) -> tensor<1x2x300x300xf32>
  %3 = graph.softmax %2 {axis = 3 : i64} : (tensor<1x2x300x300xf32>) -> tensor<1x2x300x300xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x300x300xf32>, tensor<1x2x300x17xf32, #graph.layout<strided, [10200, 17, 34, 1]>>) -> tensor<1x2x300x17xf32>
  %5 = graph.static_transpose %4 {order = array<i64: 0, 2, 1, 3>} : (tensor<1x2x300x17xf32>) -> tensor<1x300x2x17xf32>
  return %5 : tensor<1x300x2x17xf32>
}
