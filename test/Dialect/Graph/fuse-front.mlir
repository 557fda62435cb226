// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that compute an operand elementwise join if they have no other use, and
// only as a whole.
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse{max-input-bytes=100}))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=LIMIT

// LIMIT: 'graph.tanh' is not fused with 'graph.matmul': its inputs exceed max-input-bytes = 100", Suggestion=--pipeline-options=max-input-bytes=200
// LIMIT-NOT: 'graph.exp' is not fused with 'graph.matmul': its inputs
// CHECK-LABEL: func.func @chain
// CHECK: graph.fused_op attributes {name = "multiply+tanh+exp+matmul+relu"}
// CHECK-NOT: graph.fused_op
// CHECK: return
func.func @chain(%x: tensor<64x32xf32>, %scale: tensor<32xf32>, %w: tensor<48x32xf32>) -> tensor<64x48xf32> {
  %0 = graph.multiply %x, %scale : (tensor<64x32xf32>, tensor<32xf32>) -> tensor<64x32xf32>
  %1 = graph.tanh %0 : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %2 = graph.exp %w : (tensor<48x32xf32>) -> tensor<48x32xf32>
  %3 = graph.matmul %1, %2 {transpose_b = true} : (tensor<64x32xf32>, tensor<48x32xf32>) -> tensor<64x48xf32>
  %4 = graph.relu %3 : (tensor<64x48xf32>) -> tensor<64x48xf32>
  return %4 : tensor<64x48xf32>
}

// A residual reads the same: it would be computed for both.
// MISSED: 'graph.exp' is not fused with 'graph.matmul': its result has other uses
// CHECK-LABEL: func.func @shared
// CHECK: graph.fused_op attributes {name = "exp"}
// CHECK: graph.fused_op attributes {name = "matmul+add"}
func.func @shared(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.exp %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %2 = graph.add %0, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// Rows that are reduced and divided in one loop stay in the cache in between.
// MISSED: 'graph.divide' is not fused with 'graph.matmul': it is tied to ops that cannot join
// CHECK-LABEL: func.func @reduced
// CHECK: graph.fused_op attributes {name = "reduce_sum+divide"}
// CHECK: graph.fused_op attributes {name = "matmul"}
func.func @reduced(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
  %1 = graph.divide %x, %0 : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
  %2 = graph.matmul %1, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %2 : tensor<64x64xf32>
}

// MISSED: 'graph.reduce_max' is not fused with 'graph.matmul': only elementwise ops, casts, reorders and transposes can join as pre-ops
func.func @reduction(%x: tensor<64x8x64xf32>, %w: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>} : (tensor<64x8x64xf32>) -> tensor<64x64xf32>
  %1 = graph.matmul %0, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// Keys and values that are dequantized, whose scales need a cast of their own
// before: each is computed where it is read, although heads share them.
// CHECK-LABEL: func.func @cache
// CHECK: graph.fused_op attributes {name = "type_cast"} -> (tensor<2x1x40x1xf32>)
// CHECK: graph.fused_op attributes {name = "type_cast+multiply+dynamic_dequantize+attention"}
// CHECK-NOT: graph.fused_op
// CHECK: return
func.func @cache(%q: tensor<2x4x8x32xf32>, %k: tensor<2x1x40x32xsi8>, %ks: tensor<2x1x40x1xbf16>, %v: tensor<2x1x40x32xui4>, %vs: tensor<2x1x40x2xf32>) -> tensor<2x4x8x32xf32> {
  %0 = graph.type_cast %ks : tensor<2x1x40x1xbf16> -> tensor<2x1x40x1xf32>
  %1 = graph.type_cast %k : tensor<2x1x40x32xsi8> -> tensor<2x1x40x32xf32>
  %2 = graph.multiply %1, %0 : (tensor<2x1x40x32xf32>, tensor<2x1x40x1xf32>) -> tensor<2x1x40x32xf32>
  %3 = graph.dynamic_dequantize %v, %vs {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 16>, graph.where_read} : (tensor<2x1x40x32xui4>, tensor<2x1x40x2xf32>) -> tensor<2x1x40x32xf32>
  %4 = graph.attention %q, %2, %3 {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 8, RB = 8, SB = 16, NB = 16, KB = 16>} : (tensor<2x4x8x32xf32>, tensor<2x1x40x32xf32>, tensor<2x1x40x32xf32>) -> tensor<2x4x8x32xf32> {
  ^bb0(%s: tensor<2x4x8x40xf32>):
    graph.yield %s : tensor<2x4x8x40xf32>
  }
  return %4 : tensor<2x4x8x32xf32>
}
