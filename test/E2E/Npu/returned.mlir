// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are arguments, or returned before, are copied.

// RUN: gc-runner --target=npu %s --entry=argument --check | FileCheck %s --check-prefix=ARGUMENT
// RUN: gc-runner --target=npu %s --entry=kernels --check | FileCheck %s --check-prefix=KERNELS
// RUN: gc-runner --target=npu %s --entry=twice --check | FileCheck %s --check-prefix=TWICE
// RUN: gc-runner --target=npu %s --entry=views --check
// RUN: gc-runner --target=npu %s --entry=computed_views --check
// RUN: gc-runner --target=npu %s --entry=batch_norm_backward --check --strict
// RUN: not gc-runner --target=npu %s --entry=number 2>&1 | FileCheck %s --check-prefix=NUMBER

// ARGUMENT: 2048 bytes read, 2048 written
// ARGUMENT: check passed
func.func @argument(%x: tensor<8x128xf16>) -> tensor<8x128xf16> {
  return %x : tensor<8x128xf16>
}

// KERNELS: kernel kernels_0
// KERNELS: kernel kernels_1
// KERNELS: kernel kernels_2
// KERNELS: check passed
func.func @kernels(%x: tensor<8x16xf16>, %w: tensor<16x16xf16>) -> (tensor<8x16xf16>, tensor<8x16xf16>) {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %1 = graph.matmul %0, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  return %x, %1 : tensor<8x16xf16>, tensor<8x16xf16>
}

// TWICE: kernel twice_0
// TWICE: kernel twice_1
// TWICE: check passed
func.func @twice(%x: tensor<8x16xf16>, %w: tensor<16x16xf16>) -> (tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>) {
  %0 = graph.matmul %x, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  %1 = graph.matmul %0, %w : (tensor<8x16xf16>, tensor<16x16xf16>) -> tensor<8x16xf16>
  return %1, %0, %1 : tensor<8x16xf16>, tensor<8x16xf16>, tensor<8x16xf16>
}

// NUMBER: error: {{.*}}there is no NPU program
func.func @number(%x: f32) -> f32 {
  return %x : f32
}

// One copy of an argument in another shape, and a copy of that.
func.func @views(%x: tensor<4x16xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<8x8xf32>) {
  %0 = graph.static_reshape %x {shape = array<i64: 64>} : (tensor<4x16xf32>) -> tensor<64xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 8, 8>} : (tensor<64xf32>) -> tensor<8x8xf32>
  return %0, %0, %1 : tensor<64xf32>, tensor<64xf32>, tensor<8x8xf32>
}

func.func @computed_views(%x: tensor<4x16xf32>) -> (tensor<64xf32>, tensor<64xf32>, tensor<4x16xf32>, tensor<4x16xf32>) {
  %0 = graph.exp %x : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 64>} : (tensor<4x16xf32>) -> tensor<64xf32>
  return %1, %1, %0, %0 : tensor<64xf32>, tensor<64xf32>, tensor<4x16xf32>, tensor<4x16xf32>
}

// Rows that are returned, and that whole tiles read.
func.func @batch_norm_backward(%x: tensor<2x8x8x16xf32>, %g: tensor<2x8x8x16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>, %ga: tensor<16xf32>) -> (tensor<2x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %0:3 = graph.batch_norm_training_backward %x, %g, %m, %v, %ga {epsilon = 1.0e-3 : f32, data_format = "NXC"} : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<2x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>)
  return %0#0, %0#1, %0#2 : tensor<2x8x8x16xf32>, tensor<16xf32>, tensor<16xf32>
}
