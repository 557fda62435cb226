// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors at constant distances from each other have one index, to which the
// distance is added last: an instruction adds it for nothing. Here rows of 8 x 16
// elements are 128 apart, and columns of them 16.

// RUN: gc-opt %s --convert-tir-to-llvm | FileCheck %s

// CHECK-LABEL: llvm.func @near_compute(
// CHECK-DAG: %[[ROW:.*]] = llvm.mlir.constant(128 : index) : i64
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(16 : index) : i64
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(32 : index) : i64
// CHECK: %[[INDEX:.*]] = llvm.mul %{{.*}}, %[[ROW]]
// CHECK-NOT: llvm.mul
// CHECK: %[[FIRST:.*]] = llvm.add %[[INDEX]], %[[ONE]]
// CHECK: llvm.getelementptr {{.*}}[%[[FIRST]]]
// CHECK-NOT: llvm.mul
// CHECK: %[[SECOND:.*]] = llvm.add %[[INDEX]], %[[TWO]]
// CHECK: llvm.getelementptr {{.*}}[%[[SECOND]]]
func.func @near(%x: memref<4x8x16xf32>, %y: memref<4x16xf32>)
    attributes {tir.entry = "near", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  tir.parallel (%i) in (4) {
    %0 = vector.load %x[%i, %c1, %c0] : memref<4x8x16xf32>, vector<16xf32>
    %1 = vector.load %x[%i, %c2, %c0] : memref<4x8x16xf32>, vector<16xf32>
    %2 = arith.addf %0, %1 : vector<16xf32>
    vector.store %2, %y[%i, %c0] : memref<4x16xf32>, vector<16xf32>
  }
  return
}
