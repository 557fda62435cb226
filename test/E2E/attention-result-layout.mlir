// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A result with strides of its own, whichever template computes it.

// RUN: gc-runner %s --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --check --threads=1 --pipeline-options=force-templates=attention_template | FileCheck %s
// RUN: gc-runner %s --check --threads=1 --pipeline-options=force-templates=attention_panel_template | FileCheck %s
// CHECK: check     passed

func.func @main(%arg0: tensor<1x2x23x16xf32>, %arg1: tensor<1x2x16x23xf32>, %arg2: tensor<1x2x23x16xf32>) -> tensor<1x2x23x16xf32, #graph.layout<strided, [2, 1, 2, 46]>> {
    %0 = graph.matmul %arg0, %arg1 : (tensor<1x2x23x16xf32>, tensor<1x2x16x23xf32>) -> tensor<1x2x23x23xf32>
    %1 = graph.softmax %0 {axis = -1 : i64} : (tensor<1x2x23x23xf32>) -> tensor<1x2x23x23xf32>
    %2 = graph.matmul %1, %arg2 : (tensor<1x2x23x23xf32>, tensor<1x2x23x16xf32>) -> tensor<1x2x23x16xf32, #graph.layout<strided, [2, 1, 2, 46]>>
    return %2 : tensor<1x2x23x16xf32, #graph.layout<strided, [2, 1, 2, 46]>>
}
