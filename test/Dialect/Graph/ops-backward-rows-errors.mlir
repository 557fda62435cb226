// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of gradients of softmax and norms and of batch norm for
// training, under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @softmax_c1(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.softmax_backward' op (C1) axis 3 is not one of 3 dimensions}}
  %0 = graph.softmax_backward %x, %x {axis = 3} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @softmax_c2(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.softmax_backward' op (C2) shapes [2, 3] and [2, 3, 4] differ}}
  %0 = graph.softmax_backward %y, %x : (tensor<2x3xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @softmax_c3(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.softmax_backward' op (C3) element types 'f32' and 'bf16' differ}}
  %0 = graph.softmax_backward %x, %h : (tensor<2x3x4xf32>, tensor<2x3x4xbf16>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @log_softmax_c1(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.log_softmax_backward' op (C1) axis -4 is not one of 3 dimensions}}
  %0 = graph.log_softmax_backward %x, %x {axis = -4} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @log_softmax_result(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{incompatible with return type(s) of operation 'tensor<2x3x4xf32>'}}
  %0 = graph.log_softmax_backward %h, %h : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c1(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C1) begin_norm_axis 3 is not one of 3 dimensions}}
  %0 = graph.layer_norm_backward %x, %x, %y, %y {begin_norm_axis = 3, use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c2(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C2) epsilon is not positive}}
  %0 = graph.layer_norm_backward %x, %x, %y, %y {epsilon = 0.0 : f32, use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c3(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C3) use_affine is true but there are 0 of gamma and beta}}
  %0 = graph.layer_norm_backward %x, %x, %y, %y : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c4(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C4) shapes [2, 3, 4] and [2, 3] differ}}
  %0 = graph.layer_norm_backward %x, %y, %y, %y {use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c4_stats(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C4) parameters of shape [4] are not of the shape [2, 3]}}
  %0 = graph.layer_norm_backward %x, %x, %c, %c {use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c4_gamma(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C4) parameters of shape [3] are not of the shape [4]}}
  %0 = graph.layer_norm_backward %x, %x, %y, %y, %s, %s : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c5(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C5) element types 'f32' and 'bf16' differ}}
  %0 = graph.layer_norm_backward %x, %h, %y, %y {use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @layer_norm_c5_gamma(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.layer_norm_backward' op (C5) element types 'f32' and 'bf16' differ}}
  %0 = graph.layer_norm_backward %h, %h, %y, %y, %b, %b : (tensor<2x3x4xbf16>, tensor<2x3x4xbf16>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<4xbf16>, tensor<4xbf16>) -> tensor<2x3x4xbf16>
  return
}

// -----

func.func @layer_norm_results(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{are incompatible with return type(s) of operation}}
  %0:3 = graph.layer_norm_backward %x, %x, %y, %y {use_affine = false} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c1(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0:5 = graph.batch_norm_forward_training %x, %c, %c {epsilon = 0.1 : f32, data_format = "NHWC"} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c2(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C2) src of rank 1 has no channels}}
  %0:5 = graph.batch_norm_forward_training %c, %c, %c {epsilon = 0.1 : f32} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c3(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C3) epsilon is not positive}}
  %0:5 = graph.batch_norm_forward_training %x, %c, %c {epsilon = -0.1 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c3_momentum(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C3) momentum is not positive}}
  %0:5 = graph.batch_norm_forward_training %x, %c, %c {epsilon = 0.1 : f32, momentum = 0.0 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c4(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C4) there are 1 of gamma and beta}}
  %0:5 = graph.batch_norm_forward_training %x, %c, %c, %c {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @training_c5(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C5) parameters of shape [3] are not of the shape [4]}}
  %0:5 = graph.batch_norm_forward_training %x, %s, %s {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3x4xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @training_c6(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_forward_training' op (C6) element type 'bf16' of a parameter does not fit 'f32'}}
  %0:5 = graph.batch_norm_forward_training %x, %c, %b {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xbf16>) -> (tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

func.func @backward_c1(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C1) data_format must be "NXC" or "NCX", not "NHWC"}}
  %0 = graph.batch_norm_training_backward %x, %x, %c, %c {epsilon = 0.1 : f32, data_format = "NHWC"} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @backward_c2(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C2) src of rank 1 has no channels}}
  %0 = graph.batch_norm_training_backward %c, %c, %c, %c {epsilon = 0.1 : f32} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @backward_c3(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C3) epsilon is not positive}}
  %0 = graph.batch_norm_training_backward %x, %x, %c, %c {epsilon = 0.0 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @backward_c4(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C4) shapes [2, 3, 4] and [2, 3] differ}}
  %0 = graph.batch_norm_training_backward %x, %y, %c, %c {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<2x3xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @backward_c4_gamma(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C4) parameters of shape [3] are not of the shape [4]}}
  %0 = graph.batch_norm_training_backward %x, %x, %c, %c, %s {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<3xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @backward_c5(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{'graph.batch_norm_training_backward' op (C5) element types 'f32' and 'bf16' differ}}
  %0 = graph.batch_norm_training_backward %x, %h, %c, %c {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xbf16>, tensor<4xf32>, tensor<4xf32>) -> tensor<2x3x4xf32>
  return
}

// -----

func.func @backward_results(%x: tensor<2x3x4xf32>, %y: tensor<2x3xf32>, %h: tensor<2x3x4xbf16>, %c: tensor<4xf32>, %s: tensor<3xf32>, %b: tensor<4xbf16>) {
  // expected-error @below {{are incompatible with return type(s) of operation}}
  %0:2 = graph.batch_norm_training_backward %x, %x, %c, %c {epsilon = 0.1 : f32} : (tensor<2x3x4xf32>, tensor<2x3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<2x3x4xf32>, tensor<4xf32>)
  return
}
