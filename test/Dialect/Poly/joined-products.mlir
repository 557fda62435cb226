// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --poly-extract --poly-schedule --poly-tile | FileCheck %s --check-prefix=TILE
// RUN: gc-opt %s --poly-extract --poly-schedule --poly-tile --poly-fuse | FileCheck %s --check-prefix=FUSE
// RUN: gc-opt %s --poly-extract --poly-schedule --poly-tile --poly-fuse --poly-map-units | FileCheck %s --check-prefix=MAP
// RUN: gc-opt %s --poly-extract --poly-schedule --poly-tile --poly-fuse --poly-map-units --poly-promote --poly-tile-statements | FileCheck %s
// RUN: gc-opt %s --poly-extract --poly-schedule --poly-tile="policy='S_11 : 32 @ L1, 64 @ L1'" --poly-fuse --poly-map-units --poly-promote --poly-tile-statements | FileCheck %s --check-prefix=POLICY

// Rows of the second product are tiled; all of its columns are in a tile.
// TILE: filter: "{ S_1[i0, i1, i2] }"
// TILE: mark: "tile:L1"
// TILE: filter: "{ S_11[i0, i1, i2] }"
// TILE: policy = "S_11 : 80 @ L1, 64 @ L1"

// The first product comes in by an extension node.
// FUSE: mark: "tile:L1"
// FUSE: extension: "{ [i0', 0] -> {{.*}}S_1[
// FUSE: filter: "{ {{.*}}S_1[
// FUSE: filter: "{ {{.*}}S_11[

// MAP: mark: "cube"
// MAP: mark: "local_UB"
// MAP: mark: "cube"
// MAP: mark: "local_UB"

// Blocks of rows: the sums of the first product are drained an iteration after
// it, and the second product comes two iterations later.
// CHECK: mark: "buffer:
// CHECK-DAG: pack_I0[t] -> [(t)]
// CHECK-DAG: S_1_tile[t, c] -> [(1 + t)]
// CHECK-DAG: drain_T3[t, c] -> [(2 + t)]
// CHECK-DAG: S_6_tile[t, c] -> [(3 + t)]
// CHECK-DAG: S_11_tile[t, c] -> [(4 + t)]
// CHECK-DAG: store_O0[t] -> [(5 + t)]
// CHECK-DAG: poly.buffer @I1_l1 of @I1 : memref<1x2x4x128x16xf16, #npu.space<l1>>
// The last columns of the right factor are ones.
// CHECK-DAG: poly.buffer @I2_l1 of @I2 : memref<1x16x80x16xf16, #npu.space<l1>>
// CHECK-DAG: poly.buffer @T4_l0c of @T4 : memref<16x5x16x16xf32, #npu.space<l0c>>
// CHECK-DAG: poly.buffer @T3_ub of @T3 : memref<2x5x16x16x16xf16, #npu.space<ub>>
// CHECK-DAG: poly.buffer @T10_l0c of @T10 : memref<2x5x5x16x16xf32, #npu.space<l0c>>
// CHECK: poly.tile @S_4_tile
// CHECK: npu.reduce max
// CHECK: poly.tile @fold_T5
// CHECK: npu.transpose
// A row has two repeats here: values of rows are in all lanes of a block.
// CHECK: poly.tile @spread_T5
// CHECK: npu.reduce max
// The sums of rows are inverted, not the elements divided.
// CHECK: poly.tile @invert_T9
// CHECK: npu.unary rec {{.*}} memref<1x80x16xf32
// CHECK: poly.tile @S_12_tile
// CHECK: npu.binary mul
// CHECK: poly.tile @S_5_tile
// CHECK: npu.binary sub
// CHECK: poly.tile @S_1_tile
// CHECK: npu.matmul {{.*}} initialised
// CHECK: poly.tile @move_T7
// CHECK: npu.copy {{.*}}#npu.space<ub>> to {{.*}}#npu.space<l1>>
// The sums of rows are products with ones.
// CHECK-NOT: npu.reduce sum
// CHECK: poly.tile @fill_ones

// POLICY: policy = "S_11 : 32 @ L1, 64 @ L1"
// POLICY: poly.buffer @T4_l0c of @T4 : memref<16x2x16x16xf32, #npu.space<l0c>>
func.func @joined(%q: tensor<300x64xf16>, %k: tensor<256x64xf16>, %v: tensor<256x64xf16>) -> tensor<300x64xf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<300x64xf16>, tensor<256x64xf16>) -> tensor<300x256xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<300x256xf16>) -> tensor<300x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<300x256xf16>, tensor<300x1xf16>) -> tensor<300x256xf16>
  %3 = graph.exp %2 : (tensor<300x256xf16>) -> tensor<300x256xf16>
  %4 = graph.type_cast %3 : tensor<300x256xf16> -> tensor<300x256xf32>
  %5 = graph.reduce_sum %4 {axes = array<i64: 1>, keep_dims = true} : (tensor<300x256xf32>) -> tensor<300x1xf32>
  %6 = graph.matmul %3, %v : (tensor<300x256xf16>, tensor<256x64xf16>) -> tensor<300x64xf32>
  %7 = graph.divide %6, %5 : (tensor<300x64xf32>, tensor<300x1xf32>) -> tensor<300x64xf32>
  %8 = graph.type_cast %7 : tensor<300x64xf32> -> tensor<300x64xf16>
  return %8 : tensor<300x64xf16>
}
