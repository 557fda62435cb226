// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kernels that read their second matrix once fetch it ahead.

// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="threads=2 stop-after=fusion prefetch=never" | FileCheck %s --check-prefix=NEVER

// NEVER-NOT: fetch_ahead

// A whole matrix of 512 x 64 bf16: the next one begins where this one ends.
// CHECK-LABEL: func.func @small_matrices
// CHECK: fetch_ahead = [{{[0-9x]+}} : 65536]
func.func @small_matrices(%a: tensor<16x1x64xbf16>, %b: tensor<16x512x64xbf16>) -> tensor<16x1x512xbf16> attributes {graph.entry} {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<16x1x64xbf16>, tensor<16x512x64xbf16>) -> tensor<16x1x512xbf16>
  return %0 : tensor<16x1x512xbf16>
}

// Four of them do not fit 1 MiB.
// CHECK-LABEL: func.func @large_matrices
// CHECK: fetch_ahead = [{{[0-9x]+}} : 8192]
func.func @large_matrices(%a: tensor<16x1x64xbf16>, %b: tensor<16x4096x64xbf16>) -> tensor<16x1x4096xbf16> attributes {graph.entry} {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<16x1x64xbf16>, tensor<16x4096x64xbf16>) -> tensor<16x1x4096xbf16>
  return %0 : tensor<16x1x4096xbf16>
}

// Nothing follows the only one.
// CHECK-LABEL: func.func @one_matrix
// CHECK: fetch_ahead = [{{[0-9x]+}} : 8192]
func.func @one_matrix(%a: tensor<1x1x64xbf16>, %b: tensor<1x512x64xbf16>) -> tensor<1x1x512xbf16> attributes {graph.entry} {
  %0 = graph.matmul %a, %b {transpose_b = true} : (tensor<1x1x64xbf16>, tensor<1x512x64xbf16>) -> tensor<1x1x512xbf16>
  return %0 : tensor<1x1x512xbf16>
}
