// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operations in the element types that no other test of this folder has them in.

// RUN: gc-runner %s --check --threads=2 --entry=f32
// RUN: gc-runner %s --check --threads=2 --entry=bf16
// RUN: gc-runner %s --check --threads=2 --entry=f16
// RUN: gc-runner %s --check --threads=2 --entry=integers

func.func @f32(%func_a0: tensor<5x33xf32>, %func_a1: tensor<5x33xf32>, %func_a2: tensor<5x33xf32>,
    %func_a3: tensor<5x33xf32>, %func_a4: tensor<5x33xf32>, %func_a5: tensor<5x33xf32>,
    %func_a6: tensor<5x33xf32>, %func_a7: tensor<5x33xf32>, %func_a8: tensor<5x33xf32>,
    %func_a9: tensor<5x33xf32>, %func_a10: tensor<5x33xf32>, %func_a11: tensor<5x33xf32>,
    %func_a12: tensor<5x33xf32>, %func_a13: tensor<5x33xf32>, %func_a14: tensor<1xf32>,
    %func_a15: tensor<5x33xf32>, %pair_a0: tensor<5x33xf32>, %pair_a1: tensor<33xf32>,
    %pair_a2: tensor<5x33xf32>, %pair_a3: tensor<5x33xf32>, %pair_a4: tensor<5x33xf32>,
    %pair_a5: tensor<33xf32>, %rows_a0: tensor<5x33xf32>, %rows_a1: tensor<5x3xf32>,
    %norm_a0: tensor<5x33xf32>, %norm_a1: tensor<33xf32>, %norm_a2: tensor<33xf32>, %norm_a3: tensor<33xf32>,
    %norm_a4: tensor<2x5x12xf32>, %norm_a5: tensor<12xf32>, %norm_a6: tensor<12xf32>,
    %norm_a7: tensor<2x5x12xf32>, %norm_a8: tensor<12xf32>, %norm_a9: tensor<12xf32>,
    %norm_a10: tensor<12xf32>, %norm_a11: tensor<12xf32>)
    -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
        tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
        tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
        tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
        tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x1xf32>,
        tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<2x5x12xf32>, tensor<2x5x12xf32>) {
  // Functions.
  %func_0 = graph.abs %func_a0 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_1 = graph.erf %func_a1 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_2 = graph.exp %func_a2 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_3 = graph.gelu %func_a3 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_4 = graph.hard_sigmoid %func_a4 {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_5 = graph.hard_swish %func_a5 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_6 = graph.leaky_relu %func_a6 {alpha = 0.25 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_7 = graph.log %func_a7 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_8 = graph.mish %func_a8 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_9 = graph.pow %func_a9 {beta = 1.5 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_10 = graph.reciprocal %func_a10 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_11 = graph.soft_plus %func_a11 {beta = 2.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_12 = graph.square %func_a12 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_13 = graph.multiply %func_a13, %func_a14 : (tensor<5x33xf32>, tensor<1xf32>) -> tensor<5x33xf32>
  %func_14 = graph.reciprocal %func_a15 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_15 = graph.add %func_13, %func_14 : (tensor<5x33xf32>, tensor<5x33xf32>) -> tensor<5x33xf32>
  %func_16 = graph.round %func_15 : (tensor<5x33xf32>) -> tensor<5x33xf32>
  // Pairs.
  %pair_0 = graph.minimum %pair_a0, %pair_a1 : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  %pair_1 = graph.squared_difference %pair_a0, %pair_a1 : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  %pair_2 = graph.subtract %pair_a0, %pair_a1 : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  %pair_3 = graph.divide %pair_a2, %pair_a3 : (tensor<5x33xf32>, tensor<5x33xf32>) -> tensor<5x33xf32>
  %pair_4 = graph.greater_equal %pair_a0, %pair_a1 : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xi1>
  %pair_5 = graph.select %pair_4, %pair_a0, %pair_a4 : (tensor<5x33xi1>, tensor<5x33xf32>, tensor<5x33xf32>) -> tensor<5x33xf32>
  %pair_6 = graph.bias_add %pair_a0, %pair_a5 : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  // Rows.
  %rows_0 = graph.reduce_l1 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf32>) -> tensor<5xf32>
  %rows_1 = graph.reduce_l2 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf32>) -> tensor<5xf32>
  %rows_2 = graph.reduce_mean %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf32>) -> tensor<5xf32>
  %rows_3 = graph.reduce_min %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf32>) -> tensor<5xf32>
  %rows_4 = graph.reduce_sum %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf32>) -> tensor<5xf32>
  %rows_5 = graph.reduce_prod %rows_a1 {axes = array<i64: 1>, keep_dims = true} : (tensor<5x3xf32>) -> tensor<5x1xf32>
  %rows_6 = graph.log_softmax %rows_a0 {axis = 1 : i64} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  // Norms.
  %norm_0 = graph.layer_norm %norm_a0, %norm_a1, %norm_a2 {keep_stats = false, epsilon = 0.01 : f32} : (tensor<5x33xf32>, tensor<33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  %norm_1 = graph.rms_norm %norm_a0, %norm_a3 {epsilon = 0.01 : f32} : (tensor<5x33xf32>, tensor<33xf32>) -> tensor<5x33xf32>
  %norm_2 = graph.group_norm %norm_a4, %norm_a5, %norm_a6 {groups = 3 : i64, keep_stats = false, epsilon = 0.01 : f32} : (tensor<2x5x12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xf32>
  %norm_3 = graph.batch_norm_inference %norm_a7, %norm_a8, %norm_a9, %norm_a10, %norm_a11 {epsilon = 0.01 : f32} : (tensor<2x5x12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xf32>
  return %func_0, %func_1, %func_2, %func_3, %func_4, %func_5, %func_6, %func_7, %func_8, %func_9, %func_10,
    %func_11, %func_12, %func_16, %pair_0, %pair_1, %pair_2, %pair_3, %pair_5, %pair_6, %rows_0, %rows_1,
    %rows_2, %rows_3, %rows_4, %rows_5, %rows_6, %norm_0, %norm_1, %norm_2, %norm_3
    : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
      tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
      tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
      tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>,
      tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5xf32>, tensor<5x1xf32>,
      tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<2x5x12xf32>, tensor<2x5x12xf32>
}

func.func @bf16(%func_a0: tensor<5x33xbf16>, %func_a1: tensor<5x33xbf16>, %func_a2: tensor<5x33xbf16>,
    %func_a3: tensor<5x33xbf16>, %func_a4: tensor<5x33xbf16>, %func_a5: tensor<5x33xbf16>,
    %func_a6: tensor<5x33xbf16>, %func_a7: tensor<5x33xbf16>, %func_a8: tensor<5x33xbf16>,
    %func_a9: tensor<5x33xbf16>, %func_a10: tensor<5x33xbf16>, %func_a11: tensor<5x33xbf16>,
    %func_a12: tensor<5x33xbf16>, %func_a13: tensor<5x33xbf16>, %func_a14: tensor<1xbf16>,
    %func_a15: tensor<5x33xbf16>, %pair_a0: tensor<5x33xbf16>, %pair_a1: tensor<33xbf16>,
    %pair_a2: tensor<5x33xbf16>, %pair_a3: tensor<5x33xbf16>, %pair_a4: tensor<5x33xbf16>,
    %pair_a5: tensor<33xbf16>, %rows_a0: tensor<5x33xbf16>, %rows_a1: tensor<5x3xbf16>,
    %norm_a0: tensor<5x33xbf16>, %norm_a1: tensor<33xf32>, %norm_a2: tensor<33xf32>,
    %norm_a3: tensor<33xf32>, %norm_a4: tensor<2x5x12xbf16>, %norm_a5: tensor<12xf32>,
    %norm_a6: tensor<12xf32>, %norm_a7: tensor<2x5x12xbf16>, %norm_a8: tensor<12xf32>,
    %norm_a9: tensor<12xf32>, %norm_a10: tensor<12xf32>, %norm_a11: tensor<12xf32>,
    %grad_a0: tensor<5x33xbf16>, %grad_a1: tensor<5x33xbf16>, %grad_a2: tensor<5x33xbf16>,
    %grad_a3: tensor<5x33xbf16>, %grad_a4: tensor<5x33xbf16>, %grad_a5: tensor<5x33xbf16>,
    %grad_a6: tensor<33xbf16>, %grad_a7: tensor<5x33xbf16>, %grad_a8: tensor<33xbf16>,
    %grad_a9: tensor<5x33xbf16>, %imag_a0: tensor<2x7x8x6xbf16>, %imag_a1: tensor<2x7x8x6xbf16>,
    %imag_a2: tensor<2x7x8x6xbf16>, %imag_a3: tensor<2x4x7x6xbf16>, %imag_a4: tensor<2x7x8x6xbf16>,
    %imag_a5: tensor<2x4x7x6xbf16>, %imag_a6: tensor<2x7x8x6xbf16>, %imag_a7: tensor<2x7x8x6xbf16>,
    %imag_a8: tensor<2x5x16x6xbf16>, %conv_a0: tensor<2x7x8x6xbf16>, %conv_a1: tensor<3x2x6x10xbf16>,
    %conv_a2: tensor<2x4x7x10xbf16>, %conv_a3: tensor<3x2x6x10xbf16>, %conv_a4: tensor<2x7x8x6xbf16>,
    %conv_a5: tensor<2x4x7x10xbf16>, %conv_a6: tensor<2x4x7x10xbf16>, %conv_a7: tensor<3x2x10x6xbf16>,
    %conv_a8: tensor<2x7x8x6xbf16>, %conv_a9: tensor<3x2x10x6xbf16>, %conv_a10: tensor<2x4x7x10xbf16>,
    %conv_a11: tensor<2x7x8x6xbf16>)
    -> (tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
        tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
        tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
        tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
        tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5x1xbf16>,
        tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<2x5x12xbf16>, tensor<2x5x12xbf16>,
        tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
        tensor<33xbf16>, tensor<2x4x7x6xbf16>, tensor<2x4x7x6xbf16>, tensor<2x7x8x6xbf16>,
        tensor<2x7x8x6xbf16>, tensor<2x5x16x6xbf16>, tensor<2x7x8x6xbf16>, tensor<2x4x7x10xbf16>,
        tensor<2x7x8x6xbf16>, tensor<3x2x6x10xbf16>, tensor<2x7x8x6xbf16>, tensor<2x4x7x10xbf16>,
        tensor<3x2x10x6xbf16>) {
  // Functions.
  %func_0 = graph.abs %func_a0 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_1 = graph.erf %func_a1 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_2 = graph.exp %func_a2 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_3 = graph.gelu %func_a3 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_4 = graph.hard_sigmoid %func_a4 {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_5 = graph.hard_swish %func_a5 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_6 = graph.leaky_relu %func_a6 {alpha = 0.25 : f32} : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_7 = graph.log %func_a7 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_8 = graph.mish %func_a8 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_9 = graph.pow %func_a9 {beta = 1.5 : f32} : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_10 = graph.reciprocal %func_a10 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_11 = graph.soft_plus %func_a11 {beta = 2.0 : f32} : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_12 = graph.square %func_a12 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_13 = graph.multiply %func_a13, %func_a14 : (tensor<5x33xbf16>, tensor<1xbf16>) -> tensor<5x33xbf16>
  %func_14 = graph.reciprocal %func_a15 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_15 = graph.add %func_13, %func_14 : (tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %func_16 = graph.round %func_15 : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  // Pairs.
  %pair_0 = graph.minimum %pair_a0, %pair_a1 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xbf16>
  %pair_1 = graph.squared_difference %pair_a0, %pair_a1 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xbf16>
  %pair_2 = graph.subtract %pair_a0, %pair_a1 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xbf16>
  %pair_3 = graph.divide %pair_a2, %pair_a3 : (tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %pair_4 = graph.greater_equal %pair_a0, %pair_a1 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xi1>
  %pair_5 = graph.select %pair_4, %pair_a0, %pair_a4 : (tensor<5x33xi1>, tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %pair_6 = graph.bias_add %pair_a0, %pair_a5 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xbf16>
  // Rows.
  %rows_0 = graph.reduce_l1 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  %rows_1 = graph.reduce_l2 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  %rows_2 = graph.reduce_mean %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  %rows_3 = graph.reduce_min %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  %rows_4 = graph.reduce_sum %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xbf16>) -> tensor<5xbf16>
  %rows_5 = graph.reduce_prod %rows_a1 {axes = array<i64: 1>, keep_dims = true} : (tensor<5x3xbf16>) -> tensor<5x1xbf16>
  %rows_6 = graph.log_softmax %rows_a0 {axis = 1 : i64} : (tensor<5x33xbf16>) -> tensor<5x33xbf16>
  // Norms.
  %norm_0 = graph.layer_norm %norm_a0, %norm_a1, %norm_a2 {keep_stats = false, epsilon = 0.01 : f32} : (tensor<5x33xbf16>, tensor<33xf32>, tensor<33xf32>) -> tensor<5x33xbf16>
  %norm_1 = graph.rms_norm %norm_a0, %norm_a3 {epsilon = 0.01 : f32} : (tensor<5x33xbf16>, tensor<33xf32>) -> tensor<5x33xbf16>
  %norm_2 = graph.group_norm %norm_a4, %norm_a5, %norm_a6 {groups = 3 : i64, keep_stats = false, epsilon = 0.01 : f32} : (tensor<2x5x12xbf16>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xbf16>
  %norm_3 = graph.batch_norm_inference %norm_a7, %norm_a8, %norm_a9, %norm_a10, %norm_a11 {epsilon = 0.01 : f32} : (tensor<2x5x12xbf16>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xbf16>
  // Gradients.
  %grad_0 = graph.softmax_backward %grad_a0, %grad_a1 {axis = 1 : i64} : (tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %grad_1 = graph.log_softmax_backward %grad_a2, %grad_a3 {axis = 1 : i64} : (tensor<5x33xbf16>, tensor<5x33xbf16>) -> tensor<5x33xbf16>
  %grad_2 = graph.bias_add_backward %grad_a4 : (tensor<5x33xbf16>) -> tensor<33xbf16>
  %grad_3 = graph.prelu %grad_a5, %grad_a6 : (tensor<5x33xbf16>, tensor<33xbf16>) -> tensor<5x33xbf16>
  %grad_4:2 = graph.prelu_backward %grad_a7, %grad_a8, %grad_a9 : (tensor<5x33xbf16>, tensor<33xbf16>, tensor<5x33xbf16>) -> (tensor<5x33xbf16>, tensor<33xbf16>)
  // Images.
  %imag_0 = graph.max_pool %imag_a0 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>} : (tensor<2x7x8x6xbf16>) -> tensor<2x4x7x6xbf16>
  %imag_1 = graph.avg_pool %imag_a1 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = true} : (tensor<2x7x8x6xbf16>) -> tensor<2x4x7x6xbf16>
  %imag_2 = graph.max_pool_backward %imag_a2, %imag_a3 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>} : (tensor<2x7x8x6xbf16>, tensor<2x4x7x6xbf16>) -> tensor<2x7x8x6xbf16>
  %imag_3 = graph.add %imag_2, %imag_a4 : (tensor<2x7x8x6xbf16>, tensor<2x7x8x6xbf16>) -> tensor<2x7x8x6xbf16>
  %imag_4 = graph.avg_pool_backward %imag_a5 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = false, src_shape = array<i64: 2, 7, 8, 6>} : (tensor<2x4x7x6xbf16>) -> tensor<2x7x8x6xbf16>
  %imag_5 = graph.interpolate %imag_a6 {mode = "bilinear", sizes = array<i64: 5, 16>} : (tensor<2x7x8x6xbf16>) -> tensor<2x5x16x6xbf16>
  %imag_6 = graph.interpolate_backward %imag_a7, %imag_a8 {mode = "bilinear", sizes = array<i64: 5, 16>} : (tensor<2x7x8x6xbf16>, tensor<2x5x16x6xbf16>) -> tensor<2x7x8x6xbf16>
  // Convolutions.
  %conv_0 = graph.convolution %conv_a0, %conv_a1 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x7x8x6xbf16>, tensor<3x2x6x10xbf16>) -> tensor<2x4x7x10xbf16>
  %conv_1 = graph.convolution_backward_data %conv_a2, %conv_a3 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, dst_shape = array<i64: 2, 7, 8, 6>} : (tensor<2x4x7x10xbf16>, tensor<3x2x6x10xbf16>) -> tensor<2x7x8x6xbf16>
  %conv_2 = graph.convolution_backward_weights %conv_a4, %conv_a5 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 2, 6, 10>} : (tensor<2x7x8x6xbf16>, tensor<2x4x7x10xbf16>) -> tensor<3x2x6x10xbf16>
  %conv_3 = graph.conv_transpose %conv_a6, %conv_a7 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x4x7x10xbf16>, tensor<3x2x10x6xbf16>) -> tensor<2x7x8x6xbf16>
  %conv_4 = graph.conv_transpose_backward_data %conv_a8, %conv_a9 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x7x8x6xbf16>, tensor<3x2x10x6xbf16>) -> tensor<2x4x7x10xbf16>
  %conv_5 = graph.conv_transpose_backward_weights %conv_a10, %conv_a11 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 2, 10, 6>} : (tensor<2x4x7x10xbf16>, tensor<2x7x8x6xbf16>) -> tensor<3x2x10x6xbf16>
  return %func_0, %func_1, %func_2, %func_3, %func_4, %func_5, %func_6, %func_7, %func_8, %func_9, %func_10,
    %func_11, %func_12, %func_16, %pair_0, %pair_1, %pair_2, %pair_3, %pair_5, %pair_6, %rows_0, %rows_1,
    %rows_2, %rows_3, %rows_4, %rows_5, %rows_6, %norm_0, %norm_1, %norm_2, %norm_3, %grad_0, %grad_1,
    %grad_2, %grad_3, %grad_4#0, %grad_4#1, %imag_0, %imag_1, %imag_3, %imag_4, %imag_5, %imag_6, %conv_0,
    %conv_1, %conv_2, %conv_3, %conv_4, %conv_5
    : tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
      tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
      tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
      tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
      tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5xbf16>, tensor<5x1xbf16>,
      tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<2x5x12xbf16>, tensor<2x5x12xbf16>,
      tensor<5x33xbf16>, tensor<5x33xbf16>, tensor<33xbf16>, tensor<5x33xbf16>, tensor<5x33xbf16>,
      tensor<33xbf16>, tensor<2x4x7x6xbf16>, tensor<2x4x7x6xbf16>, tensor<2x7x8x6xbf16>,
      tensor<2x7x8x6xbf16>, tensor<2x5x16x6xbf16>, tensor<2x7x8x6xbf16>, tensor<2x4x7x10xbf16>,
      tensor<2x7x8x6xbf16>, tensor<3x2x6x10xbf16>, tensor<2x7x8x6xbf16>, tensor<2x4x7x10xbf16>,
      tensor<3x2x10x6xbf16>
}

