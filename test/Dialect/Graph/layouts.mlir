// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Memory layouts as encodings: what can be written, and every constraint.

// RUN: gc-opt %s --split-input-file --verify-roundtrip | FileCheck %s

// CHECK-LABEL: func.func private @forms
// CHECK-SAME: tensor<4x8xf32>
// CHECK-SAME: tensor<?x8xf32, #graph.layout<any>>
// CHECK-SAME: tensor<4x8xf32, #graph.layout<strided, [16, 1]>>
// CHECK-SAME: tensor<4x8xf32, #graph.layout<blocked, outer = [1, 0]>>
// CHECK-SAME: tensor<5x7xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 16]>>
func.func private @forms(
  tensor<4x8xf32>,
  tensor<?x8xf32, #graph.layout<any>>,
  // A view of rows of 16 elements.
  tensor<4x8xf32, #graph.layout<strided, [16, 1]>>,
  // The outer order alone: column-major as a dense tensor.
  tensor<4x8xf32, #graph.layout<blocked, outer = [1, 0]>>,
  // Sizes that the blocks do not divide are padded.
  tensor<5x7xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 4, 1 : 16]>>)

// CHECK-LABEL: func.func private @special
// CHECK-SAME: #graph.layout<strided, [0, 1]>
// CHECK-SAME: #graph.layout<blocked, outer = [1, 0], inner = [0 : 32, 1 : 64, 0 : 2]>
// CHECK-SAME: #graph.layout<strided, [9, 3]>
// CHECK-SAME: #graph.layout<any>
func.func private @special(
  // All rows are the same row.
  tensor<4x8xf32, #graph.layout<strided, [0, 1]>>,
  // A dimension blocked twice: VNNI.
  tensor<64x64xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 32, 1 : 64, 0 : 2]>>,
  // The stride of a dimension of size 1 does not matter, but the other one is
  // not that of a row-major tensor.
  tensor<1x8xf32, #graph.layout<strided, [9, 3]>>,
  // A scalar has one place for its element; the compiler may choose it.
  tensor<f32, #graph.layout<any>>)
