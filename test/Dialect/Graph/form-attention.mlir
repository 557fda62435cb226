// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// graph-form-attention: which ops become one attention.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(graph-decompose,func.func(graph-sink-row-scale,graph-form-attention))" | FileCheck %s --check-prefix=SUNK
// RUN: gc-opt %s --pass-pipeline="builtin.module(graph-decompose{fast-softmax},func.func(graph-form-attention))" | FileCheck %s --check-prefix=FAST
// RUN: gc-opt %s --pass-pipeline="builtin.module(graph-decompose{fast-softmax},func.func(graph-sink-row-scale,graph-form-attention))" | FileCheck %s --check-prefix=FAST
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-form-attention))" --remarks-filter=graph-form-attention --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK-COUNT-9: softmax between matmuls becomes one attention

// The division before the second matmul, and values that the region reads
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
// CHECK: %[[MASK:.*]] = graph.exp
// CHECK: %[[O:.*]] = graph.attention {{.*}} :
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<3x4x6xf32>):
// CHECK-NEXT: %[[X:.*]] = graph.add %[[S]], %[[MASK]]
// CHECK-NEXT: graph.yield %[[X]]
// CHECK-NEXT: }
// CHECK-NEXT: return %[[O]]
// FAST-LABEL: func.func @softmax
// FAST: graph.attention {{.*}} {mode = "unshifted"}
// FAST: %[[X:.*]] = graph.add
// FAST-NEXT: %[[C:.*]] = graph.clamp %[[X]] {max = 6.400000e+01 : f32, min = -6.400000e+01 : f32}
// FAST-NEXT: graph.yield %[[C]]
// FAST-NEXT: }
// FAST-NEXT: return
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

// The division after the second matmul.
// CHECK-LABEL: func.func @sunk
// CHECK: graph.attention {{.*}} {transpose_key = true}
// CHECK-NOT: graph.matmul
// CHECK: return
func.func @sunk(%q: tensor<64x8xf32>, %k: tensor<4096x8xf32>, %v: tensor<4096x2xf32>) -> tensor<64x2xf32> {
  %x = graph.matmul %q, %k {transpose_b = true} : (tensor<64x8xf32>, tensor<4096x8xf32>) -> tensor<64x4096xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<64x4096xf32>) -> tensor<64x1xf32>
  %d = graph.subtract %x, %m : (tensor<64x4096xf32>, tensor<64x1xf32>) -> tensor<64x4096xf32>
  %e = graph.exp %d : (tensor<64x4096xf32>) -> tensor<64x4096xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<64x4096xf32>) -> tensor<64x1xf32>
  %p = graph.matmul %e, %v : (tensor<64x4096xf32>, tensor<4096x2xf32>) -> tensor<64x2xf32>
  %o = graph.divide %p, %t : (tensor<64x2xf32>, tensor<64x1xf32>) -> tensor<64x2xf32>
  return %o : tensor<64x2xf32>
}

// Rows without a finite logit count as 0: as one op, and as basic ops with both
// of the constants that do this.
// CHECK-LABEL: func.func @inf_as_zero
// CHECK: graph.attention {{.*}} {mode = "inf_as_zero"}
// CHECK-NOT: graph.matmul
// CHECK: return
// SUNK-LABEL: func.func @inf_as_zero
// SUNK: graph.attention {{.*}} {mode = "inf_as_zero"}
// SUNK-NOT: graph.matmul
// SUNK: return
func.func @inf_as_zero(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = 1 : i64, mode = "inf_as_zero"} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// A mask that selects, and a cast on the way.
// CHECK-LABEL: func.func @masked
// CHECK: graph.attention
// CHECK-NEXT: ^bb0
// CHECK-NEXT: graph.type_cast
// CHECK-NEXT: graph.type_cast
// CHECK-NEXT: graph.select
// CHECK-NEXT: graph.yield
func.func @masked(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>, %mask: tensor<4x6xi1>) -> tensor<4x2xf32> {
  %c = graph.constant dense<0xFF800000> : tensor<1x1xf32>
  %s = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %n = graph.type_cast %s : tensor<4x6xf32> -> tensor<4x6xbf16>
  %w = graph.type_cast %n : tensor<4x6xbf16> -> tensor<4x6xf32>
  %x = graph.select %mask, %w, %c : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// Exponentials without a maximum that are divided after the matmul anyway.
// CHECK-LABEL: func.func @unshifted
// CHECK: graph.attention {{.*}} {mode = "unshifted"}
// CHECK-NOT: graph.matmul
// CHECK: return
func.func @unshifted(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %e = graph.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.matmul %e, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  %o = graph.divide %p, %t : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// In bf16: the softmax is computed in f32 and rounded before the second matmul.
// CHECK-LABEL: func.func @narrow
// CHECK: graph.attention
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<4x6xbf16>):
// CHECK-NEXT: %[[W:.*]] = graph.type_cast %[[S]]
// CHECK-NEXT: graph.yield %[[W]] : tensor<4x6xf32>
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @narrow(%q: tensor<4x8xbf16>, %k: tensor<8x6xbf16>, %v: tensor<6x2xbf16>) -> tensor<4x2xbf16> {
  %s = graph.matmul %q, %k : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
  %x = graph.type_cast %s : tensor<4x6xbf16> -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %w = graph.type_cast %p : tensor<4x6xf32> -> tensor<4x6xbf16>
  %o = graph.matmul %w, %v : (tensor<4x6xbf16>, tensor<6x2xbf16>) -> tensor<4x2xbf16>
  return %o : tensor<4x2xbf16>
}

// The one op, in its own type.
// CHECK-LABEL: func.func @narrow_softmax
// CHECK: graph.attention
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<4x6xf16>):
// CHECK-NEXT: graph.yield %[[S]] : tensor<4x6xf16>
func.func @narrow_softmax(%q: tensor<4x8xf16>, %k: tensor<8x6xf16>, %v: tensor<6x2xf16>) -> tensor<4x2xf16> {
  %s = graph.matmul %q, %k : (tensor<4x8xf16>, tensor<8x6xf16>) -> tensor<4x6xf16>
  %p = graph.softmax %s {axis = 1 : i64} : (tensor<4x6xf16>) -> tensor<4x6xf16>
  %o = graph.matmul %p, %v : (tensor<4x6xf16>, tensor<6x2xf16>) -> tensor<4x2xf16>
  return %o : tensor<4x2xf16>
}