func.func @f16(%func_a0: tensor<5x33xf16>, %func_a1: tensor<5x33xf16>, %func_a2: tensor<5x33xf16>,
    %func_a3: tensor<5x33xf16>, %func_a4: tensor<5x33xf16>, %func_a5: tensor<5x33xf16>,
    %func_a6: tensor<5x33xf16>, %func_a7: tensor<5x33xf16>, %func_a8: tensor<5x33xf16>,
    %func_a9: tensor<5x33xf16>, %func_a10: tensor<5x33xf16>, %func_a11: tensor<5x33xf16>,
    %func_a12: tensor<5x33xf16>, %func_a13: tensor<5x33xf16>, %func_a14: tensor<1xf16>,
    %func_a15: tensor<5x33xf16>, %pair_a0: tensor<5x33xf16>, %pair_a1: tensor<33xf16>,
    %pair_a2: tensor<5x33xf16>, %pair_a3: tensor<5x33xf16>, %pair_a4: tensor<5x33xf16>,
    %pair_a5: tensor<33xf16>, %rows_a0: tensor<5x33xf16>, %rows_a1: tensor<5x3xf16>,
    %norm_a0: tensor<5x33xf16>, %norm_a1: tensor<33xf32>, %norm_a2: tensor<33xf32>, %norm_a3: tensor<33xf32>,
    %norm_a4: tensor<2x5x12xf16>, %norm_a5: tensor<12xf32>, %norm_a6: tensor<12xf32>,
    %norm_a7: tensor<2x5x12xf16>, %norm_a8: tensor<12xf32>, %norm_a9: tensor<12xf32>,
    %norm_a10: tensor<12xf32>, %norm_a11: tensor<12xf32>, %grad_a0: tensor<5x33xf16>,
    %grad_a1: tensor<5x33xf16>, %grad_a2: tensor<5x33xf16>, %grad_a3: tensor<5x33xf16>,
    %grad_a4: tensor<5x33xf16>, %grad_a5: tensor<5x33xf16>, %grad_a6: tensor<33xf16>,
    %grad_a7: tensor<5x33xf16>, %grad_a8: tensor<33xf16>, %grad_a9: tensor<5x33xf16>,
    %imag_a0: tensor<2x7x8x6xf16>, %imag_a1: tensor<2x7x8x6xf16>, %imag_a2: tensor<2x7x8x6xf16>,
    %imag_a3: tensor<2x4x7x6xf16>, %imag_a4: tensor<2x7x8x6xf16>, %imag_a5: tensor<2x4x7x6xf16>,
    %imag_a6: tensor<2x7x8x6xf16>, %imag_a7: tensor<2x7x8x6xf16>, %imag_a8: tensor<2x5x16x6xf16>,
    %conv_a0: tensor<2x7x8x6xf16>, %conv_a1: tensor<3x2x6x10xf16>, %conv_a2: tensor<2x4x7x10xf16>,
    %conv_a3: tensor<3x2x6x10xf16>, %conv_a4: tensor<2x7x8x6xf16>, %conv_a5: tensor<2x4x7x10xf16>,
    %conv_a6: tensor<2x4x7x10xf16>, %conv_a7: tensor<3x2x10x6xf16>, %conv_a8: tensor<2x7x8x6xf16>,
    %conv_a9: tensor<3x2x10x6xf16>, %conv_a10: tensor<2x4x7x10xf16>, %conv_a11: tensor<2x7x8x6xf16>)
    -> (tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
        tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
        tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
        tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
        tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5x1xf16>,
        tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<2x5x12xf16>, tensor<2x5x12xf16>,
        tensor<5x33xf16>, tensor<5x33xf16>, tensor<33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
        tensor<33xf16>, tensor<2x4x7x6xf16>, tensor<2x4x7x6xf16>, tensor<2x7x8x6xf16>, tensor<2x7x8x6xf16>,
        tensor<2x5x16x6xf16>, tensor<2x7x8x6xf16>, tensor<2x4x7x10xf16>, tensor<2x7x8x6xf16>,
        tensor<3x2x6x10xf16>, tensor<2x7x8x6xf16>, tensor<2x4x7x10xf16>, tensor<3x2x10x6xf16>) {
  // Functions.
  %func_0 = graph.abs %func_a0 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_1 = graph.erf %func_a1 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_2 = graph.exp %func_a2 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_3 = graph.gelu %func_a3 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_4 = graph.hard_sigmoid %func_a4 {alpha = 0.25 : f32, beta = 0.5 : f32} : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_5 = graph.hard_swish %func_a5 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_6 = graph.leaky_relu %func_a6 {alpha = 0.25 : f32} : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_7 = graph.log %func_a7 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_8 = graph.mish %func_a8 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_9 = graph.pow %func_a9 {beta = 1.5 : f32} : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_10 = graph.reciprocal %func_a10 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_11 = graph.soft_plus %func_a11 {beta = 2.0 : f32} : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_12 = graph.square %func_a12 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_13 = graph.multiply %func_a13, %func_a14 : (tensor<5x33xf16>, tensor<1xf16>) -> tensor<5x33xf16>
  %func_14 = graph.reciprocal %func_a15 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_15 = graph.add %func_13, %func_14 : (tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %func_16 = graph.round %func_15 : (tensor<5x33xf16>) -> tensor<5x33xf16>
  // Pairs.
  %pair_0 = graph.minimum %pair_a0, %pair_a1 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xf16>
  %pair_1 = graph.squared_difference %pair_a0, %pair_a1 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xf16>
  %pair_2 = graph.subtract %pair_a0, %pair_a1 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xf16>
  %pair_3 = graph.divide %pair_a2, %pair_a3 : (tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %pair_4 = graph.greater_equal %pair_a0, %pair_a1 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xi1>
  %pair_5 = graph.select %pair_4, %pair_a0, %pair_a4 : (tensor<5x33xi1>, tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %pair_6 = graph.bias_add %pair_a0, %pair_a5 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xf16>
  // Rows.
  %rows_0 = graph.reduce_l1 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf16>) -> tensor<5xf16>
  %rows_1 = graph.reduce_l2 %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf16>) -> tensor<5xf16>
  %rows_2 = graph.reduce_mean %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf16>) -> tensor<5xf16>
  %rows_3 = graph.reduce_min %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf16>) -> tensor<5xf16>
  %rows_4 = graph.reduce_sum %rows_a0 {axes = array<i64: 1>, keep_dims = false} : (tensor<5x33xf16>) -> tensor<5xf16>
  %rows_5 = graph.reduce_prod %rows_a1 {axes = array<i64: 1>, keep_dims = true} : (tensor<5x3xf16>) -> tensor<5x1xf16>
  %rows_6 = graph.log_softmax %rows_a0 {axis = 1 : i64} : (tensor<5x33xf16>) -> tensor<5x33xf16>
  // Norms.
  %norm_0 = graph.layer_norm %norm_a0, %norm_a1, %norm_a2 {keep_stats = false, epsilon = 0.01 : f32} : (tensor<5x33xf16>, tensor<33xf32>, tensor<33xf32>) -> tensor<5x33xf16>
  %norm_1 = graph.rms_norm %norm_a0, %norm_a3 {epsilon = 0.01 : f32} : (tensor<5x33xf16>, tensor<33xf32>) -> tensor<5x33xf16>
  %norm_2 = graph.group_norm %norm_a4, %norm_a5, %norm_a6 {groups = 3 : i64, keep_stats = false, epsilon = 0.01 : f32} : (tensor<2x5x12xf16>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xf16>
  %norm_3 = graph.batch_norm_inference %norm_a7, %norm_a8, %norm_a9, %norm_a10, %norm_a11 {epsilon = 0.01 : f32} : (tensor<2x5x12xf16>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) -> tensor<2x5x12xf16>
  // Gradients.
  %grad_0 = graph.softmax_backward %grad_a0, %grad_a1 {axis = 1 : i64} : (tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %grad_1 = graph.log_softmax_backward %grad_a2, %grad_a3 {axis = 1 : i64} : (tensor<5x33xf16>, tensor<5x33xf16>) -> tensor<5x33xf16>
  %grad_2 = graph.bias_add_backward %grad_a4 : (tensor<5x33xf16>) -> tensor<33xf16>
  %grad_3 = graph.prelu %grad_a5, %grad_a6 : (tensor<5x33xf16>, tensor<33xf16>) -> tensor<5x33xf16>
  %grad_4:2 = graph.prelu_backward %grad_a7, %grad_a8, %grad_a9 : (tensor<5x33xf16>, tensor<33xf16>, tensor<5x33xf16>) -> (tensor<5x33xf16>, tensor<33xf16>)
  // Images.
  %imag_0 = graph.max_pool %imag_a0 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>} : (tensor<2x7x8x6xf16>) -> tensor<2x4x7x6xf16>
  %imag_1 = graph.avg_pool %imag_a1 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = true} : (tensor<2x7x8x6xf16>) -> tensor<2x4x7x6xf16>
  %imag_2 = graph.max_pool_backward %imag_a2, %imag_a3 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>} : (tensor<2x7x8x6xf16>, tensor<2x4x7x6xf16>) -> tensor<2x7x8x6xf16>
  %imag_3 = graph.add %imag_2, %imag_a4 : (tensor<2x7x8x6xf16>, tensor<2x7x8x6xf16>) -> tensor<2x7x8x6xf16>
  %imag_4 = graph.avg_pool_backward %imag_a5 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, kernel = array<i64: 3, 2>, exclude_pad = false, src_shape = array<i64: 2, 7, 8, 6>} : (tensor<2x4x7x6xf16>) -> tensor<2x7x8x6xf16>
  %imag_5 = graph.interpolate %imag_a6 {mode = "bilinear", sizes = array<i64: 5, 16>} : (tensor<2x7x8x6xf16>) -> tensor<2x5x16x6xf16>
  %imag_6 = graph.interpolate_backward %imag_a7, %imag_a8 {mode = "bilinear", sizes = array<i64: 5, 16>} : (tensor<2x7x8x6xf16>, tensor<2x5x16x6xf16>) -> tensor<2x7x8x6xf16>
  // Convolutions.
  %conv_0 = graph.convolution %conv_a0, %conv_a1 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x7x8x6xf16>, tensor<3x2x6x10xf16>) -> tensor<2x4x7x10xf16>
  %conv_1 = graph.convolution_backward_data %conv_a2, %conv_a3 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, dst_shape = array<i64: 2, 7, 8, 6>} : (tensor<2x4x7x10xf16>, tensor<3x2x6x10xf16>) -> tensor<2x7x8x6xf16>
  %conv_2 = graph.convolution_backward_weights %conv_a4, %conv_a5 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 2, 6, 10>} : (tensor<2x7x8x6xf16>, tensor<2x4x7x10xf16>) -> tensor<3x2x6x10xf16>
  %conv_3 = graph.conv_transpose %conv_a6, %conv_a7 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x4x7x10xf16>, tensor<3x2x10x6xf16>) -> tensor<2x7x8x6xf16>
  %conv_4 = graph.conv_transpose_backward_data %conv_a8, %conv_a9 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>} : (tensor<2x7x8x6xf16>, tensor<3x2x10x6xf16>) -> tensor<2x4x7x10xf16>
  %conv_5 = graph.conv_transpose_backward_weights %conv_a10, %conv_a11 {strides = array<i64: 2, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 2, 10, 6>} : (tensor<2x4x7x10xf16>, tensor<2x7x8x6xf16>) -> tensor<3x2x10x6xf16>
  return %func_0, %func_1, %func_2, %func_3, %func_4, %func_5, %func_6, %func_7, %func_8, %func_9, %func_10,
    %func_11, %func_12, %func_16, %pair_0, %pair_1, %pair_2, %pair_3, %pair_5, %pair_6, %rows_0, %rows_1,
    %rows_2, %rows_3, %rows_4, %rows_5, %rows_6, %norm_0, %norm_1, %norm_2, %norm_3, %grad_0, %grad_1,
    %grad_2, %grad_3, %grad_4#0, %grad_4#1, %imag_0, %imag_1, %imag_3, %imag_4, %imag_5, %imag_6, %conv_0,
    %conv_1, %conv_2, %conv_3, %conv_4, %conv_5
    : tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
      tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
      tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
      tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>,
      tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5xf16>, tensor<5x1xf16>,
      tensor<5x33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<2x5x12xf16>, tensor<2x5x12xf16>,
      tensor<5x33xf16>, tensor<5x33xf16>, tensor<33xf16>, tensor<5x33xf16>, tensor<5x33xf16>, tensor<33xf16>,
      tensor<2x4x7x6xf16>, tensor<2x4x7x6xf16>, tensor<2x7x8x6xf16>, tensor<2x7x8x6xf16>,
      tensor<2x5x16x6xf16>, tensor<2x7x8x6xf16>, tensor<2x4x7x10xf16>, tensor<2x7x8x6xf16>,
      tensor<3x2x6x10xf16>, tensor<2x7x8x6xf16>, tensor<2x4x7x10xf16>, tensor<3x2x10x6xf16>
}

