// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes with reductions: rows outermost, one run over the row per stage,
// reductions in vector registers.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse --mlir-print-local-scope | FileCheck %s

// Vectors of eight floats, whatever the host has.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The maximum is complete before the exponentials start, the sum before the
// quotients. Exponentials are too expensive to compute twice: they are kept in
// a buffer of the row. The reciprocal is one per row.
// CHECK-LABEL: func.func @softmax
// CHECK-SAME: (%[[X:[^:]*]]: memref<6x64xf32>, %[[Y:[^:]*]]: memref<6x64xf32>)
// CHECK: %[[ROW:.*]] = tir.scratch per_thread : memref<64xf32>
// CHECK: tir.parallel (%[[I:.*]]) in (6) {
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32 iter_args
// CHECK-COUNT-4: arith.maximumf
// CHECK: }
// CHECK: vector.shuffle {{.*}} [4, 5, 6, 7]
// CHECK: %[[MAX:.*]] = arith.maximumf {{.*}} : vector<1xf32>
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c16 iter_args
// CHECK: vector.load %[[X]][%[[I]], %[[J]]]
// CHECK: vector.extract %[[MAX]][0]
// CHECK: %[[E:.*]] = math.exp
// CHECK: vector.store %[[E]], %[[ROW]][%[[J]]]
// CHECK: arith.addf %{{.*}}, %[[E]]
// CHECK: }
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : vector<1xf32>
// CHECK: arith.divf %{{.*}}, %[[SUM]] : vector<1xf32>
// CHECK: scf.for %[[K:.*]] = %c0 to %c64 step %c8 {
// CHECK: vector.load %[[ROW]][%[[K]]]
// CHECK-NOT: arith.divf
// CHECK: vector.store %{{.*}}, %[[Y]][%[[I]], %[[K]]]
func.func @softmax(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op -> (tensor<6x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %r = graph.reciprocal %s : (tensor<6x1xf32>) -> tensor<6x1xf32>
    %y = graph.multiply %e, %r : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    graph.yield %y : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// Parts of rows: each is a separate iteration, which stores one element. The
// last part is shorter and has its own code.
// CHECK-LABEL: func.func @parts
// CHECK-SAME: (%[[X:[^:]*]]: memref<3x100xf32>, %[[Y:[^:]*]]: memref<3x4xf32>)
// CHECK: tir.parallel (%[[P:[^,]*]], %[[I:.*]]) in (4, 3) {
// CHECK: %[[LAST:.*]] = arith.cmpi eq, %[[P]], %c3
// CHECK: scf.if %[[LAST]] {
// CHECK: vector.load %[[X]]{{.*}} vector<4xf32>
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[P]]]
// CHECK: } else {
// CHECK-COUNT-4: vector.load %[[X]]{{.*}} vector<8xf32>
// CHECK: memref.store %{{.*}}, %[[Y]][%[[I]], %[[P]]]
// CHECK: }
func.func @parts(%x: tensor<3x100xf32>) -> tensor<3x4xf32> {
  %0 = graph.fused_op -> (tensor<3x4xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true, part_size = 32 : i64} : (tensor<3x100xf32>) -> tensor<3x4xf32>
    graph.yield %1 : tensor<3x4xf32>
  }
  return %0 : tensor<3x4xf32>
}

// Differences from the mean are cheap: they are computed again from x.
// CHECK-LABEL: func.func @variance
// CHECK-SAME: (%[[X:[^:]*]]: memref<1x64xf32>,
// CHECK-NOT: tir.scratch
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: scf.for
// CHECK: vector.load %[[X]]
// CHECK: arith.subf
// CHECK: arith.mulf
// CHECK-NOT: scf.for
// CHECK: memref.store
func.func @variance(%x: tensor<1x64xf32>) -> tensor<1x1xf32> {
  %0 = graph.fused_op -> (tensor<1x1xf32>) {
    %m = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64xf32>) -> tensor<1x1xf32>
    %d = graph.subtract %x, %m : (tensor<1x64xf32>, tensor<1x1xf32>) -> tensor<1x64xf32>
    %q = graph.multiply %d, %d : (tensor<1x64xf32>, tensor<1x64xf32>) -> tensor<1x64xf32>
    %s = graph.reduce_sum %q {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64xf32>) -> tensor<1x1xf32>
    graph.yield %s : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}

// The end of a row is a shorter vector with its own partial results. Its
// missing lanes are the identity of the reduction: here it is a product.
// CHECK-LABEL: func.func @tail
// CHECK-DAG: %[[ONE:.*]] = arith.constant dense<1.000000e+00> : vector<8xf32>
// CHECK-DAG: vector.load %{{.*}}[%c0, %c0] {{.*}} vector<8xf32>
// CHECK-DAG: vector.load %{{.*}}[%c0, %c8] {{.*}} vector<5xf32>
// CHECK: vector.shuffle %{{.*}}, %[[ONE]] [0, 1, 2, 3, 4, 5, 6, 7] : vector<5xf32>, vector<8xf32>
func.func @tail(%x: tensor<1x13xf32>) -> tensor<1x1xf32> {
  %0 = graph.fused_op -> (tensor<1x1xf32>) {
    %m = graph.reduce_prod %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x13xf32>) -> tensor<1x1xf32>
    graph.yield %m : tensor<1x1xf32>
  }
  return %0 : tensor<1x1xf32>
}

