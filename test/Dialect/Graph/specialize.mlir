// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --graph-specialize="dims=batch=16" | FileCheck %s
// RUN: gc-opt %s --split-input-file --graph-specialize="dims={ batch=16 }" | FileCheck %s
// RUN: gc-opt %s --graph-specialize=dims=batch=16 --dump-pass-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=PRINTED
// RUN: gc-opt %s --split-input-file --verify-roundtrip | FileCheck %s --check-prefix=SAME

// PRINTED: graph-specialize{dims={batch=16}}

// The example of the pass's description.
// SAME-LABEL: func.func @example
// SAME-SAME: tensor<?x8xf32> {graph.dims = ["batch", ""]}
// SAME-SAME: graph.dim_bounds = {batch = [1, 64]}
// CHECK-LABEL: func.func @example
// CHECK-SAME: (%{{.*}}: tensor<16x8xf32>, %{{.*}}: tensor<8x2xf32>) -> tensor<16x2xf32> {
func.func @example(%x: tensor<?x8xf32> {graph.dims = ["batch", ""]},
                   %w: tensor<8x2xf32>) -> tensor<?x2xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // CHECK: graph.matmul {{.*}} -> tensor<16x2xf32>
  %0 = graph.matmul %x, %w : (tensor<?x8xf32>, tensor<8x2xf32>) -> tensor<?x2xf32>
  return %0 : tensor<?x2xf32>
}

// -----

// Sizes that are copied or computed by a reshape, ops that keep the shape and
// choose the element type, several results, other attributes of arguments.
// CHECK-LABEL: func.func @many
// CHECK-SAME: %{{.*}}: tensor<16x6xf32> {graph.name = "x"}
func.func @many(%x: tensor<?x6xf32> {graph.name = "x", graph.dims = ["batch", ""]})
    -> (tensor<?x2xbf16>, tensor<?xf32>)
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // CHECK: graph.static_reshape {{.*}} -> tensor<16x3x2xf32>
  %0 = graph.static_reshape %x {shape = array<i64: 0, 3, 2>, special_zero = true} : (tensor<?x6xf32>) -> tensor<?x3x2xf32>
  // CHECK: graph.static_reshape {{.*}} -> tensor<48x2xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: -1, 2>, special_zero = true} : (tensor<?x3x2xf32>) -> tensor<?x2xf32>
  // CHECK: graph.type_cast {{.*}} -> tensor<48x2xbf16>
  %2 = graph.type_cast %1 : tensor<?x2xf32> -> tensor<?x2xbf16>
  // CHECK: graph.reduce_sum {{.*}} -> tensor<16xf32>
  %3 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = false} : (tensor<?x6xf32>) -> tensor<?xf32>
  // CHECK: return {{.*}} tensor<48x2xbf16>, tensor<16xf32>
  return %2, %3 : tensor<?x2xbf16>, tensor<?xf32>
}

// -----

// A name that gets no size stays, also in a sum; a sum of fixed sizes is one.
// CHECK-LABEL: func.func @some
// CHECK-SAME: %{{.*}}: tensor<16x?xf32> {graph.dims = ["", "past"]}
// CHECK-SAME: %{{.*}}: tensor<?x33xf32> {graph.dims = ["16 * past + 1", ""]}
// CHECK-SAME: -> tensor<16x?xf32> attributes {graph.dim_bounds = {past = [2, 8]}}
func.func @some(%x: tensor<?x?xf32> {graph.dims = ["batch", "past"]},
                %y: tensor<?x?xf32> {graph.dims = ["past * batch + 1", "1 + 2 * batch"]})
    -> tensor<?x?xf32>
    attributes {graph.dim_bounds = {batch = [1, 64], past = [2, 8]}} {
  // CHECK: graph.concat {{.*}} -> tensor<16x?xf32>
  %0 = graph.concat %x, %x {axis = 1 : i64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

// Sizes that an op has as expressions: those that are fixed become numbers.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME: -> tensor<16x?x8xf32>
func.func @reshape(%x: tensor<?x8xf32> {graph.dims = ["batch + batch * past", ""]},
                   %y: tensor<?x?xf32> {graph.dims = ["batch", "past"]})
    -> tensor<?x?x8xf32>
    attributes {graph.dim_bounds = {batch = [1, 64], past = [1, 9]}} {
  // SAME: dims = ["batch", "past + 1", ""]
  // CHECK: graph.static_reshape %{{.*}} {dims = ["", "past + 1", ""], shape = array<i64: 16, -1, 8>}
  // CHECK-SAME: (tensor<?x8xf32>) -> tensor<16x?x8xf32>
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1, 8>, dims = ["batch", "past + 1", ""]} : (tensor<?x8xf32>) -> tensor<?x?x8xf32>
  return %0 : tensor<?x?x8xf32>
}

// -----

// Without names, there is no attribute either.
// CHECK-LABEL: func.func @fixed_reshape
func.func @fixed_reshape(%x: tensor<?x8xf32> {graph.dims = ["2 * batch", ""]}) -> tensor<?x?x?xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // CHECK: graph.static_reshape %{{.*}} {shape = array<i64: 16, 2, -1>} : (tensor<32x8xf32>) -> tensor<16x2x8xf32>
  %0 = graph.static_reshape %x {shape = array<i64: -1, 2, -1>, dims = ["batch", "", ""]} : (tensor<?x8xf32>) -> tensor<?x2x?xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 0, 0, 0>, special_zero = true} : (tensor<?x2x?xf32>) -> tensor<?x?x?xf32>
  return %1 : tensor<?x?x?xf32>
}

// -----

// Functions without names are left alone, also where sizes are dynamic.
// CHECK-LABEL: func.func @other(
// CHECK-SAME: tensor<?xf32>
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// CHECK-LABEL: func.func private @declaration(tensor<16xf32>) -> tensor<4xf32>
func.func private @declaration(tensor<?xf32> {graph.dims = ["batch"]}) -> tensor<4xf32>
    attributes {graph.dim_bounds = {batch = [16, 16]}}
