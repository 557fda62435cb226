// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Merged loops are one region of the trace, under both names. A loop whose group
// was not merged is lowered like any other: with a barrier between the two.

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(tir-merge-loops),convert-tir-to-llvm{trace})" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(convert-tir-to-llvm{trace})" | FileCheck %s --check-prefix=APART

// CHECK-NOT: gc_barrier_wait
// CHECK: @f_module_region_0("scores|context\00")
// CHECK-NOT: @f_module_region_1
// CHECK-NOT: tir.

// APART: llvm.call @gc_barrier_wait
// APART: @f_module_region_0("scores\00")
// APART: @f_module_region_1("context\00")
// APART-NOT: tir.

func.func @f(%a: memref<4x8xf32>, %s: memref<4x8xf32>, %o: memref<4x8xf32>)
    attributes {tir.entry = "f", tir.role = "compute", tir.inputs = 1 : i64,
                tir.outputs = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "scores"} {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %a[%i, %j] : memref<4x8xf32>
      memref.store %x, %s[%i, %j] : memref<4x8xf32>
    } {tir.merge = 0 : i64}
  }
  tir.parallel (%i) in (4) attributes {merge = 0 : i64, name = "context"} {
    scf.for %j = %c0 to %c8 step %c1 {
      %x = memref.load %s[%i, %j] : memref<4x8xf32>
      memref.store %x, %o[%i, %j] : memref<4x8xf32>
    } {tir.merge = 0 : i64}
  }
  return
}
