// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Slices of k cost what the longest one does: 1847 has 28 blocks of 64 and a rest,
// which one of two slices adds up as well. Columns are divided evenly.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template))" | FileCheck %s

// Two cores with AVX-512.
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen4-2">>} {

// CHECK-LABEL: func.func @uneven_slices
// CHECK: MPN = 1, NPN = 2,
// CHECK: MPN = 1, NPN = 2, MB = 63, NB = 32,
// CHECK-NOT: KPN
// CHECK: return
func.func @uneven_slices(%x: tensor<63x257xf32>, %v: tensor<257x1847xf32> {graph.const_arg}, %w: tensor<1847x704xf32> {graph.const_arg}) -> tensor<63x704xf32> {
  %0 = graph.matmul %x, %v : (tensor<63x257xf32>, tensor<257x1847xf32>) -> tensor<63x1847xf32>
  %1 = graph.relu %0 : (tensor<63x1847xf32>) -> tensor<63x1847xf32>
  %2 = graph.matmul %1, %w : (tensor<63x1847xf32>, tensor<1847x704xf32>) -> tensor<63x704xf32>
  return %2 : tensor<63x704xf32>
}
}
