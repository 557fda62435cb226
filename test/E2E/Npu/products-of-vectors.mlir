// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sums of one term are products of two numbers, and a row by a column is a sum of
// such: the vector unit has both.

// RUN: gc-opt %s --gc-npu-pipeline=stop-after=map | FileCheck %s --check-prefix=UNIT
// UNIT-LABEL: poly.scop @outer
// UNIT-NOT:   mark: "cube"
// UNIT:       mark: "local_UB"
// UNIT-NOT:   mark: "cube"
// UNIT-LABEL: poly.scop @wide

// RUN: gc-runner --target=npu %s --entry=outer --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=wide --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=batched --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=chain --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=attention --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=row --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=rows --check --strict | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=single --check --strict | FileCheck %s
// CHECK: check passed

// A row of f32 is all that is added to a product of one row: a kernel of its own.
func.func @single(%a: tensor<1x6xf16>, %b: tensor<6x204xf16>, %bias: tensor<204xf32>) -> tensor<1x204xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x6xf16>, tensor<6x204xf16>) -> tensor<1x204xf32>
  %1 = graph.add %0, %bias : (tensor<1x204xf32>, tensor<204xf32>) -> tensor<1x204xf32>
  return %1 : tensor<1x204xf32>
}

// A row by a column, alone and in a batch.
func.func @row(%a: tensor<1x80xf16>, %b: tensor<80x1xf16>, %bias: tensor<1xf16>) -> tensor<1x1xf16> {
  %0 = graph.matmul %a, %b : (tensor<1x80xf16>, tensor<80x1xf16>) -> tensor<1x1xf16>
  %1 = graph.add %0, %bias : (tensor<1x1xf16>, tensor<1xf16>) -> tensor<1x1xf16>
  return %1 : tensor<1x1xf16>
}

func.func @rows(%a: tensor<30x1x80xf16>, %b: tensor<30x80x1xf16>) -> tensor<30x1x1xf32> {
  %0 = graph.matmul %a, %b : (tensor<30x1x80xf16>, tensor<30x80x1xf16>) -> tensor<30x1x1xf32>
  return %0 : tensor<30x1x1xf32>
}

func.func @outer(%a: tensor<64x1xf16>, %b: tensor<1x70xf16>) -> tensor<64x70xf16> {
  %0 = graph.matmul %a, %b : (tensor<64x1xf16>, tensor<1x70xf16>) -> tensor<64x70xf16>
  return %0 : tensor<64x70xf16>
}

func.func @wide(%a: tensor<1x33xf16>, %b: tensor<1x5xf16>) -> tensor<33x5xf32> {
  %0 = graph.matmul %a, %b {transpose_a = true} : (tensor<1x33xf16>, tensor<1x5xf16>) -> tensor<33x5xf32>
  return %0 : tensor<33x5xf32>
}

func.func @batched(%a: tensor<3x20x1xf16>, %b: tensor<3x40x1xf16>) -> tensor<3x20x40xf16> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<3x20x1xf16>, tensor<3x40x1xf16>) -> tensor<3x20x40xf16>
  return %0 : tensor<3x20x40xf16>
}

func.func @chain(%a: tensor<50x1xf16>, %b: tensor<1x60xf16>, %bias: tensor<60xf16>) -> tensor<50x60xf16> {
  %0 = graph.matmul %a, %b : (tensor<50x1xf16>, tensor<1x60xf16>) -> tensor<50x60xf16>
  %1 = graph.add %0, %bias : (tensor<50x60xf16>, tensor<60xf16>) -> tensor<50x60xf16>
  %2 = graph.tanh %1 : (tensor<50x60xf16>) -> tensor<50x60xf16>
  return %2 : tensor<50x60xf16>
}

// The second of two products has more terms than one.
func.func @attention(%q: tensor<2x48x1xf16>, %k: tensor<2x64x1xf16>, %v: tensor<2x64x16xf16>) -> tensor<2x48x16xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x48x1xf16>, tensor<2x64x1xf16>) -> tensor<2x48x64xf16>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<2x48x64xf16>) -> tensor<2x48x64xf16>
  %2 = graph.matmul %1, %v : (tensor<2x48x64xf16>, tensor<2x64x16xf16>) -> tensor<2x48x16xf16>
  return %2 : tensor<2x48x16xf16>
}
