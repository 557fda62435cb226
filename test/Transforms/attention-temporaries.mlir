// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention is one parallel loop, and nothing of the size of the scores is left:
// what lives is one thread's own.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=tensor" | FileCheck %s
// Without merging the scores go through memory that all threads share.
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=tensor coarse-grain=false" | FileCheck %s --check-prefix=APART

// CHECK: func.func @main
// CHECK-SAME: tir.arena_bytes = 0 : i64
// CHECK-COUNT-1: tir.parallel
// CHECK-NOT: tir.parallel
// CHECK-NOT: tir.scratch

// 4 * 8 * 128 * 128 scores and 4 * 8 * 128 row sums.
// APART: func.func @main
// APART-SAME: tir.arena_bytes = 2113536 : i64
// APART-COUNT-2: tir.parallel
// APART-NOT: tir.parallel
func.func @main(%q: tensor<4x8x128x64xf32>, %k: tensor<4x8x128x64xf32>, %v: tensor<4x8x128x64xf32>, %m: tensor<4x1x1x128xf32>) -> tensor<4x8x128x64xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x8x128x64xf32>, tensor<4x8x128x64xf32>) -> tensor<4x8x128x128xf32>
  %1 = graph.add %0, %m : (tensor<4x8x128x128xf32>, tensor<4x1x1x128xf32>) -> tensor<4x8x128x128xf32>
  %2 = graph.softmax %1 {axis = -1 : i64} : (tensor<4x8x128x128xf32>) -> tensor<4x8x128x128xf32>
  %3 = graph.matmul %2, %v : (tensor<4x8x128x128xf32>, tensor<4x8x128x64xf32>) -> tensor<4x8x128x64xf32>
  return %3 : tensor<4x8x128x64xf32>
}
