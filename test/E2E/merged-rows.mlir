// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A group whose first region packs the rows of all blocks before its loop: the
// parallel loops merge, the loops over rows do not.

// RUN: gc-runner %s --check --threads=2 | FileCheck %s
// CHECK: check {{ *}}passed

func.func @main(%arg0: tensor<1x3x1x1x131xf32>, %arg1: tensor<128x1xf32>) -> tensor<1x3x1x131x1xf32> {
    %0 = graph.hard_swish %arg0 : (tensor<1x3x1x1x131xf32>) -> tensor<1x3x1x1x131xf32, #graph.layout<blocked, outer = [3, 0, 4, 2, 1], inner = [0 : 2, 3 : 32, 4 : 32]>>
    %1 = graph.matmul %0, %arg1 {transpose_a = true, transpose_b = true} : (tensor<1x3x1x1x131xf32, #graph.layout<blocked, outer = [3, 0, 4, 2, 1], inner = [0 : 2, 3 : 32, 4 : 32]>>, tensor<128x1xf32>) -> tensor<1x3x1x131x128xf32>
    %2 = graph.matmul %1, %arg1 : (tensor<1x3x1x131x128xf32>, tensor<128x1xf32>) -> tensor<1x3x1x131x1xf32>
    return %2 : tensor<1x3x1x131x1xf32>
}
