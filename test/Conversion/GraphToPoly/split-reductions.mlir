// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-split-reductions | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-split-reductions=fuse=false | FileCheck %s --check-prefix=ALONE
// RUN: gc-opt %s --split-input-file --poly-split-reductions --remarks-filter=poly-split-reductions 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK

// What is subtracted is computed for the parts, in their shape.
// CHECK-LABEL: func.func @columns
// CHECK-NEXT:    %[[X:.*]] = graph.static_reshape %arg0 {shape = array<i64: 16, 256, 64>}
// CHECK-NEXT:    %[[Y:.*]] = graph.subtract %[[X]], %arg1 : (tensor<16x256x64xf32>, tensor<64xf32>) -> tensor<16x256x64xf32>
// CHECK-NEXT:    %[[P:.*]] = graph.reduce_max %[[Y]] {axes = array<i64: 1>, keep_dims = true} : (tensor<16x256x64xf32>) -> tensor<16x1x64xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.reduce_max %[[P]] {axes = array<i64: 0>, keep_dims = true} : (tensor<16x1x64xf32>) -> tensor<1x1x64xf32>
// CHECK-NEXT:    %[[R:.*]] = graph.static_reshape %[[W]] {shape = array<i64: 1, 64>}
// CHECK-NEXT:    return %[[R]]
// ALONE-LABEL: func.func @columns
// ALONE-NEXT:    %[[Y:.*]] = graph.subtract %arg0, %arg1
// ALONE-NEXT:    graph.static_reshape %[[Y]] {shape = array<i64: 16, 256, 64>}
// REMARK: [Passed] Split{{.*}}Reason="{{.*}} reduces 4096 elements, which have to be in one tile{{.*}}", Remark="'graph.reduce_max' reduces parts first, then what they leave"
func.func @columns(%x: tensor<4096x64xf32>, %m: tensor<64xf32>) -> tensor<1x64xf32> {
  %0 = graph.subtract %x, %m : (tensor<4096x64xf32>, tensor<64xf32>) -> tensor<4096x64xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<4096x64xf32>) -> tensor<1x64xf32>
  return %1 : tensor<1x64xf32>
}

// -----

// Of two dimensions the inner one is enough for a first step.
// CHECK-LABEL: func.func @dimensions
// CHECK-NEXT:    %[[P:.*]] = graph.reduce_sum %arg0 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x256x32xf32>) -> tensor<64x1x32xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.reduce_sum %[[P]] {axes = array<i64: 0>, keep_dims = true} : (tensor<64x1x32xf32>) -> tensor<1x1x32xf32>
// CHECK-NEXT:    return %[[W]]
func.func @dimensions(%x: tensor<64x256x32xf32>) -> tensor<1x1x32xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0, 1>, keep_dims = true} : (tensor<64x256x32xf32>) -> tensor<1x1x32xf32>
  return %0 : tensor<1x1x32xf32>
}

// -----

// Sums of f16 are f32 between the steps.
// CHECK-LABEL: func.func @row
// CHECK-NEXT:    %[[X:.*]] = graph.static_reshape %arg0 {shape = array<i64: 2, 200, 1000>}
// CHECK-NEXT:    %[[F:.*]] = graph.type_cast %[[X]] : tensor<2x200x1000xf16> -> tensor<2x200x1000xf32>
// CHECK-NEXT:    %[[P:.*]] = graph.reduce_sum %[[F]] {axes = array<i64: 2>, keep_dims = true} : (tensor<2x200x1000xf32>) -> tensor<2x200x1xf32>
// CHECK-NEXT:    %[[W:.*]] = graph.reduce_sum %[[P]] {axes = array<i64: 1>, keep_dims = true} : (tensor<2x200x1xf32>) -> tensor<2x1x1xf32>
// CHECK-NEXT:    %[[H:.*]] = graph.type_cast %[[W]] : tensor<2x1x1xf32> -> tensor<2x1x1xf16>
// CHECK-NEXT:    graph.static_reshape %[[H]] {shape = array<i64: 2, 1>}
func.func @row(%x: tensor<2x200000xf16>) -> tensor<2x1xf16> {
  %0 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<2x200000xf16>) -> tensor<2x1xf16>
  return %0 : tensor<2x1xf16>
}

// -----

