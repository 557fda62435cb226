// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-anchors))" | FileCheck %s
// Ops that have an anchor keep it.
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-anchors,graph-select-anchors))" | FileCheck %s

#a = #graph.layout<blocked, outer = [0, 1], inner = [0 : 16, 1 : 64]>
#bk = #graph.layout<blocked, outer = [0, 2, 1], inner = [1 : 16, 2 : 32]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "L3_cache_size_in_bytes" = 33554432 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The example of the pass's description. A core's share of C takes 1 MiB; the
// tile of 16 x 32 elements that the k loop has just left takes 2 KiB and is in
// the L1 cache.
// CHECK-LABEL: func.func @example
// CHECK: graph.add {{.*}} {graph.anchor = #graph.anchor<post, 1>}
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @example(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>, %b: tensor<1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    %2 = graph.add %1, %b : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %3 = graph.relu %2 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %3 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// All of a core's share is in the L1 cache anyway: a pass over each tile costs hardly more
// than one over all of them, and takes the smaller buffer.
// CHECK-LABEL: func.func @small_result
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @small_result(%x: tensor<64x64xf32>, %w: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %0 = graph.fused_op -> (tensor<64x32xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x64xf32>, tensor<64x32xf32>) -> tensor<64x32xf32>
    %2 = graph.relu %1 : (tensor<64x32xf32>) -> tensor<64x32xf32>
    graph.yield %2 : tensor<64x32xf32>
  }
  return %0 : tensor<64x32xf32>
}

// Where the loop over m is the innermost, anchor 1 has the same slice as anchor 2
// inside fewer loops; where k is outermost it is the same place.
// CHECK-LABEL: func.func @k_outermost
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, {{[12]}}>}
func.func @k_outermost(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 16, BS = 1, order = [k, m, n], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    %2 = graph.relu %1 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %2 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// Packing A: the core's share of 256 x 64 elements takes 64 KiB, one block of rows
// 4 KiB. Anchor 3 is inside the loop over m and nothing is packed twice there;
// anchors 4 and 5 are inside the loop over n and pack each block of rows again
// for every block of columns.
// CHECK-LABEL: func.func @pre_op
// CHECK: graph.reorder {{.*}} {graph.anchor = #graph.anchor<pre, 3>}
func.func @pre_op(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %p = graph.reorder %x : tensor<512x64xf32> -> tensor<512x64xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<512x64xf32, #a>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// With the loop over n outside, blocks of rows would be packed again for each of
// its 32 iterations: all rows are packed before the loops.
// CHECK-LABEL: func.func @pre_op_outside
// CHECK: graph.reorder {{.*}} {graph.anchor = #graph.anchor<pre, 2>}
func.func @pre_op_outside(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %p = graph.reorder %x : tensor<512x64xf32> -> tensor<512x64xf32, #a>
    %1 = graph.matmul %p, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 64, BS = 1, order = [n, m, k], packA = true, packB = false>} : (tensor<512x64xf32, #a>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// An op cannot come before what it reads, whatever it costs.
// CHECK-LABEL: func.func @preset
// CHECK: graph.add {{.*}} {graph.anchor = #graph.anchor<post, 2>}
// CHECK: graph.relu {{.*}} {graph.anchor = #graph.anchor<post, 2>}
// CHECK: graph.exp {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @preset(%x: tensor<512x64xf32>, %w: tensor<64x1024xf32>, %b: tensor<1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
  %0:2 = graph.fused_op -> (tensor<512x1024xf32>, tensor<512x1024xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 16, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<512x64xf32>, tensor<64x1024xf32>) -> tensor<512x1024xf32>
    %2 = graph.add %1, %b {graph.anchor = #graph.anchor<post, 2>} : (tensor<512x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %3 = graph.relu %2 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    %4 = graph.exp %1 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %3, %4 : tensor<512x1024xf32>, tensor<512x1024xf32>
  }
  return %0#0, %0#1 : tensor<512x1024xf32>, tensor<512x1024xf32>
}

// Softmax's exponentials: ops that are, or depend on, a reduction over rows go
// where whole rows are. With n inside k that is anchor 1, a panel of 32 rows that
// fits the L1 cache; B is packed once per batch item and core.
// CHECK-LABEL: func.func @row_panel
// CHECK: graph.reorder {{.*}} {graph.anchor = #graph.anchor<pre, 2>}
// CHECK: graph.multiply {{.*}} {graph.anchor = #graph.anchor<post, 1>}
// CHECK: graph.reduce_max {{.*}} graph.anchor = #graph.anchor<post, 1>
// CHECK: graph.subtract {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @row_panel(%x: tensor<8x1024x16xf32>, %w: tensor<8x16x64xf32>, %c: tensor<f32>) -> tensor<8x1024x64xf32> {
  %0 = graph.fused_op -> (tensor<8x1024x64xf32>) {
    %p = graph.reorder %w : tensor<8x16x64xf32> -> tensor<8x16x64xf32, #bk>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = true>} : (tensor<8x1024x16xf32>, tensor<8x16x64xf32, #bk>) -> tensor<8x1024x64xf32>
    %2 = graph.multiply %1, %c : (tensor<8x1024x64xf32>, tensor<f32>) -> tensor<8x1024x64xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 2>, keep_dims = true} : (tensor<8x1024x64xf32>) -> tensor<8x1024x1xf32>
    %4 = graph.subtract %2, %3 : (tensor<8x1024x64xf32>, tensor<8x1024x1xf32>) -> tensor<8x1024x64xf32>
    graph.yield %4 : tensor<8x1024x64xf32>
  }
  return %0 : tensor<8x1024x64xf32>
}

