// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sums of a tile are issued before the vector unit's work on the tile before,
// since the front end waits there for values of rows. Both are loops that are
// pipelined themselves, and keep their places in the loop around them.
//
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=promote export-plan=%t.json" -o %t.scop.mlir
// RUN: sed 's/"skewed": 1/"skewed": 0/' %t.json > %t.plan.json
// RUN: not cmp %t.json %t.plan.json
// RUN: gc-runner --target=npu %s --pipeline-options="import-plan=%t.plan.json" --check --strict | FileCheck %s

// CHECK: check     passed
func.func @main(%x: tensor<256x256xf16>, %w: tensor<256x1024xf16>, %rows: tensor<256x1xf16>, %bias: tensor<1024xf16>) -> tensor<256x1024xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x256xf16>, tensor<256x1024xf16>) -> tensor<256x1024xf16>
  %1 = graph.multiply %0, %rows : (tensor<256x1024xf16>, tensor<256x1xf16>) -> tensor<256x1024xf16>
  %2 = graph.add %1, %bias : (tensor<256x1024xf16>, tensor<1024xf16>) -> tensor<256x1024xf16>
  return %2 : tensor<256x1024xf16>
}
