// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops over rows that cannot become one, with the reason.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-merge-loops))" --remarks-filter=tir-merge-loops --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(tir-merge-loops))" | FileCheck %s

// REMARK: RowsNotMerged | Category:tir-merge-loops | Function=bounds | Reason="their bounds differ", Remark="loops over rows stay apart"
// CHECK-LABEL: func.func @bounds
// CHECK-COUNT-2: scf.for
func.func @bounds(%x: memref<8xf32>, %y: memref<8xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %x[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c1 to %c4 step %c1 {
      memref.store %v, %y[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
  }
  return
}

// -----

// The second loop needs a sum over all rows of the first.
// REMARK: RowsNotMerged{{.*}} Function=between | Reason="an op between them (memref.store) depends on the first and feeds the second
// CHECK-LABEL: func.func @between
// CHECK-COUNT-2: scf.for
func.func @between(%x: memref<8xf32>, %y: memref<8xf32>, %s: memref<2xf32>, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      memref.store %v, %x[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
    %0 = memref.load %x[%c0] : memref<8xf32>
    memref.store %0, %s[%b] : memref<2xf32>
  }
  tir.parallel (%b) in (2) attributes {merge = 0 : i64} {
    scf.for %r = %c0 to %c4 step %c1 {
      %0 = memref.load %s[%b] : memref<2xf32>
      memref.store %0, %y[%r] : memref<8xf32>
    } {tir.merge = 0 : i64}
  }
  return
}
