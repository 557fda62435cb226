// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What computes an operand of a concat writes it with the strides of the result.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse,graph-fuse))" | FileCheck %s
// RUN: not gc-opt %s --convert-graph-to-tir 2>&1 | FileCheck %s --check-prefix=UNFUSED

// CHECK-LABEL: func.func @main(
// CHECK: %[[A:.*]] = graph.fused_op
// CHECK: graph.relu %arg0
// CHECK-NEXT: graph.reorder {{.*}} -> tensor<4x8xf32, #graph.layout<strided, [24, 1]>>
// An argument is copied.
// CHECK: %[[B:.*]] = graph.fused_op
// CHECK-NEXT: graph.reorder %arg1 : tensor<4x16xf32> -> tensor<4x16xf32, #graph.layout<strided, [24, 1]>>
// CHECK: graph.concat %[[A]], %[[B]] {axis = 1 : i64}

// UNFUSED: is not in a region; run graph-fuse
func.func @main(%x: tensor<4x8xf32>, %y: tensor<4x16xf32>) -> tensor<4x24xf32> {
  %0 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.concat %0, %y {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x16xf32>) -> tensor<4x24xf32>
  return %1 : tensor<4x24xf32>
}
