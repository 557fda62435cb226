// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check | FileCheck %s

// 24x40 of f32 in squares of 8x8.

// CHECK: check     passed

func.func private @reference(%x: tensor<24x40xf32>) -> tensor<40x24xf32> {
  %y = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<24x40xf32>) -> tensor<40x24xf32>
  return %y : tensor<40x24xf32>
}

func.func @transpose(%x: memref<24x40xf32, #npu.space<gm>>, %y: memref<40x24xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @reference} {
  %a = npu.alloc : memref<24x40xf32, #npu.space<ub>>
  %b = npu.alloc : memref<40x24xf32, #npu.space<ub>>
  npu.copy %x to %a : memref<24x40xf32, #npu.space<gm>> to memref<24x40xf32, #npu.space<ub>>
  npu.transpose %a to %b : memref<24x40xf32, #npu.space<ub>> to memref<40x24xf32, #npu.space<ub>>
  npu.copy %b to %y : memref<40x24xf32, #npu.space<ub>> to memref<40x24xf32, #npu.space<gm>>
  return
}
