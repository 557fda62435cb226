// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A few rows by operands of their own: decoding a token, for groups of heads that
// share keys and values, and tokens times weights. Keys are read along k where they
// are; sizes leave remainders of every kind: rows, columns, less than a vector.

// RUN: gc-runner %s --check --strict --threads=2 --entry=decode_f32
// RUN: gc-runner %s --check --strict --threads=2 --entry=decode_f32 --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=decode_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=decode_bf16 --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=decode_f16
// RUN: gc-runner %s --check --strict --threads=2 --entry=group_of_one
// RUN: gc-runner %s --check --strict --threads=2 --entry=queries
// RUN: gc-runner %s --check --strict --threads=2 --entry=short_keys
// RUN: gc-runner %s --check --strict --threads=2 --entry=short_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=prompt
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_row
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_row --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=one_row --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict --threads=2 --entry=seven_rows
// RUN: gc-runner %s --check --strict --threads=2 --entry=k_of_one
// RUN: gc-runner %s --check --strict --threads=2 --entry=k_of_three
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows_bf16 --pipeline-options=kernel=vector
// RUN: gc-runner %s --check --strict --threads=2 --entry=odd_k_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=three_rows_f16
// RUN: gc-runner %s --check --strict --threads=2 --entry=odd_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=k_of_one_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=strided
// RUN: gc-runner %s --check --strict --threads=2 --entry=strided_along_k
// RUN: gc-runner %s --check --strict --threads=2 --entry=strided_along_k_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=column_bf16
// RUN: gc-runner %s --check --strict --threads=2 --entry=column_bf16 --machine=%runnable-laptop-avx2-4
// RUN: gc-runner %s --check --strict --threads=2 --entry=column_f16
// RUN: gc-runner %s --check --strict --threads=2 --entry=column_odd_k
// RUN: gc-runner %s --check --strict --threads=2 --entry=columns_of_heads
// RUN: gc-runner %s --check --strict --threads=2 --entry=tokens

func.func @decode_f32(%q: tensor<1x3x4x1x128xf32>, %k: tensor<1x3x1x200x128xf32>, %v: tensor<1x3x1x200x128xf32>, %mask: tensor<1x1x1x1x200xf32>) -> tensor<1x3x4x1x128xf32> {
  %c = graph.constant dense<0.125> : tensor<1xf32>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<1x3x4x1x128xf32>, tensor<1x3x1x200x128xf32>) -> tensor<1x3x4x1x200xf32>
  %1 = graph.multiply %0, %c : (tensor<1x3x4x1x200xf32>, tensor<1xf32>) -> tensor<1x3x4x1x200xf32>
  %2 = graph.add %1, %mask : (tensor<1x3x4x1x200xf32>, tensor<1x1x1x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %3 = graph.softmax %2 {axis = 4} : (tensor<1x3x4x1x200xf32>) -> tensor<1x3x4x1x200xf32>
  %4 = graph.matmul %3, %v : (tensor<1x3x4x1x200xf32>, tensor<1x3x1x200x128xf32>) -> tensor<1x3x4x1x128xf32>
  return %4 : tensor<1x3x4x1x128xf32>
}

func.func @decode_bf16(%q: tensor<1x3x4x1x128xbf16>, %k: tensor<1x3x1x200x128xbf16>, %v: tensor<1x3x1x200x128xbf16>, %mask: tensor<1x1x1x1x200xbf16>) -> tensor<1x3x4x1x128xbf16> {
  %c = graph.constant dense<0.125> : tensor<1xbf16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<1x3x4x1x128xbf16>, tensor<1x3x1x200x128xbf16>) -> tensor<1x3x4x1x200xbf16>
  %1 = graph.multiply %0, %c : (tensor<1x3x4x1x200xbf16>, tensor<1xbf16>) -> tensor<1x3x4x1x200xbf16>
  %2 = graph.add %1, %mask : (tensor<1x3x4x1x200xbf16>, tensor<1x1x1x1x200xbf16>) -> tensor<1x3x4x1x200xbf16>
  %3 = graph.softmax %2 {axis = 4} : (tensor<1x3x4x1x200xbf16>) -> tensor<1x3x4x1x200xbf16>
  %4 = graph.matmul %3, %v : (tensor<1x3x4x1x200xbf16>, tensor<1x3x1x200x128xbf16>) -> tensor<1x3x4x1x128xbf16>
  return %4 : tensor<1x3x4x1x128xbf16>
}

