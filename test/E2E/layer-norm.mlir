// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Layer norm: two reductions one after the other, then all elements again.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3

func.func @main(%x7: tensor<6x7xf32>, %g7: tensor<7xf32>, %b7: tensor<7xf32>, %x33: tensor<6x33xf32>, %g33: tensor<33xf32>, %b33: tensor<33xf32>, %x100: tensor<6x100xf32>, %g100: tensor<100xf32>, %b100: tensor<100xf32>, %x768: tensor<6x768xf32>, %g768: tensor<768xf32>, %b768: tensor<768xf32>, %z: tensor<3x5x4x6xf32>)
  -> (tensor<6x7xf32>, tensor<6x33xf32>, tensor<6x100xf32>, tensor<6x768xf32>, tensor<3x5x4x6xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<6x100xf32>, tensor<6x100xf32>) {
  %y7 = graph.layer_norm %x7, %g7, %b7 {keep_stats = false} : (tensor<6x7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<6x7xf32>
  %y33 = graph.layer_norm %x33, %g33, %b33 {keep_stats = false} : (tensor<6x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<6x33xf32>
  %y100 = graph.layer_norm %x100, %g100, %b100 {keep_stats = false} : (tensor<6x100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<6x100xf32>
  %y768 = graph.layer_norm %x768, %g768, %b768 {keep_stats = false} : (tensor<6x768xf32>, tensor<768xf32>, tensor<768xf32>) -> tensor<6x768xf32>
  // Mean and variance as results; over two dimensions; without gamma and beta.
  %z0, %m, %v = graph.layer_norm %z {begin_norm_axis = 2, use_affine = false} : (tensor<3x5x4x6xf32>) -> (tensor<3x5x4x6xf32>, tensor<3x5xf32>, tensor<3x5xf32>)
  // The residual that networks add in front.
  %res = graph.add %x100, %x100 : (tensor<6x100xf32>, tensor<6x100xf32>) -> tensor<6x100xf32>
  %n = graph.layer_norm %res, %g100, %b100 {keep_stats = false} : (tensor<6x100xf32>, tensor<100xf32>, tensor<100xf32>) -> tensor<6x100xf32>
  // Both the sum and its norm are results.
  return %y7, %y33, %y100, %y768, %z0, %m, %v, %n, %res :
    tensor<6x7xf32>, tensor<6x33xf32>, tensor<6x100xf32>, tensor<6x768xf32>, tensor<3x5x4x6xf32>, tensor<3x5xf32>, tensor<3x5xf32>, tensor<6x100xf32>, tensor<6x100xf32>
}
