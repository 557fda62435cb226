// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each decision of graph-select-schedule, forced either way: results are right,
// and the schedule says what was asked for.

// DEFINE: %{run} = gc-runner %s --threads=2 --check --pipeline-options
// RUN: %{run}="vector-bytes=4"
// RUN: %{run}="vector-bytes=8 kernel=vector"
// RUN: %{run}="vector-bytes=16"
// RUN: %{run}="vector-bytes=32"
// RUN: %{run}="vector-bytes=64 kernel=vector"
// RUN: %{run}="vector-dim=0"
// RUN: %{run}="vector-dim=1 tasks=1"
// RUN: %{run}="vector-dim=2 tasks=1000"
// RUN: %{run}="tasks=3"
// RUN: %{run}="stream=always prefetch=always"
// RUN: %{run}="stream=never prefetch=never"
// RUN: %{run}="unroll=1 recompute=0"
// RUN: %{run}="unroll=3 recompute=1000"
// RUN: %{run}="unroll=16 recompute=1 fine-grain=false"
// RUN: %{run}="fine-grain=false vector-dim=0 vector-bytes=16"
// RUN: not gc-runner %s --pipeline-options="vector-bytes=28" 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 vector-bytes=16 stream=always prefetch=always stop-after=fusion" | FileCheck %s

// WRONG-COUNT-1: option 'vector-bytes' is 0, 4, 8, 16, 32 or 64, not 28
// CHECK-DAG: #graph.schedule<vector_bytes = 16, {{.*}}stream = [0]{{.*}}prefetch = [0, 1]>
// CHECK-DAG: #graph.schedule<vector_bytes = 16, {{.*}}vector = {{[0-9]}}{{.*}}partition = [

func.func @main(%x: tensor<6x40x64xf32>, %y: tensor<6x64x48xf32>, %z: tensor<33x47xf32>, %u: tensor<7x1000xbf16>, %one: tensor<900xf32>)
    -> (tensor<40x6x48xf32>, tensor<47x33xf32>, tensor<33x47xf32>, tensor<1x47xf32>, tensor<7x1xbf16>, tensor<900xf32>, tensor<f32>) {
  %0 = graph.matmul %x, %y : (tensor<6x40x64xf32>, tensor<6x64x48xf32>) -> tensor<6x40x48xf32>
  %1 = graph.static_transpose %0 {order = array<i64: 1, 0, 2>} : (tensor<6x40x48xf32>) -> tensor<40x6x48xf32>
  %2 = graph.static_transpose %z {order = array<i64: 1, 0>} : (tensor<33x47xf32>) -> tensor<47x33xf32>
  %3 = graph.softmax %z {axis = 1 : i64} : (tensor<33x47xf32>) -> tensor<33x47xf32>
  %4 = graph.reduce_sum %z {axes = array<i64: 0>, keep_dims = true} : (tensor<33x47xf32>) -> tensor<1x47xf32>
  %5 = graph.reduce_mean %u {axes = array<i64: 1>, keep_dims = true} : (tensor<7x1000xbf16>) -> tensor<7x1xbf16>
  %6 = graph.sigmoid %one : (tensor<900xf32>) -> tensor<900xf32>
  %7 = graph.reduce_max %one {axes = array<i64: 0>} : (tensor<900xf32>) -> tensor<f32>
  return %1, %2, %3, %4, %5, %6, %7 : tensor<40x6x48xf32>, tensor<47x33xf32>, tensor<33x47xf32>, tensor<1x47xf32>, tensor<7x1xbf16>, tensor<900xf32>, tensor<f32>
}