func.func @integers(%inte_a0: tensor<5x33xsi32>, %inte_a1: tensor<33xsi32>, %inte_a2: tensor<5x33xf32>,
    %inte_a4: tensor<5x33xf32>, %inte_a6: tensor<5x33xf32>,
    %inte_a7: tensor<5x33xf32>)
    -> (tensor<5x33xsi32>, tensor<5x33xsi8>, tensor<5x33xui8>, tensor<5x33xsi8>, tensor<5x33xf8E4M3FN>) {
  %scale = graph.constant dense<8.0e-3> : tensor<1xf32>
  %zp = graph.constant dense<128> : tensor<1xsi32>
  %inte_0 = graph.squared_difference %inte_a0, %inte_a1 : (tensor<5x33xsi32>, tensor<33xsi32>) -> tensor<5x33xsi32>
  %inte_1 = graph.dynamic_quantize %inte_a2, %scale : (tensor<5x33xf32>, tensor<1xf32>) -> tensor<5x33xsi8>
  %inte_2 = graph.dynamic_quantize %inte_a4, %scale, %zp : (tensor<5x33xf32>, tensor<1xf32>, tensor<1xsi32>) -> tensor<5x33xui8>
  %inte_3 = graph.quantize %inte_a6 {scales = array<f32: 0.01>, zps = array<i64: 3>} : (tensor<5x33xf32>) -> tensor<5x33xsi8>
  %inte_4 = graph.quantize %inte_a7 {scales = array<f32: 0.01>, zps = array<i64: 0>} : (tensor<5x33xf32>) -> tensor<5x33xf8E4M3FN>
  return %inte_0, %inte_1, %inte_2, %inte_3, %inte_4
    : tensor<5x33xsi32>, tensor<5x33xsi8>, tensor<5x33xui8>, tensor<5x33xsi8>, tensor<5x33xf8E4M3FN>
}
