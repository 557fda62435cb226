// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Operands that are packed in every call are remarks; those that are packed once,
// written packed, or read in place are not.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-propagate-layout))" --remarks-filter-missed='graph-propagate-layout' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-propagate-layout))" --remarks-filter-analyse='graph-propagate-layout' --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=DECISION

#packB = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = true>
#packA = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = true, packB = false>
#inPlace = #graph.matmul_template<MPN = 1, NPN = 1, MB = 4, NB = 16, KB = 8, BS = 2, order = [m, n, k], packA = false, packB = false>

// CHECK-NOT: remark:
// CHECK: remark: [Missed] Repacked | Category:graph-propagate-layout | Remark="operand 1 of 'graph.matmul' is packed in every call", Suggestion="mark the argument graph.const_arg if it stays the same between calls"
// DECISION: remark: [Analysis] Decision | Category:graph-propagate-layout | Alternative="operand 1 plain", Chosen="operand 1 #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16]>", Cycles={{[0-9]+}}, Cycles={{[0-9]+}}, Force="packA and packB of template_params on the op", Kind=layout, Subject=graph.matmul, Why="packed in every call, unless its producer writes it so"
// DECISION: Alternative="operand 0 plain", {{.*}}, Why="no parameters worth comparing read it so"
func.func @argument(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.matmul %x, %w {template_params = #packB} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}

// CHECK: remark: [Missed] Repacked | {{.*}}"operand 0 of 'graph.matmul' is packed in every call: others read its plain form"
func.func @shared(%x: tensor<8x16xf32>, %w: tensor<16x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %0, %1 : tensor<8x16xf32>, tensor<8x16xf32>
}

// CHECK-NOT: remark:
func.func @fine(%x: tensor<8x16xf32>, %w: tensor<16x16xf32> {graph.const_arg}) -> tensor<8x16xf32> {
  %0 = graph.relu %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.matmul %0, %w {template_params = #packA} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %2 = graph.matmul %1, %w {template_params = #packB} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  %3 = graph.matmul %2, %w {template_params = #inPlace} : (tensor<8x16xf32>, tensor<16x16xf32>) -> tensor<8x16xf32>
  return %3 : tensor<8x16xf32>
}
