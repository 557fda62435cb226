// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Results that are written with non-temporal stores, and heads that are fetched ahead: on a
// description of tiny caches, so that small tensors do for it. Sizes of the last
// dimension of whole lines and not; fewer and more rows than the next head has.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=tensor" | FileCheck %s
// RUN: gc-runner %s --entry=lines --check --threads=1
// RUN: gc-runner %s --entry=lines --check --threads=2
// RUN: gc-runner %s --entry=lines --check --threads=8
// RUN: gc-runner %s --entry=ragged --check --threads=2
// RUN: gc-runner %s --entry=more_keys --check --threads=2
// RUN: gc-runner %s --entry=narrow --check --threads=2
// RUN: gc-runner %s --entry=narrow_ragged --check --threads=2

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 16384 : i64, "L2_cache_size_in_bytes" = 131072 : i64, "L3_cache_size_in_bytes" = 262144 : i64>>} {

// CHECK-LABEL: func.func @lines(
// CHECK: nontemporal
func.func @lines(%q: tensor<4x6x40x32xf32>, %k: tensor<4x6x40x32xf32>, %v: tensor<4x6x40x32xf32>) -> tensor<4x40x6x32xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x6x40x32xf32>, tensor<4x6x40x32xf32>) -> tensor<4x6x40x40xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<4x6x40x40xf32>) -> tensor<4x6x40x40xf32>
  %2 = graph.matmul %1, %v : (tensor<4x6x40x40xf32>, tensor<4x6x40x32xf32>) -> tensor<4x6x40x32xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x6x40x32xf32>) -> tensor<4x40x6x32xf32>
  return %3 : tensor<4x40x6x32xf32>
}

// CHECK-LABEL: func.func @ragged(
// CHECK: memref.prefetch
// CHECK-NOT: nontemporal
func.func @ragged(%q: tensor<4x6x40x35xf32>, %k: tensor<4x6x40x35xf32>, %v: tensor<4x6x40x35xf32>) -> tensor<4x40x6x35xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x6x40x35xf32>, tensor<4x6x40x35xf32>) -> tensor<4x6x40x40xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<4x6x40x40xf32>) -> tensor<4x6x40x40xf32>
  %2 = graph.matmul %1, %v : (tensor<4x6x40x40xf32>, tensor<4x6x40x35xf32>) -> tensor<4x6x40x35xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x6x40x35xf32>) -> tensor<4x40x6x35xf32>
  return %3 : tensor<4x40x6x35xf32>
}

// CHECK-LABEL: func.func @more_keys(
// CHECK: memref.prefetch
// CHECK: nontemporal
func.func @more_keys(%q: tensor<4x6x7x32xf32>, %k: tensor<4x6x61x32xf32>, %v: tensor<4x6x61x64xf32>) -> tensor<4x7x6x64xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x6x7x32xf32>, tensor<4x6x61x32xf32>) -> tensor<4x6x7x61xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<4x6x7x61xf32>) -> tensor<4x6x7x61xf32>
  %2 = graph.matmul %1, %v : (tensor<4x6x7x61xf32>, tensor<4x6x61x64xf32>) -> tensor<4x6x7x64xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x6x7x64xf32>) -> tensor<4x7x6x64xf32>
  return %3 : tensor<4x7x6x64xf32>
}

// Of bf16 and f16 a line has 32 elements: rows of 64 are whole lines, of 48 not.
// CHECK-LABEL: func.func @narrow(
// CHECK: nontemporal
func.func @narrow(%q: tensor<4x6x40x32xf32>, %k: tensor<4x6x40x32xf32>, %v: tensor<4x6x40x64xf32>) -> (tensor<4x40x6x64xbf16>, tensor<4x40x6x64xf16>) {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x6x40x32xf32>, tensor<4x6x40x32xf32>) -> tensor<4x6x40x40xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<4x6x40x40xf32>) -> tensor<4x6x40x40xf32>
  %2 = graph.matmul %1, %v : (tensor<4x6x40x40xf32>, tensor<4x6x40x64xf32>) -> tensor<4x6x40x64xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x6x40x64xf32>) -> tensor<4x40x6x64xf32>
  %4 = graph.type_cast %3 : tensor<4x40x6x64xf32> -> tensor<4x40x6x64xbf16>
  %5 = graph.type_cast %3 : tensor<4x40x6x64xf32> -> tensor<4x40x6x64xf16>
  return %4, %5 : tensor<4x40x6x64xbf16>, tensor<4x40x6x64xf16>
}

// CHECK-LABEL: func.func @narrow_ragged(
// CHECK-NOT: nontemporal
func.func @narrow_ragged(%q: tensor<4x6x40x32xf32>, %k: tensor<4x6x40x32xf32>, %v: tensor<4x6x40x48xf32>) -> tensor<4x40x6x48xbf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<4x6x40x32xf32>, tensor<4x6x40x32xf32>) -> tensor<4x6x40x40xf32>
  %1 = graph.softmax %0 {axis = 3 : i64} : (tensor<4x6x40x40xf32>) -> tensor<4x6x40x40xf32>
  %2 = graph.matmul %1, %v : (tensor<4x6x40x40xf32>, tensor<4x6x40x48xf32>) -> tensor<4x6x40x48xf32>
  %3 = graph.static_transpose %2 {order = array<i64: 0, 2, 1, 3>} : (tensor<4x6x40x48xf32>) -> tensor<4x40x6x48xf32>
  %4 = graph.type_cast %3 : tensor<4x40x6x48xf32> -> tensor<4x40x6x48xbf16>
  return %4 : tensor<4x40x6x48xbf16>
}
}
