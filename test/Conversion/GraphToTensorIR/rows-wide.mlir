// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// With 32 registers, four rows go together, and long steps take four vectors of
// a row as one also where they are reduced.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse --mlir-print-local-scope | FileCheck %s

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen4-2", "num_threads" = 1 : i64>>} {

// CHECK-LABEL: func.func @fours
// CHECK: scf.for %{{.*}} = %c0 to %c{{.*}} step %c4 {
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16 iter_args
// CHECK-COUNT-4: vector.load {{.*}} vector<16xf32>
// CHECK: scf.yield
// CHECK-COUNT-4: memref.store {{.*}} : memref<512x1xf32>
func.func @fours(%x: tensor<512x64xf32>) -> tensor<512x1xf32> {
  %0 = graph.fused_op -> (tensor<512x1xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<512x1xf32>
    graph.yield %m : tensor<512x1xf32>
  }
  return %0 : tensor<512x1xf32>
}

// A row of 100: one step of 64, two vectors, and a rest of four. What a step
// reduces to is as long as a vector.
// CHECK-LABEL: func.func @long_steps
// CHECK: math.exp {{.*}} : vector<64xf32>
// CHECK: vector.extract_strided_slice {{.*}} {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: math.exp {{.*}} : vector<16xf32>
// CHECK: math.exp {{.*}} : vector<4xf32>
func.func @long_steps(%x: tensor<4x100xf32>) -> tensor<4x1xf32> {
  %0 = graph.fused_op -> (tensor<4x1xf32>) {
    %1 = graph.exp %x : (tensor<4x100xf32>) -> tensor<4x100xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<4x100xf32>) -> tensor<4x1xf32>
    graph.yield %2 : tensor<4x1xf32>
  }
  return %0 : tensor<4x1xf32>
}

// What rows share is loaded once for the four, since nothing is stored in between.
// CHECK-LABEL: func.func @shared
// CHECK-SAME: (%[[X:[^:]*]]: memref<512x64xf32>, %[[BIAS:[^:]*]]: memref<64xbf16>
// CHECK: scf.for %{{.*}} = %c0 to %c64 step %c16 {
// CHECK: vector.load %[[BIAS]]
// CHECK-NOT: vector.load %[[BIAS]]
// CHECK-NOT: vector.store
// CHECK-COUNT-3: vector.load %[[X]]
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
func.func @shared(%x: tensor<512x64xf32>, %bias: tensor<64xbf16>) -> tensor<512x64xf32> {
  %0 = graph.fused_op -> (tensor<512x64xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<512x64xf32>) -> tensor<512x1xf32>
    %1 = graph.subtract %x, %m : (tensor<512x64xf32>, tensor<512x1xf32>) -> tensor<512x64xf32>
    %2 = graph.add %1, %bias : (tensor<512x64xf32>, tensor<64xbf16>) -> tensor<512x64xf32>
    graph.yield %2 : tensor<512x64xf32>
  }
  return %0 : tensor<512x64xf32>
}

}
