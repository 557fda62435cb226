// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of more elements than a tile has.

// RUN: gc-runner --target=npu %s --entry=columns --check --strict
// RUN: gc-runner --target=npu %s --entry=rows --check --strict
// RUN: gc-runner --target=npu %s --entry=all --check --strict
// RUN: gc-runner --target=npu %s --entry=dimensions --check --strict
// RUN: gc-runner --target=npu %s --entry=twice --check --strict
// RUN: gc-runner --target=npu %s --entry=extrema --check --strict
// RUN: gc-runner --target=npu %s --entry=batch_norm --check --strict
// RUN: gc-runner --target=npu %s --entry=norm_of_image --check --strict
// RUN: gc-runner --target=npu %s --entry=few_columns --check --strict
// RUN: gc-runner --target=npu %s --entry=bias_gradient --check --strict
// RUN: gc-runner --target=npu %s --entry=short_rows --check --strict
// RUN: gc-runner --target=npu %s --entry=interleaved --check --strict
// RUN: gc-runner --target=npu %s --entry=padded --check --strict
// RUN: gc-runner --target=npu %s --entry=gaps --check --strict
// RUN: gc-runner --target=npu %s --entry=columns --check --strict --pipeline-options=fuse=false

func.func @columns(%x: tensor<6000x48xf32>, %m: tensor<48xf32>) -> tensor<48xf32> {
  %0 = graph.subtract %x, %m : (tensor<6000x48xf32>, tensor<48xf32>) -> tensor<6000x48xf32>
  %1 = graph.square %0 : (tensor<6000x48xf32>) -> tensor<6000x48xf32>
  %2 = graph.reduce_mean %1 {axes = array<i64: 0>, keep_dims = false} : (tensor<6000x48xf32>) -> tensor<48xf32>
  return %2 : tensor<48xf32>
}
// Tiles have whole blocks of 16 columns.
func.func @few_columns(%x: tensor<6000x3xf32>, %y: tensor<6000x3xf32>) -> tensor<1x3xf32> {
  %0 = graph.subtract %x, %y : (tensor<6000x3xf32>, tensor<6000x3xf32>) -> tensor<6000x3xf32>
  %1 = graph.reduce_min %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<6000x3xf32>) -> tensor<1x3xf32>
  return %1 : tensor<1x3xf32>
}
func.func @rows(%x: tensor<3x100000xf16>, %y: tensor<3x1xf16>) -> tensor<3x1xf16> {
  %0 = graph.subtract %x, %y : (tensor<3x100000xf16>, tensor<3x1xf16>) -> tensor<3x100000xf16>
  %1 = graph.abs %0 : (tensor<3x100000xf16>) -> tensor<3x100000xf16>
  %2 = graph.reduce_mean %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<3x100000xf16>) -> tensor<3x1xf16>
  return %2 : tensor<3x1xf16>
}
func.func @all(%x: tensor<300x400xf32>) -> tensor<1x1xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<300x400xf32>) -> tensor<1x1xf32>
  return %0 : tensor<1x1xf32>
}
func.func @dimensions(%x: tensor<12x24x50x40xf32>) -> tensor<24xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 0, 2, 3>, keep_dims = false} : (tensor<12x24x50x40xf32>) -> tensor<24xf32>
  return %0 : tensor<24xf32>
}
// 2 x 101 x 103: what parts leave is too much again.
func.func @twice(%x: tensor<20806x24xf32>) -> tensor<1x24xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<20806x24xf32>) -> tensor<1x24xf32>
  return %0 : tensor<1x24xf32>
}
func.func @extrema(%x: tensor<9000x33xf16>, %y: tensor<9000x1xf16>) -> (tensor<33xf16>, tensor<33xf16>) {
  %0 = graph.add %x, %y : (tensor<9000x33xf16>, tensor<9000x1xf16>) -> tensor<9000x33xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = false} : (tensor<9000x33xf16>) -> tensor<33xf16>
  %2 = graph.reduce_min %0 {axes = array<i64: 0>, keep_dims = false} : (tensor<9000x33xf16>) -> tensor<33xf16>
  return %1, %2 : tensor<33xf16>, tensor<33xf16>
}
func.func @batch_norm(%x: tensor<3000x64xf16>, %mean: tensor<64xf32>, %variance: tensor<64xf32>, %gamma: tensor<64xf32>, %beta: tensor<64xf32>) -> (tensor<3000x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %y, %rm, %rv, %bm, %bv = graph.batch_norm_forward_training %x, %mean, %variance, %gamma, %beta {epsilon = 1.0e-5 : f32, momentum = 0.1 : f32} : (tensor<3000x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>) -> (tensor<3000x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>)
  return %y, %rm, %rv, %bm, %bv : tensor<3000x64xf16>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>, tensor<64xf32>
}
func.func @norm_of_image(%x: tensor<4x28x28x40xf16>, %mean: tensor<40xf32>, %variance: tensor<40xf32>) -> (tensor<4x28x28x40xf16>, tensor<40xf32>) {
  %y, %rm, %rv, %bm, %bv = graph.batch_norm_forward_training %x, %mean, %variance {epsilon = 1.0e-5 : f32} : (tensor<4x28x28x40xf16>, tensor<40xf32>, tensor<40xf32>) -> (tensor<4x28x28x40xf16>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>, tensor<40xf32>)
  return %y, %bv : tensor<4x28x28x40xf16>, tensor<40xf32>
}
// What is summed is a result, too.
func.func @bias_gradient(%x: tensor<6000x40xf16>, %dy: tensor<6000x40xf16>) -> (tensor<6000x40xf16>, tensor<1x40xf16>) {
  %d = graph.relu_backward %x, %dy {use_dst = false} : (tensor<6000x40xf16>, tensor<6000x40xf16>) -> tensor<6000x40xf16>
  %v = graph.reduce_sum %d {axes = array<i64: 0>, keep_dims = true} : (tensor<6000x40xf16>) -> tensor<1x40xf16>
  return %d, %v : tensor<6000x40xf16>, tensor<1x40xf16>
}
// Rows of 5 elements with gaps between them.
func.func @short_rows(%x: tensor<6000x24x5xf32>, %y: tensor<6000x24x5xf32>) -> tensor<1x24x1xf32> {
  %0 = graph.subtract %x, %y : (tensor<6000x24x5xf32>, tensor<6000x24x5xf32>) -> tensor<6000x24x5xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<6000x24x5xf32>) -> tensor<1x24x1xf32>
  return %1 : tensor<1x24x1xf32>
}
func.func @interleaved(%x: tensor<6000x2x2x5xf16>, %y: tensor<6000x2x2x5xf16>, %z: tensor<1x1x2x5xf16>) -> (tensor<1x2x1x1xf16>, tensor<1x2x1x1xf16>) {
  %0 = graph.subtract %x, %y : (tensor<6000x2x2x5xf16>, tensor<6000x2x2x5xf16>) -> tensor<6000x2x2x5xf16>
  %1 = graph.multiply %z, %0 : (tensor<1x1x2x5xf16>, tensor<6000x2x2x5xf16>) -> tensor<6000x2x2x5xf16>
  %2 = graph.reduce_max %1 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<6000x2x2x5xf16>) -> tensor<1x2x1x1xf16>
  %3 = graph.reduce_max %0 {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<6000x2x2x5xf16>) -> tensor<1x2x1x1xf16>
  return %2, %3 : tensor<1x2x1x1xf16>, tensor<1x2x1x1xf16>
}
func.func @padded(%x: tensor<2x21x100x48xf16>, %z: tensor<1x21x100x1xf16>) -> tensor<2x21x1x1xf16> {
  %0 = graph.add %z, %x : (tensor<1x21x100x1xf16>, tensor<2x21x100x48xf16>) -> tensor<2x21x100x48xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 2, 3>, keep_dims = true} : (tensor<2x21x100x48xf16>) -> tensor<2x21x1x1xf16>
  return %1 : tensor<2x21x1x1xf16>
}
// Few elements, but rows of 5 with gaps between them.
func.func @gaps(%x: tensor<16x24x100x5xf32>, %z: tensor<16x1x100x1xf32>) -> tensor<1x1x100x1xf32> {
  %0 = graph.multiply %z, %x : (tensor<16x1x100x1xf32>, tensor<16x24x100x5xf32>) -> tensor<16x24x100x5xf32>
  %1 = graph.reduce_min %0 {axes = array<i64: 0, 1, 3>, keep_dims = true} : (tensor<16x24x100x5xf32>) -> tensor<1x1x100x1xf32>
  return %1 : tensor<1x1x100x1xf32>
}
