// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of windows in low precision. Pads are zeros, not zero points, so that
// kernels subtract where there are pads.

// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-lower-precision))" | FileCheck %s
// RUN: gc-opt %s --machine=zen4-2 --pass-pipeline="builtin.module(func.func(graph-lower-precision))" --remarks-filter-missed=graph-lower-precision --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED

// CHECK-LABEL: func.func @padded(
// CHECK-NEXT: %[[SUM:.*]] = graph.matmul %arg0, %arg1 {src_zp = 3 : i64, window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x6x6x8xui8>, tensor<72x2xsi8>) -> tensor<1x6x6x2xsi32>
// CHECK-NEXT: %[[FLOAT:.*]] = graph.type_cast %[[SUM]]
// CHECK-NEXT: %[[SCALES:.*]] = graph.constant dense<[1.250000e-01, 2.500000e-01]> : tensor<2xf32>
// CHECK-NEXT: graph.multiply %[[FLOAT]], %[[SCALES]]
func.func @padded(%x: tensor<1x6x6x8xui8>, %w: tensor<72x2xsi8> {graph.const_arg}) -> tensor<1x6x6x2xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x6x6x8xui8>) -> tensor<1x6x6x8xf32>
  %1 = graph.dequantize %w {qtype = "per_channel", axis = 1 : i64, scales = array<f32: 0.25, 0.5>} : (tensor<72x2xsi8>) -> tensor<72x2xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3, 3], strides = [1, 1], dilations = [1, 1], pads_begin = [1, 1], pads_end = [1, 1], groups = 1>} : (tensor<1x6x6x8xf32>, tensor<72x2xf32>) -> tensor<1x6x6x2xf32>
  return %2 : tensor<1x6x6x2xf32>
}

// Without pads the sums of constant weights correct the zero point.
// CHECK-LABEL: func.func @valid(
// CHECK-NEXT: %[[SUM:.*]] = graph.matmul %arg0, %arg1 {window = {{.*}}} : (tensor<1x6x6x8xui8>, tensor<72x2xsi8>) -> tensor<1x2x2x2xsi32>
// CHECK: graph.constant dense<3> : tensor<si32>
// CHECK: %[[TERMS:.*]] = graph.reduce_sum {{.*}} {axes = array<i64: 0>, keep_dims = true} : (tensor<72x2xf32>) -> tensor<1x2xf32>
// CHECK: graph.subtract %[[SUM]], {{.*}} {no_overflow = true} : (tensor<1x2x2x2xsi32>, tensor<1x2xsi32>) -> tensor<1x2x2x2xsi32>
func.func @valid(%x: tensor<1x6x6x8xui8>, %w: tensor<72x2xsi8> {graph.const_arg}) -> tensor<1x2x2x2xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<1x6x6x8xui8>) -> tensor<1x6x6x8xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<72x2xsi8>) -> tensor<72x2xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3, 3], strides = [2, 2], dilations = [1, 1], pads_begin = [0, 0], pads_end = [0, 0], groups = 1>} : (tensor<1x6x6x8xf32>, tensor<72x2xf32>) -> tensor<1x2x2x2xf32>
  return %2 : tensor<1x2x2x2xf32>
}

// Groups are a dimension of the weights and of the result; their sums keep it.
// CHECK-LABEL: func.func @groups(
// CHECK-NEXT: graph.matmul %arg0, %arg1 {weights_zp = -2 : i64, window = {{.*}}groups = 2>} : (tensor<1x9x8xsi8>, tensor<2x1x12x3xsi8>) -> tensor<2x1x7x3xsi32>
// CHECK: graph.constant dense<5> : tensor<si32>
// CHECK: graph.constant dense<2.000000e+00> : tensor<f32>
// CHECK: graph.reduce_sum {{.*}} {axes = array<i64: 2>, keep_dims = true} : (tensor<2x1x12x3xf32>) -> tensor<2x1x1x3xf32>
// CHECK: graph.subtract {{.*}} : (tensor<2x1x7x3xsi32>, tensor<2x1x1x3xsi32>) -> tensor<2x1x7x3xsi32>
func.func @groups(%x: tensor<1x9x8xsi8>, %w: tensor<2x1x12x3xsi8> {graph.const_arg}) -> tensor<2x1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 5>} : (tensor<1x9x8xsi8>) -> tensor<1x9x8xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>, zps = array<i64: -2>} : (tensor<2x1x12x3xsi8>) -> tensor<2x1x12x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 2>} : (tensor<1x9x8xf32>, tensor<2x1x12x3xf32>) -> tensor<2x1x7x3xf32>
  return %2 : tensor<2x1x7x3xf32>
}

// Weights that are not constant: kernels subtract whether or not there are pads.
// CHECK-LABEL: func.func @computed_weights(
// CHECK-NEXT: graph.matmul %arg0, %arg1 {src_zp = 5 : i64, window = {{.*}}} : (tensor<1x9x4xsi8>, tensor<12x3xsi8>) -> tensor<1x7x3xsi32>
// CHECK-NOT: graph.reduce_sum
func.func @computed_weights(%x: tensor<1x9x4xsi8>, %w: tensor<12x3xsi8>) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>, zps = array<i64: 5>} : (tensor<1x9x4xsi8>) -> tensor<1x9x4xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<12x3xsi8>) -> tensor<12x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x4xf32>, tensor<12x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}

// An image in f32 and constant weights of 8 bits: only the weights stay narrow.
// CHECK-LABEL: func.func @narrow_weights(
// CHECK: graph.matmul %arg0, %arg1 {{.*}}window = {{.*}} : (tensor<1x9x4xf32>, tensor<12x3xsi8>) -> tensor<1x7x3xf32>
func.func @narrow_weights(%x: tensor<1x9x4xf32>, %w: tensor<12x3xsi8> {graph.const_arg}) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<12x3xsi8>) -> tensor<12x3xf32>
  %1 = graph.matmul %x, %0 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x4xf32>, tensor<12x3xf32>) -> tensor<1x7x3xf32>
  return %1 : tensor<1x7x3xf32>
}

