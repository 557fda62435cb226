// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Functions on tensors become functions on buffers: inputs, results, folded
// constants, in this order.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-propagate-layout,graph-fuse),graph-select-schedule,convert-graph-to-tir,canonicalize,cse)" | FileCheck %s

// The folded argument comes last, wherever it stood; the fold function takes the
// constant arguments: of the inputs, numbers 0 and 2.
// CHECK-LABEL: func.func @entry
// CHECK-SAME: (%[[U:[^:]*]]: memref<4xf32>, %[[X:[^:]*]]: memref<8x4xf32>, %[[V:[^:]*]]: memref<4xf32>, %[[Y:[^:]*]]: memref<8x4xf32>, %[[F:[^:]*]]: memref<4xf32>)
// CHECK-SAME: attributes {tir.entry = "entry", tir.folded = 1 : i64, tir.inputs = 3 : i64, tir.outputs = 1 : i64, tir.role = "compute"}
// CHECK-DAG: vector.load %[[X]]
// CHECK-DAG: vector.load %[[F]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK: func.func private @entry_fold(%[[U:[^:]*]]: memref<4xf32>, %[[V:[^:]*]]: memref<4xf32>, %[[Y:[^:]*]]: memref<4xf32>)
// CHECK-SAME: tir.entry = "entry"
// CHECK-SAME: tir.fold_inputs = array<i64: 0, 2>
// CHECK-SAME: tir.inputs = 2 : i64
// CHECK-SAME: tir.outputs = 1 : i64
// CHECK-SAME: tir.role = "fold"
func.func @entry(%u: tensor<4xf32> {graph.const_arg}, %f: tensor<4xf32> {graph.folded = 0 : i64}, %x: tensor<8x4xf32>, %v: tensor<4xf32> {graph.const_arg}) -> tensor<8x4xf32> attributes {graph.fold_function = @entry_fold} {
  %0 = graph.fused_op -> (tensor<8x4xf32>) {
    %1 = graph.add %x, %f : (tensor<8x4xf32>, tensor<4xf32>) -> tensor<8x4xf32>
    graph.yield %1 : tensor<8x4xf32>
  }
  return %0 : tensor<8x4xf32>
}
func.func private @entry_fold(%u: tensor<4xf32> {graph.const_arg}, %v: tensor<4xf32> {graph.const_arg}) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.add %u, %v : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

// A value passed from one region to the next is a temporary of the team;
// results are computed directly in the caller's buffers.
// CHECK-LABEL: func.func @between
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x8xf32>, %[[Y:[^:]*]]: memref<8x4xf32>)
// CHECK: %[[T:.*]] = tir.scratch : memref<4x8xf32>
// CHECK: tir.parallel
// CHECK: vector.store %{{.*}}, %[[T]]
// CHECK: tir.parallel
// CHECK: vector.load %[[T]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: tir.parallel
func.func @between(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = graph.fused_op -> (tensor<4x8xf32>) {
    %1 = graph.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  %2 = graph.fused_op -> (tensor<8x4xf32>) {
    %3 = graph.static_transpose %0 {order = array<i64: 1, 0>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
    graph.yield %3 : tensor<8x4xf32>
  }
  return %2 : tensor<8x4xf32>
}

// -----

// A value that is returned twice is computed once and copied; an argument that is
// returned is copied.
// CHECK-LABEL: func.func @returned_twice
// CHECK-SAME: (%[[X:[^:]*]]: memref<8xf32>, %{{[^:]*}}: memref<8xf32>, %{{[^:]*}}: memref<8xf32>, %[[Y2:[^:]*]]: memref<8xf32>)
// CHECK: math.exp
// CHECK: vector.store %{{.*}}, %[[Y:arg[12]]]
// CHECK: tir.parallel (%{{.*}}) in (1) attributes {name = "reorder"}
// CHECK: vector.load %[[Y]]
// CHECK: vector.store %{{.*}}, %arg{{[12]}}
// CHECK: tir.parallel (%{{.*}}) in (1) attributes {name = "reorder"}
// CHECK: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y2]]
// CHECK-NOT: math.exp
func.func @returned_twice(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>) {
  %0 = graph.fused_op -> (tensor<8xf32>) {
    %1 = graph.exp %x : (tensor<8xf32>) -> tensor<8xf32>
    graph.yield %1 : tensor<8xf32>
  }
  return %0, %0, %x : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>
}

// -----

// A reshape is a view; only a result that is returned is a copy.
// CHECK-LABEL: func.func @reshape
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x6xf32>, %[[Y:[^:]*]]: memref<3x8xf32>)
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[X]] to offset: [0], sizes: [3, 8], strides: [8, 1]
// CHECK: tir.parallel
// CHECK: vector.load %[[V]]
// CHECK: vector.store %{{.*}}, %[[Y]]
// CHECK-NOT: tir.parallel
func.func @reshape(%x: tensor<4x6xf32>) -> tensor<3x8xf32> {
  %0 = graph.static_reshape %x {shape = array<i64: 3, 8>} : (tensor<4x6xf32>) -> tensor<3x8xf32>
  %1 = graph.fused_op -> (tensor<3x8xf32>) {
    %2 = graph.exp %0 : (tensor<3x8xf32>) -> tensor<3x8xf32>
    graph.yield %2 : tensor<3x8xf32>
  }
  return %1 : tensor<3x8xf32>
}

