// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(graph-split-reductions{split-elements=-2}))" 2>&1 | FileCheck %s --check-prefix=SPLIT
// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(graph-split-reductions{max-ops=-1}))" 2>&1 | FileCheck %s --check-prefix=OPS
// RUN: not gc-opt %s --pass-pipeline="builtin.module(func.func(graph-split-reductions{threads=-2}))" 2>&1 | FileCheck %s --check-prefix=THREADS

// SPLIT: error: option 'split-elements' must be at least -1
// OPS: error: option 'max-ops' is negative
// THREADS: error: option 'threads' must be from 0 to 4096, not -2
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
