// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of int8 whose sums are rounded to int8 with saturation, on the way out
// of L0C. Blocks of the result have 32 columns; the last one may be half full.

// RUN: gc-runner --target=npu %s --entry=tails --check --strict
// RUN: gc-runner --target=npu %s --entry=tails --check --strict --pipeline-options=auto-tiling=false
// RUN: gc-runner --target=npu %s --entry=half --check --strict
// RUN: gc-runner --target=npu %s --entry=batch --check --strict
// RUN: gc-runner --target=npu %s --entry=terms --check --strict
// RUN: gc-runner --target=npu %s --entry=dot --check --strict
// RUN: gc-runner --target=npu %s --entry=batched_dots --check --strict
// RUN: gc-runner --target=npu %s --entry=batched_terms --check --strict
// RUN: gc-runner --target=npu %s --entry=reshaped --check --strict
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=kernels | FileCheck %s

// CHECK-LABEL: func.func @half(
// CHECK: npu.drain {{.*}} memref<{{.*}}xi32, {{.*}} to memref<2x112x32xi8, #npu.space<ub>>
// CHECK-NOT: npu.binary
// CHECK-LABEL: func.func @terms(
// CHECK-NOT: npu.drain
// CHECK: npu.binary

func.func @tails(%a: tensor<300x200xsi8>, %b: tensor<200x270xsi8>) -> tensor<300x270xsi8> {
  %s = graph.matmul %a, %b : (tensor<300x200xsi8>, tensor<200x270xsi8>) -> tensor<300x270xsi32>
  %c = graph.type_cast %s : tensor<300x270xsi32> -> tensor<300x270xsi8>
  return %c : tensor<300x270xsi8>
}

func.func @half(%a: tensor<100x64xsi8>, %b: tensor<64x48xsi8>) -> tensor<100x48xsi8> {
  %s = graph.matmul %a, %b : (tensor<100x64xsi8>, tensor<64x48xsi8>) -> tensor<100x48xsi32>
  %c = graph.type_cast %s : tensor<100x48xsi32> -> tensor<100x48xsi8>
  return %c : tensor<100x48xsi8>
}

func.func @batch(%a: tensor<3x70x33xsi8>, %b: tensor<3x33x600xsi8>) -> tensor<3x70x600xsi8> {
  %s = graph.matmul %a, %b : (tensor<3x70x33xsi8>, tensor<3x33x600xsi8>) -> tensor<3x70x600xsi32>
  %c = graph.type_cast %s : tensor<3x70x600xsi32> -> tensor<3x70x600xsi8>
  return %c : tensor<3x70x600xsi8>
}

// Sums of one term, and of one row and one column, are for the vector unit.
func.func @terms(%a: tensor<16x1xsi8>, %b: tensor<1x37xsi8>) -> tensor<16x37xsi32> {
  %0 = graph.matmul %a, %b : (tensor<16x1xsi8>, tensor<1x37xsi8>) -> tensor<16x37xsi32>
  return %0 : tensor<16x37xsi32>
}

func.func @dot(%a: tensor<1x1024xsi8>, %b: tensor<1024x1xsi8>) -> tensor<1x1xsi32> {
  %0 = graph.matmul %a, %b : (tensor<1x1024xsi8>, tensor<1024x1xsi8>) -> tensor<1x1xsi32>
  return %0 : tensor<1x1xsi32>
}

func.func @batched_dots(%a: tensor<3x1x7xsi8>, %b: tensor<3x1x7xsi8>) -> tensor<3x1x1xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<3x1x7xsi8>, tensor<3x1x7xsi8>) -> tensor<3x1x1xsi32>
  %1 = graph.type_cast %0 : tensor<3x1x1xsi32> -> tensor<3x1x1xf32>
  return %1 : tensor<3x1x1xf32>
}

func.func @batched_terms(%a: tensor<5x9x1xsi8>, %b: tensor<5x1x37xsi8>) -> tensor<5x9x37xsi32> {
  %0 = graph.matmul %a, %b : (tensor<5x9x1xsi8>, tensor<5x1x37xsi8>) -> tensor<5x9x37xsi32>
  return %0 : tensor<5x9x37xsi32>
}

func.func @reshaped(%a: tensor<3x7xsi8>, %b: tensor<1x40xsi8>) -> tensor<21x40xsi32> {
  %0 = graph.static_reshape %a {shape = array<i64: 21, 1>} : (tensor<3x7xsi8>) -> tensor<21x1xsi8>
  %1 = graph.matmul %0, %b : (tensor<21x1xsi8>, tensor<1x40xsi8>) -> tensor<21x40xsi32>
  return %1 : tensor<21x40xsi32>
}
