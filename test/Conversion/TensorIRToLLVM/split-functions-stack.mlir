// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --convert-tir-to-llvm=part-ops=4 | FileCheck %s

// Memory of the frame is handed to the parts that come after it.

// CHECK-LABEL: llvm.func @stack_compute(
// CHECK:         %[[ONE:.*]] = llvm.mlir.constant(1 : i64)
// CHECK-NEXT:    %[[SLOT:.*]] = llvm.alloca %[[ONE]] x i64
// CHECK:         llvm.call @stack_compute_part({{.*}}, %[[SLOT]])
// CHECK-NEXT:    llvm.call @stack_compute_part_0({{.*}}, %[[SLOT]])
// CHECK-LABEL: llvm.func internal @stack_compute_part(
// CHECK-SAME:    %[[S:[^:]*]]: !llvm.ptr)
// CHECK:         llvm.store %{{.*}}, %[[S]]
// CHECK:         llvm.return
func.func @stack(%a: memref<13xi64>, %b: memref<13xi64>)
    attributes {tir.entry = "stack", tir.role = "compute", tir.inputs = 1 : i64, tir.outputs = 1 : i64} {
  %one = llvm.mlir.constant(1 : i64) : i64
  %slot = llvm.alloca %one x i64 : (i64) -> !llvm.ptr
  tir.parallel (%i) in (13) {
    %0 = memref.load %a[%i] : memref<13xi64>
    llvm.store %0, %slot : i64, !llvm.ptr
    memref.store %0, %b[%i] : memref<13xi64>
  }
  tir.parallel (%i) in (13) {
    %0 = memref.load %a[%i] : memref<13xi64>
    llvm.store %0, %slot : i64, !llvm.ptr
    memref.store %0, %b[%i] : memref<13xi64>
  }
  return
}