// -----

// CHECK-LABEL: func.func @reshape_returned
// CHECK: %[[V:.*]] = memref.reinterpret_cast
// CHECK: tir.parallel {{.*}} {name = "reorder"}
// CHECK: vector.load %[[V]]
func.func @reshape_returned(%x: tensor<4x6xf32>) -> tensor<24xf32> {
  %0 = graph.static_reshape %x {shape = array<i64: 24>} : (tensor<4x6xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// The elements of a strided tensor are brought into row-major order, in the
// result itself.
// CHECK-LABEL: func.func @reshape_strided
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x6xf32, strided<[1, 4]>>, %[[Y:[^:]*]]: memref<24xf32>)
// CHECK-NOT: tir.scratch
// CHECK: %[[V:.*]] = memref.reinterpret_cast %[[Y]] to {{.*}} memref<24xf32> to memref<4x6xf32>
// CHECK: tir.parallel
// CHECK: %[[ROWS:.*]] = memref.transpose %[[X]] (d0, d1) -> (d1, d0)
// CHECK: vector.load %[[ROWS]]
// CHECK: vector.store {{.*}}, %[[V]]
// CHECK-NOT: tir.parallel
// CHECK: return
func.func @reshape_strided(%x: tensor<4x6xf32, #graph.layout<strided, [1, 4]>>) -> tensor<24xf32> {
  %0 = graph.static_reshape %x {shape = array<i64: 24>} : (tensor<4x6xf32, #graph.layout<strided, [1, 4]>>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}

// -----

// One value in two shapes: the first result is written in place, the second is a
// copy of it.
// CHECK-LABEL: func.func @two_views
// CHECK-SAME: memref<4x6xf32>, %[[Y:[^:]*]]: memref<24xf32>, %[[Z:[^:]*]]: memref<6x4xf32>)
// CHECK-DAG: memref.reinterpret_cast %[[Y]] {{.*}} to memref<4x6xf32>
// CHECK: tir.parallel {{.*}} {name = "relu"}
// CHECK: tir.parallel {{.*}} {name = "reorder"}
// CHECK: vector.store {{.*}}, %[[Z]]
func.func @two_views(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<6x4xf32>) {
  %0 = graph.relu %x : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %1 = graph.static_reshape %0 {shape = array<i64: 24>} : (tensor<4x6xf32>) -> tensor<24xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: 6, 4>} : (tensor<24xf32>) -> tensor<6x4xf32>
  return %1, %2 : tensor<24xf32>, tensor<6x4xf32>
}

// -----

// Constants are globals with signless elements: -2 in four bits is -2 in a byte,
// 14 of an unsigned type is 14.
// CHECK-DAG: memref.global "private" constant @[[$F:.*]] : memref<4xf32> = dense<[1.000000e+00, 2.000000e+00, 3.000000e+00, 4.000000e+00]> {alignment = 64 : i64}
// CHECK-DAG: memref.global "private" constant @[[$S:.*]] : memref<2xi8> = dense<[-2, 3]>
// CHECK-DAG: memref.global "private" constant @[[$U:.*]] : memref<2xi8> = dense<[14, 3]>
// CHECK-DAG: memref.global "private" constant @[[$R:.*]] : memref<2xf32> = dense_resource<weight>
// CHECK-LABEL: func.func @constants
// CHECK-DAG: memref.get_global @[[$F]]
// CHECK-DAG: memref.get_global @[[$S]]
// CHECK-DAG: memref.get_global @[[$U]]
// CHECK-DAG: memref.get_global @[[$R]]
func.func @constants() -> (tensor<4xf32>, tensor<2xsi4>, tensor<2xui4>, tensor<2xf32>) {
  %0 = graph.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  %1 = graph.constant dense<[-2, 3]> : tensor<2xsi4>
  %2 = graph.constant dense<[14, 3]> : tensor<2xui4>
  %3 = graph.constant dense_resource<weight> : tensor<2xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<2xsi4>, tensor<2xui4>, tensor<2xf32>
}

{-#
  dialect_resources: {
    builtin: {
      weight: "0x040000000000803F00000040"
    }
  }
#-}

// -----

// Functions without graph ops, and declarations, are left untouched; names and
// visibility stay.
// CHECK-LABEL: func.func @other(%{{.*}}: tensor<?xf32>) -> tensor<?xf32>
func.func @other(%x: tensor<?xf32>) -> tensor<?xf32> {
  return %x : tensor<?xf32>
}
// CHECK: func.func private @declaration(tensor<4xf32>)
func.func private @declaration(tensor<4xf32>)
// CHECK: func.func private @hidden(%{{.*}}: memref<4xf32>, %{{.*}}: memref<4xf32>)
func.func private @hidden(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
