// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of a product, in the type of L0C, that are a result and are read in their kernel
// as well: they are stored, too, and no conversion takes their place in the drain.

// RUN: gc-runner --target=npu %s --entry=twice --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=cast --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=bias --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=integers --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=convolution --check --strict | FileCheck %s

// CHECK: check passed
func.func @twice(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
  %0 = graph.matmul %a, %b : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf32>
  return %0, %0 : tensor<64x64xf32>, tensor<64x64xf32>
}

func.func @cast(%a: tensor<40x64xf16>, %b: tensor<64x72xf16>) -> (tensor<40x72xf32>, tensor<40x72xf16>) {
  %0 = graph.matmul %a, %b : (tensor<40x64xf16>, tensor<64x72xf16>) -> tensor<40x72xf32>
  %1 = graph.type_cast %0 : tensor<40x72xf32> -> tensor<40x72xf16>
  return %0, %1 : tensor<40x72xf32>, tensor<40x72xf16>
}

func.func @bias(%a: tensor<328x17xf16>, %b: tensor<17x253xf16>, %c: tensor<253xf32>) -> (tensor<328x253xf32>, tensor<328x253xf32>) {
  %0 = graph.matmul %a, %b : (tensor<328x17xf16>, tensor<17x253xf16>) -> tensor<328x253xf32>
  %1 = graph.add %0, %c : (tensor<328x253xf32>, tensor<253xf32>) -> tensor<328x253xf32>
  return %0, %1 : tensor<328x253xf32>, tensor<328x253xf32>
}

func.func @integers(%a: tensor<64x64xsi8>, %b: tensor<64x64xsi8>) -> (tensor<64x64xsi32>, tensor<64x64xf16>) {
  %0 = graph.matmul %a, %b : (tensor<64x64xsi8>, tensor<64x64xsi8>) -> tensor<64x64xsi32>
  %1 = graph.type_cast %0 : tensor<64x64xsi32> -> tensor<64x64xf16>
  return %0, %1 : tensor<64x64xsi32>, tensor<64x64xf16>
}

func.func @convolution(%x: tensor<1x14x14x16xf16>, %w: tensor<3x3x16x32xf16>) -> (tensor<1x12x12x32xf32>, tensor<1x12x12x32xf32>) {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NXC", weights_format = "XIO"} : (tensor<1x14x14x16xf16>, tensor<3x3x16x32xf16>) -> tensor<1x12x12x32xf32>
  %1 = graph.relu %0 : (tensor<1x12x12x32xf32>) -> tensor<1x12x12x32xf32>
  return %0, %1 : tensor<1x12x12x32xf32>, tensor<1x12x12x32xf32>
}
