// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of a product of few rows are divided among threads, although the rows are
// normalised afterwards.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" --machine=zen3-2 | FileCheck %s
// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=5 --pipeline-options=split-elements=-1
// RUN: gc-runner %s --check --threads=2 --pipeline-options="fine-grain=false"
// RUN: gc-runner %s --check --threads=2 --pipeline-options="coarse-grain=false"

// CHECK-LABEL: func.func @main
// CHECK: name = "matmul+add"
// CHECK: MPN = 1, NPN = 2
// CHECK: name = "reduce_sum
func.func @main(%x: tensor<1x1536xf32>, %w: tensor<1536x512xf32> {graph.const_arg}, %r: tensor<1x512xf32>, %scale: tensor<512xf32>, %shift: tensor<512xf32>) -> (tensor<1x512xf32>, tensor<1x512xf32>) {
  %0 = graph.matmul %x, %w : (tensor<1x1536xf32>, tensor<1536x512xf32>) -> tensor<1x512xf32>
  %1 = graph.add %0, %r : (tensor<1x512xf32>, tensor<1x512xf32>) -> tensor<1x512xf32>
  %2 = graph.layer_norm %1, %scale, %shift {keep_stats = false} : (tensor<1x512xf32>, tensor<512xf32>, tensor<512xf32>) -> tensor<1x512xf32>
  return %1, %2 : tensor<1x512xf32>, tensor<1x512xf32>
}
