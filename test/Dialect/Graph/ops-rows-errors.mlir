// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of reductions, softmax, norms, selection and quantisation,
// under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @reduction_c1(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) axis 2 is not one of 2 dimensions}}
  %0 = graph.reduce_max %x {axes = array<i64: 2>} : (tensor<2x6xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_c1_negative(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) axis -3 is not one of 2 dimensions}}
  %0 = graph.reduce_l2 %x {axes = array<i64: -3>} : (tensor<2x6xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_c1_twice(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) dimension 1 is reduced more than once}}
  %0 = graph.reduce_sum %x {axes = array<i64: 1, -1>} : (tensor<2x6xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_c2(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) part_size -1 is negative}}
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true, part_size = -1 : i64} : (tensor<2x6xf32>) -> tensor<2x1xf32>
  return
}

// -----

func.func @reduction_c2_dropped(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) part_size needs keep_dims}}
  %0 = graph.reduce_prod %x {axes = array<i64: 1>, part_size = 3 : i64} : (tensor<2x6xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @reduction_c2_no_axis(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) part_size needs an axis}}
  %0 = graph.reduce_min %x {keep_dims = true, part_size = 3 : i64} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reduction_parts(%x: tensor<2x7xf32>) {
  // expected-error @below {{'graph.reduce_max' op inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<2x2xf32>'}}
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true, part_size = 3 : i64} : (tensor<2x7xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @reduction_type(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.reduce_sum' op inferred type(s) 'tensor<2x1xf32>' are incompatible with return type(s) of operation 'tensor<2xf32>'}}
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<2x6xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @softmax_c1(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) axis 2 is not one of 2 dimensions}}
  %0 = graph.softmax %x {axis = 2} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @softmax_c2(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) unknown mode "zero"}}
  %0 = graph.softmax %x {mode = "zero"} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @softmax_c3(%x: tensor<2x6xbf16>) {
  // expected-error @below {{'graph.softmax' op inferred type(s) 'tensor<2x6xbf16>' are incompatible with return type(s) of operation 'tensor<2x6xf16>'}}
  %0 = graph.softmax %x : (tensor<2x6xbf16>) -> tensor<2x6xf16>
  return
}

// -----

func.func @softmax_c4_shape(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.softmax' op inferred type(s) 'tensor<2x6xf32>', 'tensor<2x1xf32>' are incompatible with return type(s) of operation 'tensor<2x6xf32>', 'tensor<2xf32>'}}
  %0:2 = graph.softmax %x : (tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2xf32>)
  return
}

// -----

func.func @softmax_c4_axis(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.softmax' op inferred type(s) 'tensor<2x6xf32>', 'tensor<1x6xf32>' are incompatible with return type(s) of operation 'tensor<2x6xf32>', 'tensor<2x1xf32>'}}
  %0:2 = graph.softmax %x {axis = 0} : (tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @softmax_c4_type(%x: tensor<2x6xbf16>) {
  // expected-error @below {{'graph.softmax' op result #1 must be ranked tensor of 32-bit float values, but got 'tensor<2x1xbf16>'}}
  %0:2 = graph.softmax %x : (tensor<2x6xbf16>) -> (tensor<2x6xbf16>, tensor<2x1xbf16>)
  return
}

// -----

func.func @softmax_three(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.softmax' op result group starting at #1 requires 0 or 1 element, but found 2}}
  %0:3 = graph.softmax %x : (tensor<2x6xf32>) -> (tensor<2x6xf32>, tensor<2x1xf32>, tensor<2x1xf32>)
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<f32>) {
  // expected-error @below {{(C1) axis -1 is not one of 0 dimensions}}
  %0 = graph.log_softmax %x : (tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C1) begin_norm_axis -3 is not one of 2 dimensions}}
  %0 = graph.layer_norm %x {begin_norm_axis = -3, use_affine = false, keep_stats = false} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C2) epsilon is not positive}}
  %0 = graph.layer_norm %x {epsilon = 0.0 : f32, use_affine = false, keep_stats = false} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C3) use_affine is true but there are 1 of gamma and beta}}
  %0 = graph.layer_norm %x, %c {keep_stats = false} : (tensor<2x6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_c3_false(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C3) use_affine is false but there are 2 of gamma and beta}}
  %0 = graph.layer_norm %x, %c, %c {keep_stats = false, use_affine = false} : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C4) parameters of shape [2] are not of the shape [6]}}
  %0 = graph.layer_norm %x, %d, %d {keep_stats = false} : (tensor<2x6xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{(C5) element type}}
  %0 = graph.layer_norm %x, %h, %h {keep_stats = false} : (tensor<2x6xf32>, tensor<6xbf16>, tensor<6xbf16>) -> tensor<2x6xf32>
  return
}

// -----

