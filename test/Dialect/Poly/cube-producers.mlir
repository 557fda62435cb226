// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --gc-npu-pipeline="stop-after=promote producers=always" | FileCheck %s

// A factor that is computed in the tiles of a product: loaded to UB as fractals,
// computed there in the place of what it is computed from, and moved to L1. The
// value of a row is in all lanes of a block. The product is a stage later.

// CHECK-LABEL: poly.scop @scaled
// CHECK: sequence: [
// CHECK: filter: "{ load_I0[i0, i1, i2] }"
// CHECK: filter: "{ load_I1[i0, i1, i2] }"
// CHECK: filter: "{ spread_I1[i0, i1, i2] }"
// CHECK: filter: "{ S_0_tile[i0, i1, i2] }"
// CHECK: filter: "{ move_T3[i0, i1, i2] }"
// CHECK: mark: "stage:1",
// CHECK: filter: "{ S_2_tile[i0, i1, i2, i3] }"
// CHECK-DAG: poly.buffer @T3_l1 of @T3 : memref<3x32x16xf16, #npu.space<l1>>
// CHECK-DAG: poly.buffer @I0_ub of @I0 slots 2 : memref<3x32x16xf16, #npu.space<ub>>
// CHECK-DAG: poly.buffer @I1_ub of @I1 slots 2 : memref<32x16xf16, #npu.space<ub>>
// CHECK-DAG: poly.buffer @I1_values of @I1 slots 2 : memref<32xf16, #npu.space<ub>>
// CHECK: poly.tile @load_I0 domain
// CHECK: npu.pack
// CHECK: poly.tile @spread_I1 domain
// CHECK: npu.transpose
// CHECK: poly.tile @S_0_tile domain
// CHECK: poly.ref @I0_ub
// CHECK: poly.ref @I0_ub
// CHECK: npu.binary mul %{{.*}}, %{{.*}} to %{{.*}} : memref<3x32x16xf16, #npu.space<ub>>, memref<1x32x16xf16, #npu.space<ub>>
// CHECK: poly.tile @move_T3 domain
// CHECK: npu.copy %{{.*}} to %{{.*}} : memref<3x32x16xf16, #npu.space<ub>> to memref<3x32x16xf16, #npu.space<l1>>
func.func @scaled(%x: tensor<32x48xf16>, %r: tensor<32x1xf16>, %w: tensor<48x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.multiply %x, %r : (tensor<32x48xf16>, tensor<32x1xf16>) -> tensor<32x48xf16>
  %1 = graph.matmul %0, %w : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

// A transpose is a load in another order.

// CHECK-LABEL: poly.scop @moved
// CHECK: poly.tile @load_I0 domain
// CHECK: npu.pack %{{.*}} to %{{.*}} transposed : memref<48x32xf16, #npu.space<gm>> to memref<3x32x16xf16, #npu.space<ub>>
func.func @moved(%x: tensor<48x32xf16>, %w: tensor<48x32xf16>) -> tensor<32x32xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<48x32xf16>) -> tensor<32x48xf16>
  %1 = graph.matmul %0, %w : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  return %1 : tensor<32x32xf16>
}

// -----

// The part of an image that a tile needs, without the padding, which is zero in
// what is computed. 20 channels are a block of 16 and 4 lanes.

// CHECK-LABEL: poly.scop @image
// CHECK: poly.array @[[IMAGE:.*]]_image temporary : tensor<1x12x12x20xf16>
// CHECK: poly.tile @S_0_tile domain
// CHECK: npu.unary  exp %{{.*}} : memref<1x144x16xf16
// CHECK: npu.unary  exp %{{.*}} : memref<1x144x4xf16
// CHECK: poly.tile @move_[[IMAGE]]_image domain
// CHECK: npu.copy {{.*}} to memref<2x144x16xf16{{.*}}#npu.space<l1>>
func.func @image(%x: tensor<1x12x12x20xf16>, %w: tensor<3x3x20x32xf16>) -> tensor<1x12x12x32xf16> {
  %0 = graph.exp %x : (tensor<1x12x12x20xf16>) -> tensor<1x12x12x20xf16>
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x12x12x20xf16>, tensor<3x3x20x32xf16>) -> tensor<1x12x12x32xf16>
  return %1 : tensor<1x12x12x32xf16>
}
