// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// graph-expand-templates: an op whose template is made of others becomes ops with
// these templates, and softmax as basic ops of its kind.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-expand-templates))" | FileCheck %s

// The division comes after the product, whose rows are shorter.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[Q:.*]]: tensor<4x8xf32>, %[[K:.*]]: tensor<8x6xf32>, %[[V:.*]]: tensor<6x2xf32>, %[[MASK:.*]]: tensor<1x6xf32>)
// CHECK-NEXT: %[[S:.*]] = graph.matmul %[[Q]], %[[K]] {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>}
// CHECK-NEXT: %[[X:.*]] = graph.add %[[S]], %[[MASK]]
// CHECK-NEXT: %[[M:.*]] = graph.reduce_max %[[X]] {any_if_nan, axes = array<i64: 1>, keep_dims = true}
// CHECK-NEXT: %[[D:.*]] = graph.subtract %[[X]], %[[M]]
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[D]] {at_most_one = true}
// CHECK-NEXT: %[[T:.*]] = graph.reduce_sum %[[E]] {axes = array<i64: 1>, keep_dims = true}
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[E]], %[[V]] {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 2, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false>}
// CHECK-NEXT: %[[O:.*]] = graph.divide %[[P]], %[[T]]
// CHECK-NEXT: return %[[O]]
func.func @example(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>, %mask: tensor<1x6xf32>) -> tensor<4x2xf32> {
  %o = graph.attention %q, %k, %v {template_params = #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>, product = <MPN = 1, NPN = 1, MB = 2, NB = 2, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    %x = graph.add %s, %mask : (tensor<4x6xf32>, tensor<1x6xf32>) -> tensor<4x6xf32>
    graph.yield %x : tensor<4x6xf32>
  }
  return %o : tensor<4x2xf32>
}

// Rows of the result that are longer than those of the scores are divided first.
// CHECK-LABEL: func.func @inf_as_zero
// CHECK: %[[MAX:.*]] = graph.reduce_max
// CHECK-NEXT: %[[LOWEST:.*]] = graph.constant dense<-3.40282347E+38>
// CHECK-NEXT: graph.maximum %[[MAX]], %[[LOWEST]]
// CHECK: %[[SUM:.*]] = graph.reduce_sum
// CHECK-NEXT: %[[ONE:.*]] = graph.constant dense<1.000000e+00>
// CHECK-NEXT: graph.maximum %[[SUM]], %[[ONE]]
// CHECK-NEXT: %[[W:.*]] = graph.divide
// CHECK-NEXT: graph.matmul %[[W]]
// CHECK-NEXT: return
func.func @inf_as_zero(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x20xf32>) -> tensor<4x20xf32> {
  %o = graph.attention %q, %k, %v {mode = "inf_as_zero", template_params = #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>, product = <MPN = 1, NPN = 1, MB = 2, NB = 20, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x20xf32>) -> tensor<4x20xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return %o : tensor<4x20xf32>
}

// No maximum.
// CHECK-LABEL: func.func @unshifted
// CHECK: %[[S:.*]] = graph.matmul
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[S]]
// CHECK-NEXT: %[[T:.*]] = graph.reduce_sum %[[E]]
// CHECK-NEXT: %[[P:.*]] = graph.matmul %[[E]]
// CHECK-NEXT: graph.divide %[[P]], %[[T]]
func.func @unshifted(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>) -> tensor<4x2xf32> {
  %o = graph.attention %q, %k, %v {mode = "unshifted", template_params = #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>, product = <MPN = 1, NPN = 1, MB = 2, NB = 2, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return %o : tensor<4x2xf32>
}

// Templates that are emitted themselves, and ops without one, stay.
// CHECK-LABEL: func.func @others
// CHECK: graph.attention {{.*}} #graph.attention_template<
// CHECK: graph.matmul
// CHECK-NOT: template_params
// CHECK: return
func.func @others(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x2xf32>, %w: tensor<2x2xf32>) -> tensor<4x2xf32> {
  %o = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 2, RB = 2, SB = 16, NB = 16, KB = 16>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x2xf32>) -> tensor<4x2xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  %r = graph.matmul %o, %w : (tensor<4x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
  return %r : tensor<4x2xf32>
}
