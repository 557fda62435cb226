// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Many threads and little to share out: no core is idle where k or the packing of
// an operand can be divided.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{threads=48}))" | FileCheck %s --check-prefix=STREAM
// RUN: gc-opt %s --gc-cpu-pipeline="threads=32 stop-after=fusion" | FileCheck %s --check-prefix=FUSED

// 32 cores of the server preset.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "server-avx512-64", "num_threads" = 32 : i64>>} {

// One product more than cores: halves or quarters of the rows, so that the second
// round is short.
// CHECK-LABEL: func.func @batch_remainder
// CHECK: matmul_template<MPN = [[#M:]],
// CHECK-SAME: NPN = [[#div(4,M)]],
func.func @batch_remainder(%a: tensor<33x256x256xf32>, %b: tensor<33x256x256xf32>) -> tensor<33x256x256xf32> {
  %0 = graph.matmul %a, %b : (tensor<33x256x256xf32>, tensor<33x256x256xf32>) -> tensor<33x256x256xf32>
  return %0 : tensor<33x256x256xf32>
}

// The same in a chain: 48 heads.
// CHECK-LABEL: func.func @heads
// CHECK: attention_panel_template<scores = <MPN = {{[24]}}, NPN = 1
func.func @heads(%q: tensor<48x384x64xf32>, %k: tensor<48x384x64xf32>, %v: tensor<48x384x64xf32>) -> tensor<48x384x64xf32> {
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<48x384x64xf32>, tensor<48x384x64xf32>, tensor<48x384x64xf32>) -> tensor<48x384x64xf32> {
  ^bb0(%x: tensor<48x384x384xf32>):
    graph.yield %x : tensor<48x384x384xf32>
  }
  return %0 : tensor<48x384x64xf32>
}

// B is transposed and is packed by each core for its slice of k.
// CHECK-LABEL: func.func @long_k
// CHECK: MPN = 1, NPN = 1, {{.*}} packB = true, KPN = 32>
// FUSED-LABEL: func.func @long_k
// FUSED: graph.reorder {{.*}} {graph.anchor = #graph.anchor<pre, 2>}
// FUSED: graph.matmul
func.func @long_k(%a: tensor<16x65536xf32>, %b: tensor<16x65536xf32>) -> tensor<16x16xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<16x65536xf32>, tensor<16x65536xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// Both operands are packed by slices.
// CHECK-LABEL: func.func @both
// CHECK: packA = true, packB = true, KPN = {{[0-9]+}}>
func.func @both(%a: tensor<65536x16xf32>, %b: tensor<16x65536xf32>) -> tensor<16x16xf32> {
  %0 = graph.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<65536x16xf32>, tensor<16x65536xf32>) -> tensor<16x16xf32>
  return %0 : tensor<16x16xf32>
}

// A few blocks of the result: parts of it and slices of k together keep 32 cores
// busy.
// CHECK-LABEL: func.func @parts_and_slices
// CHECK: KPN = {{[0-9]+}}>
func.func @parts_and_slices(%a: tensor<64x32768xf32>, %b: tensor<32768x128xf32>) -> tensor<64x128xf32> {
  %0 = graph.matmul %a, %b : (tensor<64x32768xf32>, tensor<32768x128xf32>) -> tensor<64x128xf32>
  return %0 : tensor<64x128xf32>
}

// Tall: there are rows enough.
// CHECK-LABEL: func.func @tall
// CHECK: MPN = 32, NPN = 1,
// CHECK-NOT: KPN
// CHECK: return
func.func @tall(%a: tensor<65536x64xf32>, %b: tensor<16x64xf32>) -> tensor<65536x16xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<65536x64xf32>, tensor<16x64xf32>) -> tensor<65536x16xf32>
  return %0 : tensor<65536x16xf32>
}

// Fewer rows than threads, layer after layer: each has a part for as many threads
// as there are.
// CHECK-LABEL: func.func @few_rows
// CHECK: graph.matmul {{.*}}<MPN =
// CHECK: graph.matmul {{.*}}<MPN =
func.func @few_rows(%a: tensor<8x256xf32>, %w: tensor<256x256xf32> {graph.const_arg}) -> tensor<8x256xf32> {
  %0 = graph.matmul %a, %w : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  %1 = graph.relu %0 : (tensor<8x256xf32>) -> tensor<8x256xf32>
  %2 = graph.matmul %1, %w : (tensor<8x256xf32>, tensor<256x256xf32>) -> tensor<8x256xf32>
  return %2 : tensor<8x256xf32>
}

// A row times a matrix that is streamed in blocks of columns. These are rounded
// up to whole vectors and may be fewer than the threads.
// STREAM-LABEL: func.func @streamed
// STREAM: MPN = 1, NPN = 43, MB = 1, NB = 96, {{.*}} order = [m, k, n], packA = false, packB = false
func.func @streamed(%a: tensor<1x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<1x4096xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x4096xf32>, tensor<4096x4096xf32>) -> tensor<1x4096xf32>
  return %0 : tensor<1x4096xf32>
}
}
