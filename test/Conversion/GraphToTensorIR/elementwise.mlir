// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions without a tunable op: one parallel loop over rows, vectors along the
// last dimension.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse),graph-select-schedule,convert-graph-to-tir,canonicalize,cse)" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-fuse),graph-select-schedule{vector-bytes=4},convert-graph-to-tir,canonicalize,cse)" | FileCheck %s --check-prefix=SCALAR

// Without vectors, as for C, there are none of four vectors either.
// SCALAR-NOT: vector<{{[2-9]|[1-9][0-9]}}

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// Rows are shared; a row, a column and a scalar broadcast. Values that are the
// same for a whole row are loaded once.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: (%[[X:.*]]: memref<4x16xf32>, %[[ROW:.*]]: memref<16xf32>, %[[COLUMN:.*]]: memref<4x1xf32>, %[[S:.*]]: memref<f32>, %[[Y:.*]]: memref<4x16xf32>)
// CHECK: tir.parallel (%[[I:.*]]) in (4) attributes {name = "add+multiply+maximum"} {
// CHECK-DAG: memref.load %[[COLUMN]][%[[I]], %c0]
// CHECK-DAG: memref.load %[[S]][]
// CHECK: scf.for %[[J:.*]] = %c0 to %c16 step %c8 {
// CHECK-DAG: vector.load %[[X]][%[[I]], %[[J]]] : memref<4x16xf32>, vector<8xf32>
// CHECK-DAG: vector.load %[[ROW]][%[[J]]] : memref<16xf32>, vector<8xf32>
// CHECK-DAG: arith.addf
// CHECK-DAG: arith.mulf
// CHECK: arith.maximumf
// CHECK: vector.store %{{.*}}, %[[Y]][%[[I]], %[[J]]]
func.func @broadcast(%x: tensor<4x16xf32>, %row: tensor<16xf32>, %col: tensor<4x1xf32>, %s: tensor<f32>) -> tensor<4x16xf32> {
  %0 = graph.fused_op attributes {name = "add+multiply+maximum"} -> (tensor<4x16xf32>) {
    %1 = graph.add %x, %row : (tensor<4x16xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    %2 = graph.multiply %1, %col : (tensor<4x16xf32>, tensor<4x1xf32>) -> tensor<4x16xf32>
    %3 = graph.maximum %2, %s : (tensor<4x16xf32>, tensor<f32>) -> tensor<4x16xf32>
    graph.yield %3 : tensor<4x16xf32>
  }
  return %0 : tensor<4x16xf32>
}

// 20 columns are two vectors of 8 and one of 4. bf16 is computed in f32, and not
// rounded before it is stored as bf16.
// CHECK-LABEL: func.func @bf16
// CHECK: scf.for %{{.*}} = %c0 to %c16 step %c8 {
// CHECK: %[[B:.*]] = vector.load {{.*}} vector<8xbf16>
// CHECK: %[[F:.*]] = arith.extf %[[B]] : vector<8xbf16> to vector<8xf32>
// CHECK: %[[E:.*]] = math.exp %[[F]]
// CHECK-NEXT: vector.store %[[E]], {{.*}} vector<8xf32>
// CHECK: }
// CHECK: vector.load %{{.*}}, %c16] : memref<4x20xbf16>, vector<4xbf16>
// CHECK: vector.store {{.*}} vector<4xf32>
func.func @bf16(%x: tensor<4x20xbf16>) -> tensor<4x20xf32> {
  %0 = graph.fused_op -> (tensor<4x20xf32>) {
    %1 = graph.exp %x : (tensor<4x20xbf16>) -> tensor<4x20xbf16>
    %2 = graph.type_cast %1 : tensor<4x20xbf16> -> tensor<4x20xf32>
    graph.yield %2 : tensor<4x20xf32>
  }
  return %0 : tensor<4x20xf32>
}

// The steps of long computations of four vectors are interleaved: 60 columns are
// four vectors of 8 at a time, three alone, and one of 4.
// CHECK-LABEL: func.func @interleaved(
// CHECK: tir.parallel
// CHECK-NOT: scf.for
// CHECK: math.tanh {{.*}} : vector<32xf32>
// CHECK: vector.store {{.*}}, %c0]
// CHECK: math.tanh {{.*}} : vector<8xf32>
// CHECK: vector.store {{.*}}, %c32]
// CHECK: vector.store {{.*}}, %c40]
// CHECK: vector.store {{.*}}, %c48]
// CHECK: math.tanh {{.*}} : vector<4xf32>
// CHECK: vector.store {{.*}}, %c56]
// CHECK-NOT: vector.store
func.func @interleaved(%x: tensor<4x60xf32>) -> tensor<4x60xf32> {
  %0 = graph.fused_op -> (tensor<4x60xf32>) {
    %1 = graph.tanh %x : (tensor<4x60xf32>) -> tensor<4x60xf32>
    graph.yield %1 : tensor<4x60xf32>
  }
  return %0 : tensor<4x60xf32>
}

// Elements of windows and pads are found vector by vector.
// CHECK-LABEL: func.func @gaps(
// CHECK-NOT: vector<32xf32>
// CHECK: math.tanh {{.*}} : vector<8xf32>
// CHECK-NOT: vector<32xf32>
// CHECK: return
func.func @gaps(%x: tensor<2x8x32xf32>) -> tensor<2x8x3x32xf32> {
  %0 = graph.fused_op -> (tensor<2x8x3x32xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 3>, positions = array<i64: 8>, strides = array<i64: 1>, dilations = array<i64: 1>, offsets = array<i64: -1>, spacing = array<i64: 1>} : (tensor<2x8x32xf32>) -> tensor<2x8x3x32xf32>
    %2 = graph.tanh %1 : (tensor<2x8x3x32xf32>) -> tensor<2x8x3x32xf32>
    graph.yield %2 : tensor<2x8x3x32xf32>
  }
  return %0 : tensor<2x8x3x32xf32>
}

