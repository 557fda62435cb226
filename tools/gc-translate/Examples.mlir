// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Small examples of each operation of the Graph dialect, in the forms for which
// targets may differ: a target runs an operation if it runs one of its examples.
// unittests/Conversion/NpuSupportTest.cpp compiles each of them.

func.func @elementwise(%x: tensor<4x24xf32>, %y: tensor<4x24xf32>, %row: tensor<24xf32>, %column: tensor<4x1xf32>, %one: tensor<f32>) {
  %0 = graph.abs %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %1 = graph.clamp %x {min = -1.0 : f32, max = 6.0 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %2 = graph.elu %x {alpha = 0.5 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %3 = graph.erf %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %4 = graph.exp %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %5 = graph.gelu %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %6 = graph.gelu %x {mode = "gelu_tanh"} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %7 = graph.hard_sigmoid %x {alpha = 0.125 : f32, beta = 0.5 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %8 = graph.hard_swish %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %9 = graph.leaky_relu %x {alpha = 0.25 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %10 = graph.log %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %11 = graph.mish %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %12 = graph.pow %x {beta = 3.0 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %13 = graph.pow %x {beta = 0.3 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %14 = graph.reciprocal %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %15 = graph.relu %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %16 = graph.round %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %17 = graph.sigmoid %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %18 = graph.soft_plus %x {beta = 1.0 : f32} : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %19 = graph.sqrt %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %20 = graph.square %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %21 = graph.tanh %x : (tensor<4x24xf32>) -> tensor<4x24xf32>
  %22 = graph.add %x, %row : (tensor<4x24xf32>, tensor<24xf32>) -> tensor<4x24xf32>
  %23 = graph.subtract %row, %column : (tensor<24xf32>, tensor<4x1xf32>) -> tensor<4x24xf32>
  %24 = graph.multiply %one, %x : (tensor<f32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %25 = graph.divide %x, %y : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %26 = graph.maximum %x, %row : (tensor<4x24xf32>, tensor<24xf32>) -> tensor<4x24xf32>
  %27 = graph.minimum %x, %column : (tensor<4x24xf32>, tensor<4x1xf32>) -> tensor<4x24xf32>
  %28 = graph.squared_difference %x, %row : (tensor<4x24xf32>, tensor<24xf32>) -> tensor<4x24xf32>
  %29 = graph.greater_equal %x, %y : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xi1>
  %30 = graph.select %29, %x, %y : (tensor<4x24xi1>, tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %31 = graph.greater_equal %column, %column : (tensor<4x1xf32>, tensor<4x1xf32>) -> tensor<4x1xi1>
  %32 = graph.select %31, %x, %y : (tensor<4x1xi1>, tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %33 = graph.bias_add %x, %row : (tensor<4x24xf32>, tensor<24xf32>) -> tensor<4x24xf32>
  %34 = graph.prelu %x, %row : (tensor<4x24xf32>, tensor<24xf32>) -> tensor<4x24xf32>
  %35 = graph.gen_index %x {axis = 1} : (tensor<4x24xf32>) -> tensor<4x24xsi32>
  return
}

func.func @integers(%i: tensor<4x24xsi32>, %j: tensor<24xsi32>, %b: tensor<4x24xsi8>, %u: tensor<4x24xui8>, %x: tensor<4x24xf32>) {
  %0 = graph.add %i, %j : (tensor<4x24xsi32>, tensor<24xsi32>) -> tensor<4x24xsi32>
  %1 = graph.multiply %i, %i : (tensor<4x24xsi32>, tensor<4x24xsi32>) -> tensor<4x24xsi32>
  %2 = graph.greater_equal %i, %i : (tensor<4x24xsi32>, tensor<4x24xsi32>) -> tensor<4x24xi1>
  %3 = graph.maximum %i, %i : (tensor<4x24xsi32>, tensor<4x24xsi32>) -> tensor<4x24xsi32>
  %4 = graph.type_cast %i : tensor<4x24xsi32> -> tensor<4x24xf32>
  %5 = graph.type_cast %b : tensor<4x24xsi8> -> tensor<4x24xf32>
  %6 = graph.type_cast %x : tensor<4x24xf32> -> tensor<4x24xsi8>
  %7 = graph.type_cast %x : tensor<4x24xf32> -> tensor<4x24xsi32>
  %8 = graph.type_cast %b : tensor<4x24xsi8> -> tensor<4x24xsi32>
  %9 = graph.type_cast %i : tensor<4x24xsi32> -> tensor<4x24xsi8>
  %10 = graph.type_cast %u : tensor<4x24xui8> -> tensor<4x24xf32>
  %11 = graph.type_cast %x : tensor<4x24xf32> -> tensor<4x24xbf16>
  %12 = graph.static_reshape %b {shape = array<i64: 8, 12>} : (tensor<4x24xsi8>) -> tensor<8x12xsi8>
  %13 = graph.static_transpose %b {order = array<i64: 1, 0>} : (tensor<4x24xsi8>) -> tensor<24x4xsi8>
  %14 = graph.static_transpose %i {order = array<i64: 1, 0>} : (tensor<4x24xsi32>) -> tensor<24x4xsi32>
  %15 = graph.quantize %x {scales = array<f32: 0.5>, zps = array<i64: 0>} : (tensor<4x24xf32>) -> tensor<4x24xsi8>
  %16 = graph.quantize %x {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x24xf32>) -> tensor<4x24xui8>
  %17 = graph.dequantize %b {scales = array<f32: 0.5>, zps = array<i64: 0>} : (tensor<4x24xsi8>) -> tensor<4x24xf32>
  %18 = graph.dequantize %b {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x24xsi8>) -> tensor<4x24xf32>
  return
}

func.func @dynamic_scales(%x: tensor<4x6xf32>, %b: tensor<4x6xsi8>, %s: tensor<6xf32>, %one: tensor<1xf32>, %z: tensor<6xsi32>) {
  %0 = graph.dynamic_quantize %x, %s, %z {qtype = "per_channel"} : (tensor<4x6xf32>, tensor<6xf32>, tensor<6xsi32>) -> tensor<4x6xsi8>
  %1 = graph.dynamic_quantize %x, %one : (tensor<4x6xf32>, tensor<1xf32>) -> tensor<4x6xsi8>
  %2 = graph.dynamic_dequantize %b, %s {qtype = "per_channel"} : (tensor<4x6xsi8>, tensor<6xf32>) -> tensor<4x6xf32>
  %3 = graph.dynamic_dequantize %b, %s, %z {qtype = "per_channel"} : (tensor<4x6xsi8>, tensor<6xf32>, tensor<6xsi32>) -> tensor<4x6xf32>
  return
}

func.func @mixed(%x: tensor<4x24xf16>, %y: tensor<4x24xf32>, %h: tensor<4x24xbf16>) {
  %0 = graph.add %x, %y : (tensor<4x24xf16>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %1 = graph.type_cast %y : tensor<4x24xf32> -> tensor<4x24xf16>
  %2 = graph.type_cast %x : tensor<4x24xf16> -> tensor<4x24xf32>
  %3 = graph.relu %h : (tensor<4x24xbf16>) -> tensor<4x24xbf16>
  %4 = graph.reorder %y : tensor<4x24xf32> -> tensor<4x24xf32, #graph.layout<blocked, outer = [1, 0], inner = [1 : 4]>>
  %5 = graph.reorder %y : tensor<4x24xf32> -> tensor<4x24xf32>
  return
}

func.func @movement(%x: tensor<2x3x16xf32>, %y: tensor<2x5x16xf32>, %index: tensor<4xsi32>, %a: tensor<12x16xf32>, %image: tensor<1x6x6x4xf32>, %none: tensor<0x16xf32>, %any: tensor<?x16xf32>) {
  %0 = graph.static_reshape %x {shape = array<i64: 6, 16>} : (tensor<2x3x16xf32>) -> tensor<6x16xf32>
  %1 = graph.static_transpose %x {order = array<i64: 0, 2, 1>} : (tensor<2x3x16xf32>) -> tensor<2x16x3xf32>
  %2 = graph.static_transpose %x {order = array<i64: 1, 0, 2>} : (tensor<2x3x16xf32>) -> tensor<3x2x16xf32>
  %3 = graph.concat %x, %y {axis = 1} : (tensor<2x3x16xf32>, tensor<2x5x16xf32>) -> tensor<2x8x16xf32>
  %4 = graph.gather %a, %index : (tensor<12x16xf32>, tensor<4xsi32>) -> tensor<4x16xf32>
  %5 = graph.windows %image {kernel = array<i64: 2, 2>, positions = array<i64: 3, 3>, strides = array<i64: 2, 2>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<1x6x6x4xf32>) -> tensor<1x3x3x2x2x4xf32>
  %6 = graph.windows %image {kernel = array<i64: 3, 3>, positions = array<i64: 6, 6>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: -1, -1>, spacing = array<i64: 1, 1>} : (tensor<1x6x6x4xf32>) -> tensor<1x6x6x3x3x4xf32>
  %7 = graph.constant dense<2.0> : tensor<2x3x16xf32>
  %8 = graph.constant dense<[[1.0, 2.0]]> : tensor<1x2xf32>
  %9 = graph.add %x, %7 : (tensor<2x3x16xf32>, tensor<2x3x16xf32>) -> tensor<2x3x16xf32>
  %10 = graph.relu %none : (tensor<0x16xf32>) -> tensor<0x16xf32>
  %11 = graph.relu %any : (tensor<?x16xf32>) -> tensor<?x16xf32>
  %12 = graph.wildcard %x : (tensor<2x3x16xf32>) -> tensor<2x3x16xf32>
  %13 = graph.fused_op -> (tensor<2x3x16xf32>) {
    %14 = graph.relu %x : (tensor<2x3x16xf32>) -> tensor<2x3x16xf32>
    graph.yield %14 : tensor<2x3x16xf32>
  }
  graph.end %x : tensor<2x3x16xf32>
  return
}

func.func @reductions(%x: tensor<4x3x24xf32>) {
  %0 = graph.reduce_max %x {axes = array<i64: -1>} : (tensor<4x3x24xf32>) -> tensor<4x3xf32>
  %1 = graph.reduce_min %x {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<4x3x24xf32>) -> tensor<1x3x1xf32>
  %2 = graph.reduce_sum %x {axes = array<i64: 1>} : (tensor<4x3x24xf32>) -> tensor<4x24xf32>
  %3 = graph.reduce_prod %x {axes = array<i64: 2>} : (tensor<4x3x24xf32>) -> tensor<4x3xf32>
  %4 = graph.reduce_mean %x {axes = array<i64: 2>} : (tensor<4x3x24xf32>) -> tensor<4x3xf32>
  %5 = graph.reduce_l1 %x {axes = array<i64: 0>} : (tensor<4x3x24xf32>) -> tensor<3x24xf32>
  %6 = graph.reduce_l2 %x {axes = array<i64: 2>} : (tensor<4x3x24xf32>) -> tensor<4x3xf32>
  %7 = graph.reduce_max %x {any_if_nan, axes = array<i64: 2>} : (tensor<4x3x24xf32>) -> tensor<4x3xf32>
  %8 = graph.reduce_sum %x {axes = array<i64: 0, 1, 2>} : (tensor<4x3x24xf32>) -> tensor<f32>
  %9 = graph.reduce_sum %x {axes = array<i64: 2>, keep_dims = true, part_size = 8 : i64} : (tensor<4x3x24xf32>) -> tensor<4x3x3xf32>
  return
}

func.func @rows(%x: tensor<2x4x24xf32>, %c: tensor<24xf32>, %m: tensor<2x4xf32>, %g: tensor<4x24xf32>) {
  %0 = graph.softmax %x {axis = -1} : (tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %1, %2 = graph.softmax %x {axis = -1} : (tensor<2x4x24xf32>) -> (tensor<2x4x24xf32>, tensor<2x4x1xf32>)
  %3 = graph.softmax %x {axis = -1, mode = "inf_as_zero"} : (tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %4 = graph.log_softmax %x {axis = -1} : (tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %5:3 = graph.layer_norm %x, %c, %c : (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<2x4x24xf32>, tensor<2x4xf32>, tensor<2x4xf32>)
  %6 = graph.layer_norm %x {use_affine = false, keep_stats = false} : (tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %7 = graph.rms_norm %x, %c : (tensor<2x4x24xf32>, tensor<24xf32>) -> tensor<2x4x24xf32>
  %8:3 = graph.group_norm %x, %c, %c {groups = 2} : (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<2x4x24xf32>, tensor<2x2xf32>, tensor<2x2xf32>)
  %9 = graph.batch_norm_inference %x, %c, %c, %c, %c {epsilon = 1.0e-3 : f32} : (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<2x4x24xf32>
  %10:5 = graph.batch_norm_forward_training %x, %c, %c {epsilon = 1.0e-3 : f32, momentum = 0.5 : f32} : (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>, tensor<24xf32>)
  %11 = graph.batch_norm_training_backward %x, %x, %c, %c {epsilon = 1.0e-3 : f32} : (tensor<2x4x24xf32>, tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>) -> tensor<2x4x24xf32>
  %12:3 = graph.layer_norm_backward %x, %x, %m, %m, %c, %c : (tensor<2x4x24xf32>, tensor<2x4x24xf32>, tensor<2x4xf32>, tensor<2x4xf32>, tensor<24xf32>, tensor<24xf32>) -> (tensor<2x4x24xf32>, tensor<24xf32>, tensor<24xf32>)
  %13 = graph.softmax_backward %x, %x {axis = 2} : (tensor<2x4x24xf32>, tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %14 = graph.log_softmax_backward %x, %x {axis = -1} : (tensor<2x4x24xf32>, tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  %15 = graph.softmax %x {axis = 1} : (tensor<2x4x24xf32>) -> tensor<2x4x24xf32>
  return
}

func.func @gradients(%x: tensor<4x24xf32>, %d: tensor<4x24xf32>, %row: tensor<24xf32>, %w: tensor<2x4x24xf32>) {
  %0 = graph.abs_backward %x, %d : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %1 = graph.clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %2 = graph.clamp_backward %x, %d {min = -1.0 : f32, max = 2.0 : f32, use_dst = false} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %3 = graph.elu_backward %x, %d {alpha = 0.5 : f32, use_dst = true} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %4 = graph.elu_backward %x, %d {alpha = 0.5 : f32, use_dst = false} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %5 = graph.gelu_backward %x, %d : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %6 = graph.gelu_backward %x, %d {mode = "gelu_tanh"} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %7 = graph.hard_sigmoid_backward %x, %d {alpha = 0.5 : f32, beta = 0.25 : f32} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %8 = graph.hard_swish_backward %x, %d : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %9 = graph.mish_backward %x, %d : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %10 = graph.relu_backward %x, %d {use_dst = true} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %11 = graph.sigmoid_backward %x, %d {use_dst = false} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %12 = graph.sigmoid_backward %x, %d {use_dst = true} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %13 = graph.soft_plus_backward %x, %d {beta = 1.0 : f32} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %14 = graph.sqrt_backward %x, %d : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %15 = graph.tanh_backward %x, %d {use_dst = false} : (tensor<4x24xf32>, tensor<4x24xf32>) -> tensor<4x24xf32>
  %16:2 = graph.prelu_backward %x, %row, %d : (tensor<4x24xf32>, tensor<24xf32>, tensor<4x24xf32>) -> (tensor<4x24xf32>, tensor<24xf32>)
  %17 = graph.bias_add_backward %w : (tensor<2x4x24xf32>) -> tensor<24xf32>
  return
}

func.func @random(%x: tensor<4x24xf32>, %i: tensor<4x24xsi32>, %seed: tensor<ui64>, %offset: tensor<ui64>, %p: tensor<f32>) {
  %0 = graph.dropout %x, %seed, %offset, %p : (tensor<4x24xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<4x24xf32>
  %1 = graph.random_mask %i, %seed, %offset, %p : (tensor<4x24xsi32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<4x24xi1>
  return
}

func.func @products(%a: tensor<32x48xf16>, %b: tensor<48x32xf16>, %bias: tensor<32xf16>, %t: tensor<32x48xf16>, %batch: tensor<3x1x32x48xf16>, %row: tensor<48xf16>, %i: tensor<32x48xsi8>, %j: tensor<48x32xsi8>, %u: tensor<32x48xui8>, %k: tensor<32xsi32>) {
  %0 = graph.matmul %a, %b : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf16>
  %1 = graph.matmul %a, %b, %bias : (tensor<32x48xf16>, tensor<48x32xf16>, tensor<32xf16>) -> tensor<32x32xf16>
  %2 = graph.matmul %a, %t {transpose_b = true} : (tensor<32x48xf16>, tensor<32x48xf16>) -> tensor<32x32xf16>
  %3 = graph.matmul %batch, %b : (tensor<3x1x32x48xf16>, tensor<48x32xf16>) -> tensor<3x1x32x32xf16>
  %4 = graph.matmul %row, %b : (tensor<48xf16>, tensor<48x32xf16>) -> tensor<32xf16>
  %5 = graph.matmul %i, %j : (tensor<32x48xsi8>, tensor<48x32xsi8>) -> tensor<32x32xsi32>
  %6 = graph.matmul %i, %j, %k : (tensor<32x48xsi8>, tensor<48x32xsi8>, tensor<32xsi32>) -> tensor<32x32xsi32>
  %7 = graph.matmul %u, %j : (tensor<32x48xui8>, tensor<48x32xsi8>) -> tensor<32x32xsi32>
  %8 = graph.matmul %i, %j {src_zp = 3 : i64} : (tensor<32x48xsi8>, tensor<48x32xsi8>) -> tensor<32x32xsi32>
  return
}

func.func @wide_products(%a: tensor<32x48xf16>, %b: tensor<48x32xf16>, %c: tensor<32x48xf32>, %d: tensor<48x32xf32>, %x: tensor<1x8x8x16xf32>, %w: tensor<3x3x16x16xf32>) {
  %0 = graph.matmul %a, %b : (tensor<32x48xf16>, tensor<48x32xf16>) -> tensor<32x32xf32>
  %1 = graph.matmul %c, %d : (tensor<32x48xf32>, tensor<48x32xf32>) -> tensor<32x32xf32>
  %2 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<1x8x8x16xf32>
  return
}

func.func @attention(%q: tensor<2x16x32xf16>, %k: tensor<2x32x16xf16>, %v: tensor<2x16x32xf16>) {
  %0 = graph.attention %q, %k, %v : (tensor<2x16x32xf16>, tensor<2x32x16xf16>, tensor<2x16x32xf16>) -> tensor<2x16x32xf16> {
  ^bb0(%s: tensor<2x16x16xf16>):
    graph.yield %s : tensor<2x16x16xf16>
  }
  return
}

func.func @convolutions(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x32xf16>, %point: tensor<1x1x16x32xf16>, %groups: tensor<3x3x8x32xf16>, %bias: tensor<32xf16>, %d: tensor<1x8x8x32xf16>, %image: tensor<1x16x8x8xf16>, %t: tensor<2x2x16x8xf16>, %e: tensor<1x16x16x8xf16>, %i: tensor<1x8x8x32xsi8>, %j: tensor<3x3x32x16xsi8>) {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<3x3x16x32xf16>) -> tensor<1x8x8x32xf16>
  %1 = graph.convolution %x, %point {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<1x1x16x32xf16>) -> tensor<1x8x8x32xf16>
  %2 = graph.convolution %x, %groups {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, groups = 2 : i64} : (tensor<1x8x8x16xf16>, tensor<3x3x8x32xf16>) -> tensor<1x8x8x32xf16>
  %3 = graph.convolution %x, %w, %bias {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<3x3x16x32xf16>, tensor<32xf16>) -> tensor<1x4x4x32xf16>
  %4 = graph.convolution %i, %j {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x32xsi8>, tensor<3x3x32x16xsi8>) -> tensor<1x8x8x16xsi32>
  %5 = graph.convolution_backward_data %d, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, dst_shape = array<i64: 1, 8, 8, 16>} : (tensor<1x8x8x32xf16>, tensor<3x3x16x32xf16>) -> tensor<1x8x8x16xf16>
  %6 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 3, 3, 16, 32>} : (tensor<1x8x8x16xf16>, tensor<1x8x8x32xf16>) -> tensor<3x3x16x32xf16>
  %7 = graph.conv_transpose %x, %t {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<2x2x16x8xf16>) -> tensor<1x16x16x8xf16>
  %8 = graph.conv_transpose_backward_data %e, %t {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x16x16x8xf16>, tensor<2x2x16x8xf16>) -> tensor<1x8x8x16xf16>
  %9 = graph.conv_transpose_backward_weights %x, %e {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 2, 2, 16, 8>} : (tensor<1x8x8x16xf16>, tensor<1x16x16x8xf16>) -> tensor<2x2x16x8xf16>
  %10 = graph.convolution_backward_data %d, %point {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, dst_shape = array<i64: 1, 8, 8, 16>} : (tensor<1x8x8x32xf16>, tensor<1x1x16x32xf16>) -> tensor<1x8x8x16xf16>
  %11 = graph.convolution_backward_weights %x, %d {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 1, 1, 16, 32>} : (tensor<1x8x8x16xf16>, tensor<1x8x8x32xf16>) -> tensor<1x1x16x32xf16>
  %12 = graph.conv_transpose %x, %point {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<1x1x16x32xf16>) -> tensor<1x8x8x32xf16>
  %13 = graph.conv_transpose_backward_weights %x, %d {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, weights_shape = array<i64: 1, 1, 16, 32>} : (tensor<1x8x8x16xf16>, tensor<1x8x8x32xf16>) -> tensor<1x1x16x32xf16>
  return
}

func.func @images(%x: tensor<1x8x8x16xf32>, %d: tensor<1x4x4x16xf32>, %e: tensor<1x16x16x16xf32>, %one: tensor<1x1x1x16xf32>) {
  %0 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 2, 2>} : (tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32>
  %1 = graph.max_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, kernel = array<i64: 3, 3>} : (tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32>
  %2 = graph.avg_pool %x {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 2, 2>, exclude_pad = true} : (tensor<1x8x8x16xf32>) -> tensor<1x4x4x16xf32>
  %3 = graph.avg_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 8, 8>, exclude_pad = true} : (tensor<1x8x8x16xf32>) -> tensor<1x1x1x16xf32>
  %4 = graph.max_pool_backward %x, %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 2, 2>} : (tensor<1x8x8x16xf32>, tensor<1x4x4x16xf32>) -> tensor<1x8x8x16xf32>
  %5 = graph.avg_pool_backward %d {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 2, 2>, exclude_pad = true, src_shape = array<i64: 1, 8, 8, 16>} : (tensor<1x4x4x16xf32>) -> tensor<1x8x8x16xf32>
  %6 = graph.interpolate %x {mode = "nearest", sizes = array<i64: 16, 16>} : (tensor<1x8x8x16xf32>) -> tensor<1x16x16x16xf32>
  %7 = graph.interpolate %x {mode = "bilinear", sizes = array<i64: 16, 16>} : (tensor<1x8x8x16xf32>) -> tensor<1x16x16x16xf32>
  %8 = graph.interpolate_backward %x, %e {mode = "nearest", sizes = array<i64: 16, 16>} : (tensor<1x8x8x16xf32>, tensor<1x16x16x16xf32>) -> tensor<1x8x8x16xf32>
  %9 = graph.interpolate_backward %x, %e {mode = "bilinear", sizes = array<i64: 16, 16>} : (tensor<1x8x8x16xf32>, tensor<1x16x16x16xf32>) -> tensor<1x8x8x16xf32>
  %10 = graph.interpolate %x {mode = "nearest", sizes = array<i64: 8, 8>} : (tensor<1x8x8x16xf32>) -> tensor<1x8x8x16xf32>
  %11 = graph.max_pool %x {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 8, 8>} : (tensor<1x8x8x16xf32>) -> tensor<1x1x1x16xf32>
  %12 = graph.avg_pool_backward %one {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 8, 8>, exclude_pad = true, src_shape = array<i64: 1, 8, 8, 16>} : (tensor<1x1x1x16xf32>) -> tensor<1x8x8x16xf32>
  %13 = graph.max_pool_backward %x, %one {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, kernel = array<i64: 8, 8>} : (tensor<1x8x8x16xf32>, tensor<1x1x1x16xf32>) -> tensor<1x8x8x16xf32>
  %14 = graph.interpolate %x {mode = "nearest", sizes = array<i64: 1, 1>} : (tensor<1x8x8x16xf32>) -> tensor<1x1x1x16xf32>
  return
}
