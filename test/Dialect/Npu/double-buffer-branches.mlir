// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(npu-double-buffer))" | FileCheck %s

// In a loop with stages, a branch that loads what it computes with is divided: the
// load is issued two iterations ahead, what is computed with it one.

// CHECK-LABEL: func.func @staged(
// CHECK: scf.for %[[I:.*]] = %c0
// CHECK: arith.cmpi slt, %[[I]], %c14
// CHECK: npu.copy %arg0 to
// CHECK: arith.cmpi slt, %[[I]], %c15
// CHECK: npu.unary  relu
// CHECK-NEXT: }
// CHECK: npu.copy %{{.*}} to %arg1
func.func @staged(%x: memref<128xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %t = npu.alloc : memref<128xf16, #npu.space<ub>>
    %some = arith.cmpi uge, %i, %c0 : index
    scf.if %some {
      npu.copy %x to %t : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
      npu.unary relu %t to %t : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
    }
    npu.copy %t to %y {npu.stage = 1 : i64} : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  } {npu.pipeline = 3}
  return
}

// Buffers that only one of the parts uses stay in it, and what comes after the
// first stage is not divided.

// CHECK-LABEL: func.func @buffers(
// CHECK: scf.for
// CHECK: npu.copy %arg0 to
// CHECK: npu.alloc : memref<128xf16
// CHECK-NEXT: npu.unary  abs
// CHECK-NEXT: npu.unary  relu
// CHECK: scf.if
// CHECK: npu.copy %arg0 to
// CHECK-NEXT: npu.unary  abs
func.func @buffers(%x: memref<128xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %t = npu.alloc : memref<128xf16, #npu.space<ub>>
    %some = arith.cmpi uge, %i, %c0 : index
    scf.if %some {
      npu.copy %x to %t : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
      %own = npu.alloc : memref<128xf16, #npu.space<ub>>
      npu.unary abs %t to %own : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
      npu.unary relu %own to %t : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
    }
    npu.copy %t to %y {npu.stage = 1 : i64} : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
    scf.if %some {
      %later = npu.alloc : memref<128xf16, #npu.space<ub>>
      npu.copy %x to %later : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
      npu.unary abs %later to %later : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
    }
  } {npu.pipeline = 3}
  return
}

// Without stages it stays as it is.

// CHECK-LABEL: func.func @plain(
// CHECK: scf.if
// CHECK: npu.copy %arg0 to
// CHECK-NEXT: npu.unary  relu
func.func @plain(%x: memref<128xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c16 = arith.constant 16 : index
  scf.for %i = %c0 to %c16 step %c1 {
    %t = npu.alloc : memref<128xf16, #npu.space<ub>>
    %some = arith.cmpi uge, %i, %c0 : index
    scf.if %some {
      npu.copy %x to %t : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
      npu.unary relu %t to %t : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
    }
    npu.copy %t to %y : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  } {npu.pipeline = 3}
  return
}
