// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of int8 whose sums are rounded to int8 with saturation, on the way out
// of L0C. Blocks of the result have 32 columns; the last one may be half full.

// RUN: gc-runner --target=npu %s --entry=tails --check --strict
// RUN: gc-runner --target=npu %s --entry=tails --check --strict --pipeline-options=auto-tiling=false
// RUN: gc-runner --target=npu %s --entry=half --check --strict
// RUN: gc-runner --target=npu %s --entry=batch --check --strict
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=kernels | FileCheck %s

// CHECK-LABEL: func.func @half(
// CHECK: npu.drain {{.*}} memref<{{.*}}xi32, {{.*}} to memref<2x112x32xi8, #npu.space<ub>>
// CHECK-NOT: npu.binary

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
