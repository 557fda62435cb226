// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax between matmuls that does not become an attention, and the remark that
// says why.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-form-attention))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-form-attention))" --remarks-filter-missed=graph-form-attention --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// CHECK-NOT: graph.attention

// REMARK: remark: {{.*}}NoAttention{{.*}}no matmul computes the rows
func.func @softmax_alone(%q: tensor<4x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.exp %q : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the rows are computed by two matmuls
func.func @two(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %l: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %y = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %z = graph.matmul %q, %l : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %x = graph.add %y, %z : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.divide' is needed elsewhere
func.func @weights_wanted(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4x6xf32>) {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o, %p : tensor<4x2xf32>, tensor<4x6xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.matmul' is needed elsewhere
func.func @scores_wanted(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4x6xf32>) {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o, %x : tensor<4x2xf32>, tensor<4x6xf32>
}

// -----

// Transposing them would take longer than the scores, which are few.
// REMARK: remark: {{.*}}NoAttention{{.*}}values are transposed, and larger than the scores
func.func @values_transposed(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<5x6xf32>) -> tensor<4x5xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v {transpose_b = true} : (tensor<4x6xf32>, tensor<5x6xf32>) -> tensor<4x5xf32>
  return %o : tensor<4x5xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}queries are transposed, and larger than the scores
func.func @queries_transposed(%q: tensor<8x4xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k {transpose_a = true} : (tensor<8x4xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the softmax is transposed
func.func @weights_transposed(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<4x2xf32>) -> tensor<6x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v {transpose_a = true} : (tensor<4x6xf32>, tensor<4x2xf32>) -> tensor<6x2xf32>
  return %o : tensor<6x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the leading dimensions of the values extend the result
func.func @extended(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<3x6x2xf32>) -> tensor<3x4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<3x6x2xf32>) -> tensor<3x4x2xf32>
  return %o : tensor<3x4x2xf32>
}

// -----

// Not the softmax of these rows, but one of their distances from the minimum, which
// needs the scores, too.
// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.matmul' is needed elsewhere
func.func @other_maximum(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_min %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %m : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// The values are the scores themselves, which an attention does not keep.
// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.matmul' is needed elsewhere
func.func @scores_as_values(%q: tensor<6x4xf32>, %k: tensor<4x6xf32>) -> tensor<6x6xf32> {
  %x = graph.matmul %q, %k : (tensor<6x4xf32>, tensor<4x6xf32>) -> tensor<6x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<6x6xf32>) -> tensor<6x1xf32>
  %d = graph.subtract %x, %m : (tensor<6x6xf32>, tensor<6x1xf32>) -> tensor<6x6xf32>
  %e = graph.exp %d : (tensor<6x6xf32>) -> tensor<6x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<6x6xf32>) -> tensor<6x1xf32>
  %p = graph.divide %e, %t : (tensor<6x6xf32>, tensor<6x1xf32>) -> tensor<6x6xf32>
  %o = graph.matmul %p, %x : (tensor<6x6xf32>, tensor<6x6xf32>) -> tensor<6x6xf32>
  return %o : tensor<6x6xf32>
}

// -----

// Softmax along the columns.
// REMARK-NOT: NoAttention
func.func @columns(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = 0 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// An attention has no statistics of its rows.
// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.softmax' is needed elsewhere
func.func @stats(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> (tensor<4x2xf32>, tensor<4x1xf32>) {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p, %s = graph.softmax %x : (tensor<4x6xf32>) -> (tensor<4x6xf32>, tensor<4x1xf32>)
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o, %s : tensor<4x2xf32>, tensor<4x1xf32>
}

// -----

// The statistics are not weights: a matmul of them is one like any other, and
// there is no remark.
// REMARK-NOT: NoAttention
func.func @product_of_stats(%q: tensor<4x8xf32>, %k: tensor<8x1xf32>, %v: tensor<1x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
  %p, %s = graph.softmax %x : (tensor<4x1xf32>) -> (tensor<4x1xf32>, tensor<4x1xf32>)
  %o = graph.matmul %s, %v : (tensor<4x1xf32>, tensor<1x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// Exponentials of anything: divided first they cannot overflow.
// REMARK: remark: {{.*}}NoAttention{{.*}}nothing bounds the exponentials
func.func @unbounded(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %e = graph.exp %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// The constant next to the maximum is not that of inf_as_zero.
// REMARK: remark: {{.*}}NoAttention{{.*}}the result of 'graph.matmul' is needed elsewhere
func.func @other_guard(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %m = graph.reduce_max %x {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %n = graph.maximum %m, %zero : (tensor<4x1xf32>, tensor<f32>) -> tensor<4x1xf32>
  %d = graph.subtract %x, %n : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %e = graph.exp %d : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %t = graph.reduce_sum %e {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %p = graph.divide %e, %t : (tensor<4x6xf32>, tensor<4x1xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %p, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}query rows do not consist of whole 32 bits
func.func @odd_columns(%q: tensor<4x7xbf16>, %k: tensor<7x6xbf16>, %v: tensor<6x2xbf16>) -> tensor<4x2xbf16> {
  %x = graph.matmul %q, %k : (tensor<4x7xbf16>, tensor<7x6xbf16>) -> tensor<4x6xbf16>
  %p = graph.softmax %x {axis = 1 : i64} : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %o = graph.matmul %p, %v : (tensor<4x6xbf16>, tensor<6x2xbf16>) -> tensor<4x2xbf16>
  return %o : tensor<4x2xbf16>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the factors and the scores differ in their element types
func.func @wide_scores(%q: tensor<4x8xbf16>, %k: tensor<8x6xbf16>, %v: tensor<6x2xbf16>) -> tensor<4x2xbf16> {
  %x = graph.matmul %q, %k : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %w = graph.type_cast %p : tensor<4x6xf32> -> tensor<4x6xbf16>
  %o = graph.matmul %w, %v : (tensor<4x6xbf16>, tensor<6x2xbf16>) -> tensor<4x2xbf16>
  return %o : tensor<4x2xbf16>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the softmax is neither of the type of the scores nor of f32
func.func @narrow_softmax(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %n = graph.type_cast %x : tensor<4x6xf32> -> tensor<4x6xbf16>
  %p = graph.softmax %n {axis = 1 : i64} : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %w = graph.type_cast %p : tensor<4x6xbf16> -> tensor<4x6xf32>
  %o = graph.matmul %w, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}the steps of the softmax are rounded to a narrow type
func.func @narrow_steps(%q: tensor<4x8xbf16>, %k: tensor<8x6xbf16>, %v: tensor<6x2xbf16>) -> tensor<4x2xbf16> {
  %x = graph.matmul %q, %k : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xbf16>
  %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xbf16>) -> tensor<4x1xbf16>
  %d = graph.subtract %x, %m : (tensor<4x6xbf16>, tensor<4x1xbf16>) -> tensor<4x6xbf16>
  %e = graph.exp %d : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %t = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xbf16>) -> tensor<4x1xbf16>
  %p = graph.divide %e, %t : (tensor<4x6xbf16>, tensor<4x1xbf16>) -> tensor<4x6xbf16>
  %o = graph.matmul %p, %v : (tensor<4x6xbf16>, tensor<6x2xbf16>) -> tensor<4x2xbf16>
  return %o : tensor<4x2xbf16>
}

// -----

// REMARK: remark: {{.*}}NoAttention{{.*}}'graph.multiply' is between the softmax and the second matmul
func.func @scaled_weights(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>, %s: tensor<1x1xf32>) -> tensor<4x2xf32> {
  %x = graph.matmul %q, %k : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %w = graph.multiply %p, %s : (tensor<4x6xf32>, tensor<1x1xf32>) -> tensor<4x6xf32>
  %n = graph.abs %w : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %o = graph.matmul %n, %v : (tensor<4x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32>
  return %o : tensor<4x2xf32>
}

// -----

// A cast may be there; the remark names what may not.
// REMARK: remark: {{.*}}NoAttention{{.*}}'graph.abs' is between the softmax and the second matmul
func.func @after_cast(%q: tensor<4x8xbf16>, %k: tensor<8x6xbf16>, %v: tensor<6x2xbf16>) -> tensor<4x2xbf16> {
  %x = graph.matmul %q, %k : (tensor<4x8xbf16>, tensor<8x6xbf16>) -> tensor<4x6xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %n = graph.type_cast %p : tensor<4x6xf32> -> tensor<4x6xbf16>
  %w = graph.abs %n : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %o = graph.matmul %w, %v : (tensor<4x6xbf16>, tensor<6x2xbf16>) -> tensor<4x2xbf16>
  return %o : tensor<4x2xbf16>
}
