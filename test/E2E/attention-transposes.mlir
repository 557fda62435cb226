// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention as frameworks write it, with the transposes of heads as ops: all of
// it is one parallel loop, and right without any of the optimisations.

// RUN: gc-runner %s --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --check --threads=3 --pipeline-options=kernel=vector | FileCheck %s
// RUN: gc-runner %s --check --threads=2 --pipeline-options=coarse-grain=false | FileCheck %s --check-prefix=APART
// RUN: gc-runner %s --check --threads=2 --pipeline-options=fine-grain=false | FileCheck %s --check-prefix=RIGHT
// RUN: gc-runner %s --check --threads=2 --pipeline-options=propagate-layout=false | FileCheck %s --check-prefix=RIGHT
// RUN: gc-runner %s --check --threads=2 --pipeline-options=buffer-reuse=false | FileCheck %s --check-prefix=RIGHT
// RUN: gc-runner %s --check --threads=2 --pipeline-options=fast-softmax | FileCheck %s --check-prefix=RIGHT
// RUN: gc-runner %s --check --threads=2 --pipeline-options="coarse-grain=false fine-grain=false propagate-layout=false buffer-reuse=false" | FileCheck %s --check-prefix=RIGHT

// CHECK: 2 fused ops, 1 parallel regions, 1 forks
// CHECK: check {{ *}}passed
// APART: 2 fused ops, 2 parallel regions, 1 forks
// APART: check {{ *}}passed
// RIGHT: check {{ *}}passed

func.func @f(%q: tensor<2x128x4x64xf32>, %k: tensor<2x128x4x64xf32>, %v: tensor<2x128x4x64xf32>, %mask: tensor<2x1x1x128xf32>) -> tensor<2x128x4x64xf32> {
  %c = graph.constant dense<8.0> : tensor<1xf32>
  %q1 = graph.static_transpose %q {order = array<i64: 0, 2, 1, 3>} : (tensor<2x128x4x64xf32>) -> tensor<2x4x128x64xf32>
  %k1 = graph.static_transpose %k {order = array<i64: 0, 2, 3, 1>} : (tensor<2x128x4x64xf32>) -> tensor<2x4x64x128xf32>
  %v1 = graph.static_transpose %v {order = array<i64: 0, 2, 1, 3>} : (tensor<2x128x4x64xf32>) -> tensor<2x4x128x64xf32>
  %s = graph.matmul %q1, %k1 : (tensor<2x4x128x64xf32>, tensor<2x4x64x128xf32>) -> tensor<2x4x128x128xf32>
  %s1 = graph.divide %s, %c : (tensor<2x4x128x128xf32>, tensor<1xf32>) -> tensor<2x4x128x128xf32>
  %s2 = graph.add %s1, %mask : (tensor<2x4x128x128xf32>, tensor<2x1x1x128xf32>) -> tensor<2x4x128x128xf32>
  %p = graph.softmax %s2 {axis = 3 : i64} : (tensor<2x4x128x128xf32>) -> tensor<2x4x128x128xf32>
  %o = graph.matmul %p, %v1 : (tensor<2x4x128x128xf32>, tensor<2x4x128x64xf32>) -> tensor<2x4x128x64xf32>
  %o1 = graph.static_transpose %o {order = array<i64: 0, 2, 1, 3>} : (tensor<2x4x128x64xf32>) -> tensor<2x128x4x64xf32>
  return %o1 : tensor<2x128x4x64xf32>
}