func.func @decode_f16(%q: tensor<2x1x5x1x40xf16>, %k: tensor<2x1x1x77x40xf16>, %v: tensor<2x1x1x77x40xf16>) -> tensor<2x1x5x1x40xf16> {
  %c = graph.constant dense<0.125> : tensor<1xf16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x1x5x1x40xf16>, tensor<2x1x1x77x40xf16>) -> tensor<2x1x5x1x77xf16>
  %1 = graph.multiply %0, %c : (tensor<2x1x5x1x77xf16>, tensor<1xf16>) -> tensor<2x1x5x1x77xf16>
  %3 = graph.softmax %1 {axis = 4} : (tensor<2x1x5x1x77xf16>) -> tensor<2x1x5x1x77xf16>
  %4 = graph.matmul %3, %v : (tensor<2x1x5x1x77xf16>, tensor<2x1x1x77x40xf16>) -> tensor<2x1x5x1x40xf16>
  return %4 : tensor<2x1x5x1x40xf16>
}

func.func @group_of_one(%q: tensor<2x2x1x1x24xf32>, %k: tensor<2x2x1x33x24xf32>, %v: tensor<2x2x1x33x24xf32>, %mask: tensor<2x1x1x1x33xf32>) -> tensor<2x2x1x1x24xf32> {
  %c = graph.constant dense<0.125> : tensor<1xf32>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x2x1x1x24xf32>, tensor<2x2x1x33x24xf32>) -> tensor<2x2x1x1x33xf32>
  %1 = graph.multiply %0, %c : (tensor<2x2x1x1x33xf32>, tensor<1xf32>) -> tensor<2x2x1x1x33xf32>
  %2 = graph.add %1, %mask : (tensor<2x2x1x1x33xf32>, tensor<2x1x1x1x33xf32>) -> tensor<2x2x1x1x33xf32>
  %3 = graph.softmax %2 {axis = 4} : (tensor<2x2x1x1x33xf32>) -> tensor<2x2x1x1x33xf32>
  %4 = graph.matmul %3, %v : (tensor<2x2x1x1x33xf32>, tensor<2x2x1x33x24xf32>) -> tensor<2x2x1x1x24xf32>
  return %4 : tensor<2x2x1x1x24xf32>
}

func.func @queries(%q: tensor<2x2x3x2x20xf32>, %k: tensor<2x2x1x50x20xf32>, %v: tensor<2x2x1x50x20xf32>, %mask: tensor<2x1x1x2x50xf32>) -> tensor<2x2x3x2x20xf32> {
  %c = graph.constant dense<0.125> : tensor<1xf32>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x2x3x2x20xf32>, tensor<2x2x1x50x20xf32>) -> tensor<2x2x3x2x50xf32>
  %1 = graph.multiply %0, %c : (tensor<2x2x3x2x50xf32>, tensor<1xf32>) -> tensor<2x2x3x2x50xf32>
  %2 = graph.add %1, %mask : (tensor<2x2x3x2x50xf32>, tensor<2x1x1x2x50xf32>) -> tensor<2x2x3x2x50xf32>
  %3 = graph.softmax %2 {axis = 4} : (tensor<2x2x3x2x50xf32>) -> tensor<2x2x3x2x50xf32>
  %4 = graph.matmul %3, %v : (tensor<2x2x3x2x50xf32>, tensor<2x2x1x50x20xf32>) -> tensor<2x2x3x2x20xf32>
  return %4 : tensor<2x2x3x2x20xf32>
}

func.func @short_keys(%q: tensor<1x2x8x1x6xf32>, %k: tensor<1x2x1x9x6xf32>, %v: tensor<1x2x1x9x6xf32>) -> tensor<1x2x8x1x6xf32> {
  %c = graph.constant dense<0.125> : tensor<1xf32>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<1x2x8x1x6xf32>, tensor<1x2x1x9x6xf32>) -> tensor<1x2x8x1x9xf32>
  %1 = graph.multiply %0, %c : (tensor<1x2x8x1x9xf32>, tensor<1xf32>) -> tensor<1x2x8x1x9xf32>
  %3 = graph.softmax %1 {axis = 4} : (tensor<1x2x8x1x9xf32>) -> tensor<1x2x8x1x9xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x8x1x9xf32>, tensor<1x2x1x9x6xf32>) -> tensor<1x2x8x1x6xf32>
  return %4 : tensor<1x2x8x1x6xf32>
}

