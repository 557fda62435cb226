// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=relu --check --strict
// RUN: gc-runner --target=npu %s --entry=add --check --strict
// RUN: gc-runner --target=npu %s --entry=gelu --check --strict
// RUN: gc-runner --target=npu %s --entry=erf --check --strict
// RUN: gc-runner --target=npu %s --entry=softmax --check --strict
// RUN: gc-runner --target=npu %s --entry=softmax_stats --check --strict
// RUN: gc-runner --target=npu %s --entry=product --check --strict
// RUN: gc-runner --target=npu %s --entry=small --check --strict
// RUN: gc-runner --target=npu %s --entry=layer --check --strict
// RUN: gc-runner --target=npu %s --entry=row --check --strict
// RUN: gc-runner --target=npu %s --entry=batch --check --strict
// RUN: gc-runner --target=npu %s --entry=transposed --check --strict
// RUN: gc-runner --target=npu %s --entry=integers --check --strict
// RUN: gc-runner --target=npu %s --entry=quotient --check --strict
// RUN: gc-runner --target=npu %s --entry=columns --check --strict
// RUN: gc-runner --target=npu %s --entry=choose --check --strict
// RUN: gc-runner --target=npu %s --entry=one_hot --check --strict
// RUN: gc-runner --target=npu %s --entry=biased --check --strict
// RUN: gc-runner --target=npu %s --entry=points --check --strict
// RUN: gc-runner --target=npu %s --entry=biased_matrix --check --strict
// RUN: gc-runner --target=npu %s --entry=biased_batch --check --strict

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

// Near zero the error is relative, too.
func.func @erf(%x: tensor<100x1000xf32>) -> tensor<100x1000xf32> {
  %c = graph.constant dense<0.03> : tensor<f32>
  %s = graph.multiply %x, %c : (tensor<100x1000xf32>, tensor<f32>) -> tensor<100x1000xf32>
  %y = graph.erf %s : (tensor<100x1000xf32>) -> tensor<100x1000xf32>
  return %y : tensor<100x1000xf32>
}

func.func @softmax(%x: tensor<100x1000xf16>) -> tensor<100x1000xf16> {
  %y = graph.softmax %x {axis = -1 : i64} : (tensor<100x1000xf16>) -> tensor<100x1000xf16>
  return %y : tensor<100x1000xf16>
}

func.func @softmax_stats(%x: tensor<100x1000xf16>) -> (tensor<100x1000xf16>, tensor<100x1xf32>) {
  %y, %s = graph.softmax %x {axis = -1 : i64} : (tensor<100x1000xf16>) -> (tensor<100x1000xf16>, tensor<100x1xf32>)
  return %y, %s : tensor<100x1000xf16>, tensor<100x1xf32>
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

// A slice of the sum is one step, and the last one is shorter.
func.func @row(%a: tensor<1x300xf16>, %b: tensor<300x500xf16>) -> tensor<1x500xf16> {
  %c = graph.matmul %a, %b : (tensor<1x300xf16>, tensor<300x500xf16>) -> tensor<1x500xf16>
  return %c : tensor<1x500xf16>
}

func.func @batch(%a: tensor<4x130x64xf16>, %b: tensor<4x64x150xf16>) -> tensor<4x130x150xf16> {
  %c = graph.matmul %a, %b : (tensor<4x130x64xf16>, tensor<4x64x150xf16>) -> tensor<4x130x150xf16>
  return %c : tensor<4x130x150xf16>
}

func.func @transposed(%a: tensor<200x300xf16>, %b: tensor<270x200xf16>) -> tensor<300x270xf16> {
  %c = graph.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<200x300xf16>, tensor<270x200xf16>) -> tensor<300x270xf16>
  return %c : tensor<300x270xf16>
}

func.func @integers(%a: tensor<300x200xsi8>, %b: tensor<200x270xsi8>) -> tensor<300x270xsi32> {
  %c = graph.matmul %a, %b : (tensor<300x200xsi8>, tensor<200x270xsi8>) -> tensor<300x270xsi32>
  return %c : tensor<300x270xsi32>
}

// A value for each row.
func.func @quotient(%a: tensor<100x1000xf16>, %b: tensor<100x1xf16>) -> tensor<100x1000xf16> {
  %c = graph.divide %a, %b : (tensor<100x1000xf16>, tensor<100x1xf16>) -> tensor<100x1000xf16>
  return %c : tensor<100x1000xf16>
}

