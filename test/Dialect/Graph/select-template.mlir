// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties that must hold for a choice whatever the weights of the cost model
// are. The machine is described in the module, so that the host does not
// matter.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{threads=0 kernel=auto}))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{kernel=vector}))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{threads=1}))" | FileCheck %s --check-prefix=ONE
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{threads=12}))" | FileCheck %s --check-prefix=TWELVE

// Two cores with AVX2.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "L3_cache_size_in_bytes" = 33554432 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The example of the pass's description. Many rows: each thread takes half of
// them and reads all of B. A block of columns is one register tile of four
// vectors. With one thread there is nothing to divide.
// CHECK-LABEL: func.func @example
// CHECK: #graph.matmul_template<MPN = 2, NPN = 1, MB = {{[0-9]+}}, NB = {{32|16}},
// ONE-LABEL: func.func @example
// ONE: MPN = 1, NPN = 1,
// TWELVE-LABEL: func.func @example
// TWELVE: MPN = [[#M:]],
// TWELVE-SAME: NPN = [[#div(12,M)]],
func.func @example(%a: tensor<4096x64xf32>, %b: tensor<64x64xf32>) -> tensor<4096x64xf32> {
  %0 = graph.matmul %a, %b : (tensor<4096x64xf32>, tensor<64x64xf32>) -> tensor<4096x64xf32>
  return %0 : tensor<4096x64xf32>
}

// Few rows: halves of them would leave register tiles half empty; columns are
// divided.
// CHECK-LABEL: func.func @wide
// CHECK: MPN = 1, NPN = 2, MB = 6, NB = {{32|16}},
// TWELVE-LABEL: func.func @wide
// TWELVE: MPN = 1, NPN = 12, MB = 6,
func.func @wide(%a: tensor<6x1024xf32>, %b: tensor<1024x4096xf32>) -> tensor<6x4096xf32> {
  %0 = graph.matmul %a, %b : (tensor<6x1024xf32>, tensor<1024x4096xf32>) -> tensor<6x4096xf32>
  return %0 : tensor<6x4096xf32>
}

// One row and one column are not padded, and cannot be divided.
// CHECK-LABEL: func.func @row
// CHECK: MPN = 1, NPN = 2, MB = 1,
func.func @row(%a: tensor<1x512xf32>, %b: tensor<512x2048xf32>) -> tensor<1x2048xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x512xf32>, tensor<512x2048xf32>) -> tensor<1x2048xf32>
  return %0 : tensor<1x2048xf32>
}

// CHECK-LABEL: func.func @column
// CHECK: MPN = 2, NPN = 1, MB = {{[0-9]+}}, NB = 1, {{.*}}, packB = false
func.func @column(%a: tensor<2048x512xf32>, %b: tensor<512x1xf32> {graph.const_arg}) -> tensor<2048x1xf32> {
  %0 = graph.matmul %a, %b : (tensor<2048x512xf32>, tensor<512x1xf32>) -> tensor<2048x1xf32>
  return %0 : tensor<2048x1xf32>
}

