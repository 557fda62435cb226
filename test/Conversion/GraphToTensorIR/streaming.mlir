// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Heads of attention, one after another on each core: what the next one reads is
// fetched along with the rows of the pass over this one's result, and a result
// that would not stay in the last-level cache is stored past it.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --canonicalize --cse --split-input-file | FileCheck %s

// An L2 cache that holds two products but not all of them, an L3 cache that does
// not hold the function's arguments.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// A line of each row of %x and half a row of %y for every row of the result.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME: %[[X:.*]]: memref<8x4x32x16xf32>, %[[Y:.*]]: memref<8x4x16x32xf32>, %{{.*}}, %[[O:.*]]: memref<8x32x4x32xf32>
// CHECK: tir.brgemm
// The result is aligned to cache lines if its address is.
// CHECK: %[[P:.*]] = memref.extract_aligned_pointer_as_index %[[O]]
// CHECK: %[[REST:.*]] = arith.remui %[[P]], %c64
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: scf.if %[[ALIGNED]] {
// CHECK: scf.for %[[ROW:.*]] = %c0 to %c32 step
// CHECK: memref.prefetch %[[X]][%{{.*}}, %{{.*}}, %[[ROW]], %{{.*}}], read, locality<2>, data
// CHECK: memref.prefetch %[[Y]]
// CHECK: vector.store %{{.*}}, %[[O]][{{.*}}] {alignment = 32 : i64, nontemporal = true}
// CHECK: } else {
// CHECK-NOT: nontemporal
// CHECK: vector.store %{{.*}}, %[[O]]
func.func @heads(%x: tensor<8x4x32x16xf32>, %y: tensor<8x4x16x32xf32>, %s: tensor<1xf32>) -> tensor<8x32x4x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32x4x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
    %2 = graph.multiply %1, %s {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x4x32x32xf32>, tensor<1xf32>) -> tensor<8x4x32x32xf32>
    %3 = graph.static_transpose %2 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 0, 2, 1, 3>} : (tensor<8x4x32x32xf32>) -> tensor<8x32x4x32xf32>
    graph.yield %3 : tensor<8x32x4x32xf32>
  }
  return %0 : tensor<8x32x4x32xf32>
}
}

// -----

// Enough cache for everything; rows of 72 bytes, which are not whole lines.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 16777216 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {
// CHECK-LABEL: func.func @cached(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @cached(%x: tensor<8x4x32x16xf32>, %y: tensor<8x4x16x32xf32>, %s: tensor<1xf32>) -> tensor<8x32x4x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32x4x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
    %2 = graph.multiply %1, %s {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x4x32x32xf32>, tensor<1xf32>) -> tensor<8x4x32x32xf32>
    %3 = graph.static_transpose %2 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 0, 2, 1, 3>} : (tensor<8x4x32x32xf32>) -> tensor<8x32x4x32xf32>
    graph.yield %3 : tensor<8x32x4x32xf32>
  }
  return %0 : tensor<8x32x4x32xf32>
}
}

// -----

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {
// CHECK-LABEL: func.func @ragged(
// CHECK-NOT: nontemporal
// CHECK: return
func.func @ragged(%x: tensor<8x4x32x16xf32>, %y: tensor<8x4x16x18xf32>, %s: tensor<1xf32>) -> tensor<8x32x4x18xf32> {
  %0 = graph.fused_op -> (tensor<8x32x4x18xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 18, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x18xf32>) -> tensor<8x4x32x18xf32>
    %2 = graph.multiply %1, %s {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x4x32x18xf32>, tensor<1xf32>) -> tensor<8x4x32x18xf32>
    %3 = graph.static_transpose %2 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 0, 2, 1, 3>} : (tensor<8x4x32x18xf32>) -> tensor<8x32x4x18xf32>
    graph.yield %3 : tensor<8x32x4x18xf32>
  }
  return %0 : tensor<8x32x4x18xf32>
}
}

// -----

// Four vectors at a time are as aligned as lines of their row, whatever the type
// in memory.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {
// CHECK-LABEL: func.func @long(
// CHECK: scf.for %[[J:.*]] = %c0 to %c96 step %c32
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<1024x112xf32>, vector<32xf32>
// CHECK: vector.store %{{.*}} {alignment = 32 : i64, nontemporal = true} : memref<1024x112xf32>, vector<8xf32>
func.func @long(%x: tensor<1024x112xf32>) -> tensor<1024x112xf32> {
  %0 = graph.fused_op -> (tensor<1024x112xf32>) {
    %1 = graph.exp %x : (tensor<1024x112xf32>) -> tensor<1024x112xf32>
    graph.yield %1 : tensor<1024x112xf32>
  }
  return %0 : tensor<1024x112xf32>
}
// CHECK-LABEL: func.func @narrow(
// CHECK: vector.store %{{.*}} {alignment = 64 : i64, nontemporal = true} : memref<1024x160xbf16>, vector<32xbf16>
func.func @narrow(%x: tensor<1024x160xf32>) -> tensor<1024x160xbf16> {
  %0 = graph.fused_op -> (tensor<1024x160xbf16>) {
    %1 = graph.exp %x : (tensor<1024x160xf32>) -> tensor<1024x160xf32>
    %2 = graph.type_cast %1 : tensor<1024x160xf32> -> tensor<1024x160xbf16>
    graph.yield %2 : tensor<1024x160xbf16>
  }
  return %0 : tensor<1024x160xbf16>
}
}
