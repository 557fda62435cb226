// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// All elements are reduced to one: the statements share a loop of one iteration.

// RUN: gc-opt %s --gc-npu-pipeline=stop-after=schedule | FileCheck %s --check-prefix=LOOP
// LOOP-LABEL: poly.scop @sum
// LOOP:       schedule: "[{ S_{{[01]}}[{{.*}}] -> [(i0)]; S_{{[01]}}[{{.*}}] -> [(i0)] }]"

// RUN: gc-runner --target=npu %s --entry=sum --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=scalar --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=rounded --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=single --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=norm --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=used --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=used --check --strict --cores=4 | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=used --check --strict --pipeline-options="auto-tiling=false double-buffer=false" | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=element --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=two --check --strict | FileCheck %s
// CHECK: check passed

func.func @sum(%x: tensor<64x48xf32>) -> tensor<1x1xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<64x48xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

func.func @scalar(%x: tensor<3x5x7xf16>) -> tensor<f16> {
  %0 = graph.reduce_max %x {axes = array<i64: 0, 1, 2>, keep_dims = false} : (tensor<3x5x7xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

func.func @rounded(%x: tensor<64x128xf16>) -> tensor<f16> {
  %0 = graph.reduce_mean %x {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<64x128xf16>) -> tensor<f16>
  return %0 : tensor<f16>
}

// One row of one element.
func.func @single(%x: tensor<1xf32>) -> tensor<f32> {
  %0 = graph.reduce_min %x {axes = array<i64: 0>, keep_dims = false} : (tensor<1xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @element(%x: tensor<f32>, %y: tensor<f32>) -> tensor<f32> {
  %0 = graph.add %x, %y : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

func.func @norm(%x: tensor<100x10xf16>) -> tensor<1x1xf16> {
  %0 = graph.reduce_l2 %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<100x10xf16>) -> tensor<1x1xf16>
  return %0 : tensor<1x1xf16>
}

// What is reduced and what is made of both are in the kernel.
func.func @used(%x: tensor<77x13xf16>) -> tensor<77x13xf16> {
  %0 = graph.abs %x : (tensor<77x13xf16>) -> tensor<77x13xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<77x13xf16>) -> tensor<1x1xf16>
  %2 = graph.divide %x, %1 : (tensor<77x13xf16>, tensor<1x1xf16>) -> tensor<77x13xf16>
  return %2 : tensor<77x13xf16>
}

func.func @two(%x: tensor<500xf32>, %s: tensor<f32>) -> tensor<500xf32> {
  %0 = graph.multiply %x, %s : (tensor<500xf32>, tensor<f32>) -> tensor<500xf32>
  %1 = graph.softmax %0 {axis = 0 : i64} : (tensor<500xf32>) -> tensor<500xf32>
  return %1 : tensor<500xf32>
}
