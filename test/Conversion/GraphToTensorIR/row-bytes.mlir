// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The schedule says where the exponentials of a softmax are kept: in a buffer of
// the row, in the result, or nowhere. A row takes 256 bytes.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s

// Without limits there is a buffer.
// CHECK-LABEL: func.func @unlimited
// CHECK: %[[ROW:.*]] = tir.scratch per_thread : memref<64xf32>
// CHECK: %[[E:.*]] = math.exp
// CHECK: vector.store %[[E]], %[[ROW]]
// CHECK: scf.yield
// CHECK-NOT: math.exp
// CHECK: return
func.func @unlimited(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1]>} -> (tensor<6x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %y = graph.divide %e, %s : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    graph.yield %y : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// CHECK-LABEL: func.func @fits
// CHECK: tir.scratch per_thread : memref<64xf32>
func.func @fits(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1], row_bytes = 256, max_row_bytes = 256>} -> (tensor<6x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %y = graph.divide %e, %s : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    graph.yield %y : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// A result that is written later has room.
// CHECK-LABEL: func.func @in_result
// CHECK-SAME: (%{{.*}}: memref<6x64xf32>, %[[Y:.*]]: memref<6x64xf32>)
// CHECK-NOT: tir.scratch
// CHECK: %[[E:.*]] = math.exp
// CHECK: vector.store %[[E]], %[[Y]]
// CHECK: scf.yield
// CHECK-NOT: math.exp
// CHECK: return
func.func @in_result(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1], row_bytes = 255, max_row_bytes = 255>} -> (tensor<6x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %y = graph.divide %e, %s : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    graph.yield %y : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// The result has another type: a buffer all the same, up to the second limit.
// CHECK-LABEL: func.func @in_buffer
// CHECK: tir.scratch per_thread : memref<64xf32>
func.func @in_buffer(%x: tensor<6x64xf32>) -> tensor<6x64xbf16> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1], row_bytes = 255, max_row_bytes = 256>} -> (tensor<6x64xbf16>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %y = graph.divide %e, %s : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %c = graph.type_cast %y : tensor<6x64xf32> -> tensor<6x64xbf16>
    graph.yield %c : tensor<6x64xbf16>
  }
  return %0 : tensor<6x64xbf16>
}

// Beyond it, they are computed twice.
// CHECK-LABEL: func.func @again
// CHECK-NOT: tir.scratch
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: scf.yield
// CHECK: math.exp
// CHECK: return
func.func @again(%x: tensor<6x64xf32>) -> tensor<6x64xbf16> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, partition = [0 : 1], row_bytes = 255, max_row_bytes = 255>} -> (tensor<6x64xbf16>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %d = graph.subtract %x, %m : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %e = graph.exp %d : (tensor<6x64xf32>) -> tensor<6x64xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<6x64xf32>) -> tensor<6x1xf32>
    %y = graph.divide %e, %s : (tensor<6x64xf32>, tensor<6x1xf32>) -> tensor<6x64xf32>
    %c = graph.type_cast %y : tensor<6x64xf32> -> tensor<6x64xbf16>
    graph.yield %c : tensor<6x64xbf16>
  }
  return %0 : tensor<6x64xbf16>
}