// Sums have accumulators of their own, and what an iteration reduces to is no
// longer than a vector.
// CHECK-LABEL: func.func @reduced(
// CHECK-NOT: vector<32xf32>
// CHECK: math.tanh {{.*}} : vector<8xf32>
func.func @reduced(%x: tensor<4x64xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.tanh %x : (tensor<4x64xf32>) -> tensor<4x64xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<4x64xf32>) -> tensor<4xf32>
    graph.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// Of two squares side by side, which write a cache line of each row, both halves
// of a row are stored one after the other.
// CHECK-LABEL: func.func @lines
// CHECK-SAME: (%[[X:.*]]: memref<32x64xf32>, %[[Y:.*]]: memref<64x32xf32>)
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16 {
// CHECK-COUNT-16: vector.load %[[X]]
// CHECK: vector.store %{{.*}}, %[[Y]][%[[ROW:.*]], %[[J]]]
// CHECK-NEXT: vector.store %{{.*}}, %[[Y]][%[[ROW]], %[[HALF:.*]]]
// CHECK: vector.store %{{.*}}, %[[Y]][%[[NEXT:.*]], %[[J]]]
// CHECK-NEXT: vector.store %{{.*}}, %[[Y]][%[[NEXT]], %[[HALF]]]
func.func @lines(%x: tensor<32x64xf32>) -> tensor<64x32xf32> {
  %0 = graph.fused_op -> (tensor<64x32xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    graph.yield %1 : tensor<64x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

// The squares of two operands would not fit the registers twice.
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[X:.*]]: memref<32x64xf32>, %[[Y:.*]]: memref<32x64xf32>, %[[Z:.*]]: memref<64x32xf32>)
// CHECK: scf.for %[[J:.*]] = %c0 to %c32 step %c16 {
// CHECK-COUNT-8: vector.load %[[X]]
// CHECK-COUNT-8: vector.load %[[Y]]
// CHECK-COUNT-8: vector.store %{{.*}}, %[[Z]][%{{.*}}, %[[J]]]
// CHECK-COUNT-8: vector.load %[[X]]
func.func @two(%x: tensor<32x64xf32>, %y: tensor<32x64xf32>) -> tensor<64x32xf32> {
  %0 = graph.fused_op -> (tensor<64x32xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %2 = graph.static_transpose %y {order = array<i64: 1, 0>} : (tensor<32x64xf32>) -> tensor<64x32xf32>
    %3 = graph.add %1, %2 : (tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    graph.yield %3 : tensor<64x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

// Integers of any sign are signless in memory. A transpose loads along the rows
// of its operand and stores along those of its result.
// CHECK-LABEL: func.func @transpose
// CHECK-SAME: (%[[X:.*]]: memref<4x16xi8>, %[[Y:.*]]: memref<16x4xi8>)
// CHECK: scf.for %[[I:.*]] = %c0 to %c16 step %c8 {
// CHECK-DAG: vector.load %[[X]][%c0, %[[I]]] : memref<4x16xi8>, vector<8xi8>
// CHECK-DAG: vector.load %[[X]][%c3, %[[I]]] : memref<4x16xi8>, vector<8xi8>
// CHECK: vector.shuffle
// CHECK-NOT: memref.load
// CHECK-COUNT-8: vector.store %{{.*}}, %[[Y]][%{{.*}}, %c0] : memref<16x4xi8>, vector<4xi8>
func.func @transpose(%x: tensor<4x16xsi8>) -> tensor<16x4xsi8> {
  %0 = graph.fused_op -> (tensor<16x4xsi8>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<4x16xsi8>) -> tensor<16x4xsi8>
    graph.yield %1 : tensor<16x4xsi8>
  }
  return %0 : tensor<16x4xsi8>
}

// CHECK-LABEL: func.func @integers
// CHECK: arith.addi %{{.*}}, %{{.*}} : vector<8xi32>
// CHECK: arith.maxsi %{{.*}}, %{{.*}} : vector<8xi32>
func.func @integers(%x: tensor<4x8xsi32>, %y: tensor<8xsi32>) -> tensor<4x8xsi32> {
  %0 = graph.fused_op -> (tensor<4x8xsi32>) {
    %1 = graph.add %x, %y : (tensor<4x8xsi32>, tensor<8xsi32>) -> tensor<4x8xsi32>
    %2 = graph.maximum %1, %y : (tensor<4x8xsi32>, tensor<8xsi32>) -> tensor<4x8xsi32>
    graph.yield %2 : tensor<4x8xsi32>
  }
  return %0 : tensor<4x8xsi32>
}

// A scalar is a loop of one iteration.
// CHECK-LABEL: func.func @scalar
// CHECK: tir.parallel (%{{.*}}) in (1) {
// CHECK: memref.load %{{.*}}[] : memref<f32>
// CHECK: math.exp
// CHECK: memref.store %{{.*}}[] : memref<f32>
func.func @scalar(%x: tensor<f32>) -> tensor<f32> {
  %0 = graph.fused_op -> (tensor<f32>) {
    %1 = graph.exp %x : (tensor<f32>) -> tensor<f32>
    graph.yield %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// One long row is cut, so that all threads have a share; the pieces cover it.
// CHECK-LABEL: func.func @long
// CHECK: tir.parallel (%[[P:.*]]) in ([[#PIECES:]]) {
// CHECK: arith.cmpi eq, %[[P]], %c[[#sub(PIECES,1)]]
func.func @long(%x: tensor<5000xf32>) -> tensor<5000xf32> {
  %0 = graph.fused_op -> (tensor<5000xf32>) {
    %1 = graph.exp %x : (tensor<5000xf32>) -> tensor<5000xf32>
    graph.yield %1 : tensor<5000xf32>
  }
  return %0 : tensor<5000xf32>
}

// Two results, one of which the other is computed from; a splat constant is no
// memory access.
// CHECK-LABEL: func.func @results
// CHECK-SAME: %[[Y:[^:]*]]: memref<4x8xf32>, %[[Z:[^:]*]]: memref<4x8xf32>)
// CHECK: %[[TWO:.*]] = arith.constant dense<2.000000e+00> : vector<8xf32>
// CHECK-NOT: memref.load
// CHECK: %[[E:.*]] = math.exp
// CHECK-DAG: vector.store %[[E]], %[[Y]]
// CHECK-DAG: %[[P:.*]] = arith.mulf %[[E]], %[[TWO]]
// CHECK-DAG: vector.store %[[P]], %[[Z]]
func.func @results(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %c = graph.constant dense<2.0> : tensor<f32>
  %0:2 = graph.fused_op -> (tensor<4x8xf32>, tensor<4x8xf32>) {
    %1 = graph.exp %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    %2 = graph.multiply %1, %c : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    graph.yield %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>
  }
  return %0#0, %0#1 : tensor<4x8xf32>, tensor<4x8xf32>
}

// Packing: vectors do not cross blocks of 4 columns.
// CHECK-LABEL: func.func @pack
// CHECK-SAME: (%[[X:.*]]: memref<8x16xf32>, %[[Y:.*]]: memref<4x2x4x4xf32>)
// CHECK: vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK: vector.store %{{.*}}, %[[Y]]{{.*}} vector<4xf32>
func.func @pack(%x: tensor<8x16xf32>) -> tensor<8x16xf32, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>> {
  %0 = graph.fused_op -> (tensor<8x16xf32, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>>) {
    %1 = graph.reorder %x : tensor<8x16xf32> -> tensor<8x16xf32, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>>
    graph.yield %1 : tensor<8x16xf32, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>>
  }
  return %0 : tensor<8x16xf32, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 4]>>
}

// A region without ops computes nothing; what remains is the copy of the argument
// that is returned.
// CHECK-LABEL: func.func @empty
// CHECK: tir.parallel {{.*}} {name = "reorder"} {
// CHECK-NOT: tir.parallel
// CHECK: return
func.func @empty(%x: tensor<8xf32>) -> tensor<8xf32> {
  graph.fused_op {
    graph.yield
  }
  return %x : tensor<8xf32>
}
}
