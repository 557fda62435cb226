// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// More cores than panels of 64 rows: both products have the same blocks of rows
// nevertheless, so that a panel of the scores is all that there is of them. The
// scores of all rows would take 4160 x 4160 x 4 bytes.

// RUN: gc-opt %s --gc-cpu-pipeline="machine=server-avx512-64 stop-after=fusion" | FileCheck %s --check-prefix=TEMPLATES
// RUN: gc-opt %s --gc-cpu-pipeline="machine=server-avx512-64 stop-after=tensor" | FileCheck %s --implicit-check-not="4160x4160"

// TEMPLATES: graph.matmul_template<MPN = [[PARTS:[0-9]+]], NPN = 1, MB = [[ROWS:[0-9]+]],
// TEMPLATES: graph.matmul_template<MPN = [[PARTS]], NPN = 1, MB = [[ROWS]],

// CHECK: func.func @attention
func.func @attention(%query: tensor<4160x64xf32>, %key: tensor<4160x64xf32>, %value: tensor<4160x64xf32>) -> tensor<4160x64xf32> {
  %scores = graph.matmul %query, %key {transpose_b = true} : (tensor<4160x64xf32>, tensor<4160x64xf32>) -> tensor<4160x4160xf32>
  %weights = graph.softmax %scores {axis = -1 : i64, mode = "inf_as_zero"} : (tensor<4160x4160xf32>) -> tensor<4160x4160xf32>
  %result = graph.matmul %weights, %value : (tensor<4160x4160xf32>, tensor<4160x64xf32>) -> tensor<4160x64xf32>
  return %result : tensor<4160x64xf32>
}