func.func @short_bf16(%q: tensor<1x2x8x1x6xbf16>, %k: tensor<1x2x1x9x6xbf16>, %v: tensor<1x2x1x9x6xbf16>) -> tensor<1x2x8x1x6xbf16> {
  %c = graph.constant dense<0.125> : tensor<1xbf16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<1x2x8x1x6xbf16>, tensor<1x2x1x9x6xbf16>) -> tensor<1x2x8x1x9xbf16>
  %1 = graph.multiply %0, %c : (tensor<1x2x8x1x9xbf16>, tensor<1xbf16>) -> tensor<1x2x8x1x9xbf16>
  %3 = graph.softmax %1 {axis = 4} : (tensor<1x2x8x1x9xbf16>) -> tensor<1x2x8x1x9xbf16>
  %4 = graph.matmul %3, %v : (tensor<1x2x8x1x9xbf16>, tensor<1x2x1x9x6xbf16>) -> tensor<1x2x8x1x6xbf16>
  return %4 : tensor<1x2x8x1x6xbf16>
}

func.func @prompt(%q: tensor<1x2x4x40x32xf32>, %k: tensor<1x2x1x130x32xf32>, %v: tensor<1x2x1x130x32xf32>) -> tensor<1x2x4x40x32xf32> {
  %c = graph.constant dense<0.125> : tensor<1xf32>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<1x2x4x40x32xf32>, tensor<1x2x1x130x32xf32>) -> tensor<1x2x4x40x130xf32>
  %1 = graph.multiply %0, %c : (tensor<1x2x4x40x130xf32>, tensor<1xf32>) -> tensor<1x2x4x40x130xf32>
  %3 = graph.softmax %1 {axis = 4} : (tensor<1x2x4x40x130xf32>) -> tensor<1x2x4x40x130xf32>
  %4 = graph.matmul %3, %v : (tensor<1x2x4x40x130xf32>, tensor<1x2x1x130x32xf32>) -> tensor<1x2x4x40x32xf32>
  return %4 : tensor<1x2x4x40x32xf32>
}

func.func @one_row(%x: tensor<1x1x1000xf32>, %w: tensor<1x300x1000xf32>) -> tensor<1x1x300xf32> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<1x1x1000xf32>, tensor<1x300x1000xf32>) -> tensor<1x1x300xf32>
  return %0 : tensor<1x1x300xf32>
}

func.func @three_rows(%x: tensor<2x3x129xf32>, %w: tensor<2x37x129xf32>) -> tensor<2x3x37xf32> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x3x129xf32>, tensor<2x37x129xf32>) -> tensor<2x3x37xf32>
  return %0 : tensor<2x3x37xf32>
}

func.func @seven_rows(%x: tensor<3x7x31xf32>, %w: tensor<3x5x31xf32>) -> tensor<3x7x5xf32> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<3x7x31xf32>, tensor<3x5x31xf32>) -> tensor<3x7x5xf32>
  return %0 : tensor<3x7x5xf32>
}

func.func @k_of_one(%x: tensor<2x4x1xf32>, %w: tensor<2x9x1xf32>) -> tensor<2x4x9xf32> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x4x1xf32>, tensor<2x9x1xf32>) -> tensor<2x4x9xf32>
  return %0 : tensor<2x4x9xf32>
}

func.func @k_of_three(%x: tensor<2x4x3xf32>, %w: tensor<2x9x3xf32>) -> tensor<2x4x9xf32> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x4x3xf32>, tensor<2x9x3xf32>) -> tensor<2x4x9xf32>
  return %0 : tensor<2x4x9xf32>
}

func.func @three_rows_bf16(%x: tensor<2x3x130xbf16>, %w: tensor<2x37x130xbf16>) -> tensor<2x3x37xbf16> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x3x130xbf16>, tensor<2x37x130xbf16>) -> tensor<2x3x37xbf16>
  return %0 : tensor<2x3x37xbf16>
}

func.func @odd_k_bf16(%x: tensor<2x3x129xbf16>, %w: tensor<2x37x129xbf16>) -> tensor<2x3x37xbf16> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x3x129xbf16>, tensor<2x37x129xbf16>) -> tensor<2x3x37xbf16>
  return %0 : tensor<2x3x37xbf16>
}

func.func @three_rows_f16(%x: tensor<2x3x130xf16>, %w: tensor<2x37x130xf16>) -> tensor<2x3x37xf16> {
  %0 = graph.matmul %x, %w {transpose_b = true} : (tensor<2x3x130xf16>, tensor<2x37x130xf16>) -> tensor<2x3x37xf16>
  return %0 : tensor<2x3x37xf16>
}