// One value per row in between is cheap wherever it is.
// CHECK-LABEL: func.func @mean
// CHECK: graph.reduce_sum {{.*}} graph.anchor = #graph.anchor<post, 1>
// CHECK: graph.multiply {{.*}} {graph.anchor = #graph.anchor<post, 1>}
// CHECK: graph.subtract {{.*}} {graph.anchor = #graph.anchor<post, 1>}
func.func @mean(%x: tensor<1024x16xf32>, %w: tensor<16x64xf32>, %c: tensor<f32>) -> tensor<1024x64xf32> {
  %0 = graph.fused_op -> (tensor<1024x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<1024x16xf32>, tensor<16x64xf32>) -> tensor<1024x64xf32>
    %2 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<1024x64xf32>) -> tensor<1024x1xf32>
    %3 = graph.multiply %2, %c : (tensor<1024x1xf32>, tensor<f32>) -> tensor<1024x1xf32>
    %4 = graph.subtract %1, %3 : (tensor<1024x64xf32>, tensor<1024x1xf32>) -> tensor<1024x64xf32>
    graph.yield %4 : tensor<1024x64xf32>
  }
  return %0 : tensor<1024x64xf32>
}

// With n outside k, anchor 1 has tiles of 32 x 32: rows are whole only at anchor
// 2.
// CHECK-LABEL: func.func @row_share
// CHECK: graph.multiply {{.*}} {graph.anchor = #graph.anchor<post, 1>}
// CHECK: graph.reduce_max {{.*}} graph.anchor = #graph.anchor<post, 2>
// CHECK: graph.subtract {{.*}} {graph.anchor = #graph.anchor<post, 2>}
func.func @row_share(%x: tensor<1024x16xf32>, %w: tensor<16x64xf32>, %c: tensor<f32>) -> tensor<1024x64xf32> {
  %0 = graph.fused_op -> (tensor<1024x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<1024x16xf32>, tensor<16x64xf32>) -> tensor<1024x64xf32>
    %2 = graph.multiply %1, %c : (tensor<1024x64xf32>, tensor<f32>) -> tensor<1024x64xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<1024x64xf32>) -> tensor<1024x1xf32>
    %4 = graph.subtract %2, %3 : (tensor<1024x64xf32>, tensor<1024x1xf32>) -> tensor<1024x64xf32>
    graph.yield %4 : tensor<1024x64xf32>
  }
  return %0 : tensor<1024x64xf32>
}

// Regions without a tunable op have no anchors.
// CHECK-LABEL: func.func @elementwise
// CHECK-NOT: graph.anchor
func.func @elementwise(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}
}