func.func @layer_norm_stats(%x: tensor<2x6xf32>, %c: tensor<6xf32>, %d: tensor<2xf32>, %h: tensor<6xbf16>) {
  // expected-error @below {{'graph.layer_norm' op inferred type(s)}}
  %0 = graph.layer_norm %x, %c, %c : (tensor<2x6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @group_norm_c1(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0 = graph.group_norm %x {groups = 2, data_format = "NHWC", use_affine = false, keep_stats = false} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c2(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C2) src of rank 1 has no channels}}
  %0 = graph.group_norm %c {groups = 2, use_affine = false, keep_stats = false} : (tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @group_norm_c3(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C3) 4 groups do not divide 6 channels}}
  %0 = graph.group_norm %x {groups = 4, use_affine = false, keep_stats = false} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c3_zero(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C3) 0 groups do not divide 3 channels}}
  %0 = graph.group_norm %x {groups = 0, data_format = "NCX", use_affine = false, keep_stats = false} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c4(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C4) epsilon is not positive}}
  %0 = graph.group_norm %x {groups = 2, epsilon = -1.0 : f32, use_affine = false, keep_stats = false} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c5(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C5) use_affine is true but there are 0 of gamma and beta}}
  %0 = graph.group_norm %x {groups = 2, keep_stats = false} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c6(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C6) parameters of shape [3] are not of the shape [6]}}
  %0 = graph.group_norm %x, %d, %d {groups = 2, keep_stats = false} : (tensor<2x3x6xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @group_norm_c7(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C7) element type}}
  %0 = graph.group_norm %x, %c, %h {groups = 2, keep_stats = false} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xbf16>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @batch_norm_c1(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C1) data_format must be "NXC" or "NCX", not "X"}}
  %0 = graph.batch_norm_inference %x, %c, %c, %c, %c {epsilon = 0.1 : f32, data_format = "X"} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @batch_norm_c2(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C2) src of rank 1 has no channels}}
  %0 = graph.batch_norm_inference %c, %c, %c, %c, %c {epsilon = 0.1 : f32} : (tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return
}

// -----

func.func @batch_norm_c3(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C3) epsilon is not positive}}
  %0 = graph.batch_norm_inference %x, %c, %c, %c, %c {epsilon = 0.0 : f32} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @batch_norm_c4(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C4) parameters of shape [6] are not of the shape [3]}}
  %0 = graph.batch_norm_inference %x, %c, %c, %c, %c {epsilon = 0.1 : f32, data_format = "NCX"} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @batch_norm_c5(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C5) element type}}
  %0 = graph.batch_norm_inference %x, %c, %c, %c, %h {epsilon = 0.1 : f32} : (tensor<2x3x6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xf32>, tensor<6xbf16>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @rms_norm_c1(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C1) begin_norm_axis 3 is not one of 3 dimensions}}
  %0 = graph.rms_norm %x {begin_norm_axis = 3} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @rms_norm_c2(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C2) epsilon is not positive}}
  %0 = graph.rms_norm %x {epsilon = -1.0 : f32} : (tensor<2x3x6xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @rms_norm_c3(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C3) gamma of shape [3] is not of the shape [6]}}
  %0 = graph.rms_norm %x, %d : (tensor<2x3x6xf32>, tensor<3xf32>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @rms_norm_c4(%x: tensor<2x3x6xf32>, %c: tensor<6xf32>, %d: tensor<3xf32>, %h: tensor<6xbf16>, %v: tensor<6xf32>) {
  // expected-error @below {{(C4) element type}}
  %0 = graph.rms_norm %x, %h : (tensor<2x3x6xf32>, tensor<6xbf16>) -> tensor<2x3x6xf32>
  return
}

// -----

func.func @select_c1(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C1) shapes [2, 6] and [4] do not broadcast}}
  %0 = graph.select %m, %x, %n : (tensor<2x6xi1>, tensor<2x6xf32>, tensor<4xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @select_c1_none(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C1) shapes [2, 6] and [] do not broadcast}}
  %0 = graph.select %m, %x, %s {auto_broadcast = "none"} : (tensor<2x6xi1>, tensor<2x6xf32>, tensor<f32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @select_c2(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C2) element types}}
  %0 = graph.select %m, %x, %h : (tensor<2x6xi1>, tensor<2x6xf32>, tensor<2x6xbf16>) -> tensor<2x6xf32>
  return
}

// -----

func.func @select_cond(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{'graph.select' op operand #0 must be ranked tensor of 1-bit signless integer values}}
  %0 = graph.select %x, %x, %x : (tensor<2x6xf32>, tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @greater_equal_c1(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C1) auto_broadcast must be "numpy" or "none", not "all"}}
  %0 = graph.greater_equal %x, %x {auto_broadcast = "all"} : (tensor<2x6xf32>, tensor<2x6xf32>) -> tensor<2x6xi1>
  return
}

// -----

func.func @greater_equal_c2(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C2) element types}}
  %0 = graph.greater_equal %x, %h : (tensor<2x6xf32>, tensor<2x6xbf16>) -> tensor<2x6xi1>
  return
}

// -----

