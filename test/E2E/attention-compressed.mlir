// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Keys and values of 8 and 4 bits, and of f16, are dequantized where blocks of
// them are copied: one scale for all, per channel, per token, for groups of
// columns and of rows, with zero points of several types; the last groups are cut
// by blocks of keys. Queries are f32 or bf16, and one is computed, too.

// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=1 --pipeline-options=attention=always
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options=attention=always --machine=%runnable-zen4-2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --pipeline-options=attention=always --machine=%runnable-laptop-avx2-4
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --machine=%runnable-zen3-2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options="attention=always kernel=vector"
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options=attention=never
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=3 --pipeline-options=force-templates=attention_panel_template
// RUN: gc-runner %s --emit=mlir --threads=2 --machine=zen4-2 --pipeline-options="attention=always stop-after=fusion" | FileCheck %s

// Nothing but the result of the whole leaves a region.
// CHECK-LABEL: func.func @main
// CHECK-NOT: -> (tensor<2x4x210x40xf32>
// CHECK-NOT: -> (tensor<2x4x210x64x
// CHECK: graph.multiply {{.*}}graph.anchor = #graph.anchor<pre, 2>{{.*}} -> tensor<2x4x210x40xf32>
// CHECK: graph.dynamic_dequantize {{.*}}graph.anchor = #graph.anchor<pre, 2>{{.*}} -> tensor<2x4x210x64xf32>

func.func @main(%q0: tensor<2x4x9x40xf32>, %k0: tensor<2x4x210x40xsi8>, %v0: tensor<2x4x210x40xui8>, %s0: tensor<40xf32>,
                %q1: tensor<2x4x9x64xf32>, %k1: tensor<2x4x210x64xsi8>, %v1: tensor<2x4x210x64xui4>, %ks1: tensor<2x4x210x2xf32>, %vs1: tensor<2x4x210x4xf32>, %vz1: tensor<2x4x210x4xui4>,
                %q2: tensor<2x33x64xbf16>, %k2: tensor<2x64x151xui8>, %v2: tensor<2x151x64xsi4>, %ks2: tensor<2x1x151xbf16>, %kz2: tensor<2x1x151xui8>, %vs2: tensor<2x151x8xbf16>,
                %q3: tensor<2x3x8x24xf32>, %k3: tensor<2x1x100x24xf16>, %v3: tensor<2x1x100x24xsi8>, %vs3: tensor<2x1x10x24xf32>)
    -> (tensor<2x4x9x40xf32>, tensor<2x4x9x64xf32>, tensor<2x33x64xbf16>, tensor<2x3x8x24xf32>) {
  // One scale, and one for each column.
  %kf0 = graph.dequantize %k0 {scales = array<f32: 0.015>, zps = array<i64: 3>, qtype = "per_tensor"} : (tensor<2x4x210x40xsi8>) -> tensor<2x4x210x40xf32>
  %vf0 = graph.dynamic_dequantize %v0, %s0 {qtype = "per_channel", axis = 3 : i64} : (tensor<2x4x210x40xui8>, tensor<40xf32>) -> tensor<2x4x210x40xf32>
  %x0 = graph.matmul %q0, %kf0 {transpose_b = true} : (tensor<2x4x9x40xf32>, tensor<2x4x210x40xf32>) -> tensor<2x4x9x210xf32>
  %p0 = graph.softmax %x0 {axis = 3 : i64} : (tensor<2x4x9x210xf32>) -> tensor<2x4x9x210xf32>
  %o0 = graph.matmul %p0, %vf0 : (tensor<2x4x9x210xf32>, tensor<2x4x210x40xf32>) -> tensor<2x4x9x40xf32>

  // Groups of 32 and of 16 columns; queries that are computed.
  %scale = graph.constant dense<0.0625> : tensor<1xf32>
  %y1 = graph.multiply %q1, %scale : (tensor<2x4x9x64xf32>, tensor<1xf32>) -> tensor<2x4x9x64xf32>
  %kf1 = graph.dynamic_dequantize %k1, %ks1 {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 32>} : (tensor<2x4x210x64xsi8>, tensor<2x4x210x2xf32>) -> tensor<2x4x210x64xf32>
  %vf1 = graph.dynamic_dequantize %v1, %vs1, %vz1 {qtype = "per_group", group_shape = array<i64: 1, 1, 1, 16>} : (tensor<2x4x210x64xui4>, tensor<2x4x210x4xf32>, tensor<2x4x210x4xui4>) -> tensor<2x4x210x64xf32>
  %x1 = graph.matmul %y1, %kf1 {transpose_b = true} : (tensor<2x4x9x64xf32>, tensor<2x4x210x64xf32>) -> tensor<2x4x9x210xf32>
  %p1 = graph.softmax %x1 {axis = 3 : i64} : (tensor<2x4x9x210xf32>) -> tensor<2x4x9x210xf32>
  %o1 = graph.matmul %p1, %vf1 : (tensor<2x4x9x210xf32>, tensor<2x4x210x64xf32>) -> tensor<2x4x9x64xf32>

  // A scale for each token, keys in columns; groups of less than a vector.
  %kf2 = graph.dynamic_dequantize %k2, %ks2, %kz2 {qtype = "per_group", group_shape = array<i64: 1, 64, 1>} : (tensor<2x64x151xui8>, tensor<2x1x151xbf16>, tensor<2x1x151xui8>) -> tensor<2x64x151xbf16>
  %vf2 = graph.dynamic_dequantize %v2, %vs2 {qtype = "per_group", group_shape = array<i64: 1, 1, 8>} : (tensor<2x151x64xsi4>, tensor<2x151x8xbf16>) -> tensor<2x151x64xbf16>
  %x2 = graph.matmul %q2, %kf2 : (tensor<2x33x64xbf16>, tensor<2x64x151xbf16>) -> tensor<2x33x151xbf16>
  %less = graph.constant dense<0.0001> : tensor<1xbf16>
  %y2 = graph.multiply %x2, %less : (tensor<2x33x151xbf16>, tensor<1xbf16>) -> tensor<2x33x151xbf16>
  %p2 = graph.softmax %y2 {axis = 2 : i64} : (tensor<2x33x151xbf16>) -> tensor<2x33x151xbf16>
  %o2 = graph.matmul %p2, %vf2 : (tensor<2x33x151xbf16>, tensor<2x151x64xbf16>) -> tensor<2x33x64xbf16>

  // Heads share keys in f16; groups of ten tokens.
  %kf3 = graph.type_cast %k3 : tensor<2x1x100x24xf16> -> tensor<2x1x100x24xf32>
  %vf3 = graph.dynamic_dequantize %v3, %vs3 {qtype = "per_group", group_shape = array<i64: 1, 1, 10, 1>} : (tensor<2x1x100x24xsi8>, tensor<2x1x10x24xf32>) -> tensor<2x1x100x24xf32>
  %x3 = graph.matmul %q3, %kf3 {transpose_b = true} : (tensor<2x3x8x24xf32>, tensor<2x1x100x24xf32>) -> tensor<2x3x8x100xf32>
  %p3 = graph.softmax %x3 {axis = 3 : i64} : (tensor<2x3x8x100xf32>) -> tensor<2x3x8x100xf32>
  %o3 = graph.matmul %p3, %vf3 : (tensor<2x3x8x100xf32>, tensor<2x1x100x24xf32>) -> tensor<2x3x8x24xf32>
  return %o0, %o1, %o2, %o3 : tensor<2x4x9x40xf32>, tensor<2x4x9x64xf32>, tensor<2x33x64xbf16>, tensor<2x3x8x24xf32>
}
