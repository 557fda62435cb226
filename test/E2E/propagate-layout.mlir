// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layouts between ops, and without them: with propagate-layout=false what one
// region hands to the next is plain, and the next one packs it where it reads it.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s --check-prefix=BLOCKED
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 propagate-layout=false stop-after=fusion" | FileCheck %s --check-prefix=PLAIN
// RUN: gc-runner %s --threads=2 --check
// RUN: gc-runner %s --threads=2 --check --pipeline-options=propagate-layout=false
// RUN: gc-runner %s --threads=3 --check --pipeline-options="propagate-layout=false coarse-grain=false"
// RUN: gc-runner %s --threads=2 --check --pipeline-options="propagate-layout=false fine-grain=false"

// BLOCKED-LABEL: func.func @main
// BLOCKED: graph.fused_op {{.*}} -> (tensor<32x64xf32, #{{.*}}>) {
// BLOCKED: graph.matmul
// BLOCKED: graph.relu {{.*}} -> tensor<32x64xf32, #
// BLOCKED: graph.fused_op
// BLOCKED-NOT: graph.reorder
// BLOCKED: return

// PLAIN-LABEL: func.func @main
// PLAIN: %[[A:.*]] = graph.fused_op {{.*}} -> (tensor<32x64xf32>) {
// PLAIN: graph.matmul
// PLAIN: graph.relu {{.*}} -> tensor<32x64xf32>
// PLAIN: graph.yield
// PLAIN: %[[B:.*]] = graph.fused_op {{.*}} -> (tensor<32x48xf32>) {
// PLAIN: graph.reorder %[[A]] {graph.anchor = #graph.anchor<pre, {{[0-9]}}>, graph.where_read} : tensor<32x64xf32> -> tensor<32x64xf32, #
// PLAIN: graph.matmul
// PLAIN: return
func.func @main(%x: tensor<32x32xf32>, %w: tensor<32x64xf32> {graph.const_arg}, %v: tensor<64x48xf32> {graph.const_arg}) -> tensor<32x48xf32> {
  %0 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 32, KB = 32, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<32x32xf32>, tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = graph.relu %0 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = graph.matmul %1, %v {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 16, NB = 16, KB = 32, BS = 2, order = [m, n, k], packA = true, packB = true>} : (tensor<32x64xf32>, tensor<64x48xf32>) -> tensor<32x48xf32>
  return %2 : tensor<32x48xf32>
}
