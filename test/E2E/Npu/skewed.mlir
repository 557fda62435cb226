// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What follows a product is computed beside the sums of the next tile: fewer
// parts than slices and more, tiles that overlap, values for columns and
// rows, a matrix.
//
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=promote | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=gelu --check --strict | FileCheck %s --check-prefix=PASSED
// RUN: gc-runner --target=npu %s --entry=scaled --check --strict | FileCheck %s --check-prefix=PASSED
// RUN: gc-runner --target=npu %s --entry=added --check --strict | FileCheck %s --check-prefix=PASSED

// PASSED: check     passed

// Four parts beside eight slices: one each in every other slice, of a tile that
// is one iteration late.
// CHECK-LABEL: poly.scop @gelu
// CHECK: mark: "pipeline:4"
// CHECK: schedule: {{.*}}drain_[[SUM:T[0-9]+]][i0, i1, i2] -> [(1 + i1)]
// CHECK: options: "{ atomic[0] }"
// CHECK: mark: "pipeline:4"
// CHECK: schedule: {{.*}}drain_[[SUM]][i0, i1, i2] -> [(1 + 2i2)]
// CHECK: skewed = array<i64: 0, 1>
// CHECK: skewed = 1
// CHECK: poly.buffer @{{.*}}_l0c {{.*}} : memref<2x{{.*}}x16x16xf32, #npu.space<l0c>>
func.func @gelu(%x: tensor<256x1024xf16>, %w: tensor<1024x512xf16>) -> tensor<256x512xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x1024xf16>, tensor<1024x512xf16>) -> tensor<256x512xf16>
  %1 = graph.gelu %0 : (tensor<256x512xf16>) -> tensor<256x512xf16>
  return %1 : tensor<256x512xf16>
}

// Two parts beside each of two slices; the loops over rows and columns of tiles
// are one.
// CHECK-LABEL: poly.scop @scaled
// CHECK: schedule: {{.*}}drain_[[SUM:T[0-9]+]][i0, i1, i2] -> [(1 + 4i0 + i1)]
// CHECK: schedule: {{.*}}drain_[[SUM]][i0, i1, i2] -> [(floor((1 + 2i2)/4))]
// CHECK: skewed = 1
func.func @scaled(%x: tensor<256x256xf16>, %w: tensor<256x1000xf16>, %rows: tensor<256x1xf16>, %columns: tensor<1000xf16>) -> tensor<256x1000xf16> {
  %0 = graph.matmul %x, %w : (tensor<256x256xf16>, tensor<256x1000xf16>) -> tensor<256x1000xf16>
  %1 = graph.multiply %0, %rows : (tensor<256x1000xf16>, tensor<256x1xf16>) -> tensor<256x1000xf16>
  %2 = graph.relu %1 : (tensor<256x1000xf16>) -> tensor<256x1000xf16>
  %3 = graph.add %2, %columns : (tensor<256x1000xf16>, tensor<1000xf16>) -> tensor<256x1000xf16>
  return %3 : tensor<256x1000xf16>
}

func.func @added(%x: tensor<3x192x512xf16>, %w: tensor<3x512x384xf16>, %bias: tensor<384xf16>, %y: tensor<3x192x384xf16>) -> tensor<3x192x384xf16> {
  %0 = graph.matmul %x, %w : (tensor<3x192x512xf16>, tensor<3x512x384xf16>) -> tensor<3x192x384xf16>
  %1 = graph.add %0, %bias : (tensor<3x192x384xf16>, tensor<384xf16>) -> tensor<3x192x384xf16>
  %2 = graph.add %1, %y : (tensor<3x192x384xf16>, tensor<3x192x384xf16>) -> tensor<3x192x384xf16>
  return %2 : tensor<3x192x384xf16>
}
