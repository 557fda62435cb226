// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=norm --check --strict
// RUN: gc-runner --target=npu %s --entry=large --check --strict
// RUN: gc-runner --target=npu %s --entry=columns --check --strict
// RUN: gc-runner --target=npu %s --entry=squares --check --strict
// RUN: gc-runner --target=npu %s --entry=narrow --check --strict
// RUN: gc-runner --target=npu %s --entry=batch --check --strict
// RUN: gc-runner --target=npu %s --entry=mean --check --strict
// RUN: gc-runner --target=npu %s --entry=few --check --strict
// RUN: gc-runner --target=npu %s --entry=used --check --strict
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=kernels | FileCheck %s
// RUN: %python -c "import numpy as np; x = np.ones((1003, 277), np.float16); x[5, 3] = np.inf; x[7, 20] = np.nan; np.save('%t.npy', x)"
// RUN: gc-runner --target=npu %s --entry=squares --input=arg0=%t.npy --check

// Sums over rows and sums of squares, as products of the cube unit where that is
// cheaper.

// Several images in a slice.
func.func @norm(%x: tensor<6x3x7x7x16xf16>) -> (tensor<1x3x1x1x16xf32>, tensor<1x3x1x1x16xf32>) {
  %0 = graph.type_cast %x : tensor<6x3x7x7x16xf16> -> tensor<6x3x7x7x16xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<6x3x7x7x16xf32>) -> tensor<1x3x1x1x16xf32>
  %2 = graph.square %0 : (tensor<6x3x7x7x16xf32>) -> tensor<6x3x7x7x16xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<6x3x7x7x16xf32>) -> tensor<1x3x1x1x16xf32>
  return %1, %3 : tensor<1x3x1x1x16xf32>, tensor<1x3x1x1x16xf32>
}

// Several slices of an image, the last one shorter.
func.func @large(%x: tensor<2x2x67x53x16xf16>) -> (tensor<1x2x1x1x16xf32>, tensor<1x2x1x1x16xf32>) {
  %0 = graph.type_cast %x : tensor<2x2x67x53x16xf16> -> tensor<2x2x67x53x16xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<2x2x67x53x16xf32>) -> tensor<1x2x1x1x16xf32>
  %2 = graph.square %0 : (tensor<2x2x67x53x16xf32>) -> tensor<2x2x67x53x16xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<2x2x67x53x16xf32>) -> tensor<1x2x1x1x16xf32>
  return %1, %3 : tensor<1x2x1x1x16xf32>, tensor<1x2x1x1x16xf32>
}

// Blocks of columns, the last of which overlaps the one before.
func.func @columns(%x: tensor<1003x277xf16>) -> tensor<277xf16> {
  %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = false} : (tensor<1003x277xf16>) -> tensor<277xf16>
  return %1 : tensor<277xf16>
}

func.func @squares(%x: tensor<1003x277xf16>) -> tensor<277xf32> {
  %0 = graph.type_cast %x : tensor<1003x277xf16> -> tensor<1003x277xf32>
  %2 = graph.square %0 : (tensor<1003x277xf32>) -> tensor<1003x277xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0>, keep_dims = false} : (tensor<1003x277xf32>) -> tensor<277xf32>
  return %3 : tensor<277xf32>
}

func.func @narrow(%x: tensor<700x30xf16>) -> (tensor<30xf32>, tensor<30xf32>) {
  %0 = graph.type_cast %x : tensor<700x30xf16> -> tensor<700x30xf32>
  %2 = graph.square %0 : (tensor<700x30xf32>) -> tensor<700x30xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 0>, keep_dims = false} : (tensor<700x30xf32>) -> tensor<30xf32>
  %4 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = false} : (tensor<700x30xf32>) -> tensor<30xf32>
  return %3, %4 : tensor<30xf32>, tensor<30xf32>
}

func.func @batch(%x: tensor<3x500x64xf16>) -> tensor<3x1x64xf16> {
  %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<3x500x64xf16>) -> tensor<3x1x64xf16>
  return %1 : tensor<3x1x64xf16>
}

// What follows the sums, one by one.
func.func @mean(%x: tensor<1003x277xf16>) -> tensor<277xf16> {
  %1 = graph.reduce_mean %x {axes = array<i64: 0>, keep_dims = false} : (tensor<1003x277xf16>) -> tensor<277xf16>
  return %1 : tensor<277xf16>
}

// Too few rows for products.
func.func @few(%x: tensor<10x64xf16>) -> tensor<64xf16> {
  %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = false} : (tensor<10x64xf16>) -> tensor<64xf16>
  return %1 : tensor<64xf16>
}

// What is computed from the sums is computed from each other, and returned in
// several shapes.
// CHECK-LABEL: func.func @used(
// CHECK:         npu.matmul
func.func @used(%x: tensor<700x48xf16>) -> (tensor<1x48xf32>, tensor<48xf32>, tensor<48xf16>) {
  %0 = graph.type_cast %x : tensor<700x48xf16> -> tensor<700x48xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<700x48xf32>) -> tensor<1x48xf32>
  %2 = graph.constant dense<1.250000e-01> : tensor<f32>
  %3 = graph.multiply %1, %2 : (tensor<1x48xf32>, tensor<f32>) -> tensor<1x48xf32>
  %4 = graph.static_reshape %3 {shape = array<i64: 48>} : (tensor<1x48xf32>) -> tensor<48xf32>
  %6 = graph.relu %3 : (tensor<1x48xf32>) -> tensor<1x48xf32>
  %7 = graph.type_cast %6 : tensor<1x48xf32> -> tensor<1x48xf16>
  %8 = graph.static_reshape %7 {shape = array<i64: 48>} : (tensor<1x48xf16>) -> tensor<48xf16>
  return %3, %4, %8 : tensor<1x48xf32>, tensor<48xf32>, tensor<48xf16>
}
