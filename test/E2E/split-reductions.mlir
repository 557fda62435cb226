// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions that leave few rows, which become two: parts that divide the sizes
// and parts that do not, of one and of several dimensions, of rows and of
// columns. Sixteen elements are enough for that here; caches are tiny in the last
// module, so that values are computed again.

// RUN: split-file %s %t
// RUN: gc-opt %t/reductions.mlir --gc-cpu-pipeline="threads=8 split-elements=16 stop-after=fusion" | FileCheck %t/reductions.mlir
// RUN: gc-runner %t/reductions.mlir --check --threads=2 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/reductions.mlir --check --threads=3 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/reductions.mlir --check --threads=8 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/reductions.mlir --check --threads=8 --pipeline-options="split-elements=16 fine-grain=false coarse-grain=false"
// RUN: gc-runner %t/large.mlir --check --threads=2
// RUN: gc-runner %t/large.mlir --check --threads=3
// RUN: gc-runner %t/rows.mlir --check --threads=2 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/rows.mlir --check --threads=8 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/layouts.mlir --check --threads=2 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/memory.mlir --check --threads=2 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/memory.mlir --check --threads=5 --pipeline-options="split-elements=16"
// RUN: gc-runner %t/parts.mlir --check --threads=2
// RUN: gc-runner %t/parts.mlir --check --threads=1

//--- reductions.mlir

// CHECK-LABEL: func.func @reductions
// CHECK-COUNT-9: part_size =
func.func @reductions(%long: tensor<1009xf32>, %cube: tensor<5x7x33xf32>, %col: tensor<301x3xf32>, %wide: tensor<77x130xf32>, %half: tensor<900xbf16>, %few: tensor<3x257xf32>)
  -> (tensor<f32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<1x1x33xf32>, tensor<7xf32>, tensor<3xf32>, tensor<1x3xf32>, tensor<130xf32>, tensor<bf16>, tensor<1xbf16>, tensor<3xf32>, tensor<f32>) {
  %0 = graph.reduce_sum %long {axes = array<i64: 0>} : (tensor<1009xf32>) -> tensor<f32>
  %1 = graph.reduce_max %long {axes = array<i64: 0>, keep_dims = true} : (tensor<1009xf32>) -> tensor<1xf32>
  %2 = graph.reduce_min %cube {axes = array<i64: 0, 1, 2>} : (tensor<5x7x33xf32>) -> tensor<f32>
  %3 = graph.reduce_mean %cube {axes = array<i64: 2, 0, 1>} : (tensor<5x7x33xf32>) -> tensor<f32>
  %4 = graph.reduce_l2 %cube {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<5x7x33xf32>) -> tensor<1x1x33xf32>
  %5 = graph.reduce_l1 %cube {axes = array<i64: 0, 2>} : (tensor<5x7x33xf32>) -> tensor<7xf32>
  %6 = graph.reduce_sum %col {axes = array<i64: 0>} : (tensor<301x3xf32>) -> tensor<3xf32>
  %7 = graph.reduce_max %col {axes = array<i64: 0>, keep_dims = true} : (tensor<301x3xf32>) -> tensor<1x3xf32>
  %8 = graph.reduce_sum %wide {axes = array<i64: 0>} : (tensor<77x130xf32>) -> tensor<130xf32>
  %9 = graph.reduce_sum %half {axes = array<i64: 0>} : (tensor<900xbf16>) -> tensor<bf16>
  %10 = graph.reduce_min %half {axes = array<i64: 0>, keep_dims = true} : (tensor<900xbf16>) -> tensor<1xbf16>
  %11 = graph.reduce_mean %few {axes = array<i64: 1>} : (tensor<3x257xf32>) -> tensor<3xf32>
  %12 = graph.reduce_prod %few {axes = array<i64: 0, 1>} : (tensor<3x257xf32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12 : tensor<f32>, tensor<1xf32>, tensor<f32>, tensor<f32>, tensor<1x1x33xf32>, tensor<7xf32>, tensor<3xf32>, tensor<1x3xf32>, tensor<130xf32>, tensor<bf16>, tensor<1xbf16>, tensor<3xf32>, tensor<f32>
}

//--- large.mlir

// Sizes that are split without asking.
func.func @large(%x: tensor<100003xf32>, %y: tensor<2000x60xf32>) -> (tensor<f32>, tensor<60xf32>, tensor<1xf32>) {
  %0 = graph.exp %x : (tensor<100003xf32>) -> tensor<100003xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>} : (tensor<100003xf32>) -> tensor<f32>
  %2 = graph.reduce_mean %y {axes = array<i64: 0>} : (tensor<2000x60xf32>) -> tensor<60xf32>
  %3 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<100003xf32>) -> tensor<1xf32>
  return %1, %2, %3 : tensor<f32>, tensor<60xf32>, tensor<1xf32>
}

