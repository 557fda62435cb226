// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse))" | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @example
func.func @example(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>, %bias: tensor<2xf32>) -> tensor<4x2xf32> {
  // CHECK-NEXT: %[[F:.*]] = graph.fused_op attributes {name = "matmul+add+relu"} -> (tensor<4x2xf32>) {
  // CHECK-NEXT:   %[[M:.*]] = graph.matmul
  // CHECK-NEXT:   %[[S:.*]] = graph.add %[[M]]
  // CHECK-NEXT:   %[[R:.*]] = graph.relu %[[S]]
  // CHECK-NEXT:   graph.yield %[[R]] : tensor<4x2xf32>
  // CHECK-NEXT: }
  // CHECK-NEXT: return %[[F]]
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.add %0, %bias : (tensor<4x2xf32>, tensor<2xf32>) -> tensor<4x2xf32>
  %2 = graph.relu %1 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %2 : tensor<4x2xf32>
}

// Two consumers join both, what others need is yielded too.
// CHECK-LABEL: func.func @two_consumers
func.func @two_consumers(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) -> (tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>) {
  // CHECK-NEXT: %[[F:.*]]:3 = graph.fused_op
  // CHECK-NEXT:   %[[M:.*]] = graph.matmul
  // CHECK-NEXT:   %[[R:.*]] = graph.relu %[[M]]
  // CHECK-NEXT:   %[[E:.*]] = graph.exp %[[M]]
  // CHECK-NEXT:   graph.yield %[[M]], %[[R]], %[[E]]
  // CHECK: return %[[F]]#0, %[[F]]#1, %[[F]]#2
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
  %1 = graph.relu %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  %2 = graph.exp %0 : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return %0, %1, %2 : tensor<4x2xf32>, tensor<4x2xf32>, tensor<4x2xf32>
}

// A residual input that was there before is one more tensor to read; branches
// within the region meet again.
// CHECK-LABEL: func.func @residual
func.func @residual(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[H:.*]] = graph.fused_op attributes {name = "tanh"}
  // CHECK: graph.fused_op attributes {name = "matmul+sigmoid+multiply+add"}
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[H]]
  // CHECK-NEXT: %[[S:.*]] = graph.sigmoid %[[M]]
  // CHECK-NEXT: %[[P:.*]] = graph.multiply %[[M]], %[[S]]
  // CHECK-NEXT: graph.add %[[P]], %[[H]]
  %0 = graph.tanh %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = graph.matmul %0, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.sigmoid %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.multiply %1, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = graph.add %3, %0 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %4 : tensor<4x8xf32>
}

// The other input of the sum is computed after the first matmul but does not
// depend on it: the region moves after it.
// CHECK-LABEL: func.func @later_input
func.func @later_input(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> tensor<4x8xf32> {
  // CHECK-NEXT: %[[N:.*]] = graph.fused_op attributes {name = "matmul+tanh"}
  // CHECK: %[[F:.*]] = graph.fused_op attributes {name = "matmul+add"}
  // CHECK-NEXT: %[[M:.*]] = graph.matmul
  // CHECK-NEXT: graph.add %[[M]], %[[N]]
  %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = graph.matmul %x, %w {transpose_b = true} : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %2 = graph.tanh %1 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = graph.add %0, %2 : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %3 : tensor<4x8xf32>
}

// The sum needs a matmul that itself needs the region: joining would make the
// region its own input.
// CHECK-LABEL: func.func @cycle
func.func @cycle(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: %[[A:.*]] = graph.fused_op attributes {name = "matmul+relu"}
  // CHECK: %[[B:.*]] = graph.fused_op attributes {name = "matmul+add"}
  // CHECK-NEXT: %[[M:.*]] = graph.matmul %[[A]]
  // CHECK-NEXT: graph.add %[[A]], %[[M]]
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.relu %0 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %1, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = graph.add %1, %2 : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// A path around through a reshape, which is in no region.
// CHECK-LABEL: func.func @cycle_through_reshape
func.func @cycle_through_reshape(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: %[[A:.*]] = graph.fused_op attributes {name = "exp"}
  // CHECK: graph.static_reshape %[[A]]
  // CHECK: graph.static_reshape
  // CHECK: graph.fused_op attributes {name = "add"}
  %0 = graph.exp %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: 4, 4>} : (tensor<16xf32>) -> tensor<4x4xf32>
  %3 = graph.add %0, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 8]>
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 8]>

