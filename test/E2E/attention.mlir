// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention with templates that are spelt out: rests in every dimension, several
// blocks of keys, panels and parts, masks with -inf, views, shared operands.

// RUN: gc-runner %s --check --strict=false --threads=2 | FileCheck %s
// RUN: gc-runner %s --check --strict=false --threads=3 | FileCheck %s
// RUN: gc-runner %s --check --strict=false --threads=2 --pipeline-options=kernel=vector | FileCheck %s

// That it is weak is intended: four rows of a result are NaN.
// CHECK:      check     weak, {{.*}}, 256 of 37874 elements without an error bound
// CHECK-NEXT: result 3: 256 of 2112 elements have no error bound

func.func @main(
    %q1: tensor<5x8xf32>,
    %k1: tensor<1x8xf32>,
    %v1: tensor<1x3xf32>,
    %q2: tensor<2x3x1x5xf32>,
    %k2: tensor<2x3x5x7xf32>,
    %v2: tensor<2x3x7x9xf32>,
    %q3: tensor<2x3x67x40xf32, #graph.layout<strided, [8040, 40, 120, 1]>>,
    %k3: tensor<2x3x130x40xf32, #graph.layout<strided, [15600, 40, 120, 1]>>,
    %v3: tensor<2x3x130x72xf32, #graph.layout<strided, [28080, 72, 216, 1]>>,
    %q4: tensor<33x64xf32>,
    %k4: tensor<64x130xf32>,
    %v4: tensor<130x64xf32>,
    %m5: tensor<3x33x1000xf32>,
    %q5: tensor<3x33x33xf32>,
    %k5: tensor<1000x33xf32>,
    %v5: tensor<1x1000x31xf32>,
    %x6: tensor<100x24xf32, #graph.layout<strided, [1, 100]>>,
    %q7: tensor<2x2x20x16xf32>,
    %k7: tensor<2x2x40x16xf32>,
    %v7: tensor<2x2x40x16xf32>,
    %r7: tensor<2x1x20x16xf32>)
  -> (tensor<5x3xf32>,
      tensor<2x3x1x9xf32>,
      tensor<2x3x67x72xf32>,
      tensor<33x64xf32>,
      tensor<3x33x31xf32>,
      tensor<100x24xf32>,
      tensor<2x20x2x16xf32>) {
  %c = graph.constant dense<3.0> : tensor<1xf32>
  // One key: softmax is 1.
  %o1 = graph.attention %q1, %k1, %v1 {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 6, RB = 2, SB = 16, NB = 16, KB = 16>} : (tensor<5x8xf32>, tensor<1x8xf32>, tensor<1x3xf32>) -> tensor<5x3xf32> {
  ^bb0(%s: tensor<5x1xf32>):
    graph.yield %s : tensor<5x1xf32>
  }
  %m2 = graph.constant dense<[[[[0.0, 0xFF800000, 0xFF800000, 1.25, 0xFF800000, 0xFF800000, 1.125]]], [[[0xFF800000, 0.125, 1.0, 0xFF800000, 0.0, 0.875, 0xFF800000]]]]> : tensor<2x1x1x7xf32>
  // Fewer keys and rows than a block, less than a vector.
  %o2 = graph.attention %q2, %k2, %v2 {template_params = #graph.attention_template<MPN = 1, MB = 3, RB = 3, SB = 32, NB = 32, KB = 32>} : (tensor<2x3x1x5xf32>, tensor<2x3x5x7xf32>, tensor<2x3x7x9xf32>) -> tensor<2x3x1x9xf32> {
  ^bb0(%s: tensor<2x3x1x7xf32>):
    %0 = graph.divide %s, %c : (tensor<2x3x1x7xf32>, tensor<1xf32>) -> tensor<2x3x1x7xf32>
    %1 = graph.add %0, %m2 : (tensor<2x3x1x7xf32>, tensor<2x1x1x7xf32>) -> tensor<2x3x1x7xf32>
    graph.yield %1 : tensor<2x3x1x7xf32>
  }
  %m3 = graph.constant dense<[[[[0.0, 0xFF800000, 0xFF800000, 1.25, 0xFF800000, 0xFF800000, 1.125, 0xFF800000, 0xFF800000, 1.0, 0xFF800000, 0xFF800000, 0.875, 0xFF800000, 0xFF800000, 0.75, 0xFF800000, 0xFF800000, 0.625, 0xFF800000, 0xFF800000, 0.5, 0xFF800000, 0xFF800000, 0.375, 0xFF800000, 0xFF800000, 0.25, 0xFF800000, 0xFF800000, 0.125, 0xFF800000, 0xFF800000, 0.0, 0xFF800000, 0xFF800000, 1.25, 0xFF800000, 0xFF800000, 1.125, 0xFF800000, 0xFF800000, 1.0, 0xFF800000, 0xFF800000, 0.875, 0xFF800000, 0xFF800000, 0.75, 0xFF800000, 0xFF800000, 0.625, 0xFF800000, 0xFF800000, 0.5, 0xFF800000, 0xFF800000, 0.375, 0xFF800000, 0xFF800000, 0.25, 0xFF800000, 0xFF800000, 0.125, 0xFF800000, 0xFF800000, 0.0, 0xFF800000, 0xFF800000, 1.25, 0xFF800000, 0xFF800000, 1.125, 0xFF800000, 0xFF800000, 1.0, 0xFF800000, 0xFF800000, 0.875, 0xFF800000, 0xFF800000, 0.75, 0xFF800000, 0xFF800000, 0.625, 0xFF800000, 0xFF800000, 0.5, 0xFF800000, 0xFF800000, 0.375, 0xFF800000, 0xFF800000, 0.25, 0xFF800000, 0xFF800000, 0.125, 0xFF800000, 0xFF800000, 0.0, 0xFF800000, 0xFF800000, 1.25, 0xFF800000, 0xFF800000, 1.125, 0xFF800000, 0xFF800000, 1.0, 0xFF800000, 0xFF800000, 0.875, 0xFF800000, 0xFF800000, 0.75, 0xFF800000, 0xFF800000, 0.625, 0xFF800000, 0xFF800000, 0.5, 0xFF800000, 0xFF800000, 0.375, 0xFF800000, 0xFF800000, 0.25, 0xFF800000, 0xFF800000, 0.125]]], [[[0xFF800000, 0.125, 1.0, 0xFF800000, 0.0, 0.875, 0xFF800000, 1.25, 0.75, 0xFF800000, 1.125, 0.625, 0xFF800000, 1.0, 0.5, 0xFF800000, 0.875, 0.375, 0xFF800000, 0.75, 0.25, 0xFF800000, 0.625, 0.125, 0xFF800000, 0.5, 0.0, 0xFF800000, 0.375, 1.25, 0xFF800000, 0.25, 1.125, 0xFF800000, 0.125, 1.0, 0xFF800000, 0.0, 0.875, 0xFF800000, 1.25, 0.75, 0xFF800000, 1.125, 0.625, 0xFF800000, 1.0, 0.5, 0xFF800000, 0.875, 0.375, 0xFF800000, 0.75, 0.25, 0xFF800000, 0.625, 0.125, 0xFF800000, 0.5, 0.0, 0xFF800000, 0.375, 1.25, 0xFF800000, 0.25, 1.125, 0xFF800000, 0.125, 1.0, 0xFF800000, 0.0, 0.875, 0xFF800000, 1.25, 0.75, 0xFF800000, 1.125, 0.625, 0xFF800000, 1.0, 0.5, 0xFF800000, 0.875, 0.375, 0xFF800000, 0.75, 0.25, 0xFF800000, 0.625, 0.125, 0xFF800000, 0.5, 0.0, 0xFF800000, 0.375, 1.25, 0xFF800000, 0.25, 1.125, 0xFF800000, 0.125, 1.0, 0xFF800000, 0.0, 0.875, 0xFF800000, 1.25, 0.75, 0xFF800000, 1.125, 0.625, 0xFF800000, 1.0, 0.5, 0xFF800000, 0.875, 0.375, 0xFF800000, 0.75, 0.25, 0xFF800000, 0.625, 0.125, 0xFF800000, 0.5, 0.0, 0xFF800000, 0.375, 1.25, 0xFF800000]]]]> : tensor<2x1x1x130xf32>
  // Queries, keys and values as views of [B, S, H, D]; 67 = 2 * 24 + 12 + 7 rows, 130 = 4 * 32 + 2 keys.
  %o3 = graph.attention %q3, %k3, %v3 {transpose_key = true, template_params = #graph.attention_template<MPN = 2, MB = 24, RB = 12, SB = 32, NB = 16, KB = 20>} : (tensor<2x3x67x40xf32, #graph.layout<strided, [8040, 40, 120, 1]>>, tensor<2x3x130x40xf32, #graph.layout<strided, [15600, 40, 120, 1]>>, tensor<2x3x130x72xf32, #graph.layout<strided, [28080, 72, 216, 1]>>) -> tensor<2x3x67x72xf32> {
  ^bb0(%s: tensor<2x3x67x130xf32>):
    %0 = graph.multiply %s, %c : (tensor<2x3x67x130xf32>, tensor<1xf32>) -> tensor<2x3x67x130xf32>
    %1 = graph.add %0, %m3 : (tensor<2x3x67x130xf32>, tensor<2x1x1x130xf32>) -> tensor<2x3x67x130xf32>
    graph.yield %1 : tensor<2x3x67x130xf32>
  }
  %blocks = graph.constant dense<[[0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000, 0xFF800000]]> : tensor<1x130xf32>
  %rows = graph.constant dense<[[0.0], [0.0], [0.0], [0.0], [0xFF800000], [0.0], [0.0], [0x7F800000], [0.0], [0xFFFFFFFF], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0.0], [0xFF800000]]> : tensor<33x1xf32>
  // Whole blocks without a key at both ends; rows without any, with +inf and with NaN are NaN.
  %o4 = graph.attention %q4, %k4, %v4 {template_params = #graph.attention_template<MPN = 2, MB = 18, RB = 6, SB = 32, NB = 32, KB = 32>} : (tensor<33x64xf32>, tensor<64x130xf32>, tensor<130x64xf32>) -> tensor<33x64xf32> {
  ^bb0(%s: tensor<33x130xf32>):
    %0 = graph.add %s, %blocks : (tensor<33x130xf32>, tensor<1x130xf32>) -> tensor<33x130xf32>
    %1 = graph.add %0, %rows : (tensor<33x130xf32>, tensor<33x1xf32>) -> tensor<33x130xf32>
    graph.yield %1 : tensor<33x130xf32>
  }
  // Several blocks, a mask of the shape of the scores, keys and values that all heads share; the maximum keeps growing.
  %o5 = graph.attention %q5, %k5, %v5 {transpose_key = true, template_params = #graph.attention_template<MPN = 3, MB = 12, RB = 12, SB = 128, NB = 32, KB = 50>} : (tensor<3x33x33xf32>, tensor<1000x33xf32>, tensor<1x1000x31xf32>) -> tensor<3x33x31xf32> {
  ^bb0(%s: tensor<3x33x1000xf32>):
    %0 = graph.multiply %s, %c : (tensor<3x33x1000xf32>, tensor<1xf32>) -> tensor<3x33x1000xf32>
    %1 = graph.add %0, %m5 : (tensor<3x33x1000xf32>, tensor<3x33x1000xf32>) -> tensor<3x33x1000xf32>
    graph.yield %1 : tensor<3x33x1000xf32>
  }
  // One tensor for all, in a transposed view.
  %o6 = graph.attention %x6, %x6, %x6 {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 100, RB = 10, SB = 48, NB = 48, KB = 48>} : (tensor<100x24xf32, #graph.layout<strided, [1, 100]>>, tensor<100x24xf32, #graph.layout<strided, [1, 100]>>, tensor<100x24xf32, #graph.layout<strided, [1, 100]>>) -> tensor<100x24xf32> {
  ^bb0(%s: tensor<100x100xf32>):
    %0 = graph.abs %s : (tensor<100x100xf32>) -> tensor<100x100xf32>
    graph.yield %0 : tensor<100x100xf32>
  }
  // Post-ops, one of which leaves the region transposed.
  %o7 = graph.attention %q7, %k7, %v7 {transpose_key = true} : (tensor<2x2x20x16xf32>, tensor<2x2x40x16xf32>, tensor<2x2x40x16xf32>) -> tensor<2x2x20x16xf32> {
  ^bb0(%s: tensor<2x2x20x40xf32>):
    graph.yield %s : tensor<2x2x20x40xf32>
  }
  %p7 = graph.add %o7, %r7 : (tensor<2x2x20x16xf32>, tensor<2x1x20x16xf32>) -> tensor<2x2x20x16xf32>
  %t7 = graph.static_transpose %p7 {order = array<i64: 0, 2, 1, 3>} : (tensor<2x2x20x16xf32>) -> tensor<2x20x2x16xf32>
  return %o1, %o2, %o3, %o4, %o5, %o6, %t7
    : tensor<5x3xf32>, tensor<2x3x1x9xf32>, tensor<2x3x67x72xf32>, tensor<33x64xf32>, tensor<3x33x31xf32>, tensor<100x24xf32>, tensor<2x20x2x16xf32>
}
