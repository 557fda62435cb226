// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Templates that are chosen with regard to what follows: whole rows where rows are
// reduced, one split of the rows where products follow each other.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template{threads=8}))" | FileCheck %s --check-prefix=EIGHT

// Two cores with AVX2.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "L3_cache_size_in_bytes" = 33554432 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// Attention: the first product leaves row panels (order m, k, n with all of k in
// one chunk), the second one has the same parts and blocks of rows and reads the
// panel in rows that are not a multiple of half a page apart.
// CHECK-LABEL: func.func @attention
// CHECK: MPN = 1, NPN = 1, MB = [[MB:[0-9]+]], NB = 32, KB = 64, BS = 1, order = [m, k, n], packA = false, packB = true
// CHECK: MPN = 1, NPN = 1, MB = [[MB]], NB = 32, KB = 528, BS = 1, order = [m, {{n, k|k, n}}], packA = true, packB = true
// Too few heads for the threads: the rows are divided as well.
// EIGHT-LABEL: func.func @attention
// EIGHT: MPN = 4, NPN = 1, MB = [[MB:[0-9]+]],
// EIGHT: MPN = 4, NPN = 1, MB = [[MB]],
func.func @attention(%q: tensor<2x512x64xf32>, %k: tensor<2x64x512xf32>, %v: tensor<2x512x64xf32>) -> tensor<2x512x64xf32> {
  %s = graph.matmul %q, %k : (tensor<2x512x64xf32>, tensor<2x64x512xf32>) -> tensor<2x512x512xf32>
  %m = graph.reduce_max %s {axes = array<i64: 2>, keep_dims = true} : (tensor<2x512x512xf32>) -> tensor<2x512x1xf32>
  %d = graph.subtract %s, %m : (tensor<2x512x512xf32>, tensor<2x512x1xf32>) -> tensor<2x512x512xf32>
  %e = graph.exp %d : (tensor<2x512x512xf32>) -> tensor<2x512x512xf32>
  %t = graph.reduce_sum %e {axes = array<i64: 2>, keep_dims = true} : (tensor<2x512x512xf32>) -> tensor<2x512x1xf32>
  %o = graph.matmul %e, %v : (tensor<2x512x512xf32>, tensor<2x512x64xf32>) -> tensor<2x512x64xf32>
  %r = graph.divide %o, %t : (tensor<2x512x64xf32>, tensor<2x512x1xf32>) -> tensor<2x512x64xf32>
  return %r : tensor<2x512x64xf32>
}

// Rows that end in the middle of a vector are packed into rounded ones.
// CHECK-LABEL: func.func @odd
// CHECK: packA = false
// CHECK: KB = 112, BS = 1, {{.*}} packA = true
func.func @odd(%q: tensor<4x100x40xf32>, %k: tensor<4x40x100xf32>, %v: tensor<4x100x40xf32>) -> tensor<4x100x40xf32> {
  %s = graph.matmul %q, %k : (tensor<4x100x40xf32>, tensor<4x40x100xf32>) -> tensor<4x100x100xf32>
  %m = graph.reduce_max %s {axes = array<i64: 2>, keep_dims = true} : (tensor<4x100x100xf32>) -> tensor<4x100x1xf32>
  %d = graph.subtract %s, %m : (tensor<4x100x100xf32>, tensor<4x100x1xf32>) -> tensor<4x100x100xf32>
  %o = graph.matmul %d, %v : (tensor<4x100x100xf32>, tensor<4x100x40xf32>) -> tensor<4x100x40xf32>
  return %o : tensor<4x100x40xf32>
}

