// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=attention --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=masked --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=rows --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=largest --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=registers --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=smallest --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=stepped --check --strict | FileCheck %s

// Two products with a reduction of rows between them are one kernel.

// CHECK-NOT: kernel
// CHECK: check passed
func.func @attention(%q: tensor<4x80x64xf16>, %k: tensor<4x80x64xf16>, %v: tensor<4x80x64xf16>) -> tensor<4x80x64xf16> {
  %scale = graph.constant dense<0.125> : tensor<1xf16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x80x64xf16>, tensor<4x80x64xf16>) -> tensor<4x80x80xf16>
  %1 = graph.multiply %0, %scale : (tensor<4x80x80xf16>, tensor<1xf16>) -> tensor<4x80x80xf16>
  %2 = graph.softmax %1 {axis = -1 : i64} : (tensor<4x80x80xf16>) -> tensor<4x80x80xf16>
  %3 = graph.matmul %2, %v : (tensor<4x80x80xf16>, tensor<4x80x64xf16>) -> tensor<4x80x64xf16>
  return %3 : tensor<4x80x64xf16>
}

// A mask of the keys and one of all scores; other sizes for everything.
func.func @masked(%q: tensor<2x3x100x40xf16>, %k: tensor<2x3x192x40xf16>, %v: tensor<2x3x192x72xf16>, %m: tensor<2x1x1x192xf16>, %n: tensor<100x192xf16>) -> tensor<2x3x100x72xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x3x100x40xf16>, tensor<2x3x192x40xf16>) -> tensor<2x3x100x192xf16>
  %1 = graph.add %0, %m : (tensor<2x3x100x192xf16>, tensor<2x1x1x192xf16>) -> tensor<2x3x100x192xf16>
  %2 = graph.add %1, %n : (tensor<2x3x100x192xf16>, tensor<100x192xf16>) -> tensor<2x3x100x192xf16>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<2x3x100x192xf16>) -> tensor<2x3x100x192xf16>
  %4 = graph.matmul %3, %v : (tensor<2x3x100x192xf16>, tensor<2x3x192x72xf16>) -> tensor<2x3x100x72xf16>
  return %4 : tensor<2x3x100x72xf16>
}

// A single matrix, of fewer rows than a fractal has.
func.func @rows(%q: tensor<5x128xf16>, %k: tensor<128x48xf16>, %v: tensor<48x16xf16>) -> tensor<5x16xf16> {
  %0 = graph.matmul %q, %k : (tensor<5x128xf16>, tensor<128x48xf16>) -> tensor<5x48xf16>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<5x48xf16>) -> tensor<5x48xf16>
  %2 = graph.matmul %1, %v : (tensor<5x48xf16>, tensor<48x16xf16>) -> tensor<5x16xf16>
  return %2 : tensor<5x16xf16>
}

// Something else than a softmax.
func.func @largest(%x: tensor<90x32xf16>, %w: tensor<32x64xf16>, %v: tensor<64x32xf16>) -> tensor<90x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<90x32xf16>, tensor<32x64xf16>) -> tensor<90x64xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<90x64xf16>) -> tensor<90x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<90x64xf16>, tensor<90x1xf16>) -> tensor<90x64xf16>
  %3 = graph.relu %0 : (tensor<90x64xf16>) -> tensor<90x64xf16>
  %4 = graph.multiply %2, %3 : (tensor<90x64xf16>, tensor<90x64xf16>) -> tensor<90x64xf16>
  %5 = graph.matmul %4, %v : (tensor<90x64xf16>, tensor<64x32xf16>) -> tensor<90x32xf16>
  return %5 : tensor<90x32xf16>
}

// Long rows, whose values come from registers; two blocks and a shifted one. The
// scale becomes one of the left factor, whose terms are padded.
func.func @registers(%q: tensor<2x70x40xf16>, %k: tensor<2x1024x40xf16>, %v: tensor<2x1024x64xf16>, %m: tensor<2x1x1024xf16>) -> tensor<2x70x64xf16> {
  %scale = graph.constant dense<4.0> : tensor<f16>
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x70x40xf16>, tensor<2x1024x40xf16>) -> tensor<2x70x1024xf16>
  %1 = graph.divide %0, %scale : (tensor<2x70x1024xf16>, tensor<f16>) -> tensor<2x70x1024xf16>
  %2 = graph.add %1, %m : (tensor<2x70x1024xf16>, tensor<2x1x1024xf16>) -> tensor<2x70x1024xf16>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<2x70x1024xf16>) -> tensor<2x70x1024xf16>
  %4 = graph.matmul %3, %v : (tensor<2x70x1024xf16>, tensor<2x1024x64xf16>) -> tensor<2x70x64xf16>
  return %4 : tensor<2x70x64xf16>
}

// A minimum, and products with values of rows from registers.
func.func @smallest(%x: tensor<90x32xf16>, %w: tensor<32x512xf16>, %v: tensor<512x32xf16>) -> tensor<90x32xf16> {
  %0 = graph.matmul %x, %w : (tensor<90x32xf16>, tensor<32x512xf16>) -> tensor<90x512xf16>
  %1 = graph.reduce_min %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<90x512xf16>) -> tensor<90x1xf16>
  %2 = graph.multiply %0, %1 : (tensor<90x512xf16>, tensor<90x1xf16>) -> tensor<90x512xf16>
  %3 = graph.matmul %2, %v : (tensor<90x512xf16>, tensor<512x32xf16>) -> tensor<90x32xf16>
  return %3 : tensor<90x32xf16>
}

// Masks of all scores that do not fit UB beside them: loaded in steps.
func.func @stepped(%q: tensor<40x32xf16>, %k: tensor<1536x32xf16>, %v: tensor<1536x32xf16>, %m: tensor<40x1536xf16>, %n: tensor<40x1536xf16>) -> tensor<40x32xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<40x32xf16>, tensor<1536x32xf16>) -> tensor<40x1536xf16>
  %1 = graph.add %0, %m : (tensor<40x1536xf16>, tensor<40x1536xf16>) -> tensor<40x1536xf16>
  %2 = graph.add %1, %n : (tensor<40x1536xf16>, tensor<40x1536xf16>) -> tensor<40x1536xf16>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<40x1536xf16>) -> tensor<40x1536xf16>
  %4 = graph.matmul %3, %v : (tensor<40x1536xf16>, tensor<1536x32xf16>) -> tensor<40x32xf16>
  return %4 : tensor<40x32xf16>
}
