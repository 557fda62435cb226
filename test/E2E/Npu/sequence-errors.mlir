// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A sequence of kernels by hand: each result is one of a kernel.

// RUN: not gc-runner --target=npu %s --entry=sequence 2>&1 | FileCheck %s

// CHECK: error: {{.*}}'sequence' runs several kernels, but its result 0 is also an argument or another result, and no kernel copies it
func.func @sequence(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) attributes {reference = @graph} {
  %0 = call @relu_graph(%x) : (tensor<8xf16>) -> tensor<8xf16>
  return %x, %0 : tensor<8xf16>, tensor<8xf16>
}
func.func private @graph(%x: tensor<8xf16>) -> (tensor<8xf16>, tensor<8xf16>) {
  %0 = graph.relu %x : (tensor<8xf16>) -> tensor<8xf16>
  return %x, %0 : tensor<8xf16>, tensor<8xf16>
}
func.func private @relu_graph(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = graph.relu %x : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
func.func @relu(%x: memref<8xf16, #npu.space<gm>>, %y: memref<8xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @relu_graph} {
  return
}
