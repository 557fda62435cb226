// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The result of softmax has no place in the region of the first product and joins
// that of the second one: nothing went wrong, and no remark says so.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 attention=never stop-after=fusion" | FileCheck %s
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 attention=never stop-after=fusion" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | count 0

// CHECK: matmul+reduce_max+subtract+exp+reduce_sum+reciprocal"
// CHECK: matmul+multiply"
func.func @attention(%q: tensor<64x32xf32>, %k: tensor<64x32xf32>, %v: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %s = graph.matmul %q, %k {transpose_b = true} : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32>
  %p = graph.softmax %s {axis = 1 : i64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %o = graph.matmul %p, %v : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
  return %o : tensor<64x32xf32>
}