// A sum over rows.
func.func @columns(%a: tensor<100x1000xf16>) -> tensor<1000xf16> {
  %c = graph.reduce_sum %a {axes = array<i64: 0>, keep_dims = false} : (tensor<100x1000xf16>) -> tensor<1000xf16>
  return %c : tensor<1000xf16>
}

func.func @biased(%a: tensor<300x200xf16>, %b: tensor<200x270xf16>, %bias: tensor<270xf16>) -> tensor<300x270xf16> {
  %c = graph.matmul %a, %b, %bias : (tensor<300x200xf16>, tensor<200x270xf16>, tensor<270xf16>) -> tensor<300x270xf16>
  %e = graph.relu %c : (tensor<300x270xf16>) -> tensor<300x270xf16>
  return %e : tensor<300x270xf16>
}

// A convolution of single pixels is a product.
func.func @points(%x: tensor<2x17x19x48xf16>, %w: tensor<1x1x48x272xf16>, %bias: tensor<272xf16>) -> tensor<2x17x19x272xf16> {
  %0 = graph.convolution %x, %w, %bias {strides = array<i64: 1,1>, pads_begin = array<i64: 0,0>, pads_end = array<i64: 0,0>, dilations = array<i64: 1,1>, data_format = "NXC", weights_format = "XIO"} : (tensor<2x17x19x48xf16>, tensor<1x1x48x272xf16>, tensor<272xf16>) -> tensor<2x17x19x272xf16>
  %1 = graph.relu %0 : (tensor<2x17x19x272xf16>) -> tensor<2x17x19x272xf16>
  return %1 : tensor<2x17x19x272xf16>
}

func.func @biased_matrix(%a: tensor<150x96xf16>, %b: tensor<96x80xf16>, %bias: tensor<150x80xf16>) -> tensor<150x80xf16> {
  %c = graph.matmul %a, %b, %bias : (tensor<150x96xf16>, tensor<96x80xf16>, tensor<150x80xf16>) -> tensor<150x80xf16>
  return %c : tensor<150x80xf16>
}

func.func @biased_batch(%a: tensor<2x150x96xf16>, %b: tensor<2x96x80xf16>, %bias: tensor<2x1x1xf16>) -> tensor<2x150x80xf16> {
  %c = graph.matmul %a, %b, %bias : (tensor<2x150x96xf16>, tensor<2x96x80xf16>, tensor<2x1x1xf16>) -> tensor<2x150x80xf16>
  return %c : tensor<2x150x80xf16>
}

// Bits of comparisons.
func.func @choose(%a: tensor<300x272xf16>, %b: tensor<272xf16>, %c: tensor<300x272xf16>) -> tensor<300x272xf16> {
  %zero = graph.constant dense<0.25> : tensor<f16>
  %0 = graph.greater_equal %a, %b : (tensor<300x272xf16>, tensor<272xf16>) -> tensor<300x272xi1>
  %1 = graph.select %0, %a, %c : (tensor<300x272xi1>, tensor<300x272xf16>, tensor<300x272xf16>) -> tensor<300x272xf16>
  %2 = graph.greater_equal %zero, %c : (tensor<f16>, tensor<300x272xf16>) -> tensor<300x272xi1>
  %3 = graph.select %2, %1, %zero : (tensor<300x272xi1>, tensor<300x272xf16>, tensor<f16>) -> tensor<300x272xf16>
  %4 = graph.select %0, %3, %c : (tensor<300x272xi1>, tensor<300x272xf16>, tensor<300x272xf16>) -> tensor<300x272xf16>
  return %4 : tensor<300x272xf16>
}

func.func @one_hot(%a: tensor<130x1xf32>, %b: tensor<1x272xf32>) -> tensor<130x272xf16> {
  %0 = graph.greater_equal %a, %b : (tensor<130x1xf32>, tensor<1x272xf32>) -> tensor<130x272xi1>
  %one = graph.constant dense<1.0> : tensor<f16>
  %zero = graph.constant dense<0.0> : tensor<f16>
  %1 = graph.select %0, %one, %zero : (tensor<130x272xi1>, tensor<f16>, tensor<f16>) -> tensor<130x272xf16>
  return %1 : tensor<130x272xf16>
}
