// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of gradients of elementwise functions and of prelu, under its
// label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @gradient_c1(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.relu_backward' op (C1) shapes [3, 5] and [5, 3] differ}}
  %0 = graph.relu_backward %x, %y : (tensor<3x5xf32>, tensor<5x3xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gradient_c2(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.mish_backward' op (C2) element types 'f32' and 'bf16' differ}}
  %0 = graph.mish_backward %x, %h : (tensor<3x5xf32>, tensor<3x5xbf16>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gradient_result(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{inferred type(s) 'tensor<3x5xbf16>' are incompatible with return type(s) of operation 'tensor<3x5xf32>'}}
  %0 = graph.tanh_backward %h, %h : (tensor<3x5xbf16>, tensor<3x5xbf16>) -> tensor<3x5xf32>
  return
}

// -----

func.func @clamp_c3(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.clamp_backward' op (C3) min 2.000000e+00 exceeds max 1.000000e+00}}
  %0 = graph.clamp_backward %x, %x {min = 2.0 : f32, max = 1.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @clamp_c3_nan(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.clamp_backward' op (C3) a bound is NaN}}
  %0 = graph.clamp_backward %x, %x {min = 0x7FC00000 : f32, max = 1.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @elu_c3(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.elu_backward' op (C3) alpha is negative}}
  %0 = graph.elu_backward %x, %x {alpha = -0.5 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @gelu_c3(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.gelu_backward' op (C3) unknown mode "gelu_fast"}}
  %0 = graph.gelu_backward %x, %x {mode = "gelu_fast"} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @soft_plus_c3(%x: tensor<3x5xf32>, %y: tensor<5x3xf32>, %h: tensor<3x5xbf16>) {
  // expected-error @below {{'graph.soft_plus_backward' op (C3) beta is zero}}
  %0 = graph.soft_plus_backward %x, %x {beta = 0.0 : f32} : (tensor<3x5xf32>, tensor<3x5xf32>) -> tensor<3x5xf32>
  return
}

// -----

func.func @prelu_c1(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu' op (C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0 = graph.prelu %x, %c {data_format = "NHWC"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @prelu_c2(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu' op (C2) slope of shape [4] does not broadcast to [2, 3, 4]}}
  %0 = graph.prelu %x, %c {data_format = "NCX"} : (tensor<2x3x4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @prelu_c2_numpy(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu' op (C2) slope of shape [3] does not broadcast to [2, 3, 4]}}
  %0 = graph.prelu %x, %s {data_format = "NCX", per_channel_broadcast = false} : (tensor<2x3x4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @prelu_c2_rank(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu' op (C2) slope of shape [1, 2, 3, 4] does not broadcast to [2, 3, 4]}}
  %0 = graph.prelu %x, %w : (tensor<2x3x4xf32>, tensor<1x2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @prelu_c3(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu' op (C3) element types 'f32' and 'bf16' differ}}
  %0 = graph.prelu %x, %h : (tensor<2x3x4xf32>, tensor<4xbf16>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @prelu_backward_c1(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu_backward' op (C1) data_format must be "NXC" or "NCX", not ""}}
  %0:2 = graph.prelu_backward %x, %c, %x {data_format = ""} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @prelu_backward_c2(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu_backward' op (C2) slope of shape [3] does not broadcast to [2, 3, 4]}}
  %0:2 = graph.prelu_backward %x, %s, %x : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>)
  return
}

// -----

func.func @prelu_backward_c3(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu_backward' op (C3) element types 'f32' and 'bf16' differ}}
  %0:2 = graph.prelu_backward %x, %h, %x : (tensor<2x3x4xf32>, tensor<4xbf16>, tensor<2x3x4xf32>) -> (tensor<2x3x4xf32>, tensor<4xbf16>)
  return
}

// -----

func.func @prelu_backward_c4(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.prelu_backward' op (C4) shapes [2, 3, 4] and [4] differ}}
  %0:2 = graph.prelu_backward %x, %c, %c : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @bias_c1(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.bias_add_backward' op (C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0 = graph.bias_add_backward %x {data_format = "NHWC"} : (tensor<2x3x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bias_c2(%x: tensor<2x3x4xf32>, %c: tensor<4xf32>, %s: tensor<3xf32>, %h: tensor<4xbf16>, %w: tensor<1x2x3x4xf32>) {
  // expected-error @below {{'graph.bias_add_backward' op (C2) diff_dst of rank 1 has no channels}}
  %0 = graph.bias_add_backward %c {data_format = "NCX"} : (tensor<4xf32>) -> tensor<4xf32>
  return
}
