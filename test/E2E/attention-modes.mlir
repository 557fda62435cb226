// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each kind of softmax with each template of attention: rows that a mask leaves
// without a finite logit, some or all of them, in the first block of keys, in the
// last one and in all.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=3 --pipeline-options=attention=always
// RUN: gc-runner %s --check --threads=2 --pipeline-options=force-templates=attention_panel_template
// RUN: gc-runner %s --check --threads=2 --pipeline-options=attention=never
// RUN: gc-runner %s --check --threads=2 --pipeline-options="attention=always kernel=vector"
// RUN: gc-runner %s --emit=mlir --threads=2 --pipeline-options="attention=always stop-after=layout" | FileCheck %s

// Queries differ, so that no two share their scores.
// CHECK-COUNT-4: #graph.attention_template<

func.func @main(%q0: tensor<2x19x24xf32>, %q1: tensor<2x19x24xf32>, %q2: tensor<2x19x24xf32>, %q3: tensor<2x19x24xf32>, %k: tensor<2x70x24xf32>, %v: tensor<2x70x20xf32>)
    -> (tensor<2x19x20xf32>, tensor<2x19x20xf32>, tensor<2x19x20xf32>, tensor<2x19x20xf32>) {
  %inf = graph.constant dense<0xFF800000> : tensor<1x1x1xf32>
  %scale = graph.constant dense<0.25> : tensor<1xf32>

  // Causal: the last keys are masked.
  %s0 = graph.matmul %q0, %k {transpose_b = true} : (tensor<2x19x24xf32>, tensor<2x70x24xf32>) -> tensor<2x19x70xf32>
  %r0 = graph.gen_index %s0 {axis = 1 : i64} : (tensor<2x19x70xf32>) -> tensor<2x19x70xsi32>
  %k0 = graph.gen_index %s0 {axis = 2 : i64} : (tensor<2x19x70xf32>) -> tensor<2x19x70xsi32>
  %m0 = graph.greater_equal %r0, %k0 : (tensor<2x19x70xsi32>, tensor<2x19x70xsi32>) -> tensor<2x19x70xi1>
  %x0 = graph.select %m0, %s0, %inf : (tensor<2x19x70xi1>, tensor<2x19x70xf32>, tensor<1x1x1xf32>) -> tensor<2x19x70xf32>
  %p0 = graph.softmax %x0 {axis = -1 : i64} : (tensor<2x19x70xf32>) -> tensor<2x19x70xf32>
  %o0 = graph.matmul %p0, %v : (tensor<2x19x70xf32>, tensor<2x70x20xf32>) -> tensor<2x19x20xf32>

  // The first keys are masked.
  %s1 = graph.matmul %q1, %k {transpose_b = true} : (tensor<2x19x24xf32>, tensor<2x70x24xf32>) -> tensor<2x19x70xf32>
  %r1 = graph.gen_index %s1 {axis = 1 : i64} : (tensor<2x19x70xf32>) -> tensor<2x19x70xsi32>
  %k1 = graph.gen_index %s1 {axis = 2 : i64} : (tensor<2x19x70xf32>) -> tensor<2x19x70xsi32>
  %m1 = graph.greater_equal %k1, %r1 : (tensor<2x19x70xsi32>, tensor<2x19x70xsi32>) -> tensor<2x19x70xi1>
  %x1 = graph.select %m1, %s1, %inf : (tensor<2x19x70xi1>, tensor<2x19x70xf32>, tensor<1x1x1xf32>) -> tensor<2x19x70xf32>
  %p1 = graph.softmax %x1 {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<2x19x70xf32>) -> tensor<2x19x70xf32>
  %o1 = graph.matmul %p1, %v : (tensor<2x19x70xf32>, tensor<2x70x20xf32>) -> tensor<2x19x20xf32>

  // Each other row has no key at all.
  %m2 = graph.constant dense<[[0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0], [0xFF800000], [0.0]]> : tensor<19x1xf32>
  %s2 = graph.matmul %q2, %k {transpose_b = true} : (tensor<2x19x24xf32>, tensor<2x70x24xf32>) -> tensor<2x19x70xf32>
  %y2 = graph.multiply %s2, %scale : (tensor<2x19x70xf32>, tensor<1xf32>) -> tensor<2x19x70xf32>
  %x2 = graph.add %y2, %m2 : (tensor<2x19x70xf32>, tensor<19x1xf32>) -> tensor<2x19x70xf32>
  %p2 = graph.softmax %x2 {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<2x19x70xf32>) -> tensor<2x19x70xf32>
  %o2 = graph.matmul %p2, %v : (tensor<2x19x70xf32>, tensor<2x70x20xf32>) -> tensor<2x19x20xf32>

  // Without the maximum, bounded.
  %s3 = graph.matmul %q3, %k {transpose_b = true} : (tensor<2x19x24xf32>, tensor<2x70x24xf32>) -> tensor<2x19x70xf32>
  %c3 = graph.clamp %s3 {min = -8.0 : f32, max = 8.0 : f32} : (tensor<2x19x70xf32>) -> tensor<2x19x70xf32>
  %e3 = graph.exp %c3 : (tensor<2x19x70xf32>) -> tensor<2x19x70xf32>
  %t3 = graph.reduce_sum %e3 {axes = array<i64: -1>, keep_dims = true} : (tensor<2x19x70xf32>) -> tensor<2x19x1xf32>
  %p3 = graph.divide %e3, %t3 : (tensor<2x19x70xf32>, tensor<2x19x1xf32>) -> tensor<2x19x70xf32>
  %o3 = graph.matmul %p3, %v : (tensor<2x19x70xf32>, tensor<2x70x20xf32>) -> tensor<2x19x20xf32>
  return %o0, %o1, %o2, %o3 : tensor<2x19x20xf32>, tensor<2x19x20xf32>, tensor<2x19x20xf32>, tensor<2x19x20xf32>
}
