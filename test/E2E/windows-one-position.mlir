// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows at one position read one row of the image: they have no place in the
// loops that compute all rows.

// RUN: gc-runner %s --check --strict --threads=1 | FileCheck %s
// RUN: gc-runner %s --check --strict --threads=2 --pipeline-options=fine-grain=false | FileCheck %s

// CHECK: check {{ *}}passed

func.func @main(%x: tensor<3x6x16xf32>, %m: tensor<16xf32>, %v: tensor<16xf32>, %g: tensor<16xf32>, %b: tensor<16xf32>) -> tensor<3x1x16xf32> {
  %dst, %rm, %rv, %bm, %bv = graph.batch_norm_forward_training %x, %m, %v, %g, %b {epsilon = 9.99999974E-6 : f32, momentum = 0.899999976 : f32} : (tensor<3x6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> (tensor<3x6x16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>)
  %0 = graph.interpolate %dst {coordinate_transformation_mode = "align_corners", mode = "nearest", scales = array<f32: 2.500000e-01>} : (tensor<3x6x16xf32>) -> tensor<3x1x16xf32>
  return %0 : tensor<3x1x16xf32>
}
