// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Columns of tensors that come from memory (the caches are tiny here) are reduced
// row by row, with the sums of all columns in memory, in parts that threads share:
// sizes that blocks and vectors do not divide, several reductions at once, with
// other results, of several dimensions, and of other types. Where rows are read
// again, or reduced along rows as well, they are not.

// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" | FileCheck %s
// RUN: gc-opt %s --gc-cpu-pipeline="threads=2 stop-after=fusion" --remarks-filter=graph-split-reductions -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gc-runner %s --check --strict --threads=2 --entry=sums
// RUN: gc-runner %s --check --strict --threads=3 --entry=sums --pipeline-options="vector-bytes=16"
// RUN: gc-runner %s --check --strict --threads=1 --entry=sums
// RUN: gc-runner %s --check --strict --threads=2 --entry=wide
// RUN: gc-runner %s --check --strict --threads=2 --entry=pixels
// RUN: gc-runner %s --check --strict --threads=2 --entry=narrow
// RUN: gc-runner %s --check --strict --threads=2 --entry=softmax
// RUN: gc-runner %s --check --strict --threads=2 --entry=long_softmax
// RUN: gc-runner %s --check --strict --threads=2 --entry=row_result
// RUN: gc-runner %s --check --strict --threads=2 --entry=pool
// RUN: gc-runner %s --check --strict --threads=2 --entry=nested
// RUN: gc-runner %s --check --threads=2 --entry=both
// RUN: gc-runner %s --check --threads=3 --entry=both

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64>>} {

// REMARK: 'graph.reduce_sum' reads columns whose rows are far apart: it reduces 26 parts first, then their results
// CHECK-LABEL: func.func @sums
// CHECK: block = [0 : 8]{{.*}} name = "{{.*}}reduce_sum{{.*}}reduce_max
func.func @sums(%x: tensor<605x201xf32>, %y: tensor<201xf32>) -> (tensor<605x201xf32>, tensor<201xf32>, tensor<1x201xf32>) {
  %0 = graph.multiply %x, %y : (tensor<605x201xf32>, tensor<201xf32>) -> tensor<605x201xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>} : (tensor<605x201xf32>) -> tensor<201xf32>
  %2 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<605x201xf32>) -> tensor<1x201xf32>
  %3 = graph.abs %0 : (tensor<605x201xf32>) -> tensor<605x201xf32>
  return %3, %1, %2 : tensor<605x201xf32>, tensor<201xf32>, tensor<1x201xf32>
}

// Of more columns than half of the L1 cache holds sums of, tasks have a part.
// CHECK-LABEL: func.func @wide
// CHECK: partition = [0 : {{[0-9]+}}, 1 : 2048], block = [0 : 8]{{.*}} name = "reduce_sum+reduce_max"
func.func @wide(%x: tensor<128x5003xf32>) -> (tensor<5003xf32>, tensor<5003xf32>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>} : (tensor<128x5003xf32>) -> tensor<5003xf32>
  %1 = graph.reduce_max %x {axes = array<i64: 0>} : (tensor<128x5003xf32>) -> tensor<5003xf32>
  return %0, %1 : tensor<5003xf32>, tensor<5003xf32>
}

// CHECK-LABEL: func.func @pixels
// CHECK: block = [2 : 2]{{.*}} name = "reduce_sum
func.func @pixels(%x: tensor<5x21x30x163xf32>) -> tensor<163xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 1, 2>} : (tensor<5x21x30x163xf32>) -> tensor<163xf32>
  return %0 : tensor<163xf32>
}

// CHECK-LABEL: func.func @narrow
// CHECK: block = [0 : 8]
func.func @narrow(%x: tensor<700x256xbf16>, %y: tensor<700x130xf16>) -> (tensor<256xbf16>, tensor<130xf16>) {
  %0 = graph.reduce_l1 %x {axes = array<i64: 0>} : (tensor<700x256xbf16>) -> tensor<256xbf16>
  %1 = graph.reduce_mean %y {axes = array<i64: 0>} : (tensor<700x130xf16>) -> tensor<130xf16>
  return %0, %1 : tensor<256xbf16>, tensor<130xf16>
}

