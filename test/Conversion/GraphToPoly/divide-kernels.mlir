// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --poly-cut-kernels | FileCheck %s
// RUN: gc-opt %s --split-input-file --poly-cut-kernels --remarks-filter-missed=poly-cut-kernels --remark-format=emitRemark 2>&1 >%t.mlir | FileCheck %s --check-prefix=REMARK

// What is reduced is stored, too, and is no product of the cube unit then: the
// vector unit would need 6000 rows of both operands in a tile. A kernel of its
// own adds the columns up.
// CHECK-LABEL: func.func @sums_0
// CHECK-NEXT:    graph.subtract
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @sums_1
// CHECK-SAME:    tensor<6000x40xf16>) -> tensor<1x40xf16>
// CHECK-NEXT:    graph.reduce_sum
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @sums
// REMARK: [Missed] Divide{{.*}}Reason="{{.*}} reduces 6000 elements, which have to be in one tile{{.*}}", Remark="'graph.reduce_sum' is not in the kernel of 'graph.subtract'"
func.func @sums(%x: tensor<6000x40xf16>, %y: tensor<6000x40xf16>) -> (tensor<6000x40xf16>, tensor<1x40xf16>) {
  %d = graph.subtract %x, %y : (tensor<6000x40xf16>, tensor<6000x40xf16>) -> tensor<6000x40xf16>
  %v = graph.reduce_sum %d {axes = array<i64: 0>, keep_dims = true} : (tensor<6000x40xf16>) -> tensor<1x40xf16>
  return %d, %v : tensor<6000x40xf16>, tensor<1x40xf16>
}

// -----

// What follows what is stored is in the second kernel, where the first one's
// result is loaded.
// CHECK-LABEL: func.func @squares_0
// CHECK-NEXT:    graph.subtract
// CHECK-NEXT:    graph.abs
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @squares_1
// CHECK-NEXT:    graph.type_cast
// CHECK-NEXT:    graph.multiply
// CHECK-NEXT:    graph.reduce_sum
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @squares
// REMARK: 'graph.reduce_sum' is not in the kernel of 'graph.abs'
func.func @squares(%x: tensor<6000x40xf16>, %y: tensor<6000x40xf16>) -> (tensor<6000x40xf16>, tensor<1x40xf32>) {
  %0 = graph.subtract %x, %y : (tensor<6000x40xf16>, tensor<6000x40xf16>) -> tensor<6000x40xf16>
  %1 = graph.abs %0 : (tensor<6000x40xf16>) -> tensor<6000x40xf16>
  %2 = graph.type_cast %1 : tensor<6000x40xf16> -> tensor<6000x40xf32>
  %3 = graph.multiply %2, %2 : (tensor<6000x40xf32>, tensor<6000x40xf32>) -> tensor<6000x40xf32>
  %4 = graph.reduce_sum %3 {axes = array<i64: 0>, keep_dims = true} : (tensor<6000x40xf32>) -> tensor<1x40xf32>
  return %1, %4 : tensor<6000x40xf16>, tensor<1x40xf32>
}

// -----

// A kernel that fits stays one.
// CHECK-LABEL: func.func @few
// CHECK-NEXT:    graph.subtract
// CHECK-NEXT:    graph.reduce_sum
// CHECK-NEXT:    return
// REMARK-NOT: Divide
func.func @few(%x: tensor<100x40xf16>, %y: tensor<100x40xf16>) -> (tensor<100x40xf16>, tensor<1x40xf16>) {
  %d = graph.subtract %x, %y : (tensor<100x40xf16>, tensor<100x40xf16>) -> tensor<100x40xf16>
  %v = graph.reduce_sum %d {axes = array<i64: 0>, keep_dims = true} : (tensor<100x40xf16>) -> tensor<1x40xf16>
  return %d, %v : tensor<100x40xf16>, tensor<1x40xf16>
}

// -----

// So does one that stores nothing before, and one that no division helps: a
// prime number of rows of f32 has no room either way.
// CHECK-LABEL: func.func @alone
// CHECK-NEXT:    graph.subtract
// CHECK-NEXT:    graph.reduce_max
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @prime
// CHECK-NEXT:    graph.subtract
// CHECK-NEXT:    graph.reduce_max
// CHECK-NEXT:    return
func.func @alone(%x: tensor<6007x40xf32>, %y: tensor<6007x40xf32>) -> tensor<1x40xf32> {
  %0 = graph.subtract %x, %y : (tensor<6007x40xf32>, tensor<6007x40xf32>) -> tensor<6007x40xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<6007x40xf32>) -> tensor<1x40xf32>
  return %1 : tensor<1x40xf32>
}
func.func @prime(%x: tensor<6007x40xf32>, %y: tensor<6007x40xf32>) -> (tensor<6007x40xf32>, tensor<1x40xf32>) {
  %0 = graph.subtract %x, %y : (tensor<6007x40xf32>, tensor<6007x40xf32>) -> tensor<6007x40xf32>
  %1 = graph.reduce_max %0 {axes = array<i64: 0>, keep_dims = true} : (tensor<6007x40xf32>) -> tensor<1x40xf32>
  return %0, %1 : tensor<6007x40xf32>, tensor<1x40xf32>
}
