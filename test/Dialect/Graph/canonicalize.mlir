// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Folders and canonicalisation patterns, and what they must leave alone.

// RUN: gc-opt %s --canonicalize | FileCheck %s

//===----------------------------------------------------------------------===//
// Neutral elements
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @neutral
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
func.func @neutral(%x: tensor<2x3xf32>)
    -> (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %ones = graph.constant dense<1.0> : tensor<3xf32>
  %0 = graph.add %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %1 = graph.add %zero, %x : (tensor<f32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = graph.subtract %x, %zero : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %3 = graph.multiply %x, %ones : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %4 = graph.multiply %ones, %x : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK-NOT: graph.
  // CHECK: return %[[X]], %[[X]], %[[X]], %[[X]], %[[X]] :
  return %0, %1, %2, %3, %4 : tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>
}

// CHECK-LABEL: func.func @neutral_integer
// CHECK-SAME: (%[[X:.*]]: tensor<3xsi32>)
func.func @neutral_integer(%x: tensor<3xsi32>) -> (tensor<3xsi32>, tensor<3xsi32>) {
  %zero = graph.constant dense<0> : tensor<3xsi32>
  %one = graph.constant dense<1> : tensor<si32>
  %0 = graph.add %x, %zero : (tensor<3xsi32>, tensor<3xsi32>) -> tensor<3xsi32>
  %1 = graph.multiply %x, %one : (tensor<3xsi32>, tensor<si32>) -> tensor<3xsi32>
  // CHECK: return %[[X]], %[[X]] :
  return %0, %1 : tensor<3xsi32>, tensor<3xsi32>
}

// 0 - x is not x; a zero that makes the result larger broadcasts; a zero in f32
// makes a bf16 tensor f32; values that differ are not neutral.
// CHECK-LABEL: func.func @not_neutral
func.func @not_neutral(%x: tensor<3xf32>, %b: tensor<3xbf16>)
    -> (tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) {
  %zero = graph.constant dense<0.0> : tensor<f32>
  %zeros = graph.constant dense<0.0> : tensor<2x3xf32>
  %some = graph.constant dense<[1.0, 1.0, 2.0]> : tensor<3xf32>
  // CHECK: graph.subtract
  %0 = graph.subtract %zero, %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: graph.add
  %1 = graph.add %x, %zeros : (tensor<3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  // CHECK: graph.add
  %2 = graph.add %b, %zero : (tensor<3xbf16>, tensor<f32>) -> tensor<3xf32>
  // CHECK: graph.multiply
  %3 = graph.multiply %x, %some : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: graph.multiply
  %4 = graph.multiply %x, %zero : (tensor<3xf32>, tensor<f32>) -> tensor<3xf32>
  return %0, %1, %2, %3, %4 : tensor<3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>
}

// Commutative ops have their constant on the right.
// CHECK-LABEL: func.func @commutative
// CHECK-SAME: (%[[X:.*]]: tensor<3xf32>)
func.func @commutative(%x: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %two = graph.constant dense<2.0> : tensor<f32>
  // CHECK: %[[TWO:.*]] = graph.constant
  // CHECK: graph.maximum %[[X]], %[[TWO]] :
  %0 = graph.maximum %two, %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  // CHECK: graph.divide %[[TWO]], %[[X]] :
  %1 = graph.divide %two, %x : (tensor<f32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1 : tensor<3xf32>, tensor<3xf32>
}

//===----------------------------------------------------------------------===//
// Data movement
//===----------------------------------------------------------------------===//

// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:.*]]: tensor<2x6xf32>)
func.func @reshape(%x: tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<4x3xf32>, tensor<2x6xf32>) {
  %0 = graph.static_reshape %x {shape = array<i64: 2, 6>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  // A chain depends on its first source alone.
  // CHECK-NEXT: %[[R:.*]] = graph.static_reshape %[[X]] {shape = array<i64: 4, 3>} : (tensor<2x6xf32>) -> tensor<4x3xf32>
  %1 = graph.static_reshape %x {shape = array<i64: 12>} : (tensor<2x6xf32>) -> tensor<12xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: -1, 3>} : (tensor<12xf32>) -> tensor<4x3xf32>
  %3 = graph.static_reshape %2 {shape = array<i64: 2, -1>} : (tensor<4x3xf32>) -> tensor<2x6xf32>
  // CHECK-NEXT: return %[[X]], %[[R]], %[[X]] :
  return %0, %2, %3 : tensor<2x6xf32>, tensor<4x3xf32>, tensor<2x6xf32>
}

// CHECK-LABEL: func.func @reshape_constant
func.func @reshape_constant() -> tensor<2x2xf32> {
  // CHECK: %[[C:.*]] = graph.constant dense<{{\[}}[1.000000e+00, 2.000000e+00], [3.000000e+00, 4.000000e+00]]> : tensor<2x2xf32>
  // CHECK-NEXT: return %[[C]]
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 2, 2>} : (tensor<4xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}

// The sizes of a chain of dynamic reshapes are not known yet.
// CHECK-LABEL: func.func @reshape_dynamic
func.func @reshape_dynamic(%x: tensor<?x4xf32>) -> tensor<?x2xf32> {
  // CHECK: graph.static_reshape %{{.*}} {shape = array<i64: -1, 8>}
  // CHECK: graph.static_reshape %{{.*}} {shape = array<i64: -1, 2>}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 8>} : (tensor<?x4xf32>) -> tensor<?x8xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: -1, 2>} : (tensor<?x8xf32>) -> tensor<?x2xf32>
  return %1 : tensor<?x2xf32>
}

// CHECK-LABEL: func.func @transpose
// CHECK-SAME: (%[[X:.*]]: tensor<2x2xf32>)
func.func @transpose(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 0, -1>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // Of the same type, but with the elements elsewhere.
  // CHECK: %[[T:.*]] = graph.static_transpose
  %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  // CHECK: return %[[X]], %[[T]]
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

#blocked = #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>
#other = #graph.layout<blocked, outer = [0, 1], inner = [0 : 4]>

// CHECK-LABEL: func.func @reorder
// CHECK-SAME: (%[[X:.*]]: tensor<8x8xf32>)
func.func @reorder(%x: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32, #other>) {
  %0 = graph.reorder %x : tensor<8x8xf32> -> tensor<8x8xf32, #blocked>
  // There and back.
  %1 = graph.reorder %0 : tensor<8x8xf32, #blocked> -> tensor<8x8xf32>
  // One copy instead of two.
  // CHECK-NEXT: %[[R:.*]] = graph.reorder %[[X]] : tensor<8x8xf32> -> tensor<8x8xf32, #{{.*}}>
  %2 = graph.reorder %0 : tensor<8x8xf32, #blocked> -> tensor<8x8xf32, #other>
  // CHECK-NEXT: return %[[X]], %[[R]]
  return %1, %2 : tensor<8x8xf32>, tensor<8x8xf32, #other>
}

// CHECK-LABEL: func.func @type_cast
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @type_cast(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.type_cast %x : tensor<4xf32> -> tensor<4xf32>
  // Rounding to bf16 and back is not the identity.
  // CHECK: graph.type_cast
  // CHECK: %[[C:.*]] = graph.type_cast
  %1 = graph.type_cast %x : tensor<4xf32> -> tensor<4xbf16>
  %2 = graph.type_cast %1 : tensor<4xbf16> -> tensor<4xf32>
  // CHECK: return %[[X]], %[[C]]
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

//===----------------------------------------------------------------------===//
// Structure
//===----------------------------------------------------------------------===//

// `end` and unused results go; what the graph's owner keeps to itself stays.
// CHECK-LABEL: func.func @structure
// CHECK-SAME: (%[[X:.*]]: tensor<4xf32>)
func.func @structure(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: %[[R:.*]] = graph.relu %[[X]]
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: graph.exp
  %1 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NOT: graph.end
  graph.end %0 : tensor<4xf32>
  // CHECK-NEXT: graph.wildcard %[[R]]
  %2 = graph.wildcard %0 : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK-NEXT: return %[[R]]
  return %0 : tensor<4xf32>
}

// A dead region goes as a whole.
// CHECK-LABEL: func.func @dead_region
// CHECK-NEXT: return
func.func @dead_region(%x: tensor<4xf32>) {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return
}

// Sizes that vary may change places, and a constant takes a shape when these
// are known.
// CHECK-LABEL: func.func @open_reshapes
// CHECK-DAG: %[[SWAPPED:.*]] = graph.static_reshape %{{.*}} {dims = ["time", "batch"]
// CHECK-DAG: %[[SPLIT:.*]] = graph.static_reshape %{{.*}} {dims = ["batch", ""]
// CHECK: return %[[SWAPPED]], %[[SPLIT]]
func.func @open_reshapes(%x: tensor<?x?xf32> {graph.dims = ["batch", "time"]})
    -> (tensor<?x?xf32>, tensor<?x?xf32>)
    attributes {graph.dim_bounds = {batch = [1, 4], time = [1, 8]}} {
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1>, dims = ["time", "batch"]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %c = graph.constant dense<1.0> : tensor<4xf32>
  %1 = graph.static_reshape %c {shape = array<i64: -1, -1>, dims = ["batch", ""]} : (tensor<4xf32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
}
