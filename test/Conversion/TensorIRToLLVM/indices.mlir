// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices become arithmetic: divisions are unsigned where the loops show that
// what is divided is not negative, and of any sign where not.

// RUN: gc-opt %s --convert-tir-to-llvm --split-input-file | FileCheck %s

// CHECK-LABEL: llvm.func @natural_compute(
// CHECK: ^{{.*}}(%[[I:.*]]: i64):
// CHECK-NOT: llvm.sdiv
// CHECK-NOT: llvm.srem
// CHECK: llvm.udiv %[[I]], %{{.*}}
// CHECK: llvm.urem %[[I]], %{{.*}}
// CHECK-NOT: llvm.select
// CHECK-NOT: affine
func.func @natural(%o: memref<4x8xf32>)
    attributes {tir.entry = "natural", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (32) {
    %row = affine.apply affine_map<(i) -> (i floordiv 8)>(%i)
    %column = affine.apply affine_map<(i) -> (i mod 8)>(%i)
    memref.store %x, %o[%row, %column] : memref<4x8xf32>
  }
  return
}

// -----

// An index that uses another one, of which only the first is a division.
// CHECK-LABEL: llvm.func @nested_compute(
// CHECK: ^{{.*}}(%[[I:.*]]: i64):
// CHECK: %[[Q:.*]] = llvm.udiv %[[I]], %{{.*}}
// CHECK: %[[SCALED:.*]] = llvm.mul %[[Q]], %{{.*}}
// CHECK: llvm.add %[[SCALED]], %{{.*}}
// CHECK-NOT: affine
func.func @nested(%o: memref<40xf32>)
    attributes {tir.entry = "nested", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (32) {
    %row = affine.apply affine_map<(i) -> (i floordiv 8)>(%i)
    %at = affine.apply affine_map<(r) -> (r * 8 + 3)>(%row)
    memref.store %x, %o[%at] : memref<40xf32>
  }
  return
}

// -----

// i - 3 may be negative: the quotient is rounded down.
// CHECK-LABEL: llvm.func @negative_compute(
// CHECK: llvm.sdiv
// CHECK: llvm.select
func.func @negative(%o: memref<8xf32>)
    attributes {tir.entry = "negative", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (8) {
    %half = affine.apply affine_map<(i) -> ((i - 3) floordiv 4 + 1)>(%i)
    memref.store %x, %o[%half] : memref<8xf32>
  }
  return
}

// -----

// The smallest and the largest of several values; what is divided is known to be
// 0 or more, and the least that it is divided from is seen through both.
// CHECK-LABEL: llvm.func @extremes_compute(
// CHECK: ^{{.*}}(%[[I:.*]]: i64):
// CHECK: %[[LESS:.*]] = llvm.add %[[I]], %{{.*}}
// CHECK: %[[MAX:.*]] = llvm.intr.smax(%[[LESS]], %{{.*}})
// CHECK: %[[MIN:.*]] = llvm.intr.umin(%[[MAX]], %{{.*}})
// CHECK-NOT: llvm.sdiv
// CHECK: llvm.udiv %[[MIN]], %{{.*}}
// CHECK-NOT: affine
func.func @extremes(%o: memref<8xf32>)
    attributes {tir.entry = "extremes", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (32) {
    %max = affine.max affine_map<(i) -> (i - 3, 0)>(%i)
    %min = affine.min affine_map<(i) -> (i, 20)>(%max)
    %at = affine.apply affine_map<(i) -> (i floordiv 4)>(%min)
    memref.store %x, %o[%at] : memref<8xf32>
  }
  return
}

// -----

// A minimum of a negative number may be negative.
// CHECK-LABEL: llvm.func @negative_min_compute(
// CHECK: llvm.intr.smin
// CHECK: llvm.sdiv
func.func @negative_min(%o: memref<8xf32>)
    attributes {tir.entry = "negative_min", tir.role = "compute", tir.inputs = 0 : i64, tir.outputs = 1 : i64} {
  %x = arith.constant 1.0 : f32
  tir.parallel (%i) in (8) {
    %min = affine.min affine_map<(i) -> (i - 3, 2)>(%i)
    %at = affine.apply affine_map<(i) -> (i floordiv 4 + 1)>(%min)
    memref.store %x, %o[%at] : memref<8xf32>
  }
  return
}
