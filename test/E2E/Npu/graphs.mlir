// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=relu --check --strict
// RUN: gc-runner --target=npu %s --entry=add --check --strict
// RUN: gc-runner --target=npu %s --entry=gelu --check --strict
// RUN: gc-runner --target=npu %s --entry=softmax --check --strict
// RUN: gc-runner --target=npu %s --entry=product --check --strict
// RUN: gc-runner --target=npu %s --entry=small --check --strict
// RUN: gc-runner --target=npu %s --entry=layer --check --strict

// Graph functions as NPU programs, with several tiles and a tail in each
// dimension.

func.func @relu(%x: tensor<33x4003xf16>) -> tensor<33x4003xf16> {
  %y = graph.relu %x : (tensor<33x4003xf16>) -> tensor<33x4003xf16>
  return %y : tensor<33x4003xf16>
}

func.func @add(%a: tensor<3x40000xf16>, %b: tensor<3x40000xf16>) -> tensor<3x40000xf16> {
  %c = graph.add %a, %b : (tensor<3x40000xf16>, tensor<3x40000xf16>) -> tensor<3x40000xf16>
  return %c : tensor<3x40000xf16>
}

func.func @gelu(%x: tensor<100x1000xf16>) -> tensor<100x1000xf16> {
  %y = graph.gelu %x : (tensor<100x1000xf16>) -> tensor<100x1000xf16>
  return %y : tensor<100x1000xf16>
}

func.func @softmax(%x: tensor<100x1000xf16>) -> tensor<100x1000xf16> {
  %y = graph.softmax %x {axis = -1 : i64} : (tensor<100x1000xf16>) -> tensor<100x1000xf16>
  return %y : tensor<100x1000xf16>
}

func.func @product(%a: tensor<300x200xf16>, %b: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %c = graph.matmul %a, %b : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  return %c : tensor<300x270xf16>
}

// One tile, whose last fractals are not full.
func.func @small(%a: tensor<100x100xf16>, %b: tensor<100x100xf16>) -> tensor<100x100xf16> {
  %c = graph.matmul %a, %b : (tensor<100x100xf16>, tensor<100x100xf16>) -> tensor<100x100xf16>
  return %c : tensor<100x100xf16>
}

func.func @layer(%a: tensor<300x200xf16>, %b: tensor<200x270xf16>, %bias: tensor<270xf16>) -> tensor<300x270xf16> {
  %c = graph.matmul %a, %b : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  %d = graph.add %c, %bias : (tensor<300x270xf16>, tensor<270xf16>) -> tensor<300x270xf16>
  %e = graph.relu %d : (tensor<300x270xf16>) -> tensor<300x270xf16>
  return %e : tensor<300x270xf16>
}
