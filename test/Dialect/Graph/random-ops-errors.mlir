// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dropout and random masks: constraints under their labels, one error each.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @dropout_c1_seed(%x: tensor<4xf32>, %s: tensor<2xui64>, %o: tensor<1xui64>, %p: tensor<1xf32>) {
  // expected-error @below {{'graph.dropout' op (C1) seed of shape [2] does not have one element}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<4xf32>, tensor<2xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c1_offset(%x: tensor<4xf32>, %s: tensor<1xui64>, %o: tensor<1x0xui64>, %p: tensor<1xf32>) {
  // expected-error @below {{'graph.dropout' op (C1) offset of shape [1, 0] does not have one element}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<4xf32>, tensor<1xui64>, tensor<1x0xui64>, tensor<1xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c1_probability(%x: tensor<4xf32>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<4xf32>) {
  // expected-error @below {{'graph.dropout' op (C1) probability of shape [4] does not have one element}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<4xf32>, tensor<ui64>, tensor<ui64>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_c2(%x: tensor<65536x32768xf32>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>) {
  // expected-error @below {{'graph.dropout' op (C2) src of shape [65536, 32768] has 2^31 elements or more}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<65536x32768xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<65536x32768xf32>
  return
}

// -----

func.func @dropout_types(%x: tensor<4xf32>, %s: tensor<si32>, %o: tensor<ui64>, %p: tensor<f32>) {
  // expected-error @below {{'graph.dropout' op operand #1 must be ranked tensor of 64-bit unsigned integer values, but got 'tensor<si32>'}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<4xf32>, tensor<si32>, tensor<ui64>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @dropout_result(%x: tensor<4xf32>, %s: tensor<ui64>, %o: tensor<ui64>, %p: tensor<f32>) {
  // expected-error @below {{'graph.dropout' op inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<4xbf16>'}}
  %0 = graph.dropout %x, %s, %o, %p : (tensor<4xf32>, tensor<ui64>, tensor<ui64>, tensor<f32>) -> tensor<4xbf16>
  return
}

// -----

func.func @mask_c1_rank(%i: tensor<4xsi32>, %s: tensor<1x1xui64>, %o: tensor<ui64>, %p: tensor<f32>) {
  // expected-error @below {{'graph.random_mask' op (C1) seed has 2 dimensions, index has 1}}
  %0 = graph.random_mask %i, %s, %o, %p : (tensor<4xsi32>, tensor<1x1xui64>, tensor<ui64>, tensor<f32>) -> tensor<4xi1>
  return
}

// -----

func.func @mask_c1_size(%i: tensor<4xsi32>, %s: tensor<1xui64>, %o: tensor<ui64>, %p: tensor<4xf32>) {
  // expected-error @below {{'graph.random_mask' op (C1) probability of shape [4] does not have one element}}
  %0 = graph.random_mask %i, %s, %o, %p : (tensor<4xsi32>, tensor<1xui64>, tensor<ui64>, tensor<4xf32>) -> tensor<4xi1>
  return
}
