// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention in bf16 and f16 with each template: remainders of every kind, an odd
// number of keys (half a group), masks without a finite logit.

// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=3 --pipeline-options=attention=always
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options="attention=always kernel=vector"
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options="attention=always" --machine=%runnable-laptop-avx2-4
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options=force-templates=attention_panel_template
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --pipeline-options=attention=never
// RUN: gc-runner %s --check --strict --threads=2 --entry=odd_columns
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=2 --entry=op --pipeline-options=attention=always
// RUN: env GC_POISON=1 gc-runner %s --check --strict --threads=1 --entry=op --pipeline-options="attention=always vector-bytes=4"

func.func @main(%q: tensor<2x3x37x40xbf16>, %k: tensor<2x3x333x40xbf16>, %v: tensor<2x3x333x52xbf16>, %mask: tensor<1x1x37x333xbf16>,
                %qh: tensor<2x19x24xf16>, %kh: tensor<2x24x71xf16>, %vh: tensor<1x71x20xf16>)
    -> (tensor<2x3x37x52xbf16>, tensor<2x19x20xf16>, tensor<2x19x20xf16>) {
  // Scaled and masked in bf16.
  %c = graph.constant dense<0.15625> : tensor<1xbf16>
  %s0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x3x37x40xbf16>, tensor<2x3x333x40xbf16>) -> tensor<2x3x37x333xbf16>
  %y0 = graph.multiply %s0, %c : (tensor<2x3x37x333xbf16>, tensor<1xbf16>) -> tensor<2x3x37x333xbf16>
  %x0 = graph.add %y0, %mask : (tensor<2x3x37x333xbf16>, tensor<1x1x37x333xbf16>) -> tensor<2x3x37x333xbf16>
  %p0 = graph.softmax %x0 {axis = 3} : (tensor<2x3x37x333xbf16>) -> tensor<2x3x37x333xbf16>
  %o0 = graph.matmul %p0, %v : (tensor<2x3x37x333xbf16>, tensor<2x3x333x52xbf16>) -> tensor<2x3x37x52xbf16>

  // The first keys are masked; one row has none.
  %inf = graph.constant dense<0xFC00> : tensor<1x1x1xf16>
  %s1 = graph.matmul %qh, %kh : (tensor<2x19x24xf16>, tensor<2x24x71xf16>) -> tensor<2x19x71xf16>
  %r1 = graph.gen_index %s1 {axis = 1 : i64} : (tensor<2x19x71xf16>) -> tensor<2x19x71xsi32>
  %k1 = graph.gen_index %s1 {axis = 2 : i64} : (tensor<2x19x71xf16>) -> tensor<2x19x71xsi32>
  %four = graph.constant dense<4> : tensor<1x1x1xsi32>
  %t1 = graph.multiply %r1, %four : (tensor<2x19x71xsi32>, tensor<1x1x1xsi32>) -> tensor<2x19x71xsi32>
  %m1 = graph.greater_equal %k1, %t1 : (tensor<2x19x71xsi32>, tensor<2x19x71xsi32>) -> tensor<2x19x71xi1>
  %x1 = graph.select %m1, %s1, %inf : (tensor<2x19x71xi1>, tensor<2x19x71xf16>, tensor<1x1x1xf16>) -> tensor<2x19x71xf16>
  %p1 = graph.softmax %x1 {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<2x19x71xf16>) -> tensor<2x19x71xf16>
  %o1 = graph.matmul %p1, %vh : (tensor<2x19x71xf16>, tensor<1x71x20xf16>) -> tensor<2x19x20xf16>

  // Scores that go into the softmax as they are.
  %s2 = graph.matmul %qh, %kh : (tensor<2x19x24xf16>, tensor<2x24x71xf16>) -> tensor<2x19x71xf16>
  %p2 = graph.softmax %s2 {axis = -1 : i64} : (tensor<2x19x71xf16>) -> tensor<2x19x71xf16>
  %o2 = graph.matmul %p2, %vh : (tensor<2x19x71xf16>, tensor<1x71x20xf16>) -> tensor<2x19x20xf16>
  return %o0, %o1, %o2 : tensor<2x3x37x52xbf16>, tensor<2x19x20xf16>, tensor<2x19x20xf16>
}

// Half a group of columns.
func.func @odd_columns(%q: tensor<9x7xbf16>, %k: tensor<30x7xbf16>, %v: tensor<30x8xbf16>) -> tensor<9x8xbf16> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<9x7xbf16>, tensor<30x7xbf16>) -> tensor<9x30xbf16>
  %1 = graph.softmax %0 {axis = 1} : (tensor<9x30xbf16>) -> tensor<9x30xbf16>
  %2 = graph.matmul %1, %v : (tensor<9x30xbf16>, tensor<30x8xbf16>) -> tensor<9x8xbf16>
  return %2 : tensor<9x8xbf16>
}

// The op itself, with logits in its own type; post-ops of the result.
func.func @op(%q: tensor<33x8xbf16>, %k: tensor<29x8xbf16>, %v: tensor<29x6xbf16>) -> tensor<33x6xf32> {
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<33x8xbf16>, tensor<29x8xbf16>, tensor<29x6xbf16>) -> tensor<33x6xbf16> {
  ^bb0(%s: tensor<33x29xbf16>):
    %1 = graph.abs %s : (tensor<33x29xbf16>) -> tensor<33x29xbf16>
    graph.yield %1 : tensor<33x29xbf16>
  }
  %2 = graph.relu %0 : (tensor<33x6xbf16>) -> tensor<33x6xbf16>
  %3 = graph.type_cast %2 : tensor<33x6xbf16> -> tensor<33x6xf32>
  return %3 : tensor<33x6xf32>
}
