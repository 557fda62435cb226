// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Values of bf16 keep the precision of f32 between the ops of a region, but what is
// reduced is rounded first: the maximum of a row is one of its elements.

// RUN: gc-runner %s --entry=maximum --threads=2 --check --atol=0 --rtol=0 | FileCheck %s
// RUN: gc-runner %s --entry=overflow --threads=2 --check --strict=false | FileCheck %s --check-prefix=INFINITE
// CHECK: check     passed
// INFINITE: result 0: 6144 of 6144 elements are not finite

func.func @maximum(%x: tensor<64x96xbf16>, %y: tensor<64x96xbf16>) -> tensor<64x96xbf16> {
  %p = graph.multiply %x, %y : (tensor<64x96xbf16>, tensor<64x96xbf16>) -> tensor<64x96xbf16>
  %m = graph.reduce_max %p {axes = array<i64: 1>, keep_dims = true} : (tensor<64x96xbf16>) -> tensor<64x1xbf16>
  %d = graph.subtract %p, %m : (tensor<64x96xbf16>, tensor<64x1xbf16>) -> tensor<64x96xbf16>
  return %d : tensor<64x96xbf16>
}

// Numbers beyond the range of f16 are infinite.
func.func @overflow(%x: tensor<64x96xf16>) -> tensor<64x96xf16> {
  %c = graph.constant dense<6.0e+04> : tensor<f16>
  %0 = graph.multiply %x, %c : (tensor<64x96xf16>, tensor<f16>) -> tensor<64x96xf16>
  %1 = graph.multiply %0, %c : (tensor<64x96xf16>, tensor<f16>) -> tensor<64x96xf16>
  %2 = graph.divide %1, %c : (tensor<64x96xf16>, tensor<f16>) -> tensor<64x96xf16>
  return %2 : tensor<64x96xf16>
}
