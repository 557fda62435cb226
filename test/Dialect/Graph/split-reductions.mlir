// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the pass alone does to reductions, the example of its description first.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-reductions{threads=2}))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-reductions{threads=2 split-elements=0}))" | FileCheck %s --check-prefix=WHOLE
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-reductions{threads=1}))" | FileCheck %s --check-prefix=WHOLE
// Twice is once: the parts are small enough.
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-split-reductions{threads=2},graph-split-reductions{threads=2}))" | FileCheck %s

// CHECK-LABEL: func.func @example
// CHECK: %[[P:.*]] = graph.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims = true, part_size = 31264 : i64} : (tensor<1000000xf32>) -> tensor<32xf32>
// CHECK-NEXT: graph.reduce_sum %[[P]] {axes = array<i64: 0>, keep_dims = true} : (tensor<32xf32>) -> tensor<1xf32>
// WHOLE-LABEL: func.func @example
// WHOLE-COUNT-1: graph.reduce_sum
// WHOLE-NOT: graph.reduce_sum
func.func @example(%x: tensor<1000000xf32>) -> tensor<1xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<1000000xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

// -----

// Reductions in regions belong to the region.
// CHECK-LABEL: func.func @in_region
// CHECK-NOT: part_size
// WHOLE-LABEL: func.func @in_region
func.func @in_region(%x: tensor<1000000xf32>) -> tensor<1xf32> {
  %0 = graph.fused_op -> (tensor<1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<1000000xf32>) -> tensor<1xf32>
    graph.yield %1 : tensor<1xf32>
  }
  return %0 : tensor<1xf32>
}
