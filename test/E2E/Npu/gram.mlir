// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of an array with itself: both factors have rows, columns and terms of their
// own. And rows so long that a tile holds fewer of them than a block.

// RUN: gc-runner --target=npu %s --entry=gram --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=covariance --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=square --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=long_rows --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=longest --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=element --check | FileCheck %s

// CHECK: check passed
func.func @gram(%x: tensor<40x72xf16>) -> tensor<40x40xf16> {
  %0 = graph.matmul %x, %x {transpose_b = true} : (tensor<40x72xf16>, tensor<40x72xf16>) -> tensor<40x40xf16>
  return %0 : tensor<40x40xf16>
}

func.func @covariance(%x: tensor<72x40xf16>) -> tensor<40x40xf32> {
  %0 = graph.matmul %x, %x {transpose_a = true} : (tensor<72x40xf16>, tensor<72x40xf16>) -> tensor<40x40xf32>
  return %0 : tensor<40x40xf32>
}

func.func @square(%x: tensor<200x200xf16>) -> tensor<200x200xf16> {
  %0 = graph.matmul %x, %x : (tensor<200x200xf16>, tensor<200x200xf16>) -> tensor<200x200xf16>
  return %0 : tensor<200x200xf16>
}

func.func @long_rows(%x: tensor<37x3000xf16>) -> tensor<37x3000xf16> {
  %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<37x3000xf16>) -> tensor<37x1xf16>
  %0 = graph.subtract %x, %m : (tensor<37x3000xf16>, tensor<37x1xf16>) -> tensor<37x3000xf16>
  %1 = graph.exp %0 : (tensor<37x3000xf16>) -> tensor<37x3000xf16>
  %s = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<37x3000xf16>) -> tensor<37x1xf16>
  %2 = graph.divide %1, %s : (tensor<37x3000xf16>, tensor<37x1xf16>) -> tensor<37x3000xf16>
  return %2 : tensor<37x3000xf16>
}

func.func @longest(%x: tensor<37x9000xf16>) -> tensor<37xf16> {
  %m = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = false} : (tensor<37x9000xf16>) -> tensor<37xf16>
  return %m : tensor<37xf16>
}

// A single element is a row of one.
func.func @element(%x: tensor<1xf16>) -> tensor<1xf16> {
  %0 = graph.relu %x : (tensor<1xf16>) -> tensor<1xf16>
  return %0 : tensor<1xf16>
}
