// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Consumers that cannot join, the options that limit a region, and the remarks
// that say why.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{max-ops=2}))" | FileCheck %s --check-prefix=OPS
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{max-ops=0}))" | FileCheck %s --check-prefix=ALONE
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{max-input-bytes=32}))" | FileCheck %s --check-prefix=BYTES

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{max-ops=2}))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=OPS-REMARK
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{max-input-bytes=32}))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=BYTES-REMARK

// REMARK: [[#@LINE+7]]:8: remark: [Missed] NotFused | Category:graph-fuse | Remark="'graph.static_transpose' is not fused with 'graph.matmul': a transpose is not committed at an anchor"
// CHECK-LABEL: func.func @transpose
// CHECK: name = "matmul"
// CHECK: name = "static_transpose"
// ALONE: name = "matmul"
func.func @transpose(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<2x4xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<4x2xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// -----

// A bias that is computed in the graph is smaller than what it is added to.
// REMARK: remark: [Missed] NotFused | {{.*}}"'graph.add' is not fused with 'graph.exp': its iteration space differs from the region's"
// CHECK-LABEL: func.func @space
// CHECK: name = "exp"
// CHECK: name = "add"
func.func @space(%x: tensor<4x2xf32>, %y: tensor<2xf32>) -> tensor<4x2xf32> {
  %0 = graph.exp %y : (tensor<2xf32>) -> tensor<2xf32>
  %1 = graph.add %x, %0 : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  return %1 : tensor<4x2xf32>
}

// -----

// The sum needs a product of the region's result.
// REMARK: remark: [Missed] NotFused | {{.*}}"'graph.add' is not fused with 'graph.matmul': operand 1 depends on the region through an op outside of it"
// CHECK-LABEL: func.func @cycle
// CHECK: name = "matmul+relu"
// CHECK: name = "matmul"
// CHECK: name = "add"
func.func @cycle(%x: tensor<1x8x8xf32>, %w: tensor<8x8xf32>, %v: tensor<1x8x8xf32>) -> tensor<1x8x8xf32> {
  %0 = graph.matmul %x, %w : (tensor<1x8x8xf32>, tensor<8x8xf32>) -> tensor<1x8x8xf32>
  %1 = graph.relu %0 : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %2 = graph.matmul %w, %1 : (tensor<8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %r = graph.static_reshape %2 {shape = array<i64: 1, 8, 8>} : (tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  %3 = graph.add %0, %r : (tensor<1x8x8xf32>, tensor<1x8x8xf32>) -> tensor<1x8x8xf32>
  return %3 : tensor<1x8x8xf32>
}

// -----

// Three fusible ops: two fit max-ops = 2, the third is the first of a region.
// CHECK-LABEL: func.func @chain
// CHECK: name = "matmul+relu+exp+tanh"
// OPS-REMARK: remark: [Missed] NotFused | {{.*}}"'graph.tanh' is not fused with 'graph.matmul': the region has max-ops = 2 ops"
// OPS-LABEL: func.func @chain
// OPS: name = "matmul+relu+exp"
// OPS: name = "tanh"
// ALONE-LABEL: func.func @chain
// ALONE: name = "matmul"
// ALONE: name = "relu"
// ALONE: name = "exp"
// ALONE: name = "tanh"
func.func @chain(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = graph.exp %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = graph.tanh %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// -----

// The limit counts fusible ops, with a tunable op or without.
// OPS-REMARK: remark: [Missed] NotFused | {{.*}}"'graph.tanh' is not fused with 'graph.relu': the region has max-ops = 2 ops"
// OPS-LABEL: func.func @elementwise_chain
// OPS: name = "relu+exp"
// OPS: name = "tanh"
// ALONE-LABEL: func.func @elementwise_chain
// ALONE: name = "relu"
// ALONE: name = "exp"
// ALONE: name = "tanh"
func.func @elementwise_chain(%a: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %1 = graph.relu %a : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = graph.exp %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %3 = graph.tanh %2 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %3 : tensor<4x2xf32>
}

// -----

// A row of 2 floats takes 8 bytes, a whole tensor 32: both are more than 32.
// CHECK-LABEL: func.func @inputs
// CHECK: name = "matmul+add+add"
// BYTES-REMARK: remark: [Missed] NotFused | {{.*}}"'graph.add' is not fused with 'graph.matmul': its inputs exceed max-input-bytes = 32"
// BYTES-LABEL: func.func @inputs
// BYTES: name = "matmul+add"
// BYTES: name = "add"
func.func @inputs(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %row: tensor<2xf32>, %x: tensor<4x2xf32>) -> tensor<4x2xf32> {
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %row : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = graph.add %1, %x : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}
