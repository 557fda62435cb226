// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Few queries of few heads: threads share the keys. One head for eight queries,
// heads whose keys have lengths of their own, in f32 and bf16, with keys in
// columns, and of 8 and 4 bits.

// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=1
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --machine=%runnable-zen3-2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --machine=%runnable-zen4-2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --machine=%runnable-laptop-avx2-4
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --machine=%runnable-zen4-2 --pipeline-options=kernel=vector
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=5 --machine=%runnable-zen4-2 --pipeline-options=attention=always
// RUN: gc-runner %s --emit=mlir --threads=5 --machine=zen4-2 --pipeline-options=stop-after=layout | FileCheck %s

// CHECK: graph.matmul {{.*}} NPN = 5, {{.*}} transpose_b = true
// CHECK: graph.matmul {{.*}} KPN = 5>
// CHECK: graph.attention
// CHECK: graph.matmul {{.*}} NPN = 5,
// CHECK: graph.matmul {{.*}} NPN = 4,

func.func @main(%q0: tensor<1x1x8x1x64xf32>, %k0: tensor<1x1x1x3001x64xf32>, %v0: tensor<1x1x1x3001x64xf32>,
                %q1: tensor<3x2x1x40xbf16>, %k1: tensor<3x1x1500x40xbf16>, %v1: tensor<3x1x1500x40xbf16>, %lengths: tensor<3x1x1x1xsi32>,
                %q2: tensor<4x64xf32>, %k2: tensor<64x2000xsi8>, %v2: tensor<2000x64xui4>, %ks2: tensor<2x2000xf32>, %vs2: tensor<2000x2xf32>)
    -> (tensor<1x1x8x1x64xf32>, tensor<3x2x1x40xbf16>, tensor<4x64xf32>) {
  %scale = graph.constant dense<0.125> : tensor<1xf32>
  %s0 = graph.matmul %q0, %k0 {transpose_b = true} : (tensor<1x1x8x1x64xf32>, tensor<1x1x1x3001x64xf32>) -> tensor<1x1x8x1x3001xf32>
  %x0 = graph.multiply %s0, %scale : (tensor<1x1x8x1x3001xf32>, tensor<1xf32>) -> tensor<1x1x8x1x3001xf32>
  %p0 = graph.softmax %x0 {axis = 4} : (tensor<1x1x8x1x3001xf32>) -> tensor<1x1x8x1x3001xf32>
  %o0 = graph.matmul %p0, %v0 : (tensor<1x1x8x1x3001xf32>, tensor<1x1x1x3001x64xf32>) -> tensor<1x1x8x1x64xf32>

  %s1 = graph.matmul %q1, %k1 {transpose_b = true} : (tensor<3x2x1x40xbf16>, tensor<3x1x1500x40xbf16>) -> tensor<3x2x1x1500xbf16>
  %key = graph.gen_index %s1 {axis = 3 : i64} : (tensor<3x2x1x1500xbf16>) -> tensor<3x2x1x1500xsi32>
  %seen = graph.greater_equal %lengths, %key : (tensor<3x1x1x1xsi32>, tensor<3x2x1x1500xsi32>) -> tensor<3x2x1x1500xi1>
  %least = graph.constant dense<-3.0e+38> : tensor<1xbf16>
  %x1 = graph.select %seen, %s1, %least : (tensor<3x2x1x1500xi1>, tensor<3x2x1x1500xbf16>, tensor<1xbf16>) -> tensor<3x2x1x1500xbf16>
  %p1 = graph.softmax %x1 {axis = 3} : (tensor<3x2x1x1500xbf16>) -> tensor<3x2x1x1500xbf16>
  %o1 = graph.matmul %p1, %v1 : (tensor<3x2x1x1500xbf16>, tensor<3x1x1500x40xbf16>) -> tensor<3x2x1x40xbf16>

  %less = graph.constant dense<0.002> : tensor<1xf32>
  %kf2 = graph.dynamic_dequantize %k2, %ks2 {qtype = "per_group", group_shape = array<i64: 32, 1>} : (tensor<64x2000xsi8>, tensor<2x2000xf32>) -> tensor<64x2000xf32>
  %vf2 = graph.dynamic_dequantize %v2, %vs2 {qtype = "per_group", group_shape = array<i64: 1, 32>} : (tensor<2000x64xui4>, tensor<2000x2xf32>) -> tensor<2000x64xf32>
  %s2 = graph.matmul %q2, %kf2 : (tensor<4x64xf32>, tensor<64x2000xf32>) -> tensor<4x2000xf32>
  %x2 = graph.multiply %s2, %less : (tensor<4x2000xf32>, tensor<1xf32>) -> tensor<4x2000xf32>
  %p2 = graph.softmax %x2 {axis = 1} : (tensor<4x2000xf32>) -> tensor<4x2000xf32>
  %o2 = graph.matmul %p2, %vf2 : (tensor<4x2000xf32>, tensor<2000x64xf32>) -> tensor<4x64xf32>
  return %o0, %o1, %o2 : tensor<1x1x8x1x64xf32>, tensor<3x2x1x40xbf16>, tensor<4x64xf32>
}