// Rows that are reduced stay whole, unless sums in a loop of their own cost less: the
// few rows of the first product read a large matrix, whose columns cores divide.
// CHECK-LABEL: func.func @reduced
// CHECK: MPN = 1, NPN = 2
// CHECK: NPN = 1, {{.*}} order = [m, k, n]
// EIGHT-LABEL: func.func @reduced
// EIGHT: MPN = 1, NPN = 8
func.func @reduced(%a: tensor<6x1024xf32>, %b: tensor<1024x4096xf32>, %c: tensor<512x256xf32>, %d: tensor<256x512xf32>) -> (tensor<6x1xf32>, tensor<512x1xf32>) {
  %0 = graph.matmul %a, %b : (tensor<6x1024xf32>, tensor<1024x4096xf32>) -> tensor<6x4096xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<6x4096xf32>) -> tensor<6x1xf32>
  %2 = graph.matmul %c, %d : (tensor<512x256xf32>, tensor<256x512xf32>) -> tensor<512x512xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<512x512xf32>) -> tensor<512x1xf32>
  return %1, %3 : tensor<6x1xf32>, tensor<512x1xf32>
}

// A perceptron with small layers: one split of the rows, no parts of the columns.
// CHECK-LABEL: func.func @layers
// CHECK: MPN = 2, NPN = 1, MB = [[MB:[0-9]+]],
// CHECK: MPN = 2, NPN = 1, MB = [[MB]],
// CHECK: MPN = 2, NPN = 1, MB = [[MB]],
func.func @layers(%x: tensor<512x13xf32>, %w0: tensor<13x512xf32> {graph.const_arg}, %w1: tensor<512x256xf32> {graph.const_arg}, %w2: tensor<256x128xf32> {graph.const_arg}) -> tensor<512x128xf32> {
  %0 = graph.matmul %x, %w0 : (tensor<512x13xf32>, tensor<13x512xf32>) -> tensor<512x512xf32>
  %1 = graph.relu %0 : (tensor<512x512xf32>) -> tensor<512x512xf32>
  %2 = graph.matmul %1, %w1 : (tensor<512x512xf32>, tensor<512x256xf32>) -> tensor<512x256xf32>
  %3 = graph.relu %2 : (tensor<512x256xf32>) -> tensor<512x256xf32>
  %4 = graph.matmul %3, %w2 : (tensor<512x256xf32>, tensor<256x128xf32>) -> tensor<512x128xf32>
  return %4 : tensor<512x128xf32>
}

// Few rows on large layers: dividing them would leave each core with rows that
// use each weight once; columns are divided.
// CHECK-LABEL: func.func @large_layers
// CHECK: MPN = 1, NPN = 2,
// CHECK: MPN = 1, NPN = 2,
func.func @large_layers(%x: tensor<6x1024xf32>, %w: tensor<1024x1024xf32> {graph.const_arg}) -> tensor<6x1024xf32> {
  %0 = graph.matmul %x, %w : (tensor<6x1024xf32>, tensor<1024x1024xf32>) -> tensor<6x1024xf32>
  %1 = graph.relu %0 : (tensor<6x1024xf32>) -> tensor<6x1024xf32>
  %2 = graph.matmul %1, %w : (tensor<6x1024xf32>, tensor<1024x1024xf32>) -> tensor<6x1024xf32>
  return %2 : tensor<6x1024xf32>
}

// One tile of the result and a long k: only k can be divided.
// CHECK-LABEL: func.func @long_k
// CHECK: MPN = 1, NPN = 1, {{.*}}, KPN = 2>
func.func @long_k(%a: tensor<3x65536xf32>, %b: tensor<65536x8xf32>) -> tensor<3x8xf32> {
  %0 = graph.matmul %a, %b : (tensor<3x65536xf32>, tensor<65536x8xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// One row and a large B that is not constant: long pieces of eight rows of B at a
// time.
// CHECK-LABEL: func.func @streamed
// CHECK: MPN = 1, NPN = 2, MB = 1, NB = 1024, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false
func.func @streamed(%a: tensor<1x4096xf32>, %b: tensor<4096x14336xf32>) -> tensor<1x14336xf32> {
  %0 = graph.matmul %a, %b : (tensor<1x4096xf32>, tensor<4096x14336xf32>) -> tensor<1x14336xf32>
  return %0 : tensor<1x14336xf32>
}
}
