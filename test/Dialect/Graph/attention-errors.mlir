// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Every constraint of attention and its template, under its label.

// RUN: gc-opt %s --split-input-file --verify-diagnostics

func.func @c1(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6xf32>) {
  // expected-error @below {{(C1) operands of attention must have rank 2 or more}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c2_columns(%q: tensor<4x7xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C2) query has 7 columns, key 8}}
  %0 = graph.attention %q, %k, %v : (tensor<4x7xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c2_rows(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<7x5xf32>) {
  // expected-error @below {{(C2) key has 6 rows, value 7}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<7x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

// Transposed, key has 8 rows of 6 columns.
func.func @c2_transposed(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C2) query has 8 columns, key 6}}
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c3_key(%q: tensor<2x4x8xf32>, %k: tensor<3x8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C3) leading dimensions of query [2, 4, 8] and key [3, 8, 6] do not broadcast}}
  %0 = graph.attention %q, %k, %v : (tensor<2x4x8xf32>, tensor<3x8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

// Values may repeat, but they do not extend the result.
func.func @c3_value(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<3x6x5xf32>) {
  // expected-error @below {{(C3) leading dimensions of value [3, 6, 5] do not broadcast to []}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<3x6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c4(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xbf16>) {
  // expected-error @below {{(C4) element types 'f32' and 'bf16' differ}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xbf16>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c5_none(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C5) has a region with the arguments ()}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
    graph.yield %v : tensor<6x5xf32>
  }
  return
}

// -----

func.func @c5_shape(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C5) has a region with the arguments ('tensor<4x7xf32>') instead of the scores 'tensor<4x6xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x7xf32>):
    graph.yield %s : tensor<4x7xf32>
  }
  return
}

// -----

func.func @c6_matmul(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>, %w: tensor<6x6xf32>) {
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    // expected-error @below {{'graph.matmul' op (C6) is not fusible}}
    %1 = graph.matmul %s, %w : (tensor<4x6xf32>, tensor<6x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c6_reduction(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    // expected-error @below {{'graph.reduce_max' op (C6) is a reduction}}
    %1 = graph.reduce_max %s {axes = array<i64: -1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c6_shape(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>, %w: tensor<1x6xf32>) {
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    // expected-error @below {{'graph.exp' op (C6) iterates over [1, 6] instead of the scores [4, 6]}}
    %1 = graph.exp %w : (tensor<1x6xf32>) -> tensor<1x6xf32>
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c7_type(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C7) has a region that does not yield one tensor 'tensor<4x6xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %v : tensor<6x5xf32>
  }
  return
}

// -----

func.func @c7_count(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C7) has a region that does not yield one tensor 'tensor<4x6xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s, %s : tensor<4x6xf32>, tensor<4x6xf32>
  }
  return
}

// -----

// A layout has no place in the middle of a row.
#transposed = #graph.layout<strided, [1, 4]>
func.func @c5_layout(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C5) has a region with the arguments}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32, #transposed>):
    graph.yield %s : tensor<4x6xf32, #transposed>
  }
  return
}

// -----

func.func @template_c1(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C1) parameters of an attention template must be at least 1}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 16, NB = 16, KB = 0>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c2_rows(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C2) MB = 4 is not a multiple of RB = 3}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 3, SB = 16, NB = 16, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c2_keys(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C2) SB = 40 is not a multiple of NB = 16}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 40, NB = 16, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c2_columns(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C2) NB = 8 is not a multiple of 16}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 16, NB = 8, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

// 4 rows are at most rounded up to RB.
func.func @template_c3_mb(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C3) template parameter MB = 6 exceeds 4}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 6, RB = 2, SB = 16, NB = 16, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c3_sb(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C3) template parameter SB = 32 exceeds 16}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 32, NB = 16, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c3_kb(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C3) template parameter KB = 17 exceeds 16}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 16, NB = 16, KB = 17>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @template_c3_mpn(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C3) template parameter MPN = 2 exceeds 1}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 2, MB = 4, RB = 2, SB = 16, NB = 16, KB = 8>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @mode(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C8) mode must be "none", "inf_as_zero" or "unshifted", not "zero"}}
  %0 = graph.attention %q, %k, %v {mode = "zero"} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @panel_scores(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C1) scores does not fit: (C3) template parameter MB = 5 exceeds 4}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = 5, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>, product = <MPN = 1, NPN = 1, MB = 4, NB = 5, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @panel_product(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{(C1) product does not fit: (C3) template parameter KPN = 2 exceeds 1}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_panel_template<scores = <MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>, product = <MPN = 1, NPN = 1, MB = 4, NB = 5, KB = 6, BS = 1, order = [m, n, k], packA = false, packB = false, KPN = 2>>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @other_template(%q: tensor<4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<6x5xf32>) {
  // expected-error @below {{which is not registered for it}}
  %0 = graph.attention %q, %k, %v {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 6, KB = 8, BS = 1, order = [m, k, n], packA = false, packB = false>} : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6x5xf32>) -> tensor<4x5xf32> {
  ^bb0(%s: tensor<4x6xf32>):
    graph.yield %s : tensor<4x6xf32>
  }
  return
}

// -----

func.func @c7_narrow(%q: tensor<4x8xbf16>, %k: tensor<8x6xbf16>, %v: tensor<6x5xbf16>) {
  // expected-error @below {{(C7) has a region that does not yield one tensor 'tensor<4x6xbf16>' or 'tensor<4x6xf32>'}}
  %0 = graph.attention %q, %k, %v : (tensor<4x8xbf16>, tensor<8x6xbf16>, tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  ^bb0(%s: tensor<4x6xbf16>):
    %1 = graph.type_cast %s : tensor<4x6xbf16> -> tensor<4x6xf32>
    %2 = graph.type_cast %1 : tensor<4x6xf32> -> tensor<4x6xf16>
    graph.yield %2 : tensor<4x6xf16>
  }
  return
}
