// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Up to which size of its rows a kept value has a buffer of its own: in half of
// the L1 cache, rounded down to a power of two, or else in half of a core's
// share of the L3 cache, and at most 1 MiB.

// RUN: gc-opt %s --machine=zen3-2 --graph-select-schedule | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --graph-select-schedule | FileCheck %s
// RUN: gc-opt %s --machine=zen5-2 --graph-select-schedule | FileCheck %s
// RUN: gc-opt %s --machine=laptop-avx2-4 --graph-select-schedule | FileCheck %s
// RUN: gc-opt %s --machine=server-avx512-64 --graph-select-schedule | FileCheck %s
// RUN: sed 's/^module {/module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L1_cache_size_in_bytes" = 8192 : i64>>} {/' %s | gc-opt --graph-select-schedule | FileCheck %s --check-prefix=SMALL
// RUN: sed 's/^module {/module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L3_cache_size_in_bytes" = 1048576 : i64>>} {/' %s | gc-opt --graph-select-schedule | FileCheck %s --check-prefix=NEAR

module {

// CHECK-LABEL: func.func @softmax
// CHECK: recompute = 8, interleave = 12, row_bytes = 16384, max_row_bytes = 1048576
// SMALL-LABEL: func.func @softmax
// SMALL: row_bytes = 4096, max_row_bytes = 1048576
// NEAR-LABEL: func.func @softmax
// NEAR: row_bytes = 16384, max_row_bytes = 262144
func.func @softmax(%x: tensor<64x8192xf32>) -> tensor<64x8192xf32> {
  %0 = graph.fused_op -> (tensor<64x8192xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x8192xf32>) -> tensor<64x1xf32>
    %d = graph.subtract %x, %m : (tensor<64x8192xf32>, tensor<64x1xf32>) -> tensor<64x8192xf32>
    %e = graph.exp %d : (tensor<64x8192xf32>) -> tensor<64x8192xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<64x8192xf32>) -> tensor<64x1xf32>
    %y = graph.divide %e, %s : (tensor<64x8192xf32>, tensor<64x1xf32>) -> tensor<64x8192xf32>
    graph.yield %y : tensor<64x8192xf32>
  }
  return %0 : tensor<64x8192xf32>
}

// The row in work takes 8 KiB: a limit of 16 KiB is not mentioned.
// CHECK-LABEL: func.func @short
// CHECK: recompute
// CHECK-NOT: row_bytes
// SMALL-LABEL: func.func @short
// SMALL: row_bytes = 4096
func.func @short(%x: tensor<64x2048xf32>) -> tensor<64x2048xf32> {
  %0 = graph.fused_op -> (tensor<64x2048xf32>) {
    %m = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<64x2048xf32>) -> tensor<64x1xf32>
    %d = graph.subtract %x, %m : (tensor<64x2048xf32>, tensor<64x1xf32>) -> tensor<64x2048xf32>
    %e = graph.exp %d : (tensor<64x2048xf32>) -> tensor<64x2048xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<64x2048xf32>) -> tensor<64x1xf32>
    %y = graph.divide %e, %s : (tensor<64x2048xf32>, tensor<64x1xf32>) -> tensor<64x2048xf32>
    graph.yield %y : tensor<64x2048xf32>
  }
  return %0 : tensor<64x2048xf32>
}

// Nothing is read again: there is nothing to keep.
// CHECK-LABEL: func.func @sum
// CHECK-NOT: row_bytes
// CHECK: return
func.func @sum(%x: tensor<64x8192xf32>) -> tensor<64x1xf32> {
  %0 = graph.fused_op -> (tensor<64x1xf32>) {
    %e = graph.exp %x : (tensor<64x8192xf32>) -> tensor<64x8192xf32>
    %s = graph.reduce_sum %e {axes = array<i64: 1>, keep_dims = true} : (tensor<64x8192xf32>) -> tensor<64x1xf32>
    graph.yield %s : tensor<64x1xf32>
  }
  return %0 : tensor<64x1xf32>
}

}
