// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of dimensions that are not neighbours: the results of rows are no
// whole blocks, and have a dimension in front.

// RUN: gc-runner --target=npu %s --entry=apart --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=front --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=widened --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=blocks --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=columns --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=factors --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=narrow_factors --check | FileCheck %s
// RUN: gc-runner --target=npu %s --entry=dot_rows --check | FileCheck %s

// CHECK: check passed

func.func @apart(%x: tensor<50x7x40xf16>) -> tensor<7xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 2>, keep_dims = false} : (tensor<50x7x40xf16>) -> tensor<7xf16>
  return %0 : tensor<7xf16>
}

func.func @front(%x: tensor<3x10x7x40xf32>) -> tensor<3x7xf32> {
  %0 = graph.reduce_min %x {axes = array<i64: 1, 3>, keep_dims = false} : (tensor<3x10x7x40xf32>) -> tensor<3x7xf32>
  return %0 : tensor<3x7xf32>
}

func.func @widened(%x: tensor<10x7x40xf16>) -> tensor<7xf32> {
  %0 = graph.type_cast %x : tensor<10x7x40xf16> -> tensor<10x7x40xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0, 2>, keep_dims = false} : (tensor<10x7x40xf32>) -> tensor<7xf32>
  return %1 : tensor<7xf32>
}

func.func @blocks(%x: tensor<10x32x40xf16>) -> tensor<32xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 2>, keep_dims = false} : (tensor<10x32x40xf16>) -> tensor<32xf16>
  return %0 : tensor<32xf16>
}

func.func @columns(%x: tensor<37x333xf16>) -> tensor<333xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = false} : (tensor<37x333xf16>) -> tensor<333xf16>
  return %0 : tensor<333xf16>
}

// A factor that is the same for all of a row keeps the two inner dimensions
// apart.
func.func @factors(%x: tensor<16x3x40xf32>, %z: tensor<16x3x1xf32>) -> tensor<16x1x1xf32> {
  %0 = graph.multiply %z, %x : (tensor<16x3x1xf32>, tensor<16x3x40xf32>) -> tensor<16x3x40xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<16x3x40xf32>) -> tensor<16x1x1xf32>
  return %1 : tensor<16x1x1xf32>
}

func.func @narrow_factors(%x: tensor<48x21x40xf16>, %z: tensor<48x21x1xf16>) -> tensor<48x1x1xf16> {
  %0 = graph.multiply %z, %x : (tensor<48x21x1xf16>, tensor<48x21x40xf16>) -> tensor<48x21x40xf16>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<48x21x40xf16>) -> tensor<48x1x1xf16>
  return %1 : tensor<48x1x1xf16>
}

// In two steps, as all of it has no room.
func.func @dot_rows(%x: tensor<6000x40xf32>, %y: tensor<6000x40xf32>, %w: tensor<6000x1xf32>) -> tensor<1x1xf32> {
  %0 = graph.multiply %x, %y : (tensor<6000x40xf32>, tensor<6000x40xf32>) -> tensor<6000x40xf32>
  %1 = graph.multiply %0, %w : (tensor<6000x40xf32>, tensor<6000x1xf32>) -> tensor<6000x40xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<6000x40xf32>) -> tensor<1x1xf32>
  return %2 : tensor<1x1xf32>
}
