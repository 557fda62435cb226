// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The list of templates that are forced: none, one, two, and one that there is
// not, which is one error however many functions there are.

// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout" | FileCheck %s --check-prefix=FREE
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout force-templates=attention_template" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout force-templates=attention_template,matmul_template" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout force-templates={matmul_template,attention_template}" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout force-templates={matmul_template, attention_template}" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="force-templates='matmul_template, attention_template' stop-after=layout" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="stop-after=layout force-templates={}" | FileCheck %s --check-prefix=FREE
// RUN: gc-opt %s --machine=zen4-2 --gc-cpu-pipeline="force-templates= stop-after=layout" | FileCheck %s --check-prefix=FREE
// RUN: not gc-opt %s --gc-cpu-pipeline="force-templates={matmul_template,}"
// RUN: not gc-opt %s --gc-cpu-pipeline="force-templates=matmul_template, attention_template"
// RUN: not gc-opt %s --gc-cpu-pipeline="stop-after=layout force-templates=matmul_template,conv_template" 2> %t.err
// RUN: FileCheck --input-file=%t.err %s --check-prefix=UNKNOWN
// RUN: grep -c error: %t.err | FileCheck %s --check-prefix=ONE

// The driver reads the same options.
// RUN: gc-runner %s --machine=%runnable_machine --entry=f --check --threads=1 --pipeline-options=force-templates=attention_template | FileCheck %s --check-prefix=CHECKED
// RUN: gc-runner %s --machine=%runnable_machine --entry=f --check --threads=1 --pipeline-options="force-templates=attention_template,matmul_template prefetch=never" | FileCheck %s --check-prefix=CHECKED
// RUN: gc-runner %s --machine=%runnable_machine --entry=f --check --threads=1 --pipeline-options="force-templates={attention_template,matmul_template}" | FileCheck %s --check-prefix=CHECKED
// RUN: gc-runner %s --machine=%runnable_machine --entry=f --check --threads=1 --pipeline-options="force-templates={attention_template, matmul_template} prefetch=never" | FileCheck %s --check-prefix=CHECKED
// RUN: gc-runner %s --machine=%runnable_machine --entry=f --check --threads=1 --pipeline-options="prefetch=never force-templates='matmul_template, attention_template'" | FileCheck %s --check-prefix=CHECKED
// RUN: gc-runner %s --entry=f --emit=mlir --machine=zen4-2 --pipeline-options="stop-after=layout force-templates={matmul_template, attention_template}" | FileCheck %s --check-prefix=FORCED1
// RUN: gc-runner %s --entry=f --emit=mlir --machine=zen4-2 --pipeline-options="stop-after=layout force-templates={}" | FileCheck %s --check-prefix=FREE1
// RUN: gc-runner %s --entry=f --emit=mlir --machine=zen4-2 --pipeline-options="force-templates= stop-after=layout" | FileCheck %s --check-prefix=FREE1
// RUN: not gc-runner %s --entry=f --pipeline-options="force-templates={matmul_template, }" 2>&1 | FileCheck %s --check-prefix=LIST
// RUN: not gc-runner %s --entry=f --pipeline-options="force-templates=matmul_template, attention_template"
// RUN: not gc-runner %s --entry=f --pipeline-options=force-templates=conv_template 2> %t.err
// RUN: FileCheck --input-file=%t.err %s --check-prefix=UNKNOWN
// RUN: grep -c error: %t.err | FileCheck %s --check-prefix=ONE

// FREE-NOT: #graph.attention_template
// FREE: #graph.matmul_template
// FORCED: #graph.attention_template
// FORCED: #graph.matmul_template
// UNKNOWN: error: cannot force 'conv_template', which is not a valid template; there are attention_panel_template, attention_template, gather_template, matmul_template
// ONE: {{^}}1{{$}}
// CHECKED: check     passed
// FORCED1: #graph.attention_template
// FREE1-NOT: #graph.attention_template
// FREE1: #graph.matmul_template
// LIST: error: bad pipeline options: force-templates=matmul_template, : not a list of names with commas between them

func.func @f(%q: tensor<1x2x64x32xf32>, %k: tensor<1x2x32x64xf32>, %v: tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32> {
  %0 = graph.matmul %q, %k : (tensor<1x2x64x32xf32>, tensor<1x2x32x64xf32>) -> tensor<1x2x64x64xf32>
  %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<1x2x64x64xf32>) -> tensor<1x2x64x64xf32>
  %2 = graph.matmul %1, %v : (tensor<1x2x64x64xf32>, tensor<1x2x64x32xf32>) -> tensor<1x2x64x32xf32>
  return %2 : tensor<1x2x64x32xf32>
}

func.func @g(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %0 = graph.matmul %x, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %0 : tensor<64x64xf32>
}
