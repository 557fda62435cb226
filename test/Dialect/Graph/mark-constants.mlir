// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-mark-constants))" | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @example
func.func @example(%x: tensor<8xf32>, %w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
  // CHECK-NEXT: graph.exp %{{.*}} {graph.constant_value}
  %0 = graph.exp %w : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: graph.add %{{.*}}, %{{.*}} :
  %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// Constants, marked arguments and marked ops alike; a chain is followed.
// CHECK-LABEL: func.func @chain
func.func @chain(%x: tensor<2x2xf32>, %w: tensor<2x2xf32> {graph.const_arg, graph.name = "w"}) -> tensor<2x2xf32> {
  // The constant itself is not work that could move.
  // CHECK-NEXT: graph.constant dense<2.000000e+00> : tensor<2xf32>
  %c = graph.constant dense<2.0> : tensor<2xf32>
  // CHECK-NEXT: graph.multiply {{.*}} {graph.constant_value}
  %0 = graph.multiply %w, %c : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: graph.static_transpose {{.*}} {graph.constant_value, order
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: graph.reorder {{.*}} {graph.constant_value}
  %2 = graph.reorder %1 : tensor<2x2xf32> -> tensor<2x2xf32, #graph.layout<any>>
  // Tunable ops as well.
  // CHECK-NEXT: graph.matmul {{.*}} {graph.constant_value}
  %3 = graph.matmul %w, %1 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: graph.matmul %{{.*}}, %{{.*}} :
  %4 = graph.matmul %x, %3 : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK-NEXT: graph.add %{{.*}}, %{{.*}} :
  %5 = graph.add %4, %2 : (tensor<2x2xf32>, tensor<2x2xf32, #graph.layout<any>>) -> tensor<2x2xf32>
  return %5 : tensor<2x2xf32>
}

// Ops that may have effects are not marked, nor are their users.
// CHECK-LABEL: func.func @effects
func.func @effects(%w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
  // CHECK-NEXT: graph.wildcard %{{.*}} :
  %0 = graph.wildcard %w : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: graph.exp %{{.*}} :
  %1 = graph.exp %0 : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK-NEXT: graph.end %{{.*}} :
  graph.end %w : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// A mark that is wrong is taken away.
// CHECK-LABEL: func.func @stale
func.func @stale(%x: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: graph.exp %{{.*}} :
  %0 = graph.exp %x {graph.constant_value} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Argument 0 of a block is not argument 0 of the function.
// CHECK-LABEL: func.func @blocks
func.func @blocks(%w: tensor<8xf32> {graph.const_arg}, %x: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^next(%x : tensor<8xf32>)
^next(%y: tensor<8xf32>):
  // CHECK: graph.exp %{{.*}} :
  %0 = graph.exp %y : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Ops of other dialects stay unmarked.
// CHECK-LABEL: func.func @other
func.func @other(%w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
  // CHECK-NEXT: arith.addf %{{.*}}, %{{.*}} :
  %0 = arith.addf %w, %w : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func private @declaration
func.func private @declaration(tensor<8xf32> {graph.const_arg})