//--- rows.mlir

// Softmax and norms of few rows, and the sum over a transposed tensor.
func.func @rows(%x: tensor<1x1003xf32>, %g: tensor<1003xf32>, %b: tensor<1003xf32>, %y: tensor<2x5x119xf32>, %z: tensor<211x6xf32>)
  -> (tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<2x5x119xf32>, tensor<211x6xf32>, tensor<6x1xf32>) {
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<1x1003xf32>) -> tensor<1x1003xf32>
  %1 = graph.log_softmax %x {axis = 1 : i64} : (tensor<1x1003xf32>) -> tensor<1x1003xf32>
  %2 = graph.layer_norm %x, %g, %b {keep_stats = false} : (tensor<1x1003xf32>, tensor<1003xf32>, tensor<1003xf32>) -> tensor<1x1003xf32>
  %3 = graph.rms_norm %x {begin_norm_axis = -1 : i64} : (tensor<1x1003xf32>) -> tensor<1x1003xf32>
  %4 = graph.layer_norm %y {keep_stats = false, use_affine = false, begin_norm_axis = 1 : i64} : (tensor<2x5x119xf32>) -> tensor<2x5x119xf32>
  %5 = graph.softmax %z {axis = 0 : i64} : (tensor<211x6xf32>) -> tensor<211x6xf32>
  %6 = graph.static_transpose %z {order = array<i64: 1, 0>} : (tensor<211x6xf32>) -> tensor<6x211xf32>
  %7 = graph.exp %6 : (tensor<6x211xf32>) -> tensor<6x211xf32>
  %8 = graph.reduce_sum %7 {axes = array<i64: 1>, keep_dims = true} : (tensor<6x211xf32>) -> tensor<6x1xf32>
  return %0, %1, %2, %3, %4, %5, %8 : tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<1x1003xf32>, tensor<2x5x119xf32>, tensor<211x6xf32>, tensor<6x1xf32>
}

//--- layouts.mlir

// Sums with layouts, f32 and narrower, in the function and in what it folds.
func.func @layouts(%x: tensor<40x33xf32, #graph.layout<strided, [1, 41]>>, %h: tensor<40x33xbf16>, %w: tensor<2x900xf32> {graph.const_arg}) -> (tensor<1x33xf32, #graph.layout<strided, [99, 3]>>, tensor<1x33xbf16, #graph.layout<strided, [80, 2]>>, tensor<2x1xf32, #graph.layout<strided, [17, 5]>>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<40x33xf32, #graph.layout<strided, [1, 41]>>) -> tensor<1x33xf32, #graph.layout<strided, [99, 3]>>
  %1 = graph.reduce_sum %h {axes = array<i64: 0>, keep_dims = true} : (tensor<40x33xbf16>) -> tensor<1x33xbf16, #graph.layout<strided, [80, 2]>>
  %2 = graph.reduce_max %w {axes = array<i64: 1>, keep_dims = true} : (tensor<2x900xf32>) -> tensor<2x1xf32, #graph.layout<strided, [17, 5]>>
  return %0, %1, %2 : tensor<1x33xf32, #graph.layout<strided, [99, 3]>>, tensor<1x33xbf16, #graph.layout<strided, [80, 2]>>, tensor<2x1xf32, #graph.layout<strided, [17, 5]>>
}