// What is computed for others as well, from two tensors, is loaded.
// CHECK-LABEL: func.func @shared
// CHECK-NEXT:    %[[Y:.*]] = graph.subtract %arg0, %arg1
// CHECK-NEXT:    %[[X:.*]] = graph.static_reshape %[[Y]] {shape = array<i64: 16, 256, 64>}
// CHECK-NEXT:    graph.reduce_max %[[X]]
func.func @shared(%x: tensor<4096x64xf32>, %y: tensor<4096x64xf32>) -> (tensor<4096x64xf32>, tensor<1x64xf32>) {
  %0 = graph.subtract %x, %y : (tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<4096x64xf32>) -> tensor<1x64xf32>
  return %0, %1 : tensor<4096x64xf32>, tensor<1x64xf32>
}

// -----

// The cube unit adds up columns of f16 at once; 4099 and few elements have no
// parts.
// CHECK-LABEL: func.func @whole
// CHECK-NEXT:    graph.reduce_sum %arg0
// CHECK-NEXT:    graph.reduce_max %arg1
// CHECK-NEXT:    graph.reduce_max %arg2
// CHECK-NEXT:    return
// REMARK: [Missed] Split{{.*}}Reason="{{[0-9]+}} cycles instead of {{[0-9]+}}", Remark="'graph.reduce_sum' is not split"
func.func @whole(%x: tensor<4096x64xf16>, %y: tensor<4099x16xf32>, %z: tensor<256x64xf32>) -> (tensor<1x64xf16>, tensor<1x16xf32>, tensor<1x64xf32>) {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<4096x64xf16>) -> tensor<1x64xf16>
  %1 = graph.reduce_max %y {axes = array<i64: 0>, keep_dims = true} : (tensor<4099x16xf32>) -> tensor<1x16xf32>
  %2 = graph.reduce_max %z {axes = array<i64: 0>, keep_dims = true} : (tensor<256x64xf32>) -> tensor<1x64xf32>
  return %0, %1, %2 : tensor<1x64xf16>, tensor<1x16xf32>, tensor<1x64xf32>
}

// -----

// Rows of 5 elements have gaps between them, so that parts of 200 rows do not
// fit as those of longer rows would: smaller parts are tried.
// CHECK-LABEL: func.func @short_rows
// CHECK-NEXT:    %[[X:.*]] = graph.static_reshape %arg0 {shape = array<i64: 120, 50, 24, 5>}
// CHECK:         %[[P:.*]] = graph.reduce_max %{{.*}} {axes = array<i64: 1, 3>, keep_dims = true} : (tensor<120x50x24x5xf32>) -> tensor<120x1x24x1xf32>
// CHECK-NEXT:    graph.reduce_max %[[P]] {axes = array<i64: 0>, keep_dims = true}
func.func @short_rows(%x: tensor<6000x24x5xf32>, %y: tensor<6000x24x5xf32>) -> tensor<1x24x1xf32> {
  %0 = graph.subtract %x, %y : (tensor<6000x24x5xf32>, tensor<6000x24x5xf32>) -> tensor<6000x24x5xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0, 2>, keep_dims = true} : (tensor<6000x24x5xf32>) -> tensor<1x24x1xf32>
  return %1 : tensor<1x24x1xf32>
}

// -----

// Rows that fit stay if they are all that is reduced. With an outer dimension,
// as many short rows are slower than two steps.
// CHECK-LABEL: func.func @interleaved
// CHECK:         graph.reduce_max {{.*}} -> tensor<60x1x2x1x1xf16>
// CHECK-NEXT:    graph.reduce_max {{.*}} -> tensor<1x1x2x1x1xf16>
func.func @interleaved(%x: tensor<6000x2x2x5xf16>) -> tensor<1x2x1x1xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 0, 2, 3>, keep_dims = true} : (tensor<6000x2x2x5xf16>) -> tensor<1x2x1x1xf16>
  return %0 : tensor<1x2x1x1xf16>
}

// -----

// Fewer elements than a tile mostly has room for, of which 16 rows are in a
// tile at least.
// CHECK-LABEL: func.func @padded
// CHECK:         graph.reduce_max {{.*}} {axes = array<i64: 3, 4>
// CHECK-NEXT:    graph.reduce_max {{.*}} {axes = array<i64: 2>
func.func @padded(%x: tensor<2x21x100x48xf16>, %z: tensor<1x21x100x1xf16>) -> tensor<2x21x1x1xf16> {
  %0 = graph.add %z, %x : (tensor<1x21x100x1xf16>, tensor<2x21x100x48xf16>) -> tensor<2x21x100x48xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 2, 3>, keep_dims = true} : (tensor<2x21x100x48xf16>) -> tensor<2x21x1x1xf16>
  return %1 : tensor<2x21x1x1xf16>
}
