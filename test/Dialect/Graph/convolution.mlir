// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolution in every form it can be written in, through text, the generic form
// and bytecode, and the types that follow.

// RUN: gc-opt %s --verify-roundtrip | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s
// RUN: gc-opt %s --graph-infer-shapes | FileCheck %s --check-prefix=INFER

// Defaults are not printed.
// CHECK-LABEL: func.func @forms
// INFER-LABEL: func.func @forms
// INFER-SAME: -> (tensor<2x6x7x5xf32>, tensor<2x9x5xf32>, tensor<2x4x3x3x2xbf16>)
func.func @forms(%x: tensor<2x6x7x3xf32>, %w: tensor<3x3x3x5xf32>, %b: tensor<5xf32>, %l: tensor<2x11x3xf32>, %k: tensor<3x3x5xf32>, %v: tensor<2x6x6x7x5xbf16>, %u: tensor<4x3x2x2x2xbf16>)
    -> (tensor<?x?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x?x?xbf16>) {
  // CHECK: graph.convolution %{{.*}}, %{{.*}}, %{{.*}} {dilations = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, strides = array<i64: 1, 1>} : (tensor<2x6x7x3xf32>, tensor<3x3x3x5xf32>, tensor<5xf32>)
  %0 = graph.convolution %x, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, auto_pad = "none", groups = 1, data_format = "NXC", weights_format = "XIO"} : (tensor<2x6x7x3xf32>, tensor<3x3x3x5xf32>, tensor<5xf32>) -> tensor<?x?x?x?xf32>
  %1 = graph.convolution %l, %k {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<2x11x3xf32>, tensor<3x3x5xf32>) -> tensor<?x?x?xf32>
  // CHECK: auto_pad = "same_upper", data_format = "NCX", {{.*}}groups = 2 : i64, {{.*}}weights_format = "OIX"
  %2 = graph.convolution %v, %u {strides = array<i64: 2, 3, 3>, pads_begin = array<i64: 0, 0, 0>, pads_end = array<i64: 0, 0, 0>, dilations = array<i64: 1, 1, 1>, auto_pad = "same_upper", groups = 2, data_format = "NCX", weights_format = "OIX"} : (tensor<2x6x6x7x5xbf16>, tensor<4x3x2x2x2xbf16>) -> tensor<?x?x?x?x?xbf16>
  return %0, %1, %2 : tensor<?x?x?x?xf32>, tensor<?x?x?xf32>, tensor<?x?x?x?x?xbf16>
}

// Strides that leave elements over, dilation, uneven pads; the three other kinds
// of padding.
// INFER-LABEL: func.func @sizes
// INFER-SAME: -> (tensor<1x6x1xf32>, tensor<1x5x1xf32>, tensor<1x6x1xf32>, tensor<1x6x1xf32>)
func.func @sizes(%x: tensor<1x11x1xf32>, %w: tensor<3x1x1xf32>)
    -> (tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>) {
  %0 = graph.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 3>, pads_end = array<i64: 1>, dilations = array<i64: 2>} : (tensor<1x11x1xf32>, tensor<3x1x1xf32>) -> tensor<1x?x1xf32>
  %1 = graph.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 3>, pads_end = array<i64: 1>, dilations = array<i64: 1>, auto_pad = "valid"} : (tensor<1x11x1xf32>, tensor<3x1x1xf32>) -> tensor<1x?x1xf32>
  %2 = graph.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>, auto_pad = "same_upper"} : (tensor<1x11x1xf32>, tensor<3x1x1xf32>) -> tensor<1x?x1xf32>
  %3 = graph.convolution %x, %w {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 4>, auto_pad = "same_lower"} : (tensor<1x11x1xf32>, tensor<3x1x1xf32>) -> tensor<1x?x1xf32>
  return %0, %1, %2, %3 : tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>, tensor<1x?x1xf32>
}

// CHECK-LABEL: func.func @types
func.func @types(%h: tensor<1x4x2xf16>, %hw: tensor<1x2x3xf16>, %hb: tensor<3xf16>, %fb: tensor<3xf32>, %q: tensor<1x4x2xsi8>, %qw: tensor<1x2x3xsi8>, %qb: tensor<3xsi32>) {
  // CHECK: (tensor<1x4x2xf16>, tensor<1x2x3xf16>, tensor<3xf16>) -> tensor<1x4x3xf16>
  %0 = graph.convolution %h, %hw, %hb {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x2xf16>, tensor<1x2x3xf16>, tensor<3xf16>) -> tensor<1x4x3xf16>
  // CHECK: (tensor<1x4x2xf16>, tensor<1x2x3xf16>, tensor<3xf32>) -> tensor<1x4x3xf32>
  %1 = graph.convolution %h, %hw, %fb {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x2xf16>, tensor<1x2x3xf16>, tensor<3xf32>) -> tensor<1x4x3xf32>
  // CHECK: (tensor<1x4x2xsi8>, tensor<1x2x3xsi8>, tensor<3xsi32>) -> tensor<1x4x3xsi32>
  %2 = graph.convolution %q, %qw, %qb {strides = array<i64: 1>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, dilations = array<i64: 1>} : (tensor<1x4x2xsi8>, tensor<1x2x3xsi8>, tensor<3xsi32>) -> tensor<1x4x3xsi32>
  return
}