func.func @strided(%w: tensor<2x3x10x24xf32, #graph.layout<strided, [720, 24, 72, 1]>>, %q: tensor<2x3x2x24xf32>) -> tensor<2x3x2x10xf32> {
  %0 = graph.matmul %q, %w {transpose_b = true} : (tensor<2x3x2x24xf32>, tensor<2x3x10x24xf32, #graph.layout<strided, [720, 24, 72, 1]>>) -> tensor<2x3x2x10xf32>
  return %0 : tensor<2x3x2x10xf32>
}

func.func @tokens(%x: tensor<5x1x24xf32>, %w: tensor<24x40xf32> {graph.const_arg}, %b: tensor<40xf32>, %r: tensor<5x1x40xf32>) -> tensor<5x1x40xf32> {
  %0 = graph.matmul %x, %w : (tensor<5x1x24xf32>, tensor<24x40xf32>) -> tensor<5x1x40xf32>
  %1 = graph.add %0, %b : (tensor<5x1x40xf32>, tensor<40xf32>) -> tensor<5x1x40xf32>
  %2 = graph.gelu %1 : (tensor<5x1x40xf32>) -> tensor<5x1x40xf32>
  %3 = graph.add %2, %r : (tensor<5x1x40xf32>, tensor<5x1x40xf32>) -> tensor<5x1x40xf32>
  %4 = graph.softmax %3 {axis = 2} : (tensor<5x1x40xf32>) -> tensor<5x1x40xf32>
  return %4 : tensor<5x1x40xf32>
}

// A last column of its own, of products of an odd number: no whole group.
func.func @odd_bf16(%x: tensor<8x1x257xbf16>, %w: tensor<8x257x129xbf16>) -> tensor<8x1x129xbf16> {
  %0 = graph.matmul %x, %w : (tensor<8x1x257xbf16>, tensor<8x257x129xbf16>) -> tensor<8x1x129xbf16>
  return %0 : tensor<8x1x129xbf16>
}

func.func @k_of_one_bf16(%x: tensor<8x1x1xbf16>, %w: tensor<8x1x129xbf16>) -> tensor<8x1x129xbf16> {
  %0 = graph.matmul %x, %w : (tensor<8x1x1xbf16>, tensor<8x1x129xbf16>) -> tensor<8x1x129xbf16>
  return %0 : tensor<8x1x129xbf16>
}

// Keys as views of [sequence, heads, head size], transposed by their strides.
func.func @strided_along_k(%q: tensor<1x4x3x40xf32>, %k: tensor<1x4x40x77xf32, #graph.layout<strided, [12320, 40, 1, 160]>>) -> tensor<1x4x3x77xf32> {
  %0 = graph.matmul %q, %k : (tensor<1x4x3x40xf32>, tensor<1x4x40x77xf32, #graph.layout<strided, [12320, 40, 1, 160]>>) -> tensor<1x4x3x77xf32>
  return %0 : tensor<1x4x3x77xf32>
}

func.func @strided_along_k_bf16(%q: tensor<1x4x3x40xbf16>, %k: tensor<1x4x40x77xbf16, #graph.layout<strided, [12320, 40, 1, 160]>>) -> tensor<1x4x3x77xbf16> {
  %0 = graph.matmul %q, %k : (tensor<1x4x3x40xbf16>, tensor<1x4x40x77xbf16, #graph.layout<strided, [12320, 40, 1, 160]>>) -> tensor<1x4x3x77xbf16>
  return %0 : tensor<1x4x3x77xbf16>
}

// A single column is contiguous along k, however many rows are multiplied by it.
func.func @column_bf16(%a: tensor<301x202xbf16>, %b: tensor<202x1xbf16>) -> tensor<301x1xf32> {
  %0 = graph.matmul %a, %b : (tensor<301x202xbf16>, tensor<202x1xbf16>) -> tensor<301x1xf32>
  return %0 : tensor<301x1xf32>
}

func.func @column_f16(%a: tensor<301x202xf16>, %b: tensor<1x202xf16>) -> tensor<301x1xf16> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<301x202xf16>, tensor<1x202xf16>) -> tensor<301x1xf16>
  return %0 : tensor<301x1xf16>
}

func.func @column_odd_k(%a: tensor<301x203xbf16>, %b: tensor<203x1xbf16>) -> tensor<301x1xbf16> {
  %0 = graph.matmul %a, %b : (tensor<301x203xbf16>, tensor<203x1xbf16>) -> tensor<301x1xbf16>
  return %0 : tensor<301x1xbf16>
}

func.func @columns_of_heads(%a: tensor<2x3x33x64xbf16>, %b: tensor<2x3x64x1xbf16, #graph.layout<strided, [192, 1, 3, 1]>>) -> tensor<2x3x33x1xbf16> {
  %0 = graph.matmul %a, %b : (tensor<2x3x33x64xbf16>, tensor<2x3x64x1xbf16, #graph.layout<strided, [192, 1, 3, 1]>>) -> tensor<2x3x33x1xbf16>
  return %0 : tensor<2x3x33x1xbf16>
}