// Reciprocals of the sums, on either side, before and after the second matmul.
// CHECK-LABEL: func.func @reciprocal
// CHECK-NOT: graph.matmul
// CHECK: graph.attention
// CHECK-NOT: graph.reciprocal
// CHECK: return
func.func @reciprocal(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %r = graph.reciprocal %t : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %p = graph.multiply %r, %e : (tensor<4x1xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// CHECK-LABEL: func.func @sunk_reciprocal
// CHECK-NOT: graph.matmul
// CHECK: %[[O:.*]] = graph.attention
// CHECK-NOT: graph.reciprocal
// CHECK: return %[[O]]
func.func @sunk_reciprocal(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %r = graph.reciprocal %t : (tensor<4x1xf32>) -> tensor<4x1xf32>
  %y = graph.matmul %e, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  %o = graph.multiply %y, %r : (tensor<4x2xf32>, tensor<4x1xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// Queries and values of which the products read columns are transposed before it.
// CHECK-LABEL: func.func @transposed
// CHECK-SAME: (%[[Q:.*]]: tensor<3x8x4xf32>, %[[K:.*]]: tensor<3x8x16xf32>, %[[V:.*]]: tensor<2x16xf32>)
// CHECK-DAG: %[[QT:.*]] = graph.static_transpose %[[Q]] {order = array<i64: 0, 2, 1>} : (tensor<3x8x4xf32>) -> tensor<3x4x8xf32>
// CHECK-DAG: %[[VT:.*]] = graph.static_transpose %[[V]] {order = array<i64: 1, 0>} : (tensor<2x16xf32>) -> tensor<16x2xf32>
// CHECK: graph.attention %[[QT]], %[[K]], %[[VT]] : (tensor<3x4x8xf32>, tensor<3x8x16xf32>, tensor<16x2xf32>) -> tensor<3x4x2xf32>
func.func @transposed(%q: tensor<3x8x4xf32>, %k: tensor<3x8x16xf32>, %v: tensor<2x16xf32>) -> tensor<3x4x2xf32> {
  %x = graph.matmul %q, %k {transpose_a = true} : (tensor<3x8x4xf32>, tensor<3x8x16xf32>) -> tensor<3x4x16xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  %o = graph.matmul %p, %v {transpose_b = true} : (tensor<3x4x16xf32>, tensor<2x16xf32>) -> tensor<3x4x2xf32>
  return %o : tensor<3x4x2xf32>
}

// A scale per head after the softmax; once it is after the second product, it is
// not in the way.
// SUNK-LABEL: func.func @scaled_weights
// SUNK: %[[O:.*]] = graph.attention
// SUNK: %[[R:.*]] = graph.multiply %[[O]], %arg3
// SUNK: return %[[R]]
// FAST-LABEL: func.func @scaled_weights
func.func @scaled_weights(%q: tensor<3x4x8xf32>, %k: tensor<3x8x16xf32>, %v: tensor<3x16x2xf32>, %h: tensor<3x1x1xf32>) -> tensor<3x4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<3x4x8xf32>, tensor<3x8x16xf32>) -> tensor<3x4x16xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<3x4x16xf32>) -> tensor<3x4x16xf32>
  %w = graph.multiply %p, %h : (tensor<3x4x16xf32>, tensor<3x1x1xf32>) -> tensor<3x4x16xf32>
  %o = graph.matmul %w, %v : (tensor<3x4x16xf32>, tensor<3x16x2xf32>) -> tensor<3x4x2xf32>
  return %o : tensor<3x4x2xf32>
}
