// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of data movement, structural ops and attributes, under its
// label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @reshape_c1(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) more than one size without a name is -1}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reshape_few_names(%x: tensor<?x8xf32>) {
  // expected-error @below {{(C4) 'dims' has 1 strings for 2 sizes}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 8>, dims = ["batch"]} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @reshape_no_name(%x: tensor<?x8xf32>) {
  // expected-error @below {{(C4) 'batch - 1' is not a name, or a sum of products of names and numbers}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 8>, dims = ["batch - 1", ""]} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @reshape_named_number(%x: tensor<?x8xf32>) {
  // expected-error @below {{(C4) size 8 has the name 'batch' and is not -1}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 8>, dims = ["", "batch"]} : (tensor<?x8xf32>) -> tensor<?x8xf32>
  return
}

// -----

func.func @reshape_two_unnamed(%x: tensor<?x8xf32>) {
  // expected-error @below {{(C1) more than one size without a name is -1}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1, -1>, dims = ["batch", "", ""]} : (tensor<?x8xf32>) -> tensor<?x?x?xf32>
  return
}

// -----

func.func @reshape_c1_negative(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) size -2 is negative}}
  %0 = graph.static_reshape %x {shape = array<i64: -2, 6>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reshape_c2(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) 12 elements do not fit the shape [5, 2]}}
  %0 = graph.static_reshape %x {shape = array<i64: 5, 2>} : (tensor<2x6xf32>) -> tensor<5x2xf32>
  return
}

// -----

func.func @reshape_c2_computed(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) 12 elements do not divide into [5, -1]}}
  %0 = graph.static_reshape %x {shape = array<i64: 5, -1>} : (tensor<2x6xf32>) -> tensor<5x2xf32>
  return
}

// -----

// Without special_zero a 0 is a size.
func.func @reshape_c2_zero(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) 12 elements do not fit the shape [0, 6]}}
  %0 = graph.static_reshape %x {shape = array<i64: 0, 6>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reshape_c2_overflow(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C2) the new shape overflows}}
  %0 = graph.static_reshape %x {shape = array<i64: 4611686018427387904, 4>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reshape_c3(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C3) no dimension 2 to copy the size from}}
  %0 = graph.static_reshape %x {shape = array<i64: 2, 6, 0>, special_zero = true} : (tensor<2x6xf32>) -> tensor<2x6x1xf32>
  return
}

// -----

