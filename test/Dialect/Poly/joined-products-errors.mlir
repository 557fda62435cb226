// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-extract --poly-schedule --poly-tile --poly-fuse --poly-map-units --poly-promote --poly-tile-statements --verify-diagnostics -o /dev/null

// What a nest of two contractions does not take, where nothing has prepared it.

func.func @three(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.matmul %0, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  // expected-error @below {{is the third contraction of a nest; two are supported}}
  %2 = graph.matmul %1, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %2 : tensor<32x32xf16>
}

// -----

func.func @columns(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  // expected-error @below {{multiplies @T2, which is computed on the core, as its columns}}
  %1 = graph.matmul %x, %0 : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @odd(%x: tensor<32x32xf16>, %w: tensor<32x40xf16>, %v: tensor<40x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x40xf16>) -> tensor<32x40xf16>
  // expected-error @below {{adds up 40 terms in a nest of two contractions, which takes a multiple of 16}}
  %1 = graph.matmul %0, %v : (tensor<32x40xf16>, tensor<40x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @precise(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{has sums that no statement converts to f16 before others use them}}
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf32>
  %1 = graph.relu %0 : (tensor<32x32xf32>) -> tensor<32x32xf32>
  %2 = graph.type_cast %1 : tensor<32x32xf32> -> tensor<32x32xf16>
  %3 = graph.matmul %2, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %3 : tensor<32x32xf16>
}

// -----

func.func @wide(%x: tensor<32x32xf16>, %w: tensor<32x8192xf16>, %v: tensor<8192x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x8192xf16>) -> tensor<32x8192xf16>
  // expected-error @below {{adds up 8192 columns of another product, of which no block of 16 rows fits the core}}
  %1 = graph.matmul %0, %v : (tensor<32x8192xf16>, tensor<8192x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

func.func @sums(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  // expected-error @below {{writes @T4, which is not a temporary matrix of f16, between two contractions}}
  %1 = graph.type_cast %0 : tensor<32x32xf16> -> tensor<32x32xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<32x32xf32>) -> tensor<32x1xf32>
  %3 = graph.relu %0 : (tensor<32x32xf16>) -> tensor<32x32xf16>
  %4 = graph.matmul %3, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf32>
  %5 = graph.divide %4, %2 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
  %6 = graph.type_cast %5 : tensor<32x32xf32> -> tensor<32x32xf16>
  return %6 : tensor<32x32xf16>
}

// -----

// What the first contraction multiplies may be computed by one statement.

func.func @several(%x: tensor<32x32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{is computed before the contractions of its nest, and is not the rows that the first one multiplies}}
  %0 = graph.abs %x : (tensor<32x32xf16>) -> tensor<32x32xf16>
  %1 = graph.exp %0 : (tensor<32x32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %1, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %3 = graph.matmul %2, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %3 : tensor<32x32xf16>
}

// -----

func.func @padded(%x: tensor<32x40xf16>, %w: tensor<40x32xf16>, %v: tensor<32x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{computes 40 terms of the first of two contractions, which are a multiple of 16 unless it only multiplies by a constant}}
  %0 = graph.exp %x : (tensor<32x40xf16>) -> tensor<32x40xf16>
  %1 = graph.matmul %0, %w : (tensor<32x40xf16>, tensor<40x32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %1, %v : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %2 : tensor<32x32xf16>
}

// -----

func.func @terms(%x: tensor<32x32xf16>, %y: tensor<32xf16>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{reads @I1 in another way than by rows and terms, before two contractions}}
  %0 = graph.add %x, %y : (tensor<32x32xf16>, tensor<32xf16>) -> tensor<32x32xf16>
  %1 = graph.matmul %0, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %1, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %2 : tensor<32x32xf16>
}

// -----

func.func @f32(%x: tensor<32x32xf32>, %w: tensor<32x32xf16>) -> tensor<32x32xf16> {
  // expected-error @below {{reads @I0, which is not f16 in global memory, before two contractions}}
  %0 = graph.type_cast %x : tensor<32x32xf32> -> tensor<32x32xf16>
  %1 = graph.matmul %0, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %1, %w : (tensor<32x32xf16>, tensor<32x32xf16>) -> tensor<32x32xf16>
  return %2 : tensor<32x32xf16>
}
