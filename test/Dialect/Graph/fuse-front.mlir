// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What computes an operand elementwise stays in front, and a remark says so.
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=FRONT
// FRONT: 'graph.exp' is not fused with 'graph.matmul': of what computes an operand only reorders and transposes join
func.func @front(%x: tensor<64x32xf32>, %w: tensor<32x48xf32>) -> tensor<64x48xf32> {
  %0 = graph.exp %x : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %1 = graph.matmul %0, %w : (tensor<64x32xf32>, tensor<32x48xf32>) -> tensor<64x48xf32>
  return %1 : tensor<64x48xf32>
}
