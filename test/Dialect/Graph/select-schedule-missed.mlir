// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A region without a tunable op is parallel over what is not reduced. Where that
// is less than there are threads, a remark says so; others are about vectors that
// are mostly empty, and about elements that are loaded one by one.

// RUN: gc-opt %s --graph-select-schedule --remarks-filter-missed=graph-select-schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s
// RUN: gc-opt %s --graph-select-schedule="threads=2" --remarks-filter-missed=graph-select-schedule --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO

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

// TWO-NOT: FewRows
// CHECK: ShortVectors | Category:graph-select-schedule | Remark="vectors of 8 have 3 elements: no longer dimension is contiguous in what this region writes, or else in what it reads"
func.func @short(%x: tensor<50000x3xf32>) -> tensor<50000x3xf32> {
  %0 = graph.fused_op -> (tensor<50000x3xf32>) {
    %1 = graph.relu %x : (tensor<50000x3xf32>) -> tensor<50000x3xf32>
    graph.yield %1 : tensor<50000x3xf32>
  }
  return %0 : tensor<50000x3xf32>
}

// Every second element comes out of two vectors, every third one does not.
// TWO-COUNT-2: Scattered
// TWO-NOT: Scattered
// CHECK-NOT: Scattered
// CHECK: Scattered | Category:graph-select-schedule | Remark="elements of tensor<200x1x600x1xf32> are loaded one by one: they are not next to each other along the vectors"
func.func @strides(%x: tensor<200x1x600x1xf32>) -> (tensor<200x1x300x1xf32>, tensor<200x1x200x1xf32>) {
  %0 = graph.fused_op -> (tensor<200x1x300x1xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 1, 2>, positions = array<i64: 1, 300>, strides = array<i64: 1, 2>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<200x1x600x1xf32>) -> tensor<200x1x300x1x2x1xf32>
    %2 = graph.reduce_max %1 {axes = array<i64: 3, 4>} : (tensor<200x1x300x1x2x1xf32>) -> tensor<200x1x300x1xf32>
    graph.yield %2 : tensor<200x1x300x1xf32>
  }
  %3 = graph.fused_op -> (tensor<200x1x200x1xf32>) {
    %4 = graph.windows %x {kernel = array<i64: 1, 3>, positions = array<i64: 1, 200>, strides = array<i64: 1, 3>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<200x1x600x1xf32>) -> tensor<200x1x200x1x3x1xf32>
    %5 = graph.reduce_max %4 {axes = array<i64: 3, 4>} : (tensor<200x1x200x1x3x1xf32>) -> tensor<200x1x200x1xf32>
    graph.yield %5 : tensor<200x1x200x1xf32>
  }
  return %0, %3 : tensor<200x1x300x1xf32>, tensor<200x1x200x1xf32>
}

// Of two operands of one type there is one remark.
// CHECK: Scattered | Category:graph-select-schedule | Remark="elements of tensor<300x1x600x1xf32>
// CHECK-NOT: Scattered
func.func @pair(%x: tensor<300x1x600x1xf32>, %y: tensor<300x1x600x1xf32>) -> tensor<300x1x200x1xf32> {
  %0 = graph.fused_op -> (tensor<300x1x200x1xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 1, 3>, positions = array<i64: 1, 200>, strides = array<i64: 1, 3>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<300x1x600x1xf32>) -> tensor<300x1x200x1x3x1xf32>
    %2 = graph.windows %y {kernel = array<i64: 1, 3>, positions = array<i64: 1, 200>, strides = array<i64: 1, 3>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<300x1x600x1xf32>) -> tensor<300x1x200x1x3x1xf32>
    %3 = graph.reduce_max %1 {axes = array<i64: 3, 4>} : (tensor<300x1x200x1x3x1xf32>) -> tensor<300x1x200x1xf32>
    %4 = graph.reduce_max %2 {axes = array<i64: 3, 4>} : (tensor<300x1x200x1x3x1xf32>) -> tensor<300x1x200x1xf32>
    %5 = graph.add %3, %4 : (tensor<300x1x200x1xf32>, tensor<300x1x200x1xf32>) -> tensor<300x1x200x1xf32>
    graph.yield %5 : tensor<300x1x200x1xf32>
  }
  return %0 : tensor<300x1x200x1xf32>
}

// CHECK: Copied | Category:graph-select-schedule | Reason="no op that computes shares its elements", Remark="this region only copies 1228800 bytes to other places, in every execution"
// CHECK-NOT: Copied
func.func @copies(%x: tensor<600x512xf32>) -> tensor<512x600xf32> {
  %0 = graph.fused_op -> (tensor<512x600xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<600x512xf32>) -> tensor<512x600xf32>
    graph.yield %1 : tensor<512x600xf32>
  }
  return %0 : tensor<512x600xf32>
}
func.func @computes(%x: tensor<600x512xf32>) -> tensor<512x600xf32> {
  %0 = graph.fused_op -> (tensor<512x600xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<600x512xf32>) -> tensor<512x600xf32>
    %2 = graph.relu %1 : (tensor<512x600xf32>) -> tensor<512x600xf32>
    graph.yield %2 : tensor<512x600xf32>
  }
  return %0 : tensor<512x600xf32>
}

}
