// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dropout and random masks through text, the generic form and bytecode, and what
// dropout decomposes to.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s
// RUN: gc-opt %s --graph-decompose | FileCheck %s --check-prefix=DECOMPOSED

// CHECK-LABEL: func.func @dropout(
// CHECK: graph.dropout %{{[^{]*}} : (tensor<4x3x5xbf16>, tensor<1xui64>, tensor<ui64>, tensor<1x1xf32>) -> tensor<4x3x5xbf16>

// The index of an element in row-major order, whatever the layout of src.
// DECOMPOSED-LABEL: func.func @dropout(
// DECOMPOSED-DAG: %[[SEED:.*]] = graph.static_reshape %arg1 {shape = array<i64>{{.*}}} : (tensor<1xui64>) -> tensor<ui64>
// DECOMPOSED-DAG: %[[P:.*]] = graph.static_reshape %arg3 {{.*}} -> tensor<f32>
// DECOMPOSED-DAG: %[[FIRST:.*]] = graph.gen_index %arg0 {axis = 0 : i64}
// DECOMPOSED-DAG: graph.constant dense<15> : tensor<si32>
// DECOMPOSED-DAG: graph.multiply %[[FIRST]], %{{.*}} : (tensor<4x3x5xsi32>, tensor<si32>) -> tensor<4x3x5xsi32>
// DECOMPOSED-DAG: graph.gen_index %arg0 {axis = 1 : i64}
// DECOMPOSED: graph.gen_index %arg0 {axis = 2 : i64}
// DECOMPOSED-NEXT: %[[INDEX:.*]] = graph.add {{.*}} {no_overflow = true} : (tensor<4x3x5xsi32>, tensor<4x3x5xsi32>) -> tensor<4x3x5xsi32>
// DECOMPOSED: %[[MASK:.*]] = graph.random_mask %[[INDEX]], %[[SEED]], %arg2, %[[P]] : (tensor<4x3x5xsi32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<4x3x5xi1>
// DECOMPOSED: graph.clamp %[[P]] {max = 1.000000e+00 : f32, min = 0.000000e+00 : f32}
// DECOMPOSED: %[[FACTOR:.*]] = graph.reciprocal
// DECOMPOSED: %[[SCALED:.*]] = graph.multiply %arg0, %[[FACTOR]] : (tensor<4x3x5xbf16>, tensor<f32>) -> tensor<4x3x5xf32>
// DECOMPOSED: %[[KEPT:.*]] = graph.select %[[MASK]], %[[SCALED]], %{{.*}} -> tensor<4x3x5xf32>
// DECOMPOSED: graph.type_cast %[[KEPT]] : tensor<4x3x5xf32> -> tensor<4x3x5xbf16>
func.func @dropout(%x: tensor<4x3x5xbf16>, %seed: tensor<1xui64>, %offset: tensor<ui64>, %p: tensor<1x1xf32>) -> tensor<4x3x5xbf16> {
  %0 = graph.dropout %x, %seed, %offset, %p : (tensor<4x3x5xbf16>, tensor<1xui64>, tensor<ui64>, tensor<1x1xf32>) -> tensor<4x3x5xbf16>
  return %0 : tensor<4x3x5xbf16>
}

// One element: no dimension has an index.
// DECOMPOSED-LABEL: func.func @one(
// DECOMPOSED: %[[ZERO:.*]] = graph.constant dense<0> : tensor<1x1xsi32>
// DECOMPOSED: graph.random_mask %[[ZERO]]
func.func @one(%x: tensor<1x1xf32>, %seed: tensor<ui64>, %offset: tensor<ui64>, %p: tensor<f32>) -> tensor<1x1xf32> {
  %0 = graph.dropout %x, %seed, %offset, %p : (tensor<1x1xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// CHECK-LABEL: func.func @mask(
// CHECK: graph.random_mask %{{[^{]*}} : (tensor<7x?xsi32>, tensor<1xui64>, tensor<ui64>, tensor<f32>) -> tensor<7x?xi1>
func.func @mask(%i: tensor<7x?xsi32>, %seed: tensor<1xui64>, %offset: tensor<ui64>, %p: tensor<f32>) -> tensor<7x?xi1> {
  %0 = graph.random_mask %i, %seed, %offset, %p : (tensor<7x?xsi32>, tensor<1xui64>, tensor<ui64>, tensor<f32>) -> tensor<7x?xi1>
  return %0 : tensor<7x?xi1>
}
