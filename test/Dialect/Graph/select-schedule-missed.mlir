// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A region without a tunable op is parallel over what is not reduced. Where that
// is less than there are threads, a remark says so.

// RUN: gc-opt %s --graph-select-schedule --remarks-filter-missed=graph-select-schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: gc-opt %s --graph-select-schedule="threads=2" --remarks-filter-missed=graph-select-schedule --remark-format=emitRemark -o /dev/null 2>&1 | count 0

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 8 : i64, "max_vector_op_width" = 256 : i64>>} {

// CHECK: [[#@LINE+2]]:8: remark: [Missed] FewRows | Category:graph-select-schedule | Remark="the reductions of this region leave 3 rows for 8 threads; reduce in two steps to use all of them"
func.func @few(%x: tensor<3x50000xf32>) -> tensor<3x1xf32> {
  %0 = graph.fused_op -> (tensor<3x1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<3x50000xf32>) -> tensor<3x1xf32>
    graph.yield %1 : tensor<3x1xf32>
  }
  return %0 : tensor<3x1xf32>
}

// The sum of so few elements is not worth the threads.
// CHECK-NOT: FewRows
func.func @little(%x: tensor<3x5000xf32>) -> tensor<3x1xf32> {
  %0 = graph.fused_op -> (tensor<3x1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<3x5000xf32>) -> tensor<3x1xf32>
    graph.yield %1 : tensor<3x1xf32>
  }
  return %0 : tensor<3x1xf32>
}

func.func @enough(%x: tensor<300x5000xf32>) -> tensor<300x1xf32> {
  %0 = graph.fused_op -> (tensor<300x1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<300x5000xf32>) -> tensor<300x1xf32>
    graph.yield %1 : tensor<300x1xf32>
  }
  return %0 : tensor<300x1xf32>
}

}
