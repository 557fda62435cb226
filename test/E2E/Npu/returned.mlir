// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are arguments, or returned before, are copied.

// RUN: gc-runner --target=npu %s --entry=argument --check | FileCheck %s --check-prefix=ARGUMENT
// RUN: gc-runner --target=npu %s --entry=kernels --check | FileCheck %s --check-prefix=KERNELS
// RUN: gc-runner --target=npu %s --entry=twice --check | FileCheck %s --check-prefix=TWICE
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
