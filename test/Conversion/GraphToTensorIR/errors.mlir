// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the conversion rejects: the earlier passes prevent it, hand-written IR
// may not.

// RUN: gc-opt %s --graph-select-schedule --convert-graph-to-tir --split-input-file --verify-diagnostics

func.func @outside(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'graph.relu' op is not in a region; run graph-fuse}}
  %0 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @tunable_outside(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'graph.matmul' op is not in a region; run graph-fuse}}
  %0 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Ops known only to the graph's owner have no code.
func.func @wildcard(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'graph.wildcard' op cannot be compiled for the CPU}}
  %0 = graph.wildcard %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// Nor have ops of other dialects on tensors.
func.func @foreign(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %1 = graph.constant dense<0.0> : tensor<f32>
  // expected-error @below {{'arith.addf' op cannot be compiled for the CPU}}
  %0 = arith.addf %x, %x : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @no_template(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.matmul' op has no template; run graph-select-template}}
    %1 = graph.matmul %x, %x : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @bias(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.matmul' op has a bias or a vector; run graph-decompose}}
    %1 = graph.matmul %x, %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @vector(%x: tensor<4x4xf32>, %v: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    // expected-error @below {{'graph.matmul' op has a bias or a vector; run graph-decompose}}
    %1 = graph.matmul %v, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}

// -----

func.func @layout(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.matmul' op operand 0 has the type 'tensor<4x4xf32>' but the template reads 'tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>'; run graph-propagate-layout}}
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @bf16(%x: tensor<4x4xbf16>) -> tensor<4x4xbf16> {
  %0 = graph.fused_op -> (tensor<4x4xbf16>) {
    // expected-error @below {{'graph.matmul' op (C5) element type 'bf16' needs KB in multiples of 2}}
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 3, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<4x4xbf16>
    graph.yield %1 : tensor<4x4xbf16>
  }
  return %0 : tensor<4x4xbf16>
}

// -----

func.func @narrower(%x: tensor<4x8xf32>, %y: tensor<8x4xui4>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.matmul' op (C5) element type 'ui4' needs packB, and KB in multiples of 8}}
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x8xf32>, tensor<8x4xui4>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @no_anchor(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op has no anchor; run graph-select-anchors}}
    %2 = graph.relu %1 : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Whole rows are not open at any place of this template.
func.func @infeasible_post(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op cannot be committed at anchor #graph.anchor<post, 3>}}
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 3>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @unknown_post(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op cannot be committed at anchor #graph.anchor<post, 0>}}
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @infeasible_pre(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.reorder' op cannot be committed at anchor #graph.anchor<pre, 1>}}
    %1 = graph.reorder %x {graph.anchor = #graph.anchor<pre, 1>} : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>
    %2 = graph.matmul %1, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Two chunks of k: the slice would have to be cut along k.
func.func @pre_inside_k(%x: tensor<4x8xf32>, %y: tensor<8x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.reorder' op cannot be committed at pre-op anchor 5 inside the loop over k}}
    %1 = graph.reorder %x {graph.anchor = #graph.anchor<pre, 5>} : tensor<4x8xf32> -> tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>
    %2 = graph.matmul %1, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>, tensor<8x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @pre_op_of_both(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.abs' op is a pre-op whose result is not only one operand of the tunable op}}
    %1 = graph.abs %x {graph.anchor = #graph.anchor<pre, 3>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.matmul %1, %1 {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// The slice that a pre-op fills is gone when post-ops run.
func.func @pre_op_elsewhere(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.reorder' op is a pre-op whose result is not only one operand of the tunable op}}
    %1 = graph.reorder %x {graph.anchor = #graph.anchor<pre, 3>} : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>
    %2 = graph.matmul %1, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %3 = graph.add %2, %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4xf32>, tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>) -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Ops that compute an operand together do so at one anchor.
func.func @pre_op_chain(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.exp' op is a pre-op whose result is not only one operand of the tunable op}}
    %1 = graph.exp %x {graph.anchor = #graph.anchor<pre, 2>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.reorder %1 {graph.anchor = #graph.anchor<pre, 3>} : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>
    %3 = graph.matmul %2, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = true, packB = false>} : (tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 4]>>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @post_before(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-error @below {{'graph.exp' op is a post-op that the tunable op reads}}
    %1 = graph.exp %x {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.matmul %1, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @order(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.exp %1 {graph.anchor = #graph.anchor<post, 2>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op is committed at anchor #graph.anchor<post, 1> before an op that it reads}}
    %3 = graph.relu %2 {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @space(%x: tensor<4x4xf32>, %y: tensor<8xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op has no place in the iteration space of its region: its iteration space does not fit the region's}}
    %2 = graph.relu %y {graph.anchor = #graph.anchor<post, 1>} : (tensor<8xf32>) -> tensor<8xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @elementwise_space(%x: tensor<4x4xf32>, %y: tensor<8xf32>) -> tensor<4x4xf32> {
  %0:2 = graph.fused_op -> (tensor<4x4xf32>, tensor<8xf32>) {
    %1 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.relu' op has no place in the iteration space of its region: its iteration space does not fit the region's}}
    %2 = graph.relu %y : (tensor<8xf32>) -> tensor<8xf32>
    graph.yield %1, %2 : tensor<4x4xf32>, tensor<8xf32>
  }
  return %0#0 : tensor<4x4xf32>
}

// -----

func.func @indices(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    %1 = graph.relu %x : (tensor<4x4xf32>) -> tensor<4x4xf32>
    %2 = graph.static_transpose %1 {order = array<i64: 1, 0>} : (tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.add' op has no place in the iteration space of its region: it reads the region's values at other indices}}
    %3 = graph.add %1, %2 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %3 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

// Rows and columns in one nest.
func.func @directions(%x: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = graph.fused_op -> (tensor<1x4xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4x4xf32>) -> tensor<4x1xf32>
    %2 = graph.subtract %x, %1 : (tensor<4x4xf32>, tensor<4x1xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.reduce_sum' op has no place in the iteration space of its region: it does not reduce the same dimensions as the region's reductions}}
    %3 = graph.reduce_sum %2 {axes = array<i64: 0>, keep_dims = true} : (tensor<4x4xf32>) -> tensor<1x4xf32>
    graph.yield %3 : tensor<1x4xf32>
  }
  return %0 : tensor<1x4xf32>
}

// -----

// A column of C is in several tiles.
func.func @columns(%x: tensor<8x4xf32>, %y: tensor<4x4xf32>) -> tensor<1x4xf32> {
  %0 = graph.fused_op -> (tensor<1x4xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    // expected-error @below {{'graph.reduce_sum' op reduces dimension 0 of its region, of which its anchor sees a part}}
    %2 = graph.reduce_sum %1 {graph.anchor = #graph.anchor<post, 1>, axes = array<i64: 0>, keep_dims = true} : (tensor<8x4xf32>) -> tensor<1x4xf32>
    graph.yield %2 : tensor<1x4xf32>
  }
  return %0 : tensor<1x4xf32>
}

// -----

// Its tiles are smaller than the parts.
func.func @parts(%x: tensor<8x4xf32>, %y: tensor<4x4xf32>) -> tensor<2x4xf32> {
  %0 = graph.fused_op -> (tensor<2x4xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 2, NB = 4, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4xf32>, tensor<4x4xf32>) -> tensor<8x4xf32>
    // expected-error @below {{'graph.reduce_sum' op reduces dimension 0 of its region, of which its anchor sees a part}}
    %2 = graph.reduce_sum %1 {graph.anchor = #graph.anchor<post, 1>, axes = array<i64: 0>, keep_dims = true, part_size = 4 : i64} : (tensor<8x4xf32>) -> tensor<2x4xf32>
    graph.yield %2 : tensor<2x4xf32>
  }
  return %0 : tensor<2x4xf32>
}

// -----

// Parts of one reduction are not rows of another.
func.func @other_parts(%x: tensor<8xf32>) -> (tensor<2xf32>, tensor<1xf32>) {
  %0:2 = graph.fused_op -> (tensor<2xf32>, tensor<1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true, part_size = 4 : i64} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @below {{'graph.reduce_max' op has no place in the iteration space of its region: it does not reduce the same parts as the region's reductions}}
    %2 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<8xf32>) -> tensor<1xf32>
    graph.yield %1, %2 : tensor<2xf32>, tensor<1xf32>
  }
  return %0#0, %0#1 : tensor<2xf32>, tensor<1xf32>
}

// -----

// Results of parts are available when all of them are complete.
func.func @reads_parts(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = graph.fused_op -> (tensor<2xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true, part_size = 4 : i64} : (tensor<8xf32>) -> tensor<2xf32>
    // expected-error @below {{'graph.exp' op has no place in the iteration space of its region: it reads the region's values at other indices}}
    %2 = graph.exp %1 : (tensor<2xf32>) -> tensor<2xf32>
    graph.yield %2 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}

// -----

// expected-error @below {{'func.func' op has an argument or result of type 'tensor<?x4xf32>'; the compiler needs tensors of static shape}}
func.func @dynamic(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %0 = graph.relu %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0 : tensor<?x4xf32>
}

// -----

// expected-error @below {{'func.func' op has an argument or result of type 'i32'; the compiler needs tensors of static shape}}
func.func @not_a_tensor(%x: tensor<4xf32>, %n: i32) -> tensor<4xf32> {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op cannot be compiled for the CPU with element type 'f64'}}
func.func @f64(%x: tensor<4xf64>) -> tensor<2x2xf64> {
  %0 = graph.static_reshape %x {shape = array<i64: 2, 2>} : (tensor<4xf64>) -> tensor<2x2xf64>
  return %0 : tensor<2x2xf64>
}

// -----

func.func @complex(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'graph.constant' op cannot be compiled for the CPU with element type 'complex<f32>'}}
  %0 = graph.constant dense<(1.0, 2.0)> : tensor<complex<f32>>
  return %x : tensor<4xf32>
}

// -----

// expected-error @below {{'func.func' op names the fold function @nowhere, which does not exist}}
func.func @fold(%x: tensor<4xf32>) -> tensor<4xf32> attributes {graph.fold_function = @nowhere} {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// expected-error @below {{target description: 'max_vector_op_width' is not an integer from 128 to 65536}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 100 : i64>>} {
func.func @f() {
  return
}
}

// -----

func.func private @callee(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.constant dense<0.0> : tensor<f32>
  return %x : tensor<4xf32>
}
func.func @caller(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'func.call' op calls the graph @callee, which only abi=memref allows, in functions without graph ops}}
  %0 = call @callee(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @shared_bytes(%x: tensor<8x16xsi4, #graph.layout<blocked, outer = [1, 0], inner = [0 : 1, 1 : 16, 0 : 8]>>) -> tensor<8x16xsi4> {
  // expected-error @below {{'graph.fused_op' op cannot access 'tensor<8x16xsi4, #graph.layout<blocked, outer = [1, 0], inner = [0 : 1, 1 : 16, 0 : 8]>>', where two elements share a byte, other than by a reorder to it in whole groups}}
  %0 = graph.fused_op -> (tensor<8x16xsi4>) {
    %1 = graph.reorder %x : tensor<8x16xsi4, #graph.layout<blocked, outer = [1, 0], inner = [0 : 1, 1 : 16, 0 : 8]>> -> tensor<8x16xsi4>
    graph.yield %1 : tensor<8x16xsi4>
  }
  return %0 : tensor<8x16xsi4>
}
