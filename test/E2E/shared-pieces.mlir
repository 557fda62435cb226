// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transposes and columnwise passes that are large enough to be shared: in squares
// that divide the sizes or leave a rest, and in pieces of columns.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1

func.func @main(%x: tensor<1024x512xf32>, %y: tensor<300x500xf32>, %z: tensor<3x257x640xf32>, %w: tensor<200x999xf32>) -> (tensor<512x1024xf32>, tensor<500x300xf32>, tensor<3x640x257xf32>, tensor<1x999xf32>, tensor<200x999xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<1024x512xf32>) -> tensor<512x1024xf32>
  %1 = graph.static_transpose %y {order = array<i64: 1, 0>} : (tensor<300x500xf32>) -> tensor<500x300xf32>
  %2 = graph.static_transpose %z {order = array<i64: 0, 2, 1>} : (tensor<3x257x640xf32>) -> tensor<3x640x257xf32>
  %3 = graph.reduce_sum %w {axes = array<i64: 0>, keep_dims = true} : (tensor<200x999xf32>) -> tensor<1x999xf32>
  %4 = graph.softmax %w {axis = 0} : (tensor<200x999xf32>) -> tensor<200x999xf32>
  return %0, %1, %2, %3, %4 : tensor<512x1024xf32>, tensor<500x300xf32>, tensor<3x640x257xf32>, tensor<1x999xf32>, tensor<200x999xf32>
}