func.func @transpose_c1_0(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) order [0] is not a permutation of 2 dimensions}}
  %0 = graph.static_transpose %x {order = array<i64: 0>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_1(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) order [0, 0] is not a permutation of 2 dimensions}}
  %0 = graph.static_transpose %x {order = array<i64: 0, 0>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_2(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) order [0, 2] is not a permutation of 2 dimensions}}
  %0 = graph.static_transpose %x {order = array<i64: 0, 2>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @transpose_c1_3(%x: tensor<2x6xf32>) {
  // expected-error @below {{(C1) order [0, -3] is not a permutation of 2 dimensions}}
  %0 = graph.static_transpose %x {order = array<i64: 0, -3>} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @reorder_c1(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.reorder' op (C1) changes the shape or element type from 'tensor<2x6xf32>' to 'tensor<6x2xf32>'}}
  %0 = graph.reorder %x : tensor<2x6xf32> -> tensor<6x2xf32>
  return
}

// -----

func.func @reorder_c1_type(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.reorder' op (C1) changes the shape or element type from 'tensor<2x6xf32>' to 'tensor<2x6xbf16>'}}
  %0 = graph.reorder %x : tensor<2x6xf32> -> tensor<2x6xbf16, #graph.layout<any>>
  return
}

// -----

func.func @type_cast_c1(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.type_cast' op (C1) changes the shape from [2, 6] to [12]}}
  %0 = graph.type_cast %x : tensor<2x6xf32> -> tensor<12xbf16>
  return
}

// -----

func.func @type_cast_c2(%x: tensor<2x6xsi32>) {
  // expected-error @below {{'graph.type_cast' op (C2) is bounded, but casts 'si32' to 'si8'}}
  %0 = graph.type_cast %x {bounded = true} : tensor<2x6xsi32> -> tensor<2x6xsi8>
  return
}

// -----

func.func @type_cast_boolean(%x: tensor<2x6xi1>) {
  // expected-error @below {{'graph.type_cast' op operand #0 must be ranked tensor of}}
  %0 = graph.type_cast %x : tensor<2x6xi1> -> tensor<2x6xf16>
  return
}

// -----

func.func @constant_c1() {
  // expected-error @below {{(C1) a constant must be a ranked tensor in the plain layout, not 'vector<4xf32>'}}
  %0 = graph.constant dense<0.0> : vector<4xf32>
  return
}

// -----

func.func @constant_c1_layout() {
  // expected-error @below {{(C1) a constant must be a ranked tensor in the plain layout, not 'tensor<4xf32, #graph.layout<any>>'}}
  %0 = graph.constant dense<0.0> : tensor<4xf32, #graph.layout<any>>
  return
}

// -----

func.func @fused_op_c1(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    // expected-note @below {{the first one is here}}
    %1 = graph.matmul %a, %a : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    // expected-error @below {{'graph.matmul' op (C1) is the second tunable op of a fused_op}}
    %2 = graph.matmul %a, %1 : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %2 : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @fused_op_c2(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  %0 = graph.fused_op -> (tensor<16xf32>) {
    // expected-error @below {{'graph.static_reshape' op (C2) is not fusible and cannot be in a fused_op}}
    %1 = graph.static_reshape %a {shape = array<i64: 16>} : (tensor<4x4xf32>) -> tensor<16xf32>
    graph.yield %1 : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

func.func @fused_op_c3(%a: tensor<4x4xf32>) -> tensor<16xf32> {
  // expected-error @below {{'graph.fused_op' op (C3) yields ('tensor<4x4xf32>') but has the results ('tensor<16xf32>')}}
  %0 = graph.fused_op -> (tensor<16xf32>) {
    %1 = graph.relu %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
    graph.yield %1 : tensor<4x4xf32>
  }
  return %0 : tensor<16xf32>
}

// -----

func.func @fused_op_c3_terminator(%a: tensor<4x4xf32>) {
  // expected-error @below {{'graph.fused_op' op (C3) ends in 'llvm.unreachable' instead of a graph.yield}}
  graph.fused_op {
    %1 = graph.relu %a : (tensor<4x4xf32>) -> tensor<4x4xf32>
    llvm.unreachable
  }
  return
}

// -----

func.func @fused_op_c4(%a: tensor<4x4xf32>) -> tensor<4x4xf32> {
  // expected-error @below {{'graph.fused_op' op (C4) yields value 0, which is not computed in the region}}
  %0 = graph.fused_op -> (tensor<4x4xf32>) {
    graph.yield %a : tensor<4x4xf32>
  }
  return %0 : tensor<4x4xf32>
}

// -----

func.func @fused_op_empty() {
  // expected-error @below {{'graph.fused_op' op expects a non-empty block}}
  graph.fused_op {
  }
  return
}

// -----

func.func @yield_parent(%a: tensor<4x4xf32>) {
  // expected-error @below {{'graph.yield' op expects parent op to be one of 'graph.attention, graph.fused_op'}}
  graph.yield %a : tensor<4x4xf32>
}

// -----

// expected-error @below {{'func.func' op 'graph.const_arg' of argument 0 takes no value}}
func.func private @const_arg(tensor<4xf32> {graph.const_arg = true})

// -----

// expected-error @below {{'func.func' op 'graph.name' of argument 0 must be a string}}
func.func private @name(tensor<4xf32> {graph.name = 3})

// -----

// expected-error @below {{'func.func' op 'graph.folded' of argument 0 must be an integer}}
func.func private @folded(tensor<4xf32> {graph.folded = "x"})

// -----

// expected-error @below {{'func.func' op argument 0 has an unknown attribute 'graph.weight'}}
func.func private @unknown(tensor<4xf32> {graph.weight})

// -----

func.func @anchor(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.relu' op 'graph.anchor' must be a #graph.anchor}}
  %0 = graph.relu %x {graph.anchor = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @anchor_kind(%a: tensor<4x4xf32>) {
  // expected-error @below {{'graph.matmul' op 'graph.anchor' is only for fusible ops}}
  %0 = graph.matmul %a, %a {graph.anchor = #graph.anchor<post, 1>} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @constant_value(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.relu' op 'graph.constant_value' takes no value}}
  %0 = graph.relu %x {graph.constant_value = 1} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @fold_function(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.relu' op 'graph.fold_function' must be a symbol}}
  %0 = graph.relu %x {graph.fold_function = "f"} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @unknown_attribute(%x: tensor<2x3xf32>) {
  // expected-error @below {{'graph.relu' op has an unknown attribute 'graph.speed'}}
  %0 = graph.relu %x {graph.speed = 3} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}

// -----

// Attributes that an op does not have would otherwise be kept and mean nothing.
func.func @unknown_attribute(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.softmax' op has no attribute 'axes'}}
  %0 = graph.softmax %x {axes = 0 : i64} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}

// -----

func.func @unknown_attribute_cast(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.type_cast' op has no attribute 'saturate'}}
  %0 = graph.type_cast %x {saturate} : tensor<2x6xf32> -> tensor<2x6xbf16>
  return
}

// -----

func.func @unknown_attribute_quantize(%x: tensor<2x6xf32>) {
  // expected-error @below {{'graph.quantize' op has no attribute 'zp'}}
  %0 = graph.quantize %x {scales = array<f32: 0.5>, zp = array<i64: 3>} : (tensor<2x6xf32>) -> tensor<2x6xui8>
  return
}

// -----

// Those of dialects may be anywhere.
func.func @dialect_attribute(%x: tensor<2x6xf32>) {
  %0 = graph.relu %x {graph.constant_value, test.mine = 3 : i64} : (tensor<2x6xf32>) -> tensor<2x6xf32>
  return
}