// Each lane is a row: nothing crosses lanes. Eight vectors go together, here the
// only five.
// CHECK-LABEL: func.func @columns
// CHECK: scf.for %[[I:.*]] = %c0 to %c5 step %c1 iter_args
// CHECK-COUNT-5: vector.load %{{.*}}[%[[I]],
// CHECK: }
// CHECK-NOT: vector.shuffle
// CHECK-NOT: scf.for
// CHECK-COUNT-5: vector.store {{.*}} vector<8xf32>
func.func @columns(%x: tensor<5x40xf32>) -> tensor<1x40xf32> {
  %0 = graph.fused_op -> (tensor<1x40xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<5x40xf32>) -> tensor<1x40xf32>
    graph.yield %m : tensor<1x40xf32>
  }
  return %0 : tensor<1x40xf32>
}

// Two rows at a time, each with half of the vectors; with 32 registers four
// (rows-wide.mlir).
// CHECK-LABEL: func.func @pairs
// CHECK: tir.parallel (%[[P:.*]]) in (128) {
// CHECK: scf.for %[[I:.*]] = %c0 to %c4 step %c2 {
// CHECK: scf.for %[[J:.*]] = %c0 to %c64 step %c16 iter_args
// CHECK: %[[FIRST:.*]] = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%[[P]], %[[I]])
// CHECK: vector.load %{{.*}}[%[[FIRST]], %[[J]]]
// CHECK: %[[SECOND:.*]] = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1 + 1)>(%[[P]], %[[I]])
// CHECK: vector.load %{{.*}}[%[[SECOND]], %[[J]]]
// CHECK-COUNT-2: memref.store {{.*}} : memref<512x1xf32>
func.func @pairs(%x: tensor<512x64xf32>) -> tensor<512x1xf32> {
  %0 = graph.fused_op -> (tensor<512x1xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<512x1xf32>
    graph.yield %m : tensor<512x1xf32>
  }
  return %0 : tensor<512x1xf32>
}

// All elements, to a tensor without dimensions.
// CHECK-LABEL: func.func @all
// CHECK-SAME: %[[Y:[^:]*]]: memref<f32>)
// CHECK: scf.for %{{.*}} = %c0 to %c6 step %c1 iter_args
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c32 iter_args
// CHECK: memref.store %{{.*}}, %[[Y]][]
func.func @all(%x: tensor<6x64xf32>) -> tensor<f32> {
  %0 = graph.fused_op -> (tensor<f32>) {
    %m = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<6x64xf32>) -> tensor<f32>
    graph.yield %m : tensor<f32>
  }
  return %0 : tensor<f32>
}

// A value that is both kept and a result is read back from the result; both
// results of the region are written where they are computed.
// CHECK-LABEL: func.func @kept_in_result
// CHECK-SAME: %[[E:[^:]*]]: memref<1x64xf32>, %[[Y:[^:]*]]: memref<1x64xf32>)
// CHECK-NOT: tir.scratch
// CHECK: vector.store %{{.*}}, %[[E]]
// CHECK: scf.for
// CHECK: vector.load %[[E]]
// CHECK: vector.store %{{.*}}, %[[Y]]
func.func @kept_in_result(%x: tensor<1x64xf32>) -> (tensor<1x64xf32>, tensor<1x64xf32>) {
  %0:2 = graph.fused_op -> (tensor<1x64xf32>, tensor<1x64xf32>) {
    %e = graph.exp %x : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<1x64xf32>) -> tensor<1x1xf32>
    %y = graph.multiply %e, %s : (tensor<1x64xf32>, tensor<1x1xf32>) -> tensor<1x64xf32>
    graph.yield %e, %y : tensor<1x64xf32>, tensor<1x64xf32>
  }
  return %0#0, %0#1 : tensor<1x64xf32>, tensor<1x64xf32>
}

// A row that does not fit the L1 cache is kept in the result, each element of
// which is read before it is overwritten.
// CHECK-LABEL: func.func @long_row
// CHECK-SAME: %[[Y:[^:]*]]: memref<1x9000xf32>)
// CHECK-NOT: tir.scratch
// CHECK: %[[E:.*]] = math.exp
// CHECK: vector.store %[[E]], %[[Y]]
// CHECK: scf.for %[[J:.*]] =
// CHECK: %[[L:.*]] = vector.load %[[Y]][%{{.*}}, %[[J]]]
// CHECK: %[[M:.*]] = arith.mulf %[[L]]
// CHECK: vector.store %[[M]], %[[Y]][%{{.*}}, %[[J]]]
func.func @long_row(%x: tensor<1x9000xf32>) -> tensor<1x9000xf32> {
  %0 = graph.fused_op -> (tensor<1x9000xf32>) {
    %e = graph.exp %x : (tensor<1x9000xf32>) -> tensor<1x9000xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<1x9000xf32>) -> tensor<1x1xf32>
    %y = graph.multiply %e, %s : (tensor<1x9000xf32>, tensor<1x1xf32>) -> tensor<1x9000xf32>
    graph.yield %y : tensor<1x9000xf32>
  }
  return %0 : tensor<1x9000xf32>
}

