// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Regions with an attention that cannot be lowered.

// RUN: gc-opt %s --split-input-file --verify-diagnostics --graph-select-schedule --convert-graph-to-tir

func.func @odd_columns(%q: tensor<4x7xbf16>) -> tensor<4x7xbf16> {
  %0 = graph.fused_op -> (tensor<4x7xbf16>) {
    // expected-error @below {{has query rows that do not consist of whole 32 bits; run graph-decompose}}
    %1 = graph.attention %q, %q, %q {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 4, SB = 16, NB = 16, KB = 16>} : (tensor<4x7xbf16>, tensor<4x7xbf16>, tensor<4x7xbf16>) -> tensor<4x7xbf16> {
    ^bb0(%s: tensor<4x4xbf16>):
      graph.yield %s : tensor<4x4xbf16>
    }
    graph.yield %1 : tensor<4x7xbf16>
  }
  return %0 : tensor<4x7xbf16>
}

// -----

#blocked = #graph.layout<blocked, outer = [0, 1], inner = [0 : 2, 1 : 4]>
func.func @blocked(%q: tensor<4x8xf32>, %k: tensor<4x8xf32>, %v: tensor<4x8xf32, #blocked>) -> tensor<4x8xf32> {
  %0 = graph.fused_op -> (tensor<4x8xf32>) {
    // expected-error @below {{operand 2 has the type 'tensor<4x8xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 2, 1 : 4]>>' but the template reads 'tensor<4x8xf32>'; run graph-propagate-layout}}
    %1 = graph.attention %q, %k, %v {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 4, SB = 16, NB = 16, KB = 16>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32, #blocked>) -> tensor<4x8xf32> {
    ^bb0(%s: tensor<4x4xf32>):
      graph.yield %s : tensor<4x4xf32>
    }
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @anchor(%q: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = graph.fused_op -> (tensor<4x8xf32>) {
    %1 = graph.attention %q, %q, %q {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 4, SB = 16, NB = 16, KB = 16>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%s: tensor<4x4xf32>):
      graph.yield %s : tensor<4x4xf32>
    }
    // expected-error @below {{cannot be committed at anchor #graph.anchor<post, 2>}}
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 2>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

// Keys are computed block by block, not at the anchor of the rows.
func.func @key_anchor(%q: tensor<4x8xf32>, %k: tensor<4x8xf16>) -> tensor<4x8xf32> {
  %0 = graph.fused_op -> (tensor<4x8xf32>) {
    // expected-error @below {{cannot be committed at anchor #graph.anchor<pre, 1>}}
    %1 = graph.type_cast %k {graph.anchor = #graph.anchor<pre, 1>} : tensor<4x8xf16> -> tensor<4x8xf32>
    %2 = graph.attention %q, %1, %q {transpose_key = true, template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 4, SB = 16, NB = 16, KB = 16>} : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32> {
    ^bb0(%s: tensor<4x4xf32>):
      graph.yield %s : tensor<4x4xf32>
    }
    graph.yield %2 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}
