// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions that leave too few rows to four threads become two, and the regions
// that they end up in.

// DEFINE: %{first} = graph-fuse{tunable-only}
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(%{first},graph-split-reductions,graph-fuse))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(%{first},graph-split-reductions{split-elements=0},graph-fuse))" | FileCheck %s --check-prefix=WHOLE
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(%{first},graph-split-reductions{max-ops=0},graph-fuse{max-ops=0}))" | FileCheck %s --check-prefix=ALONE
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(%{first},graph-split-reductions))" --remarks-filter-passed=graph-split-reductions --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse))" --remarks-filter-missed=graph-fuse --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=MISSED

// The outer dimension is done index by index, the exponentials with it.
// REMARK: [[#@LINE+12]]:8: remark: [Passed] SplitReduction | Category:graph-split-reductions | Remark="'graph.reduce_sum' leaves 1 row for 4 threads: it reduces 256 parts first, then their results"
// MISSED: "'graph.{{.*}}' is not fused with 'graph.{{.*}}': reductions leave 1 independent iterations for 4 threads"
// CHECK-LABEL: func.func @total
// CHECK: name = "exp+reduce_sum"
// CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 1>, keep_dims = true} : (tensor<256x4096xf32>) -> tensor<256x1xf32>
// CHECK: name = "reduce_sum"
// CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims = true} : (tensor<256x1xf32>) -> tensor<1x1xf32>
// WHOLE-LABEL: func.func @total
// WHOLE: graph.reduce_sum %{{.*}} {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<256x4096xf32>) -> tensor<1x1xf32>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64>>} {
func.func @total(%x: tensor<256x4096xf32>) -> tensor<1x1xf32> {
  %0 = graph.exp %x : (tensor<256x4096xf32>) -> tensor<256x4096xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<256x4096xf32>) -> tensor<1x1xf32>
  return %1 : tensor<1x1xf32>
}
}

// -----

// One long row: 24 parts of whole cache lines, the last one shorter. Other uses
// of the largest element do not matter.
// REMARK: "'graph.reduce_max' leaves 1 row for 4 threads: it reduces 24 parts first, then their results"
// CHECK-LABEL: func.func @row
// CHECK: %[[PARTS:.*]] = graph.reduce_max %arg0 {any_if_nan, axes = array<i64: 0>, keep_dims = true, part_size = 4176 : i64} : (tensor<100003xf32>) -> tensor<24xf32>
// CHECK: graph.reduce_max %{{.*}} {any_if_nan, axes = array<i64: 0>, keep_dims = true} : (tensor<24xf32>) -> tensor<1xf32>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64>>} {
func.func @row(%x: tensor<100003xf32>) -> tensor<1xf32> {
  %0 = graph.reduce_max %x {any_if_nan, axes = array<i64: 0>, keep_dims = true} : (tensor<100003xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}
}

// -----

// Columns go together, 64 of them at least: these are one row. Sums of bf16 stay
// f32 until the end.
// CHECK-LABEL: func.func @columns
// CHECK: name = "type_cast+reduce_sum"
// CHECK: graph.type_cast %arg0 : tensor<4000x70xbf16> -> tensor<4000x70xf32>
// CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims = true, part_size = 63 : i64} : (tensor<4000x70xf32>) -> tensor<64x70xf32>
// CHECK: name = "reduce_sum+type_cast"
// CHECK: graph.reduce_sum %{{.*}} {axes = array<i64: 0>, keep_dims = true} : (tensor<64x70xf32>) -> tensor<1x70xf32>
// CHECK: graph.type_cast %{{.*}} : tensor<1x70xf32> -> tensor<1x70xbf16>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64>>} {
func.func @columns(%x: tensor<4000x70xbf16>) -> tensor<1x70xbf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4000x70xbf16>) -> tensor<1x70xbf16>
  return %0 : tensor<1x70xbf16>
}
}

// -----

// Five rows on four threads take as long as eight. They are longer than the L2
// cache; the shorter ones are not, so that a region of them is better.
// REMARK: "'graph.reduce_prod' leaves 5 rows for 4 threads: it reduces 65 parts first, then their results"
// CHECK-LABEL: func.func @uneven
// CHECK: graph.reduce_prod %arg0 {axes = array<i64: 2>, keep_dims = true, part_size = 3856 : i64} : (tensor<5x1x50000xf32>) -> tensor<5x1x13xf32>
// CHECK: graph.reduce_prod %{{.*}} {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<5x1x13xf32>) -> tensor<5x1x1xf32>
// CHECK: graph.reduce_min %arg1 {axes = array<i64: 1>, keep_dims = true} : (tensor<5x20000xf32>) -> tensor<5x1xf32>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64, "L2_cache_size_in_bytes" = 131072 : i64>>} {
func.func @uneven(%x: tensor<5x1x50000xf32>, %y: tensor<5x20000xf32>) -> (tensor<5x1x1xf32>, tensor<5x1xf32>) {
  %0 = graph.reduce_prod %x {axes = array<i64: 1, 2>, keep_dims = true} : (tensor<5x1x50000xf32>) -> tensor<5x1x1xf32>
  %1 = graph.reduce_min %y {axes = array<i64: 1>, keep_dims = true} : (tensor<5x20000xf32>) -> tensor<5x1xf32>
  return %0, %1 : tensor<5x1x1xf32>, tensor<5x1xf32>
}
}