func.func @gen_index_c1(%m: tensor<2x6xi1>, %x: tensor<2x6xf32>, %n: tensor<4xf32>, %s: tensor<f32>, %h: tensor<2x6xbf16>) {
  // expected-error @below {{(C1) axis 2 is not one of 2 dimensions}}
  %0 = graph.gen_index %x {axis = 2} : (tensor<2x6xf32>) -> tensor<2x6xsi32>
  return
}

// -----

func.func @quantize_c1(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{'graph.quantize' op (C1) changes the shape from [4, 6] to [24]}}
  %0 = graph.quantize %x {scales = array<f32: 1.0>} : (tensor<4x6xf32>) -> tensor<24xsi8>
  return
}

// -----

func.func @quantize_c2(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C2) unknown qtype "per_group"}}
  %0 = graph.quantize %x {qtype = "per_group", scales = array<f32: 1.0>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @quantize_c2_axis(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C2) axis 2 is not one of 2 dimensions}}
  %0 = graph.quantize %x {qtype = "per_channel", axis = 2, scales = array<f32: 1.0>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @quantize_c3(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C3) has 2 scales, takes 1}}
  %0 = graph.quantize %x {scales = array<f32: 1.0, 2.0>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @dequantize_c3(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C3) has 1 zero points, takes 4}}
  %0 = graph.dequantize %q {qtype = "per_channel", axis = 0, scales = array<f32: 1.0, 2.0, 1.0, 1.0>, zps = array<i64: 1>} : (tensor<4x6xsi8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @quantize_c5(%x: tensor<4x6xf32>) {
  // expected-error @below {{'graph.quantize' op (C5) has zero points of 'f8E5M2'}}
  %0 = graph.quantize %x {scales = array<f32: 1.0>, zps = array<i64: 3>} : (tensor<4x6xf32>) -> tensor<4x6xf8E5M2>
  return
}

// -----

func.func @dequantize_c5(%x: tensor<4x6xf8E4M3FN>) {
  // expected-error @below {{'graph.dequantize' op (C5) has zero points of 'f8E4M3FN'}}
  %0 = graph.dequantize %x {scales = array<f32: 1.0>, zps = array<i64: -1>} : (tensor<4x6xf8E4M3FN>) -> tensor<4x6xf32>
  return
}

// -----

func.func @quantize_c4_negative(%x: tensor<4x6xf32>) {
  // expected-error @below {{(C4) scale}}
  %0 = graph.quantize %x {scales = array<f32: -0.5>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @quantize_c4_nan(%x: tensor<4x6xf32>) {
  // expected-error @below {{(C4) scale}}
  %0 = graph.quantize %x {scales = array<f32: 0x7FC00000>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @quantize_c4_infinite(%x: tensor<4x6xf32>) {
  // expected-error @below {{(C4) scale}}
  %0 = graph.quantize %x {scales = array<f32: 0x7F800000>} : (tensor<4x6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @dequantize_c4(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C4) scale}}
  %0 = graph.dequantize %q {scales = array<f32: 0.0>} : (tensor<4x6xsi8>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dynamic_quantize_c2(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C2) unknown qtype "per_group"}}
  %0 = graph.dynamic_quantize %x, %s {qtype = "per_group"} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @dynamic_quantize_c3(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C3) scales or zps of shape [6] must be one element}}
  %0 = graph.dynamic_quantize %x, %s : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @dynamic_quantize_c3_channel(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C3) scales or zps of shape [6] must be of shape [4]}}
  %0 = graph.dynamic_quantize %x, %s {qtype = "per_channel", axis = 0} : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xsi8>
  return
}

// -----

func.func @dynamic_dequantize_c3(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C3) scales or zps of shape [2, 3] must be of shape [2, 6]}}
  %0 = graph.dynamic_dequantize %q, %g {qtype = "per_group", group_shape = array<i64: 2, 1>} : (tensor<4x6xsi8>, tensor<2x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dynamic_dequantize_c4(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C4) groups of 4 do not divide dimension 1 of size 6}}
  %0 = graph.dynamic_dequantize %q, %g {qtype = "per_group", group_shape = array<i64: 2, 4>} : (tensor<4x6xsi8>, tensor<2x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dynamic_dequantize_c4_missing(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C4) group_shape has 0 sizes, takes 2}}
  %0 = graph.dynamic_dequantize %q, %g {qtype = "per_group"} : (tensor<4x6xsi8>, tensor<2x3xf32>) -> tensor<4x6xf32>
  return
}

// -----

func.func @dynamic_dequantize_c5(%x: tensor<4x6xf32>, %q: tensor<4x6xsi8>, %s: tensor<6xf32>, %g: tensor<2x3xf32>, %one: tensor<1xf32>, %h: tensor<1xf16>) {
  // expected-error @below {{(C5) element types}}
  %0 = graph.dynamic_dequantize %q, %h : (tensor<4x6xsi8>, tensor<1xf16>) -> tensor<4x6xf32>
  return
}

// -----

func.func @matmul_c5(%a: tensor<4x8xf32>, %b: tensor<8x2xf32>) {
  // expected-error @below {{(C5) result of element type}}
  %0 = graph.matmul %a, %b : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xbf16>
  return
}
