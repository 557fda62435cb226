// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lowering does what the schedule says and does not look at the machine: the
// output is the same under two descriptions, and without any.

// RUN: gc-opt %s --convert-graph-to-tir --canonicalize --cse | FileCheck %s
// RUN: gc-opt %s --convert-graph-to-tir > %t.host
// RUN: sed 's/"test.machine"/dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"num_threads" = 64 : i64, "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64, "L1_cache_size_in_bytes" = 65536 : i64, "L2_cache_size_in_bytes" = 4194304 : i64, "L3_cache_size_in_bytes" = 268435456 : i64>>, "test.machine"/' %s | gc-opt --convert-graph-to-tir | sed 's/dlti.target_system_spec = #dlti.*>>, //' > %t.large
// RUN: sed 's/"test.machine"/dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"num_threads" = 1 : i64, "max_vector_op_width" = 128 : i64, "num_vector_registers" = 16 : i64, "L1_cache_size_in_bytes" = 8192 : i64, "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64>>, "test.machine"/' %s | gc-opt --convert-graph-to-tir | sed 's/dlti.target_system_spec = #dlti.*>>, //' > %t.small
// RUN: diff %t.large %t.small
// RUN: diff %t.host %t.small

module attributes {"test.machine"} {

// Tasks are pieces of both dimensions, in the order of the partition.
// CHECK-LABEL: func.func @pieces
// CHECK: tir.parallel (%[[J:.*]], %[[I:.*]]) in (2, 3)
// CHECK: vector.load %{{.*}} : memref<6x64xf32>, vector<4xf32>
func.func @pieces(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 1, partition = [1 : 32, 0 : 2]>} -> (tensor<6x64xf32>) {
    %1 = graph.relu %x : (tensor<6x64xf32>) -> tensor<6x64xf32>
    graph.yield %1 : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// No partition: one task. Vectors along the rows, which have to be gathered.
// CHECK-LABEL: func.func @columns
// CHECK: tir.parallel (%{{.*}}) in (1)
// CHECK: vector.from_elements {{.*}} : vector<2xf32>
func.func @columns(%x: tensor<6x64xf32>) -> tensor<6x64xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 8, vector = 0>} -> (tensor<6x64xf32>) {
    %1 = graph.relu %x : (tensor<6x64xf32>) -> tensor<6x64xf32>
    graph.yield %1 : tensor<6x64xf32>
  }
  return %0 : tensor<6x64xf32>
}

// Squares of four rows.
// CHECK-LABEL: func.func @squares
// CHECK-COUNT-8: vector.shuffle {{.*}} : vector<4xf32>, vector<4xf32>
func.func @squares(%x: tensor<8x4xf32>) -> tensor<4x8xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 16, vector = 1, transposed = 0>} -> (tensor<4x8xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<8x4xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// One operand is fetched ahead, the other is not; the result is not streamed,
// however small the caches.
// CHECK-LABEL: func.func @heads
// CHECK-SAME: %[[X:.*]]: memref<64x32x16xf32>, %[[Y:.*]]: memref<64x16x32xf32>
// CHECK-NOT: memref.prefetch %[[X]]
// CHECK: memref.prefetch %[[Y]]
// CHECK-NOT: nontemporal
// CHECK: return
func.func @heads(%x: tensor<64x32x16xf32>, %y: tensor<64x16x32xf32>) -> tensor<32x64x32xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, prefetch = [1]>} -> (tensor<32x64x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x32x16xf32>, tensor<64x16x32xf32>) -> tensor<64x32x32xf32>
    %2 = graph.static_transpose %1 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 1, 0, 2>} : (tensor<64x32x32xf32>) -> tensor<32x64x32xf32>
    graph.yield %2 : tensor<32x64x32xf32>
  }
  return %0 : tensor<32x64x32xf32>
}

// Each of the two runs over rows fetches half of what goes with two rows: a row
// of each operand, of one cache line.
// CHECK-LABEL: func.func @runs
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<64x32x16xf32>, %[[Y:[a-z0-9]*]]: memref<64x32x16xf32>
// CHECK: tir.brgemm
// CHECK: scf.for
// CHECK: memref.prefetch %[[X]]
// CHECK-NEXT: memref.prefetch %[[Y]]
// CHECK-NOT: memref.prefetch
// CHECK: scf.for
// CHECK: arith.maximumf
// CHECK: scf.yield
// CHECK: memref.prefetch %[[X]]
// CHECK: memref.prefetch %[[Y]]
// CHECK-NOT: memref.prefetch
// CHECK: math.exp
// CHECK: return
func.func @runs(%x: tensor<64x32x16xf32>, %y: tensor<64x32x16xf32>) -> tensor<64x32x32xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, unroll = 2, prefetch = [0, 1]>} -> (tensor<64x32x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>, transpose_b = true} : (tensor<64x32x16xf32>, tensor<64x32x16xf32>) -> tensor<64x32x32xf32>
    %2 = graph.reduce_max %1 {graph.anchor = #graph.anchor<post, 1>, axes = array<i64: 2>, keep_dims = true} : (tensor<64x32x32xf32>) -> tensor<64x32x1xf32>
    %3 = graph.subtract %1, %2 {graph.anchor = #graph.anchor<post, 1>} : (tensor<64x32x32xf32>, tensor<64x32x1xf32>) -> tensor<64x32x32xf32>
    %4 = graph.exp %3 {graph.anchor = #graph.anchor<post, 1>} : (tensor<64x32x32xf32>) -> tensor<64x32x32xf32>
    graph.yield %4 : tensor<64x32x32xf32>
  }
  return %0 : tensor<64x32x32xf32>
}

// Here it is.
// CHECK-LABEL: func.func @streamed
// CHECK-NOT: memref.prefetch
// CHECK: {alignment = 32 : i64, nontemporal = true} : memref<32x64x32xf32>, vector<8xf32>
// CHECK: return
func.func @streamed(%x: tensor<64x32x16xf32>, %y: tensor<64x16x32xf32>) -> tensor<32x64x32xf32> {
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, stream = [0]>} -> (tensor<32x64x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x32x16xf32>, tensor<64x16x32xf32>) -> tensor<64x32x32xf32>
    %2 = graph.static_transpose %1 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 1, 0, 2>} : (tensor<64x32x32xf32>) -> tensor<32x64x32xf32>
    graph.yield %2 : tensor<32x64x32xf32>
  }
  return %0 : tensor<32x64x32xf32>
}
}