// Rows that the L2 cache keeps are read again from there.
// CHECK-LABEL: func.func @softmax
// CHECK-NOT: {{block|part_size}}
// CHECK: return
func.func @softmax(%x: tensor<30x2256xf32>) -> tensor<30x2256xf32> {
  %0 = graph.softmax %x {axis = 0 : i64} : (tensor<30x2256xf32>) -> tensor<30x2256xf32>
  return %0 : tensor<30x2256xf32>
}

// Others are not.
// CHECK-LABEL: func.func @long_softmax
// CHECK-COUNT-2: part_size
// CHECK-NOT: part_size
// CHECK: return
func.func @long_softmax(%x: tensor<600x256xf32>) -> tensor<600x256xf32> {
  %0 = graph.softmax %x {axis = 0 : i64} : (tensor<600x256xf32>) -> tensor<600x256xf32>
  return %0 : tensor<600x256xf32>
}

// What a row has before it is reduced is stored once: no blocks.
// CHECK-LABEL: func.func @row_result
// CHECK-NOT: block
// CHECK: return
func.func @row_result(%x: tensor<40x24x256xf32>, %y: tensor<40x1x256xf32>) -> (tensor<40x1x256xf32>, tensor<40x256xf32>) {
  %0 = graph.abs %y : (tensor<40x1x256xf32>) -> tensor<40x1x256xf32>
  %1 = graph.multiply %x, %0 : (tensor<40x24x256xf32>, tensor<40x1x256xf32>) -> tensor<40x24x256xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 1>} : (tensor<40x24x256xf32>) -> tensor<40x256xf32>
  return %0, %2 : tensor<40x1x256xf32>, tensor<40x256xf32>
}

// Elements of a window are no rows.
// CHECK-LABEL: func.func @pool
// CHECK-NOT: block
// CHECK: return
func.func @pool(%x: tensor<16x4x800xf32>) -> tensor<16x4x400xf32> {
  %0 = graph.max_pool %x {strides = array<i64: 2>, pads_begin = array<i64: 0>, pads_end = array<i64: 0>, kernel = array<i64: 2>, data_format = "NCX"} : (tensor<16x4x800xf32>) -> tensor<16x4x400xf32>
  return %0 : tensor<16x4x400xf32>
}

// A reduction of a reduction that the program has, along the same dimension as
// another one, is no reason to part them.
// CHECK-LABEL: func.func @nested
// CHECK: name = "exp+reduce_sum+reduce_max"
func.func @nested(%x: tensor<64x32x128xf32>) -> (tensor<64x1x1xf32>, tensor<64x32x1xf32>) {
  %0 = graph.exp %x : (tensor<64x32x128xf32>) -> tensor<64x32x128xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 2>, keep_dims = true} : (tensor<64x32x128xf32>) -> tensor<64x32x1xf32>
  %2 = graph.reduce_max %0 {axes = array<i64: 2>, keep_dims = true} : (tensor<64x32x128xf32>) -> tensor<64x32x1xf32>
  %3 = graph.reduce_sum %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x32x1xf32>) -> tensor<64x1x1xf32>
  return %3, %2 : tensor<64x1x1xf32>, tensor<64x32x1xf32>
}

// What both reductions need of x and of the gradient is computed by each.
// CHECK-LABEL: func.func @both
// CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 1>
// CHECK: graph.fused_op {{.*}} block = [0 : 8]{{.*}} -> (tensor<{{[0-9]+}}x136xf32>, tensor<{{[0-9]+}}x136xf32>) {
// CHECK-COUNT-2: part_size
func.func @both(%x: tensor<900x136xf32>, %d: tensor<900x136xf32>, %m: tensor<900xf32>, %v: tensor<900xf32>, %g: tensor<136xf32>, %b: tensor<136xf32>) -> (tensor<900x136xf32>, tensor<136xf32>, tensor<136xf32>) {
  %v1 = graph.abs %v : (tensor<900xf32>) -> tensor<900xf32>
  %0:3 = graph.layer_norm_backward %x, %d, %m, %v1, %g, %b : (tensor<900x136xf32>, tensor<900x136xf32>, tensor<900xf32>, tensor<900xf32>, tensor<136xf32>, tensor<136xf32>) -> (tensor<900x136xf32>, tensor<136xf32>, tensor<136xf32>)
  return %0#0, %0#1, %0#2 : tensor<900x136xf32>, tensor<136xf32>, tensor<136xf32>
}

}
