// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The windows of an image are read in place. A call for each column of the window
// reduces the rows that are inside the image; at the sides it has fewer positions.

// RUN: gc-opt %s --split-input-file --machine=zen4-2 --gc-cpu-pipeline="stop-after=tensor" | FileCheck %s

// Two blocks of channels. The middle column comes first, since all positions have
// it, and overwrites the sums.
// CHECK-DAG: #[[$BEFORE_MAP:.*]] = affine_map<(d0, d1) -> (d0 * -3 - d1 + 1, 0)>
// CHECK-DAG: #[[$REST_MAP:.*]] = affine_map<(d0, d1) -> (d0 * -3 - d1 + 7, 0)>
// CHECK-DAG: #[[$LEAST:.*]] = affine_map<(d0) -> (3, d0)>
// CHECK-DAG: #[[$DIFFERENCE:.*]] = affine_map<(d0, d1) -> (d0 - d1)>
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<2x6x6x320xf32>
// CHECK-DAG: %[[FIRST:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 6, n = 48, k = 160, lda = 320, ldb = 48, ldc = 48, stride_a = 1920, stride_b = 46080, beta = 0>
// CHECK-DAG: %[[SIDE:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 5, {{.*}} beta = 1>
// CHECK-DAG: %[[NEXT:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 6, {{.*}} beta = 1>
// CHECK: tir.parallel (%{{.*}}, %{{.*}}, %[[IMAGE:.*]], %{{.*}}) in (1, 1, 2, 1)
// CHECK: %[[FROM:.*]] = affine.max #[[$BEFORE_MAP]](%{{.*}}, %{{.*}})
// CHECK: %[[POSITIVE:.*]] = affine.max #[[$REST_MAP]](%{{.*}}, %{{.*}})
// CHECK: %[[END:.*]] = affine.min #[[$LEAST]](%[[POSITIVE]])
// CHECK: %[[ROWS:.*]] = affine.apply #[[$DIFFERENCE]](%[[END]], %[[FROM]])
// CHECK: %[[Y:.*]] = affine.apply {{.*}}(%{{.*}}, %{{.*}}, %[[FROM]])
// CHECK: tir.brgemm %[[FIRST]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c0{{.*}}, %c0{{.*}}])
// CHECK: tir.brgemm %[[SIDE]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c0{{.*}}, %c0{{.*}}])
// CHECK: tir.brgemm %[[SIDE]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c1, %c0{{.*}}])
// CHECK: tir.brgemm %[[NEXT]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c0{{.*}}, %c160])
// CHECK: tir.brgemm %[[SIDE]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c0{{.*}}, %c160])
// CHECK: tir.brgemm %[[SIDE]] batch(%[[ROWS]]) a(%[[X]][%[[IMAGE]], %[[Y]], %c1, %c160])
// CHECK: arith.maximumf
func.func @main(%x: tensor<2x6x6x320xf32>, %w: tensor<3x3x320x40xf32> {graph.const_arg}) -> tensor<2x6x6x40xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x6x6x320xf32>, tensor<3x3x320x40xf32>) -> tensor<2x6x6x40xf32>
  %1 = graph.relu %0 : (tensor<2x6x6x40xf32>) -> tensor<2x6x6x40xf32>
  return %1 : tensor<2x6x6x40xf32>
}

// -----

// A stride without pads: nothing is computed about borders, every second pixel is
// a row, and the batch are blocks of channels.
// CHECK-LABEL: func.func @main(
// CHECK: tir.brgemm_dispatch #tir.kernel<{{.*}} m = 4, n = 32, k = 256, lda = 1024, ldb = 32, ldc = 64, stride_a = 256, stride_b = 8192, beta = 0>
// CHECK-NOT: affine.max
// CHECK: tir.brgemm %{{.*}} batch(%c2)
func.func @main(%x: tensor<1x8x8x512xf32>, %w: tensor<1x1x512x64xf32> {graph.const_arg}) -> tensor<1x4x4x64xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x512xf32>, tensor<1x1x512x64xf32>) -> tensor<1x4x4x64xf32>
  return %0 : tensor<1x4x4x64xf32>
}

// -----

// No column is seen by all positions: the sums start at 0, and nothing is called
// where all rows of a window are in the pads.
// CHECK-LABEL: func.func @main(
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK-NOT: beta = 0
// CHECK: vector.store %[[ZERO]]
// CHECK: affine.min
// CHECK-NEXT: %[[ROWS:.*]] = affine.apply
// CHECK: %[[ANY:.*]] = arith.cmpi sgt, %[[ROWS]], %c0
// CHECK: scf.if %[[ANY]]
// CHECK: tir.brgemm
func.func @main(%x: tensor<1x3x4x16xf32>, %w: tensor<2x2x16x16xf32> {graph.const_arg}) -> tensor<1x10x9x16xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 4, 3>, pads_end = array<i64: 4, 3>, dilations = array<i64: 1, 1>} : (tensor<1x3x4x16xf32>, tensor<2x2x16x16xf32>) -> tensor<1x10x9x16xf32>
  return %0 : tensor<1x10x9x16xf32>
}

// -----

// Few channels: a row of the window with its channels is a block of k, in one call
// for the positions that see all of it and one for each of the others. Positions
// are 6 elements apart, rows of 21 overlap.
// CHECK-LABEL: func.func @main(
// CHECK-SAME: %[[X:[a-z0-9]*]]: memref<1x16x16x3xf32>
// CHECK-DAG: %[[FIRST:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 1, n = 64, k = 12, {{.*}} stride_a = 48, stride_b = 1344, beta = 0>
// CHECK-DAG: %[[SECOND:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 1, n = 64, k = 18, {{.*}} beta = 0>
// CHECK-DAG: %[[INNER:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 5, n = 64, k = 21, lda = 6, {{.*}} beta = 0> implementation(vector)
// CHECK-DAG: %[[LAST:.*]] = tir.brgemm_dispatch #tir.kernel<{{.*}} m = 1, n = 64, k = 15, {{.*}} beta = 0>
// CHECK: tir.brgemm %[[FIRST]] batch(%[[ROWS:.*]]) a(%[[X]][%{{.*}}, %[[Y:.*]], %c0{{.*}}, %c0{{.*}}]) b(%[[B:.*]][%c0{{.*}}, %[[BLOCK:.*]], %c9{{[_0-9]*}}, %c0{{.*}}])
// CHECK: tir.brgemm %[[SECOND]] batch(%[[ROWS]]) a(%[[X]][%{{.*}}, %[[Y]], %c0{{.*}}, %c0{{.*}}]) b(%[[B]][%c0{{.*}}, %[[BLOCK]], %c3{{[_0-9]*}}, %c0{{.*}}])
// CHECK: tir.brgemm %[[INNER]] batch(%[[ROWS]]) a(%[[X]][%{{.*}}, %[[Y]], %c1{{[_0-9]*}}, %c0{{.*}}]) b(%[[B]][%c0{{.*}}, %[[BLOCK]], %c0{{.*}}, %c0{{.*}}])
// CHECK: tir.brgemm %[[LAST]] batch(%[[ROWS]]) a(%[[X]][%{{.*}}, %[[Y]], %c11{{[_0-9]*}}, %c0{{.*}}])
func.func @main(%x: tensor<1x16x16x3xf32>, %w: tensor<7x7x3x64xf32> {graph.const_arg}) -> tensor<1x8x8x64xf32> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 3, 3>, pads_end = array<i64: 3, 3>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x3xf32>, tensor<7x7x3x64xf32>) -> tensor<1x8x8x64xf32>
  return %0 : tensor<1x8x8x64xf32>
}
