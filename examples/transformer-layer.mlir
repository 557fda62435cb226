// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A layer of a transformer: attention over four heads, layer norm, and two dense
// layers with gelu. Its 23 ops become eight regions in three parallel loops: the
// projections, attention, and everything after it.
//
//   gc-runner examples/transformer-layer.mlir --check --threads=2

func.func @transformer_layer(
    %x: tensor<2x64x128xf32>,
    %wq: tensor<128x128xf32> {graph.const_arg},
    %wk: tensor<128x128xf32> {graph.const_arg},
    %wv: tensor<128x128xf32> {graph.const_arg},
    %wo: tensor<128x128xf32> {graph.const_arg},
    %w1: tensor<128x256xf32> {graph.const_arg},
    %b1: tensor<256xf32> {graph.const_arg},
    %w2: tensor<256x128xf32> {graph.const_arg},
    %g: tensor<128xf32>,
    %b: tensor<128xf32>) -> tensor<2x64x128xf32> {
  %c = graph.constant dense<5.6> : tensor<1xf32>
  %q = graph.matmul %x, %wq : (tensor<2x64x128xf32>, tensor<128x128xf32>) -> tensor<2x64x128xf32>
  %k = graph.matmul %x, %wk : (tensor<2x64x128xf32>, tensor<128x128xf32>) -> tensor<2x64x128xf32>
  %v = graph.matmul %x, %wv : (tensor<2x64x128xf32>, tensor<128x128xf32>) -> tensor<2x64x128xf32>
  %q0 = graph.static_reshape %q {shape = array<i64: 2, 64, 4, 32>} : (tensor<2x64x128xf32>) -> tensor<2x64x4x32xf32>
  %k0 = graph.static_reshape %k {shape = array<i64: 2, 64, 4, 32>} : (tensor<2x64x128xf32>) -> tensor<2x64x4x32xf32>
  %v0 = graph.static_reshape %v {shape = array<i64: 2, 64, 4, 32>} : (tensor<2x64x128xf32>) -> tensor<2x64x4x32xf32>
  %q1 = graph.static_transpose %q0 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x64x4x32xf32>) -> tensor<2x4x64x32xf32>
  %k1 = graph.static_transpose %k0 {order = array<i64: 0, 2, 3, 1>} : (tensor<2x64x4x32xf32>) -> tensor<2x4x32x64xf32>
  %v1 = graph.static_transpose %v0 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x64x4x32xf32>) -> tensor<2x4x64x32xf32>
  %s = graph.matmul %q1, %k1 : (tensor<2x4x64x32xf32>, tensor<2x4x32x64xf32>) -> tensor<2x4x64x64xf32>
  %s1 = graph.divide %s, %c : (tensor<2x4x64x64xf32>, tensor<1xf32>) -> tensor<2x4x64x64xf32>
  %p = graph.softmax %s1 {axis = 3 : i64} : (tensor<2x4x64x64xf32>) -> tensor<2x4x64x64xf32>
  %o = graph.matmul %p, %v1 : (tensor<2x4x64x64xf32>, tensor<2x4x64x32xf32>) -> tensor<2x4x64x32xf32>
  %o1 = graph.static_transpose %o {order = array<i64: 0, 2, 1, 3>} : (tensor<2x4x64x32xf32>) -> tensor<2x64x4x32xf32>
  %o2 = graph.static_reshape %o1 {shape = array<i64: 2, 64, 128>} : (tensor<2x64x4x32xf32>) -> tensor<2x64x128xf32>
  %a = graph.matmul %o2, %wo : (tensor<2x64x128xf32>, tensor<128x128xf32>) -> tensor<2x64x128xf32>
  %a1 = graph.add %a, %x : (tensor<2x64x128xf32>, tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  %n = graph.layer_norm %a1, %g, %b {keep_stats = false} : (tensor<2x64x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<2x64x128xf32>
  %f = graph.matmul %n, %w1, %b1 : (tensor<2x64x128xf32>, tensor<128x256xf32>, tensor<256xf32>) -> tensor<2x64x256xf32>
  %f1 = graph.gelu %f : (tensor<2x64x256xf32>) -> tensor<2x64x256xf32>
  %h = graph.matmul %f1, %w2 : (tensor<2x64x256xf32>, tensor<256x128xf32>) -> tensor<2x64x128xf32>
  %h1 = graph.add %h, %n : (tensor<2x64x128xf32>, tensor<2x64x128xf32>) -> tensor<2x64x128xf32>
  %n2 = graph.layer_norm %h1, %g, %b {keep_stats = false} : (tensor<2x64x128xf32>, tensor<128xf32>, tensor<128xf32>) -> tensor<2x64x128xf32>
  return %n2 : tensor<2x64x128xf32>
}
