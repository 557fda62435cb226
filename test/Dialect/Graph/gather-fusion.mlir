// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The regions that an embedding becomes.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s

// What follows joins the region of a gather; the sum of two embeddings is
// computed where one of them is read.
// CHECK-LABEL: func.func @embedding(
// CHECK: graph.fused_op
// CHECK: graph.gather {{.*}} {template_params = #graph.gather_template}
// CHECK: graph.fused_op
// CHECK: graph.gather {{.*}} {template_params = #graph.gather_template}
// CHECK-NEXT: graph.add {{.*}}graph.anchor = #graph.anchor<post, 1>
// CHECK: graph.reduce_sum {{.*}}graph.anchor = #graph.anchor<post, 1>
// CHECK-NOT: graph.fused_op
func.func @embedding(%tokens: tensor<50x16xf32>, %segments: tensor<2x16xf32>, %token: tensor<2x9xsi32>, %segment: tensor<2x9xsi32>) -> tensor<2x9x16xf32> {
  %0 = graph.gather %tokens, %token : (tensor<50x16xf32>, tensor<2x9xsi32>) -> tensor<2x9x16xf32>
  %1 = graph.gather %segments, %segment : (tensor<2x16xf32>, tensor<2x9xsi32>) -> tensor<2x9x16xf32>
  %2 = graph.add %0, %1 : (tensor<2x9x16xf32>, tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  %3 = graph.softmax %2 {axis = -1 : i64} : (tensor<2x9x16xf32>) -> tensor<2x9x16xf32>
  return %3 : tensor<2x9x16xf32>
}
