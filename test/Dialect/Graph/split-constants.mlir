// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --graph-split-constants | FileCheck %s
// A function that has been split is not split again.
// RUN: gc-opt %s --split-input-file --graph-split-constants --graph-split-constants | FileCheck %s

// The example of the pass's description.
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%[[X:.*]]: tensor<8xf32>, %{{.*}}: tensor<8xf32> {graph.const_arg}, %[[F:.*]]: tensor<8xf32> {graph.folded = 0 : i64})
// CHECK-SAME: attributes {graph.fold_function = @example_fold}
// CHECK-NEXT: graph.add %[[X]], %[[F]]
// CHECK: func.func private @example_fold(%[[W:.*]]: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32>
// CHECK-NEXT: %[[E:.*]] = graph.exp %[[W]] :
// CHECK-NEXT: return %[[E]]
func.func @example(%x: tensor<8xf32>, %w: tensor<8xf32> {graph.const_arg}) -> tensor<8xf32> {
  %0 = graph.exp %w {graph.constant_value} : (tensor<8xf32>) -> tensor<8xf32>
  %1 = graph.add %x, %0 : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// Two weights and a constant; a value that both halves need is handed over, one
// that only the fold function needs is not. The constant that the rest uses stays
// there too.
// CHECK-LABEL: func.func @several
// CHECK-SAME: %[[U:[^:]*]]: tensor<4xf32> {graph.const_arg, graph.name = "u"}
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
// CHECK-SAME: %[[V:[^:]*]]: tensor<4xf32> {graph.const_arg}
// CHECK-SAME: %[[F0:[^:]*]]: tensor<4xf32> {graph.folded = 0 : i64}
// CHECK-SAME: %[[F1:[^:]*]]: tensor<4xf32> {graph.folded = 1 : i64})
// CHECK: %[[C:.*]] = graph.constant
// CHECK: graph.add %[[X]], %[[F0]]
// CHECK: graph.add %{{.*}}, %[[F1]]
// CHECK: graph.multiply %{{.*}}, %[[C]]
// A weight can also be used directly.
// CHECK: graph.add %{{.*}}, %[[V]]
// CHECK: func.func private @several_fold(%[[U:.*]]: tensor<4xf32> {graph.const_arg, graph.name = "u"}, %[[V:.*]]: tensor<4xf32> {graph.const_arg}) -> (tensor<4xf32>, tensor<4xf32>)
// CHECK-DAG: %[[C:.*]] = graph.constant dense<2.000000e+00>
// CHECK-DAG: %[[P:.*]] = graph.multiply %[[U]], %[[C]]
// CHECK-DAG: %[[E:.*]] = graph.exp %[[P]]
// CHECK-DAG: %[[S:.*]] = graph.add %[[E]], %[[V]]
// CHECK: return %[[P]], %[[S]]
func.func @several(%u: tensor<4xf32> {graph.const_arg, graph.name = "u"}, %x: tensor<4xf32>, %v: tensor<4xf32> {graph.const_arg}) -> tensor<4xf32> {
  %c = graph.constant dense<2.0> : tensor<f32>
  %0 = graph.multiply %u, %c {graph.constant_value} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %1 = graph.exp %0 {graph.constant_value} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = graph.add %1, %v {graph.constant_value} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = graph.add %x, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %4 = graph.add %3, %2 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.multiply %4, %c : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %6 = graph.add %5, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// An outer sum of 4 + 8 elements has 32: it would only take more memory traffic.
// Ops that depend on it stay with it. A reorder moves although padding makes it
// larger, because that is packing.
// CHECK-LABEL: func.func @growing
// CHECK-SAME: %[[F:[^:]*]]: tensor<3x8xf32, #graph.layout<{{[^>]*}}>> {graph.folded = 0 : i64}) ->
// CHECK: graph.add
// CHECK: graph.exp
// CHECK: return %{{.*}}, %[[F]]
// CHECK: func.func private @growing_fold
// CHECK-NOT: graph.add
// CHECK: graph.reorder
#padded = #graph.layout<blocked, outer = [0, 1], inner = [0 : 16]>
func.func @growing(%u: tensor<4x1xf32> {graph.const_arg}, %v: tensor<8xf32> {graph.const_arg}, %w: tensor<3x8xf32> {graph.const_arg}) -> (tensor<4x8xf32>, tensor<3x8xf32, #padded>) {
  %0 = graph.add %u, %v {graph.constant_value} : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = graph.exp %0 {graph.constant_value} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = graph.reorder %w {graph.constant_value} : tensor<3x8xf32> -> tensor<3x8xf32, #padded>
  return %1, %2 : tensor<4x8xf32>, tensor<3x8xf32, #padded>
}

// -----

// What is written into another layout moves as well, although it grows.
// CHECK-LABEL: func.func @grown_and_packed
// CHECK-NOT: graph.reorder
// CHECK: return
// CHECK: func.func private @grown_and_packed_fold
// CHECK: graph.add
// CHECK: graph.static_reshape
// CHECK: graph.reorder
#packed = #graph.layout<blocked, outer = [0, 1], inner = [0 : 16]>
func.func @grown_and_packed(%u: tensor<4x1xf32> {graph.const_arg}, %v: tensor<8xf32> {graph.const_arg}) -> tensor<16x2xf32, #packed> {
  %0 = graph.add %u, %v {graph.constant_value} : (tensor<4x1xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  %1 = graph.static_reshape %0 {graph.constant_value, shape = array<i64: 16, 2>} : (tensor<4x8xf32>) -> tensor<16x2xf32>
  %2 = graph.reorder %1 {graph.constant_value} : tensor<16x2xf32> -> tensor<16x2xf32, #packed>
  return %2 : tensor<16x2xf32, #packed>
}

// -----

// From constants alone: a fold function without arguments.
// CHECK-LABEL: func.func @literals
// CHECK-SAME: (%[[F:.*]]: tensor<4xf32> {graph.folded = 0 : i64}) -> tensor<4xf32>
// CHECK: return %[[F]]
// CHECK: func.func private @literals_fold() -> tensor<4xf32>
// CHECK-NEXT: graph.constant
// CHECK-NEXT: graph.exp
func.func @literals() -> tensor<4xf32> {
  %c = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %0 = graph.exp %c {graph.constant_value} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// The name may be taken.
// CHECK-LABEL: func.func @taken
// CHECK-SAME: graph.fold_function = @[[NAME:taken_fold_[0-9]+]]
// CHECK: func.func private @[[NAME]]
// CHECK: func.func private @taken_fold()
func.func @taken(%w: tensor<4xf32> {graph.const_arg}) -> tensor<4xf32> {
  %0 = graph.exp %w {graph.constant_value} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @taken_fold()

// -----

// Nothing is marked: nothing moves, although it could.
// CHECK-LABEL: func.func @unmarked
// CHECK-SAME: (%{{.*}}: tensor<4xf32> {graph.const_arg}) -> tensor<4xf32> {
// CHECK-NEXT: graph.exp
// CHECK-NOT: func.func
func.func @unmarked(%w: tensor<4xf32> {graph.const_arg}) -> tensor<4xf32> {
  %0 = graph.exp %w : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A mark on something that depends on an input is not believed.
// CHECK-LABEL: func.func @wrong
// CHECK-SAME: (%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: graph.exp
// CHECK-NOT: func.func
func.func @wrong(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x {graph.constant_value} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
