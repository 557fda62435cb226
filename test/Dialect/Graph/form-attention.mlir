// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// graph-form-attention: which ops become one attention.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention{mode=always}))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention{mode=never}))" | FileCheck %s --check-prefix=NEVER
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention))" | FileCheck %s --check-prefix=AUTO
// RUN: gc-opt %s --pass-pipeline="builtin.module(graph-decompose,func.func(graph-sink-row-scale,graph-form-attention{mode=always}))" | FileCheck %s --check-prefix=SUNK
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention))" --remarks-filter=graph-form-attention --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention{mode=sometimes}))" 2>&1 | FileCheck %s --check-prefix=MODE

// MODE: option 'mode' is auto, always or never, not 'sometimes'

// NEVER-NOT: graph.attention

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L2_cache_size_in_bytes" = 524288 : i64>>} {

// The division in front of the second matmul, and values that the region reads
// from outside.
// CHECK-LABEL: func.func @plain
// CHECK-SAME: (%[[Q:.*]]: tensor<4x8xf32>, %[[K:.*]]: tensor<6x8xf32>, %[[V:.*]]: tensor<6x2xf32>, %[[MASK:.*]]: tensor<1x6xf32>)
// CHECK-NEXT: %[[C:.*]] = graph.constant
// CHECK-NEXT: %[[O:.*]] = graph.attention %[[Q]], %[[K]], %[[V]] {transpose_key = true}
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<4x6xf32>):
// CHECK-NEXT: %[[SCALED:.*]] = graph.divide %[[S]], %[[C]]
// CHECK-NEXT: %[[X:.*]] = graph.add %[[SCALED]], %[[MASK]]
// CHECK-NEXT: graph.yield %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[O]]
// SUNK-LABEL: func.func @plain
// SUNK: graph.attention
// SUNK-NOT: graph.matmul
// SUNK: return
// Rows of 6 scores are nothing that has to be cut.
// COST: NoAttention{{.*}}4 rows of 6 scores are 96 bytes and fit into half of the L2 cache, 262144 bytes
// AUTO-LABEL: func.func @plain
// AUTO-NOT: graph.attention
// AUTO: return
func.func @plain(%q: tensor<4x8xf32>, %k: tensor<6x8xf32>, %v: tensor<6x2xf32>, %mask: tensor<1x6xf32>) -> tensor<4x2xf32> {
  %c = graph.constant dense<2.0> : tensor<1xf32>
  %s = graph.matmul %q, %k {transpose_b = true} : (tensor<4x8xf32>, tensor<6x8xf32>) -> tensor<4x6xf32>
  %y = graph.divide %s, %c : (tensor<4x6xf32>, tensor<1xf32>) -> tensor<4x6xf32>
  %x = graph.add %y, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// The softmax op itself, no ops on the scores, batches, and a mask that is
// computed: what does not depend on the scores stays outside.
// CHECK-LABEL: func.func @softmax
// SUNK-LABEL: func.func @softmax
// SUNK: %[[MASK:.*]] = graph.exp
// SUNK: %[[O:.*]] = graph.attention
// SUNK-NEXT: ^bb0(%[[S:.*]]: tensor<3x4x6xf32>):
// SUNK-NEXT: %[[X:.*]] = graph.add %[[S]], %[[MASK]]
// SUNK-NEXT: graph.yield %[[X]]
// SUNK-NEXT: }
// SUNK-NEXT: return %[[O]]
func.func @softmax(%q: tensor<3x4x8xf32>, %k: tensor<3x8x6xf32>, %v: tensor<3x6x2xf32>, %mask: tensor<3x4x6xf32>) -> tensor<3x4x2xf32> {
  %s = graph.matmul %q, %k : (tensor<3x4x8xf32>, tensor<3x8x6xf32>) -> tensor<3x4x6xf32>
  %w = graph.exp %mask : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %x = graph.add %s, %w : (tensor<3x4x6xf32>, tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<3x4x6xf32>) -> tensor<3x4x6xf32>
  %o = graph.matmul %p, %v : (tensor<3x4x6xf32>, tensor<3x6x2xf32>) -> tensor<3x4x2xf32>
  return %o : tensor<3x4x2xf32>
}

// 32 rows of 4096 scores are as large as the whole L2 cache.
// COST: softmax between matmuls becomes one attention
// AUTO-LABEL: func.func @long
// AUTO: graph.attention
// AUTO-NOT: graph.matmul
// AUTO: return
func.func @long(%q: tensor<64x8xf32>, %k: tensor<4096x8xf32>, %v: tensor<4096x2xf32>) -> tensor<64x2xf32> {
  %x = graph.matmul %q, %k {transpose_b = true} : (tensor<64x8xf32>, tensor<4096x8xf32>) -> tensor<64x4096xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<64x4096xf32>) -> tensor<64x1xf32>
  %d = graph.subtract %x, %m : (tensor<64x4096xf32>, tensor<64x1xf32>) -> tensor<64x4096xf32>
  %e = graph.exp %d : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<64x4096xf32>) -> tensor<64x1xf32>
  %p = graph.matmul %e, %v : (tensor<64x4096xf32>, tensor<4096x2xf32>) -> tensor<64x2xf32>
  %o = graph.divide %p, %t : (tensor<64x2xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  return %o : tensor<64x2xf32>
}

}
