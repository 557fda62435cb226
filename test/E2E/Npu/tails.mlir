// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products whose last tiles are shorter: 64 of 128 rows, in four parts as others,
// and 44 of 128 columns.
//
// RUN: gc-opt %s --pass-pipeline='builtin.module(graph-decompose,poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_1 : 128 @ L1, 128 @ L1, 128 @ L1, 128 @ L0, 128 @ L0, 64 @ L0"},poly-fuse,poly-map-units,poly-promote,poly-tile-statements),convert-poly-to-npu)' -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: gc-runner --target=npu --check --strict %t.mlir | FileCheck %s --check-prefix=PASSED

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0) -> (128, d0 * -128 + 320)>
// CHECK-DAG: #[[COLUMNS:.*]] = affine_map<(d0) -> (128, d0 * -128 + 300)>
// CHECK: %[[N:.*]] = affine.min #[[COLUMNS]]
// CHECK: npu.pack %{{.*}} to %{{.*}} transposed up_to[%{{.*}}, %[[N]]]
// CHECK: %[[M:.*]] = affine.min #[[ROWS]]
// CHECK: npu.pack %{{.*}} to %{{.*}} up_to[%[[M]], %{{.*}}]
// The parts of the last tile begin at other rows.
// CHECK: arith.select
// CHECK: npu.matmul %{{.*}} initialised up_to[
// CHECK: npu.drain %{{.*}} up_to[
// CHECK: npu.unpack %{{.*}} up_to[

// PASSED: check     passed
func.func @main(%a: tensor<320x200xf16>, %b: tensor<200x300xf16>) -> tensor<320x300xf16> {
  %0 = graph.matmul %a, %b : (tensor<320x200xf16>, tensor<200x300xf16>) -> tensor<320x300xf16>
  return %0 : tensor<320x300xf16>
}