// A transpose at the end is where the store goes; the last dimension stays the
// contiguous one.
// CHECK-LABEL: func.func @permuted
// CHECK-SAME: %[[Y:[^:]*]]: memref<5x3x16xf32>)
// CHECK: tir.parallel (%[[I:.*]], %[[K:.*]]) in (3, 5)
// CHECK: vector.store %{{.*}}, %[[Y]][%[[K]], %[[I]], %{{.*}}] {{.*}} vector<8xf32>
func.func @permuted(%x: tensor<3x5x16xf32>) -> tensor<5x3x16xf32> {
  %0 = graph.fused_op -> (tensor<5x3x16xf32>) {
    %a = graph.abs %x : (tensor<3x5x16xf32>) -> tensor<3x5x16xf32>
    %b = graph.static_transpose %a {order = array<i64: 1, 0, 2>} : (tensor<3x5x16xf32>) -> tensor<5x3x16xf32>
    graph.yield %b : tensor<5x3x16xf32>
  }
  return %0 : tensor<5x3x16xf32>
}

// Booleans are bytes in memory and bits in registers; indices come from the
// loop, not from the operand.
// CHECK-LABEL: func.func @causal
// CHECK-SAME: (%[[X:[^:]*]]: memref<4x8xf32>, %[[M:[^:]*]]: memref<8xi8>,
// CHECK: %[[STEPS:.*]] = arith.constant dense<[0, 1, 2, 3, 4, 5, 6, 7]> : vector<8xi32>
// CHECK: tir.parallel (%[[I:.*]]) in (4) {
// CHECK-DAG: %[[ROW:.*]] = arith.index_cast %[[I]] : index to i32
// CHECK-DAG: %[[ROWS:.*]] = vector.broadcast %[[ROW]] : i32 to vector<8xi32>
// CHECK-DAG: %[[GE:.*]] = arith.cmpi sge, %[[ROWS]], %[[STEPS]] : vector<8xi32>
// CHECK-DAG: %[[BYTES:.*]] = vector.load %[[M]][%c0] {{.*}} vector<8xi8>
// CHECK-DAG: %[[BITS:.*]] = arith.cmpi ne, %[[BYTES]]
// CHECK-DAG: arith.select %[[GE]]
// CHECK-DAG: arith.select %[[BITS]]
func.func @causal(%x: tensor<4x8xf32>, %m: tensor<8xi1>) -> tensor<4x8xf32> {
  %low = graph.constant dense<-1.0e+04> : tensor<f32>
  %0 = graph.fused_op -> (tensor<4x8xf32>) {
    %i = graph.gen_index %x {axis = 0} : (tensor<4x8xf32>) -> tensor<4x8xsi32>
    %j = graph.gen_index %x {axis = 1} : (tensor<4x8xf32>) -> tensor<4x8xsi32>
    %c = graph.greater_equal %i, %j : (tensor<4x8xsi32>, tensor<4x8xsi32>) -> tensor<4x8xi1>
    %a = graph.select %c, %x, %low : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    %b = graph.select %m, %a, %low : (tensor<8xi1>, tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
    graph.yield %b : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// Rounded to the nearest integer, NaN to 0, and limited to what the type holds;
// the largest 32-bit integer is not an f32.
// CHECK-LABEL: func.func @saturate
// CHECK-DAG: %[[MOST:.*]] = arith.constant dense<2.550000e+02> : vector<8xf32>
// CHECK-DAG: %[[BEYOND:.*]] = arith.constant dense<2.14748365E+9> : vector<8xf32>
// CHECK-DAG: %[[INT:.*]] = arith.constant dense<2147483647> : vector<8xi32>
// CHECK-DAG: %[[SMALL:.*]] = arith.cmpf olt, %{{.*}}, %[[MOST]]
// CHECK-DAG: %[[R:.*]] = arith.select %[[SMALL]], %{{.*}}, %[[MOST]]
// CHECK-DAG: arith.addf %[[R]], %{{.*}}
// CHECK-DAG: arith.cmpf ord
// CHECK-DAG: math.roundeven
// CHECK-DAG: %[[LARGE:.*]] = arith.cmpf oge, %{{.*}}, %[[BEYOND]]
// CHECK-DAG: arith.select %[[LARGE]], %[[INT]]
// CHECK: return
func.func @saturate(%x: tensor<4x8xf32>) -> (tensor<4x8xui8>, tensor<4x8xsi32>) {
  %0:2 = graph.fused_op -> (tensor<4x8xui8>, tensor<4x8xsi32>) {
    %a = graph.type_cast %x : tensor<4x8xf32> -> tensor<4x8xui8>
    %b = graph.type_cast %x : tensor<4x8xf32> -> tensor<4x8xsi32>
    graph.yield %a, %b : tensor<4x8xui8>, tensor<4x8xsi32>
  }
  return %0#0, %0#1 : tensor<4x8xui8>, tensor<4x8xsi32>
}

}
