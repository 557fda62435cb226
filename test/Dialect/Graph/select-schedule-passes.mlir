// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How vectors lie in the passes of a template, and which kernels fetch ahead.

// RUN: gc-opt %s --graph-select-schedule="kernel=vector" | FileCheck %s
// RUN: gc-opt %s --graph-select-schedule="kernel=vector prefetch=never" | FileCheck %s --check-prefix=NEVER
// RUN: gc-opt %s --graph-select-schedule="kernel=vector" --convert-graph-to-tir | FileCheck %s --check-prefix=TIR
// Lowering does what is written.
// RUN: gc-opt %s --graph-select-schedule="kernel=vector" | sed 's/ transposed 1//g; s/ : 8192/ : 4096/' | gc-opt --convert-graph-to-tir | FileCheck %s --check-prefix=HAND

// A transposed operand is packed, and a transposed result is stored, in squares.
// CHECK-LABEL: func.func @columns
// CHECK: #graph.schedule<vector_bytes = 32, passes = [pre 1 : 0 transposed 1, post 1 : 0 transposed 1], kernel = vector>
// TIR-LABEL: func.func @columns
// TIR-COUNT-16: vector.shuffle
// TIR: return
// HAND-LABEL: func.func @columns
// HAND-NOT: vector.shuffle
// HAND: return

// B is read once by kernels of few rows.
// CHECK-LABEL: func.func @few_rows
// CHECK: #graph.schedule<vector_bytes = 32, kernel = vector, fetch_ahead = [2x32x16 : 8192]>
// NEVER-LABEL: func.func @few_rows
// NEVER: #graph.schedule<vector_bytes = 32, kernel = vector>
// TIR-LABEL: func.func @few_rows
// TIR: tir.brgemm_dispatch {{.*}} implementation(vector) ahead(8192)
// HAND-LABEL: func.func @few_rows
// HAND: tir.brgemm_dispatch {{.*}} implementation(vector) ahead(4096)

#big = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "L2_cache_size_in_bytes" = 1048576 : i64, "L3_cache_size_in_bytes" = 67108864 : i64>>
module attributes {dlti.target_system_spec = #big} {
func.func @columns(%x: tensor<32x16xf32>, %y: tensor<32x16xf32>) -> tensor<32x32xf32> {
  %0 = graph.fused_op -> (tensor<32x32xf32>) {
    %1 = graph.reorder %y {graph.anchor = #graph.anchor<pre, 2>} : tensor<32x16xf32> -> tensor<32x16xf32, #graph.layout<blocked, outer = [0, 1], inner = [1 : 16, 0 : 16]>>
    %2 = graph.matmul %x, %1 {transpose_b = true, template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 16, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<32x16xf32>, tensor<32x16xf32, #graph.layout<blocked, outer = [0, 1], inner = [1 : 16, 0 : 16]>>) -> tensor<32x32xf32>
    %3 = graph.static_transpose %2 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 1, 0>} : (tensor<32x32xf32>) -> tensor<32x32xf32>
    graph.yield %3 : tensor<32x32xf32>
  }
  return %0 : tensor<32x32xf32>
}
func.func @few_rows(%x: tensor<2x16xf32>, %y: tensor<16x32xf32>) -> tensor<2x32xf32> {
  %0 = graph.fused_op -> (tensor<2x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<2x16xf32>, tensor<16x32xf32>) -> tensor<2x32xf32>
    graph.yield %1 : tensor<2x32xf32>
  }
  return %0 : tensor<2x32xf32>
}

// Squares of bytes are whole cache lines, too.
// CHECK-LABEL: func.func @bytes
// CHECK: #graph.schedule<vector_bytes = 32, vector = 1, transposed = 0, partition = [{{[01]}} : 64, {{[01]}} : 64]
func.func @bytes(%x: tensor<256x256xui8>) -> tensor<256x256xui8> {
  %0 = graph.fused_op -> (tensor<256x256xui8>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<256x256xui8>) -> tensor<256x256xui8>
    graph.yield %1 : tensor<256x256xui8>
  }
  return %0 : tensor<256x256xui8>
}

// A product of one column is a dot product of rows; B is too small to be late.
// CHECK-LABEL: func.func @column
// CHECK-NOT: fetch_ahead
// CHECK: return
func.func @column(%x: tensor<2x64xf32>, %y: tensor<64x1xf32>) -> tensor<2x1xf32> {
  %0 = graph.fused_op -> (tensor<2x1xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 1, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<2x64xf32>, tensor<64x1xf32>) -> tensor<2x1xf32>
    graph.yield %1 : tensor<2x1xf32>
  }
  return %0 : tensor<2x1xf32>
}
}