// Kernels multiply four channels at a time: one is added to the image, and zeros
// to the weights.
// CHECK-LABEL: func.func @three_channels(
// CHECK: %[[PIXELS:.*]] = graph.static_reshape %arg0 {{.*}} -> tensor<9x3x1xui8>
// CHECK: graph.windows %[[PIXELS]] {{.*}}positions = array<i64: 4>{{.*}} : (tensor<9x3x1xui8>) -> tensor<9x4x1x1xui8>
// CHECK: %[[IMAGE:.*]] = graph.static_reshape {{.*}} -> tensor<1x9x4xui8>
// CHECK: %[[TAPS:.*]] = graph.static_reshape %arg1 {{.*}} -> tensor<3x3x3xsi8>
// CHECK: graph.windows %[[TAPS]] {{.*}}positions = array<i64: 4>{{.*}} : (tensor<3x3x3xsi8>) -> tensor<3x4x1x3xsi8>
// CHECK: %[[WEIGHTS:.*]] = graph.static_reshape {{.*}} -> tensor<12x3xsi8>
// CHECK: graph.matmul %[[IMAGE]], %[[WEIGHTS]] {{.*}} -> tensor<1x7x3xsi32>
func.func @three_channels(%x: tensor<1x9x3xui8>, %w: tensor<9x3xsi8> {graph.const_arg}) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x9x3xui8>) -> tensor<1x9x3xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<9x3xsi8>) -> tensor<9x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x3xf32>, tensor<9x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}

// Weights of more than two dimensions keep them.
// CHECK-LABEL: func.func @three_channels_of_rank_3(
// CHECK: graph.matmul %{{.*}} {{.*}} : (tensor<1x9x4xui8>, tensor<1x12x3xsi8>) -> tensor<1x7x3xsi32>
func.func @three_channels_of_rank_3(%x: tensor<1x9x3xui8>, %w: tensor<1x9x3xsi8> {graph.const_arg}) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x9x3xui8>) -> tensor<1x9x3xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<1x9x3xsi8>) -> tensor<1x9x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x3xf32>, tensor<1x9x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}

// One channel would be computed as four, and integers are at most four times as
// fast as f32.
// CHECK-LABEL: func.func @one_channel(
// CHECK-COUNT-2: graph.dequantize
// MISSED: NotLowered | {{.*}}Function=one_channel | {{.*}}Reason="with 4 channels instead of 1, integers are not faster"
func.func @one_channel(%x: tensor<1x9x1xui8>, %w: tensor<3x3xsi8> {graph.const_arg}) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x9x1xui8>) -> tensor<1x9x1xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<3x3xsi8>) -> tensor<3x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x1xf32>, tensor<3x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}

// Zeros of weights that have a zero point would stand for other numbers.
// CHECK-LABEL: func.func @three_channels_zero_point(
// CHECK-COUNT-2: graph.dequantize
// MISSED: NotLowered | {{.*}}Function=three_channels_zero_point | {{.*}}Reason="weights have a zero point, and a window has 3 channels, not a multiple of 4"
func.func @three_channels_zero_point(%x: tensor<1x9x3xui8>, %w: tensor<9x3xsi8> {graph.const_arg}) -> tensor<1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x9x3xui8>) -> tensor<1x9x3xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>, zps = array<i64: 2>} : (tensor<9x3xsi8>) -> tensor<9x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x3xf32>, tensor<9x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}

// The channels of a group count.
// CHECK-LABEL: func.func @narrow_groups(
// CHECK-COUNT-2: graph.dequantize
// MISSED: NotLowered | {{.*}}Function=narrow_groups | {{.*}}Reason="a group has 2 channels, not a multiple of 4"
func.func @narrow_groups(%x: tensor<1x9x8xui8>, %w: tensor<4x1x6x3xsi8> {graph.const_arg}) -> tensor<4x1x7x3xf32> {
  %0 = graph.dequantize %x {scales = array<f32: 0.5>} : (tensor<1x9x8xui8>) -> tensor<1x9x8xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<4x1x6x3xsi8>) -> tensor<4x1x6x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 4>} : (tensor<1x9x8xf32>, tensor<4x1x6x3xf32>) -> tensor<4x1x7x3xf32>
  return %2 : tensor<4x1x7x3xf32>
}

// CHECK-LABEL: func.func @zero_points_of_the_run(
// CHECK: graph.dynamic_dequantize
// MISSED: NotLowered | {{.*}}Function=zero_points_of_the_run | {{.*}}Reason="the zero points of a product of windows are not constants"
func.func @zero_points_of_the_run(%x: tensor<1x9x4xui8>, %w: tensor<12x3xsi8> {graph.const_arg}, %s: tensor<1xf32>, %z: tensor<1xui8>) -> tensor<1x7x3xf32> {
  %0 = graph.dynamic_dequantize %x, %s, %z : (tensor<1x9x4xui8>, tensor<1xf32>, tensor<1xui8>) -> tensor<1x9x4xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.25>} : (tensor<12x3xsi8>) -> tensor<12x3xf32>
  %2 = graph.matmul %0, %1 {window = #graph.window<kernel = [3], strides = [1], dilations = [1], pads_begin = [0], pads_end = [0], groups = 1>} : (tensor<1x9x4xf32>, tensor<12x3xf32>) -> tensor<1x7x3xf32>
  return %2 : tensor<1x7x3xf32>
}