//--- memory.mlir

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L1_cache_size_in_bytes" = 256 : i64, "L2_cache_size_in_bytes" = 512 : i64, "L3_cache_size_in_bytes" = 1024 : i64>>} {
func.func @memory(%x: tensor<1x5003xf32>, %y: tensor<1x5003xf32>) -> (tensor<1x5003xf32>, tensor<1x5003xf32>, tensor<1x5003xf32>, tensor<1x1xf32>) {
  %0 = graph.softmax %x {axis = 1 : i64} : (tensor<1x5003xf32>) -> tensor<1x5003xf32>
  %1 = graph.add %x, %y : (tensor<1x5003xf32>, tensor<1x5003xf32>) -> tensor<1x5003xf32>
  %2 = graph.layer_norm %1 {keep_stats = false, use_affine = false} : (tensor<1x5003xf32>) -> tensor<1x5003xf32>
  %3 = graph.softmax %2 {axis = 1 : i64} : (tensor<1x5003xf32>) -> tensor<1x5003xf32>
  %4 = graph.multiply %3, %x : (tensor<1x5003xf32>, tensor<1x5003xf32>) -> tensor<1x5003xf32>
  %5 = graph.reduce_l2 %4 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x5003xf32>) -> tensor<1x1xf32>
  return %0, %2, %3, %5 : tensor<1x5003xf32>, tensor<1x5003xf32>, tensor<1x5003xf32>, tensor<1x1xf32>
}
}

//--- parts.mlir

// Parts that the program chose: of every dimension, with rests of one element, and
// parts longer than the dimension.
func.func @parts(%x: tensor<9x10x33xf32>) -> (tensor<3x10x33xf32>, tensor<9x4x33xf32>, tensor<9x10x5xf32>, tensor<9x10x33xf32>, tensor<9x10x1xf32>, tensor<5x1x1xf32>, tensor<9x3x1xf32>) {
  %a = graph.abs %x : (tensor<9x10x33xf32>) -> tensor<9x10x33xf32>
  %0 = graph.reduce_sum %a {axes = array<i64: 0>, keep_dims = true, part_size = 3 : i64} : (tensor<9x10x33xf32>) -> tensor<3x10x33xf32>
  %1 = graph.reduce_max %a {axes = array<i64: 1>, keep_dims = true, part_size = 3 : i64} : (tensor<9x10x33xf32>) -> tensor<9x4x33xf32>
  %2 = graph.reduce_sum %x {axes = array<i64: 2>, keep_dims = true, part_size = 8 : i64} : (tensor<9x10x33xf32>) -> tensor<9x10x5xf32>
  %3 = graph.reduce_min %x {axes = array<i64: 2>, keep_dims = true, part_size = 1 : i64} : (tensor<9x10x33xf32>) -> tensor<9x10x33xf32>
  %4 = graph.reduce_sum %x {axes = array<i64: 2>, keep_dims = true, part_size = 100 : i64} : (tensor<9x10x33xf32>) -> tensor<9x10x1xf32>
  %5 = graph.reduce_sum %a {axes = array<i64: 2, 0, 1>, keep_dims = true, part_size = 2 : i64} : (tensor<9x10x33xf32>) -> tensor<5x1x1xf32>
  %6 = graph.reduce_max %x {axes = array<i64: 1, 2>, keep_dims = true, part_size = 4 : i64} : (tensor<9x10x33xf32>) -> tensor<9x3x1xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<3x10x33xf32>, tensor<9x4x33xf32>, tensor<9x10x5xf32>, tensor<9x10x33xf32>, tensor<9x10x1xf32>, tensor<5x1x1xf32>, tensor<9x3x1xf32>
}
