// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --graph-dump -o /dev/null | FileCheck %s --check-prefix=DOT
// RUN: gc-opt %s --graph-dump="format=svg output=%t.svg" | FileCheck %s --check-prefix=IR
// RUN: FileCheck %s --check-prefix=SVG < %t.svg
// The picture is well-formed XML with a place for every node.
// RUN: %python -c "import sys, xml.dom.minidom as m; d = m.parse(sys.argv[1]); print(len(d.getElementsByTagName('rect')), len(d.getElementsByTagName('path')))" %t.svg | FileCheck %s --check-prefix=XML

// RUN: not gc-opt %s --graph-dump="format=png" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not gc-opt %s --graph-dump="output=%t.no/such/file" 2>&1 | FileCheck %s --check-prefix=OUTPUT
// RUN: gc-opt --graph-dump -o /dev/null < /dev/null | FileCheck %s --check-prefix=EMPTY

// FORMAT: error: option 'format' must be dot or svg, not 'png'
// OUTPUT: error: cannot write '{{.*}}such/file': No such file or directory
// EMPTY: digraph graph_ir {
// EMPTY-NOT: cluster

// The IR passes through as it is.
// IR: func.func @f
// IR: graph.matmul

// Two regions of a merge group in a function; the arguments by their names.
// DOT: digraph graph_ir {
// DOT: subgraph cluster_0 {
// DOT-NEXT: label="@f"
// DOT-NEXT: n0 [label="x\n64x64xf32"
// DOT-NEXT: n1 [label="arg1\n64x64xf32 blocked"
// DOT-NEXT: subgraph cluster_1 {
// DOT-NEXT: label="merge group 0"
// DOT-NEXT: subgraph cluster_2 {
// DOT-NEXT: label="first \"<&>\" (rows merged)"
// DOT-NEXT: n2 [label="matmul\n64x64xf32\n#graph.matmul_template<MPN = 2, {{.*}}>"
// DOT-NEXT: n3 [label="relu\n64x64xf32\npost-op anchor 1"
// DOT: subgraph cluster_3 {
// DOT-NEXT: label="second (rows merged)"
// DOT-NEXT: n4 [label="matmul
// DOT: n5 [label="return"
// DOT: n0 -> n2;
// DOT-NEXT: n1 -> n2;
// DOT-NEXT: n2 -> n3;
// DOT-NEXT: n3 -> n4;
// DOT-NEXT: n1 -> n4;
// DOT-NEXT: n4 -> n5;
// DOT: }

// SVG: <svg xmlns="http://www.w3.org/2000/svg"
// SVG: >@f</text>
// SVG: <rect class="group"
// SVG: >merge group 0</text>
// SVG: >first &quot;&lt;&amp;&gt;&quot; (rows merged)</text>
// SVG: post-op anchor 1</text>
// SVG: <path class="arrow"
// SVG: </svg>

// Six nodes and four boxes; six arrows and the tip of all of them.
// XML: 10 7

#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 64, 1 : 32]>

func.func @f(%x: tensor<64x64xf32> {graph.name = "x"}, %w: tensor<64x64xf32, #b>) -> tensor<64x64xf32> {
  %0 = graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows, name = "first \"<&>\""} -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<64x64xf32>, tensor<64x64xf32, #b>) -> tensor<64x64xf32>
    %r = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    graph.yield %r : tensor<64x64xf32>
  }
  %2 = graph.fused_op attributes {graph.merge_group = 0 : i64, graph.merge_rows, name = "second"} -> (tensor<64x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 32, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<64x64xf32>, tensor<64x64xf32, #b>) -> tensor<64x64xf32>
    graph.yield %3 : tensor<64x64xf32>
  }
  return %2 : tensor<64x64xf32>
}
