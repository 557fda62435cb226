// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A tail of the mask of prelu, whose i1 have a byte each, is written with non-temporal stores.

// RUN: gc-runner %s --machine=zen3-2 --check --pipeline-options=stream=always
// RUN: gc-opt %s --gc-cpu-pipeline="machine=zen3-2 stream=always stop-after=tensor" | FileCheck %s

// CHECK: vector.store {{.*}} {alignment = 4 : i64, nontemporal = true} : memref<4095xi8>, vector<7xi8>
func.func @main(%x: tensor<4095xf32> {graph.const_arg}, %slope: tensor<4095xf32>) -> tensor<4095xf32> {
  %0 = graph.prelu %x, %slope {per_channel_broadcast = false} : (tensor<4095xf32>, tensor<4095xf32>) -> tensor<4095xf32>
  return %0 : tensor<4095xf32>
}