// Reorders of operands without other uses are pre-ops; post-ops came first.
// CHECK-LABEL: func.func @pre_op
func.func @pre_op(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: graph.fused_op attributes {name = "reorder+reorder+matmul+relu"}
  // CHECK-NEXT: %[[P:.*]] = graph.reorder %arg0 {{.*}} -> tensor<8x8xf32, #graph.layout<blocked, outer = [0, 1],
  // CHECK-NEXT: %[[B:.*]] = graph.reorder %arg1 {{.*}} -> tensor<8x8xf32, #graph.layout<blocked, outer = [1, 0],
  // CHECK-NEXT: graph.matmul %[[P]], %[[B]]
  %0 = graph.reorder %x : tensor<8x8xf32> -> tensor<8x8xf32, #a>
  %1 = graph.reorder %w : tensor<8x8xf32> -> tensor<8x8xf32, #b>
  %2 = graph.matmul %0, %1 : (tensor<8x8xf32, #a>, tensor<8x8xf32, #b>) -> tensor<8x8xf32>
  %3 = graph.relu %2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
  return %3 : tensor<8x8xf32>
}

// A reorder for two is done once, separately.
// CHECK-LABEL: func.func @shared_pre_op
func.func @shared_pre_op(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  // CHECK-NEXT: %[[P:.*]] = graph.fused_op attributes {name = "reorder"}
  // CHECK: graph.matmul %[[P]]
  // CHECK: graph.matmul %[[P]]
  %0 = graph.reorder %x : tensor<8x8xf32> -> tensor<8x8xf32, #a>
  %1 = graph.matmul %0, %w : (tensor<8x8xf32, #a>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = graph.matmul %0, %w {transpose_b = true} : (tensor<8x8xf32, #a>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32>
}

// A reorder after a matmul is a post-op of it, not a pre-op of the next.
// CHECK-LABEL: func.func @reorder_between
func.func @reorder_between(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // CHECK-NEXT: graph.fused_op attributes {name = "matmul+reorder"}
  // CHECK: graph.fused_op attributes {name = "matmul"}
  %0 = graph.matmul %x, %w : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = graph.reorder %0 : tensor<8x8xf32> -> tensor<8x8xf32, #a>
  %2 = graph.matmul %1, %w : (tensor<8x8xf32, #a>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}

// Without a tunable op, fusible ops form regions among themselves, casts and
// transposes as well. Two regions remain, since they go over other shapes.
// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<8x4xf32>, %y: tensor<4xf32>) -> (tensor<4x8xbf16>, tensor<8x4xf32>) {
  // CHECK-DAG: graph.fused_op attributes {name = "static_transpose+relu+type_cast"} -> (tensor<4x8xbf16>)
  // CHECK-DAG: graph.fused_op attributes {name = "exp+add"} -> (tensor<8x4xf32>)
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
  %1 = graph.relu %0 : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.type_cast %1 : tensor<4x8xf32> -> tensor<4x8xbf16>
  %3 = graph.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %4 = graph.add %3, %y : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
  return %2, %4 : tensor<4x8xbf16>, tensor<8x4xf32>
}

// Ops that are not fusible stay outside; nothing joins across them.
// CHECK-LABEL: func.func @outside
func.func @outside(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: %[[C:.*]] = graph.constant
  // CHECK-NEXT: %[[A:.*]] = graph.fused_op attributes {name = "add"}
  // CHECK: %[[W:.*]] = graph.wildcard %[[A]]
  // CHECK-NEXT: graph.fused_op attributes {name = "relu"}
  // CHECK-NEXT: graph.relu %[[W]]
  %c = graph.constant dense<1.0> : tensor<f32>
  %0 = graph.add %x, %c : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
  %1 = graph.wildcard %0 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = graph.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// Ops that are already fused are left alone.
// CHECK-LABEL: func.func @twice
func.func @twice(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // CHECK-NEXT: graph.fused_op -> (tensor<4x4xf32>) {
  // CHECK-NEXT: graph.relu
  // CHECK-NEXT: graph.yield
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<4x4xf32>)

#bk = #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 8, 3 : 16]>

// The first half of attention: the scores' rows are packed, scaled, masked and
// made exponentials in one region that hands over two results.
// CHECK-LABEL: func.func @scores
func.func @scores(%q: tensor<2x4x16x8xf32>, %k: tensor<2x4x8x16xf32>, %c: tensor<1xf32>, %mask: tensor<2x1x1x16xf32>) -> (tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) {
  // CHECK-NEXT: %[[F:.*]]:2 = graph.fused_op attributes {name = "reorder+matmul+divide+add+reduce_max+subtract+exp+reduce_sum"} -> (tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>)
  // CHECK: graph.yield %{{.*}}, %{{.*}} : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>
  // CHECK: return %[[F]]#0, %[[F]]#1
  %p = graph.reorder %k : tensor<2x4x8x16xf32> -> tensor<2x4x8x16xf32, #bk>
  %0 = graph.matmul %q, %p : (tensor<2x4x16x8xf32>, tensor<2x4x8x16xf32, #bk>) -> tensor<2x4x16x16xf32>
  %1 = graph.divide %0, %c : (tensor<2x4x16x16xf32>, tensor<1xf32>) -> tensor<2x4x16x16xf32>
  %2 = graph.add %1, %mask : (tensor<2x4x16x16xf32>, tensor<2x1x1x16xf32>) -> tensor<2x4x16x16xf32>
  %m = graph.reduce_max %2 {axes = array<i64: 3>, keep_dims = true} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x1xf32>
  %3 = graph.subtract %2, %m : (tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>) -> tensor<2x4x16x16xf32>
  %4 = graph.exp %3 : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x16xf32>
  %5 = graph.reduce_sum %4 {axes = array<i64: 3>, keep_dims = true} : (tensor<2x4x16x16xf32>) -> tensor<2x4x16x1xf32>
  return %4, %5 : tensor<2x4x16x16xf32>, tensor<2x4x16x1xf32>
}

// The second half: the division after the product, and a transpose, which is
// only another place to store to.
// CHECK-LABEL: func.func @context
// CHECK-NEXT: graph.fused_op attributes {name = "matmul+divide+static_transpose"} -> (tensor<2x16x4x8xf32>)
func.func @context(%e: tensor<2x4x16x16xf32>, %t: tensor<2x4x16x1xf32>, %v: tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32> {
  %0 = graph.matmul %e, %v : (tensor<2x4x16x16xf32>, tensor<2x4x16x8xf32>) -> tensor<2x4x16x8xf32>
  %1 = graph.divide %0, %t : (tensor<2x4x16x8xf32>, tensor<2x4x16x1xf32>) -> tensor<2x4x16x8xf32>
  %2 = graph.static_transpose %1 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x4x16x8xf32>) -> tensor<2x16x4x8xf32>
  return %2 : tensor<2x16x4x8xf32>
}

// Layer norm alone is one region, with values of one element per row in between
// and vectors that are broadcast.
// CHECK-LABEL: func.func @layer_norm
// CHECK-COUNT-1: graph.fused_op
// CHECK-NOT: graph.fused_op
func.func @layer_norm(%x: tensor<6x32xf32>, %g: tensor<32xf32>, %b: tensor<32xf32>) -> tensor<6x32xf32> {
  %n = graph.constant dense<32.0> : tensor<f32>
  %eps = graph.constant dense<1.0e-5> : tensor<f32>
  %s = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x32xf32>) -> tensor<6x1xf32>
  %mean = graph.divide %s, %n : (tensor<6x1xf32>, tensor<f32>) -> tensor<6x1xf32>
  %d = graph.subtract %x, %mean : (tensor<6x32xf32>, tensor<6x1xf32>) -> tensor<6x32xf32>
  %d2 = graph.multiply %d, %d : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  %s2 = graph.reduce_sum %d2 {axes = array<i64: 1>, keep_dims = true} : (tensor<6x32xf32>) -> tensor<6x1xf32>
  %var = graph.divide %s2, %n : (tensor<6x1xf32>, tensor<f32>) -> tensor<6x1xf32>
  %v = graph.add %var, %eps : (tensor<6x1xf32>, tensor<f32>) -> tensor<6x1xf32>
  %r = graph.sqrt %v : (tensor<6x1xf32>) -> tensor<6x1xf32>
  %q = graph.divide %d, %r : (tensor<6x32xf32>, tensor<6x1xf32>) -> tensor<6x32xf32>
  %0 = graph.multiply %q, %g : (tensor<6x32xf32>, tensor<32xf32>) -> tensor<6x32xf32>
  %1 = graph.add %0, %b : (tensor<6x32xf32>, tensor<32xf32>) -> tensor<6x32xf32>
  return %1 : tensor<6x32xf32>
}

// So is softmax, with what comes before it.
// CHECK-LABEL: func.func @softmax
// CHECK-COUNT-1: graph.fused_op
// CHECK-NOT: graph.fused_op
func.func @softmax(%x: tensor<6x32xf32>, %y: tensor<6x32xf32>) -> tensor<6x32xf32> {
  %0 = graph.add %x, %y : (tensor<6x32xf32>, tensor<6x32xf32>) -> tensor<6x32xf32>
  %m = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<6x32xf32>) -> tensor<6x1xf32>
  %d = graph.subtract %0, %m : (tensor<6x32xf32>, tensor<6x1xf32>) -> tensor<6x32xf32>
  %e = graph.exp %d : (tensor<6x32xf32>) -> tensor<6x32xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x32xf32>) -> tensor<6x1xf32>
  %1 = graph.divide %e, %t : (tensor<6x32xf32>, tensor<6x1xf32>) -> tensor<6x32xf32>
  return %1 : tensor<6x32xf32>
}

// A matmul, its bias, a residual and layer norm's first sum: a reduction joins
// the tunable op, and its sum is yielded along with the rows.
// CHECK-LABEL: func.func @residual_sum
// CHECK-NEXT: graph.fused_op attributes {name = "matmul+add+add+reduce_sum"} -> (tensor<8x16xf32>, tensor<8x1xf32>)
func.func @residual_sum(%x: tensor<8x4xf32>, %w: tensor<4x16xf32>, %b: tensor<16xf32>, %r: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x1xf32>) {
  %0 = graph.matmul %x, %w : (tensor<8x4xf32>, tensor<4x16xf32>) -> tensor<8x16xf32>
  %1 = graph.add %0, %b : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %2 = graph.add %1, %r : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<8x16xf32>) -> tensor<8x1xf32>
  return %2, %3 : tensor<8x16xf32>, tensor<8x1xf32>
}

// Producers join as well, and ops that read the same.
// CHECK-LABEL: func.func @producers
// CHECK-NEXT: graph.fused_op attributes {name = "exp+relu+tanh+add"} -> (tensor<8x4xf32>, tensor<8x4xf32>)
func.func @producers(%x: tensor<8x4xf32>, %y: tensor<8x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = graph.exp %x : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = graph.relu %y : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %2 = graph.tanh %y : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %3 = graph.add %0, %1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x4xf32>
  return %3, %2 : tensor<8x4xf32>, tensor<8x4xf32>
}

#bt = #graph.layout<blocked, outer = [0, 1, 3, 2], inner = [2 : 8, 3 : 16]>

// A transpose that writes the operand's blocks is a pre-op like a reorder.
// CHECK-LABEL: func.func @transposed_operand
// CHECK-NEXT: graph.fused_op attributes {name = "static_transpose+matmul"} -> (tensor<2x4x16x16xf32>)
func.func @transposed_operand(%q: tensor<2x4x16x8xf32>, %k: tensor<2x16x4x8xf32>) -> tensor<2x4x16x16xf32> {
  %0 = graph.static_transpose %k {order = array<i64: 0, 2, 3, 1>} : (tensor<2x16x4x8xf32>) -> tensor<2x4x8x16xf32, #bt>
  %1 = graph.matmul %q, %0 : (tensor<2x4x16x8xf32>, tensor<2x4x8x16xf32, #bt>) -> tensor<2x4x16x16xf32>
  return %1 : tensor<2x4x16x16xf32>
}