// -----

// Too few elements, enough rows, rows that are reduced after a matmul, and parts
// that have already been chosen.
// CHECK-LABEL: func.func @not_split
// CHECK: name = "matmul+reduce_sum"
// CHECK-NOT: part_size
// CHECK: part_size = 30000
// CHECK-NOT: part_size
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64>>} {
func.func @not_split(%x: tensor<65535xf32>, %y: tensor<8x10000xf32>, %a: tensor<2x8xf32>, %b: tensor<8x40000xf32>, %z: tensor<90000xf32>) -> (tensor<1xf32>, tensor<8x1xf32>, tensor<2x1xf32>, tensor<3xf32>) {
  %2 = graph.matmul %a, %b : (tensor<2x8xf32>, tensor<8x40000xf32>) -> tensor<2x40000xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<2x40000xf32>) -> tensor<2x1xf32>
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<65535xf32>) -> tensor<1xf32>
  %1 = graph.reduce_sum %y {axes = array<i64: 1>, keep_dims = true} : (tensor<8x10000xf32>) -> tensor<8x1xf32>
  %4 = graph.reduce_sum %z {axes = array<i64: 0>, keep_dims = true, part_size = 30000 : i64} : (tensor<90000xf32>) -> tensor<3xf32>
  return %0, %1, %3, %4 : tensor<1xf32>, tensor<8x1xf32>, tensor<2x1xf32>, tensor<3xf32>
}
}

// -----

// Softmax of a row that fits the caches: exponentials are stored for the
// quotients. The region of a step ends where its parts must be complete.
// CHECK-LABEL: func.func @softmax
// CHECK: name = "reduce_max"
// CHECK: name = "reduce_max"
// CHECK: name = "subtract+exp+reduce_sum"} -> (tensor<1x200000xf32>, tensor<1x{{[0-9]+}}xf32>)
// CHECK: name = "reduce_sum"
// CHECK: name = "divide"
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64, "L2_cache_size_in_bytes" = 1048576 : i64>>} {
func.func @softmax(%x: tensor<1x200000xf32>) -> tensor<1x200000xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %1 = graph.subtract %x, %0 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  %2 = graph.exp %1 : (tensor<1x200000xf32>) -> tensor<1x200000xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %4 = graph.divide %2, %3 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  return %4 : tensor<1x200000xf32>
}
}

// -----

// A row that does not: they are computed again, in the region that needs them.
// CHECK-LABEL: func.func @softmax_of_memory
// CHECK: name = "reduce_max"
// CHECK: name = "reduce_max"
// CHECK: name = "subtract+exp+reduce_sum"} -> (tensor<1x{{[0-9]+}}xf32>) {
// CHECK: name = "reduce_sum"
// CHECK: name = "subtract+exp+divide"
// ALONE-LABEL: func.func @softmax_of_memory
// ALONE-COUNT-1: graph.exp
// ALONE-NOT: graph.exp
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64, "L2_cache_size_in_bytes" = 131072 : i64>>} {
func.func @softmax_of_memory(%x: tensor<1x200000xf32>) -> tensor<1x200000xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %1 = graph.subtract %x, %0 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  %2 = graph.exp %1 : (tensor<1x200000xf32>) -> tensor<1x200000xf32>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %4 = graph.divide %2, %3 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  return %4 : tensor<1x200000xf32>
}
}

// -----

// Layer norm of a sum of two tensors: that sum is read twice more, so storing it
// is better than reading both; differences from the mean are computed twice.
// CHECK-LABEL: func.func @layer_norm
// CHECK: name = "add+reduce_sum"} -> (tensor<1x200000xf32>, tensor<1x{{[0-9]+}}xf32>)
// CHECK: name = "reduce_sum+multiply"
// CHECK: name = "subtract+multiply+reduce_sum"} -> (tensor<1x{{[0-9]+}}xf32>) {
// CHECK: name = "reduce_sum+sqrt"
// CHECK: name = "subtract+divide"
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 4 : i64, "L2_cache_size_in_bytes" = 131072 : i64>>} {
func.func @layer_norm(%x: tensor<1x200000xf32>, %y: tensor<1x200000xf32>) -> tensor<1x200000xf32> {
  %n = graph.constant dense<5.0e-06> : tensor<f32>
  %0 = graph.add %x, %y : (tensor<1x200000xf32>, tensor<1x200000xf32>) -> tensor<1x200000xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %2 = graph.multiply %1, %n : (tensor<1x1xf32>, tensor<f32>) -> tensor<1x1xf32>
  %3 = graph.subtract %0, %2 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  %4 = graph.multiply %3, %3 : (tensor<1x200000xf32>, tensor<1x200000xf32>) -> tensor<1x200000xf32>
  %5 = graph.reduce_sum %4 {axes = array<i64: 1>, keep_dims = true} : (tensor<1x200000xf32>) -> tensor<1x1xf32>
  %6 = graph.sqrt %5 : (tensor<1x1xf32>) -> tensor<1x1xf32>
  %7 = graph.divide %3, %6 : (tensor<1x200000xf32>, tensor<1x1xf32>) -> tensor<1x200000xf32>
  return %7 : tensor<1x200000xf32>
}
}
