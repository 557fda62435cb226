// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of outer dimensions: groups of parts at a time, what is left of a
// group, and halves of it.

// RUN: gc-runner --target=npu %s --entry=two_dimensions --check --strict
// RUN: gc-runner --target=npu %s --entry=maxima --check --strict
// RUN: gc-runner --target=npu %s --entry=middle --check --strict
// RUN: gc-runner --target=npu %s --entry=apart --check --strict
// RUN: gc-runner --target=npu %s --entry=squares --check --strict
// RUN: gc-runner --target=npu %s --entry=five --check --strict
// RUN: gc-runner --target=npu %s --entry=one --check --strict

func.func @two_dimensions(%x: tensor<7x300x50xf32>) -> tensor<1x1x50xf32> {
  %2 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<7x300x50xf32>) -> tensor<1x1x50xf32>
  return %2 : tensor<1x1x50xf32>
}
func.func @maxima(%x: tensor<301x5x50xf16>) -> tensor<1x5x50xf16> {
  %2 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<301x5x50xf16>) -> tensor<1x5x50xf16>
  return %2 : tensor<1x5x50xf16>
}
func.func @middle(%x: tensor<3x41x7x33xf16>) -> tensor<3x1x7x33xf16> {
  %1 = graph.exp %x : (tensor<3x41x7x33xf16>) -> tensor<3x41x7x33xf16>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<3x41x7x33xf16>) -> tensor<3x1x7x33xf16>
  return %2 : tensor<3x1x7x33xf16>
}
func.func @apart(%x: tensor<6x41x7x33xf16>) -> tensor<1x41x1x33xf16> {
  %2 = graph.reduce_min %x {axes = array<i64: 0,2>, keep_dims = true} : (tensor<6x41x7x33xf16>) -> tensor<1x41x1x33xf16>
  return %2 : tensor<1x41x1x33xf16>
}
func.func @one(%x: tensor<100x1xf32>) -> tensor<1x1xf32> {
  %2 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<100x1xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}
func.func @squares(%x: tensor<203x64xf32>, %m: tensor<64xf32>) -> tensor<1x64xf32> {
  %0 = graph.subtract %x, %m : (tensor<203x64xf32>, tensor<64xf32>) -> tensor<203x64xf32>
  %1 = graph.square %0 : (tensor<203x64xf32>) -> tensor<203x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>, keep_dims = true} : (tensor<203x64xf32>) -> tensor<1x64xf32>
  return %2 : tensor<1x64xf32>
}
func.func @five(%x: tensor<5x64xf32>) -> tensor<1x64xf32> {
  %0 = graph.reduce_min %x {axes = array<i64: 0>, keep_dims = true} : (tensor<5x64xf32>) -> tensor<1x64xf32>
  return %0 : tensor<1x64xf32>
}
