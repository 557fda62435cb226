// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of the elementwise ops, under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @clamp_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.clamp' op (C1) min 2.000000e+00 exceeds max 1.000000e+00}}
  %0 = graph.clamp %x {min = 2.0 : f32, max = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @elu_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.elu' op (C1) alpha is negative}}
  %0 = graph.elu %x {alpha = -0.5 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @gelu_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.gelu' op (C1) unknown mode "gelu_fast"}}
  %0 = graph.gelu %x {mode = "gelu_fast"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @soft_plus_c1(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.soft_plus' op (C1) beta is zero}}
  %0 = graph.soft_plus %x {beta = 0.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unary_result(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.relu' op inferred type(s) 'tensor<2x3xf32>' are incompatible with return type(s) of operation 'tensor<3x2xf32>'}}
  %0 = graph.relu %x : (tensor<2x3xf32>) -> tensor<3x2xf32>
  return
}

// -----

func.func @unary_integers(%x: tensor<2x3xsi32>) {
  // expected-error @below {{'graph.relu' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<2x3xsi32>'}}
  %0 = graph.relu %x : (tensor<2x3xsi32>) -> tensor<2x3xsi32>
  return
}

// -----

func.func @unary_unranked(%x: tensor<*xf32>) {
  // expected-error @below {{'graph.relu' op operand #0 must be ranked tensor of 32-bit float or bfloat16 type or 16-bit float values, but got 'tensor<*xf32>'}}
  %0 = graph.relu %x : (tensor<*xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @clamp_nan(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.clamp' op (C1) a bound is NaN}}
  %0 = graph.clamp %x {min = 0x7FC00000 : f32, max = 1.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @clamp_attribute(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.clamp' op requires attribute 'max'}}
  %0 = graph.clamp %x {min = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @add_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.add %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @add_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.add %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @subtract_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.subtract %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @subtract_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.subtract %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @multiply_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.multiply %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @multiply_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.multiply %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @divide_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.divide %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @divide_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.divide %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @maximum_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.maximum %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @maximum_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.maximum %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @minimum_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.minimum %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @minimum_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.minimum %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @squared_difference_c1(%x: tensor<2x3xf32>, %y: tensor<2xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [2] do not broadcast}}
  %0 = graph.squared_difference %x, %y : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @squared_difference_c2(%x: tensor<2x3xbf16>, %y: tensor<3xf16>) {
  // expected-error @below {{(C2) element types 'bf16' and 'f16' do not combine}}
  %0 = graph.squared_difference %x, %y : (tensor<2x3xbf16>, tensor<3xf16>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c1_none(%x: tensor<2x3xf32>, %y: tensor<3xf32>) {
  // expected-error @below {{(C1) shapes [2, 3] and [3] do not broadcast}}
  %0 = graph.add %x, %y {auto_broadcast = "none"} : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c1_mode(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{(C1) auto_broadcast must be "numpy" or "none", not "pdpd"}}
  %0 = graph.add %x, %y {auto_broadcast = "pdpd"} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @binary_c2_integer(%x: tensor<2x3xsi32>, %y: tensor<2x3xf32>) {
  // expected-error @below {{(C2) element types 'si32' and 'f32' do not combine}}
  %0 = graph.add %x, %y : (tensor<2x3xsi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// The result of operands of two types has one of them.
func.func @add_c2_result(%x: tensor<4xf32>, %y: tensor<4xbf16>) {
  // expected-error @below {{'graph.add' op (C2) result of element type 'f16' of operands of element types 'f32' and 'bf16'}}
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<4xbf16>) -> tensor<4xf16>
  return
}

// -----

func.func @divide_c2_result(%x: tensor<4xbf16>, %y: tensor<4xbf16>) {
  // expected-error @below {{'graph.divide' op (C2) result of element type 'f32' of operands of element types 'bf16' and 'bf16'}}
  %0 = graph.divide %x, %y : (tensor<4xbf16>, tensor<4xbf16>) -> tensor<4xf32>
  return
}
