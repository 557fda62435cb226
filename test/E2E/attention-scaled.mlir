// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention whose queries and values are stored as columns, and whose weights are
// scaled after the softmax, once or twice: right with every template.

// RUN: gc-runner %s --entry=short --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=short --check --threads=3 --pipeline-options="attention=always kernel=vector" | FileCheck %s
// RUN: gc-runner %s --entry=short --check --threads=2 --pipeline-options=attention=never | FileCheck %s
// RUN: gc-runner %s --entry=narrow --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow --check --threads=2 --pipeline-options=attention=always | FileCheck %s
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=graph" | FileCheck %s --check-prefix=FORM
// RUN: gc-opt %s --machine=zen3-2 --gc-cpu-pipeline="threads=2 stop-after=layout" | FileCheck %s --check-prefix=PANELS

// CHECK: check {{ *}}passed

// Row panels read the columns in place.
// PANELS-LABEL: func.func @short
// PANELS-NOT: graph.static_transpose
// PANELS: graph.matmul {{.*}}transpose_a = true, transpose_b = true
// PANELS-NOT: graph.static_transpose
// PANELS: graph.matmul {{.*}}transpose_b = true

// FORM-LABEL: func.func @short
// FORM: graph.attention
// FORM-LABEL: func.func @narrow
// FORM: graph.attention

func.func @short(%q: tensor<3x32x70xf32>, %k: tensor<3x90x32xf32>, %v: tensor<3x24x90xf32>, %g: tensor<70x1xf32>) -> tensor<3x70x24xf32> {
  %x = graph.matmul %q, %k {transpose_a = true, transpose_b = true} : (tensor<3x32x70xf32>, tensor<3x90x32xf32>) -> tensor<3x70x90xf32>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<3x70x90xf32>) -> tensor<3x70x90xf32>
  %w = graph.divide %p, %g : (tensor<3x70x90xf32>, tensor<70x1xf32>) -> tensor<3x70x90xf32>
  %o = graph.matmul %w, %v {transpose_b = true} : (tensor<3x70x90xf32>, tensor<3x24x90xf32>) -> tensor<3x70x24xf32>
  return %o : tensor<3x70x24xf32>
}

func.func @narrow(%q: tensor<2x32x64xbf16>, %k: tensor<2x96x32xbf16>, %v: tensor<2x32x96xbf16>, %h: tensor<2x1x1xbf16>, %g: tensor<64x1xbf16>) -> tensor<2x64x32xbf16> {
  %x = graph.matmul %q, %k {transpose_a = true, transpose_b = true} : (tensor<2x32x64xbf16>, tensor<2x96x32xbf16>) -> tensor<2x64x96xbf16>
  %p = graph.softmax %x {axis = -1 : i64} : (tensor<2x64x96xbf16>) -> tensor<2x64x96xbf16>
  %w = graph.multiply %p, %h : (tensor<2x64x96xbf16>, tensor<2x1x1xbf16>) -> tensor<2x64x96xbf16>
  %w2 = graph.multiply %w, %g : (tensor<2x64x96xbf16>, tensor<64x1xbf16>) -> tensor<2x64x96xbf16>
  %o = graph.matmul %w2, %v {transpose_b = true} : (tensor<2x64x96xbf16>, tensor<2x32x96xbf16>) -> tensor<2x64x32xbf16>
  return %o : tensor<2x64x32xbf16>
}
