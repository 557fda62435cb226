// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{(C1) a strided layout of a tensor of rank 2 needs 2 non-negative strides}}
func.func private @c1_count(tensor<4x8xf32, #graph.layout<strided, [1]>>)

// -----

// expected-error @below {{(C1) a strided layout of a tensor of rank 2 needs 2 non-negative strides}}
func.func private @c1_negative(tensor<4x8xf32, #graph.layout<strided, [8, -1]>>)

// -----

// expected-error @below {{(C2) the strides are row-major: write the plain layout without an encoding}}
func.func private @c2(tensor<4x8xf32, #graph.layout<strided, [8, 1]>>)

// -----

// The stride of a dimension of size 1 cannot make a difference.
// expected-error @below {{(C2) the strides are row-major: write the plain layout without an encoding}}
func.func private @c2_unit(tensor<1x8xf32, #graph.layout<strided, [99, 1]>>)

// -----

// expected-error @below {{(C3) outer = [0] is not a permutation of 2 dimensions}}
func.func private @c3_short(tensor<4x8xf32, #graph.layout<blocked, outer = [0], inner = [0 : 2]>>)

// -----

// expected-error @below {{(C3) outer = [1, 1] is not a permutation of 2 dimensions}}
func.func private @c3_twice(tensor<4x8xf32, #graph.layout<blocked, outer = [1, 1]>>)

// -----

// expected-error @below {{(C3) outer = [0, 2] is not a permutation of 2 dimensions}}
func.func private @c3_range(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 2]>>)

// -----

// expected-error @below {{(C4) inner dimension 2 is out of range for rank 2}}
func.func private @c4_range(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [2 : 4]>>)

// -----

// expected-error @below {{(C4) inner block 0 of dimension 1 is less than 1}}
func.func private @c4_zero(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [1 : 0]>>)

// -----

// expected-error @below {{(C5) the layout is row-major: write the plain layout without an encoding}}
func.func private @c5(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1]>>)

// -----

// expected-error @below {{(C6) a strided layout needs a static shape of rank 1 or more}}
func.func private @c6_dynamic(tensor<?x8xf32, #graph.layout<strided, [16, 1]>>)

// -----

// expected-error @below {{(C6) a blocked layout needs a static shape of rank 1 or more}}
func.func private @c6_rank(tensor<f32, #graph.layout<blocked, outer = []>>)

// -----

// 2^45 rows apart, the last of three rows ends beyond 2^46 elements.
// expected-error @below {{(C7) the layout has more than 2^46 elements}}
func.func private @c7_strided(tensor<3x8xf32, #graph.layout<strided, [35184372088832, 1]>>)

// -----

// Padded to blocks of 2^62 x 4, the product of which overflows.
// expected-error @below {{(C7) the layout has more than 2^46 elements}}
func.func private @c7_blocked(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4611686018427387904, 0 : 4]>>)

// -----

// expected-error @below {{expected a layout: strided, blocked or any}}
func.func private @keyword(tensor<4x8xf32, #graph.layout<packed>>)

// -----

// expected-error @below {{expected 'outer'}}
func.func private @outer(tensor<4x8xf32, #graph.layout<blocked, inner = [0 : 4]>>)

// -----

// expected-error @below {{expected ':'}}
func.func private @block(tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [0]>>)