// CHECK-LABEL: func.func @outer_product
// CHECK: KB = 1, BS = 1, {{.*}}, packA = false
func.func @outer_product(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64x64xf32> {
  %r = graph.relu %a : (tensor<64x1xf32>) -> tensor<64x1xf32>
  %0 = graph.matmul %r, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// One block is all there is to one element, whatever the number of threads.
// CHECK-LABEL: func.func @one
// CHECK: MPN = 1, NPN = 1, MB = 1, NB = 1, KB = 1, BS = 1, {{.*}}, packA = false, packB = false
// TWELVE-LABEL: func.func @one
// TWELVE: MPN = 1, NPN = 1, MB = 1, NB = 1, KB = 1, BS = 1,
func.func @one(%a: tensor<1x1xf32>, %b: tensor<1x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x1xf32>, tensor<1x1xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}

// 33 rows are cut into blocks of about the same size, so that none of one row is
// left over: one, two or three blocks.
// ONE-LABEL: func.func @tail
// ONE: MB = {{33|17|11}},
func.func @tail(%a: tensor<33x512xf32>, %b: tensor<512x512xf32>) -> tensor<33x512xf32> {
  %0 = graph.matmul %a, %b : (tensor<33x512xf32>, tensor<512x512xf32>) -> tensor<33x512xf32>
  return %0 : tensor<33x512xf32>
}

// Three products on two threads are divided in two each, so that no thread is idle
// while the other one computes the third; on one thread they are not. Three
// products on twelve threads are divided among four threads each.
// CHECK-LABEL: func.func @batch
// CHECK: MPN = [[#B:]],
// CHECK-SAME: NPN = [[#div(2,B)]],
// ONE-LABEL: func.func @batch
// ONE: MPN = 1, NPN = 1,
// TWELVE-LABEL: func.func @batch
// TWELVE: MPN = [[#B:]],
// TWELVE-SAME: NPN = [[#div(4,B)]],
func.func @batch(%a: tensor<3x256x256xf32>, %b: tensor<3x256x256xf32>) -> tensor<3x256x256xf32> {
  %0 = graph.matmul %a, %b : (tensor<3x256x256xf32>, tensor<3x256x256xf32>) -> tensor<3x256x256xf32>
  return %0 : tensor<3x256x256xf32>
}

// A template that is there stays.
// CHECK-LABEL: func.func @chosen
// CHECK: #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 7, KB = 3, BS = 2, order = [k, n, m], packA = true, packB = true>
func.func @chosen(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %a, %b {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 5, NB = 7, KB = 3, BS = 2, order = [k, n, m], packA = true, packB = true>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}

// Packing costs a pass over the operand. Plain arguments with few rows to share
// it are read in place, constants are packed once, many rows pay for B.
// CHECK-LABEL: func.func @packing
func.func @packing(%a: tensor<8x64xf32>, %b: tensor<64x64xf32>, %w: tensor<64x64xf32> {graph.const_arg}, %m: tensor<512x64xf32>) {
  // CHECK: packA = false, packB = false
  %0 = graph.matmul %a, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  // CHECK: packA = false, packB = true
  %1 = graph.matmul %a, %w : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  // CHECK: packA = false, packB = true
  %2 = graph.matmul %m, %b : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  // A value computed by an op of the graph is produced in packed form.
  // CHECK: packA = true, packB = false
  %3 = graph.matmul %0, %b : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  // A weight that is computed from constants is a constant.
  %4 = graph.exp %w {graph.constant_value} : (tensor<64x64xf32>) -> tensor<64x64xf32>
  // CHECK: packA = false, packB = true
  %5 = graph.matmul %a, %4 : (tensor<8x64xf32>, tensor<64x64xf32>) -> tensor<8x64xf32>
  return
}

// A packed A has blocks of whole vectors, but not longer than that: packed
// weights have as many rows.
// CHECK-LABEL: func.func @short_rows
func.func @short_rows(%a: tensor<64x64xf32>, %v: tensor<64x40xf32> {graph.const_arg}, %w: tensor<40x256xf32> {graph.const_arg}) -> tensor<64x256xf32> {
  %0 = graph.matmul %a, %v : (tensor<64x64xf32>, tensor<64x40xf32>) -> tensor<64x40xf32>
  // CHECK: KB = 48, BS = 1, {{.*}}, packA = true, packB = true>} : (tensor<64x40xf32>
  %1 = graph.matmul %0, %w : (tensor<64x40xf32>, tensor<40x256xf32>) -> tensor<64x256xf32>
  return %1 : tensor<64x256xf32>
}

// Operands without contiguous rows must be packed.
// CHECK-LABEL: func.func @in_place
func.func @in_place(%a: tensor<8x64xf32>, %at: tensor<64x8xf32>, %bt: tensor<16x64xf32>, %b: tensor<64x16xf32>,
    %view: tensor<8x64xf32, #graph.layout<strided, [100, 1]>>, %columns: tensor<8x64xf32, #graph.layout<strided, [1, 8]>>,
    %same: tensor<8x64xf32, #graph.layout<strided, [0, 1]>>, %atc: tensor<64x8xf32, #graph.layout<strided, [1, 64]>>) {
  // CHECK: packA = true, packB = false
  %0 = graph.matmul %at, %b {transpose_a = true} : (tensor<64x8xf32>, tensor<64x16xf32>) -> tensor<8x16xf32>
  // Columns that are contiguous along k are read by dot products.
  // CHECK: packA = false, packB = false
  %1 = graph.matmul %a, %bt {transpose_b = true} : (tensor<8x64xf32>, tensor<16x64xf32>) -> tensor<8x16xf32>
  // CHECK: packA = false, packB = false
  %2 = graph.matmul %view, %b : (tensor<8x64xf32, #graph.layout<strided, [100, 1]>>, tensor<64x16xf32>) -> tensor<8x16xf32>
  // CHECK: packA = true, packB = false
  %3 = graph.matmul %columns, %b : (tensor<8x64xf32, #graph.layout<strided, [1, 8]>>, tensor<64x16xf32>) -> tensor<8x16xf32>
  // Rows that overlap are not a matrix to a kernel.
  // CHECK: packA = true, packB = false
  %4 = graph.matmul %same, %b : (tensor<8x64xf32, #graph.layout<strided, [0, 1]>>, tensor<64x16xf32>) -> tensor<8x16xf32>
  // Transposed twice, by the op and by the layout, is contiguous.
  // CHECK: packA = false, packB = false
  %5 = graph.matmul %atc, %b {transpose_a = true} : (tensor<64x8xf32, #graph.layout<strided, [1, 64]>>, tensor<64x16xf32>) -> tensor<8x16xf32>
  return
}

// Inside of regions too.
// CHECK-LABEL: func.func @region
// CHECK: graph.fused_op
// CHECK-NEXT: graph.matmul {{.*}}template_params
func.func @region(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    %1 = graph.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %1 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// A column of bf16 is read where it is, along k; with an odd k it has to be packed.
// CHECK-LABEL: func.func @narrow_column
// CHECK: packB = false
// CHECK: packB = true
func.func @narrow_column(%a: tensor<301x202xbf16>, %b: tensor<202x1xbf16>, %c: tensor<301x203xbf16>, %d: tensor<203x1xbf16>) -> (tensor<301x1xbf16>, tensor<301x1xbf16>) {
  %0 = graph.matmul %a, %b : (tensor<301x202xbf16>, tensor<202x1xbf16>) -> tensor<301x1xbf16>
  %1 = graph.matmul %c, %d : (tensor<301x203xbf16>, tensor<203x1xbf16>) -> tensor<301x1xbf16>
  return %0, %1 : tensor<301x1xbf16>, tensor<301x1xbf16>
}
}

// -----

// AVX-512: a register tile is four vectors of 16 columns, and the blocks of
// columns with it.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen4-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 1048576 : i64, "L3_cache_size_in_bytes" = 33554432 : i64, "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>>} {
// CHECK-LABEL: func.func @avx512
// CHECK: NB = 64,
func.func @avx512(%a: tensor<512x1024xf32>, %b: tensor<1024x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.matmul %a, %b : (tensor<512x1024xf32>, tensor<1024x1024xf32>) -> tensor<512x1024xf32>
  return %0 : tensor<512x1024xf32>
}
}

// -----

// An L2 cache for everything: one call reduces all of k.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 1 : i64, "L2_cache_size_in_bytes" = 1073741824 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {
// CHECK-LABEL: func.func @large_cache
// CHECK: KB = [[#KB:]],
// CHECK-SAME: BS = [[#div(8192,KB)]],
func.func @large_cache(%a: tensor<512x8192xf32>, %b: tensor<8192x512xf32>) -> tensor<512x512xf32> {
  %0 = graph.matmul %a, %b : (tensor<512x8192xf32>, tensor<8192x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}

// -----

// An L2 cache of 32 KiB: blocks of 16 x 64 or more of A and of B, four bytes an
// element, fit at most four times.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 1 : i64, "L2_cache_size_in_bytes" = 32768 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {
// CHECK-LABEL: func.func @small_cache
// CHECK: KB = 64, BS = {{[1-4]}},
func.func @small_cache(%a: tensor<512x8192xf32>, %b: tensor<8192x512xf32>) -> tensor<512x512xf32> {
  %0 = graph.matmul %a, %b : (tensor<512x8192xf32>, tensor<8192x512xf32>) -> tensor<512x512xf32>
  return %0 : tensor<512x512xf32>
}
}

// -----

// Vectors wider than the matrices still give a template that fits.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 1 : i64, "max_vector_op_width" = 512 : i64, "num_vector_registers" = 32 : i64>>} {
// CHECK-LABEL: func.func @wide_vectors
// CHECK: template_params
func.func @wide_vectors(%a: tensor<5x3xf32>, %b: tensor<3x7xf32> {graph.const_arg}) -> tensor<5x7xf32> {
  %r = graph.relu %a : (tensor<5x3xf32>) -> tensor<5x3xf32>
  %0 = graph.matmul %r, %b : (tensor<5x3xf32>, tensor<3x7xf32>) -> tensor<5x7xf32>
  return %0 : tensor<5x7xf32>
}
}

// -----

// Without a description the host decides; whatever it is, there is a template.
// CHECK-LABEL: func.func @host
// CHECK: template_params
func.func @host(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %a, %b : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
