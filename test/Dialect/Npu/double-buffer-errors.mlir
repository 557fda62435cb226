// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect --pass-pipeline="builtin.module(func.func(npu-double-buffer))" | FileCheck %s

// What is left unchanged, and the remarks about it.

!gm = memref<1024xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// The load needs what the iteration before has stored.
// CHECK-LABEL: func.func @flow
// CHECK: scf.for
// CHECK-NOT: npu.pipeline
// CHECK: return
func.func @flow(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c896 = arith.constant 896 : index
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  scf.for %i = %c0 to %c896 step %c64 {
    %t = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: it may touch what 'npu.copy' of an earlier iteration touches}}
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %xs : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// The first load is issued ahead, the second reads what the body stores.
// CHECK-LABEL: func.func @some
// CHECK: npu.copy
// CHECK: scf.for
// CHECK: scf.if
// CHECK: npu.copy
// CHECK: }
// CHECK-COUNT-3: npu.copy
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @some(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c128 {
    %t = npu.alloc : !ub
    %u = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %ys : !ub to !part
    // expected-remark @below {{is not issued ahead: it may touch what 'npu.copy' before it touches}}
    npu.copy %ys to %u : !part to !ub
    npu.copy %u to %xs : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>

// A buffer outside the loop has one slot: what is loaded ahead would overwrite
// what is still read.
func.func @outside(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %t = npu.alloc : !ub
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  scf.for %i = %c0 to %c1024 step %c128 {
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: it may touch what 'npu.copy' of an earlier iteration touches}}
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>

// Where to load from is known only when something else has run.
func.func @address(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %where = npu.alloc : memref<8xi32, #npu.space<ub>>
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  scf.for %i = %c0 to %c1024 step %c128 {
    %t = npu.alloc : !ub
    %n = npu.load_scalar %where[%c0] : memref<8xi32, #npu.space<ub>> -> i32
    %o = arith.index_cast %n : i32 to index
    %xs = memref.subview %x[%o] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: it needs a result of 'npu.load_scalar'}}
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>

func.func @carried(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  %end = scf.for %i = %c0 to %c1024 step %c128 iter_args(%o = %c0) -> index {
    %t = npu.alloc : !ub
    %xs = memref.subview %x[%o] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: it needs a value that the previous iteration computes}}
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %ys : !ub to !part
    %next = arith.addi %o, %c128 : index
    scf.yield %next : index
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// A program that places flags or barriers itself is left alone, as is what is not
// an op of the machine.
func.func @flags(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = npu.alloc : memref<1024xf16, #npu.space<ub>>
  // expected-remark @below {{is not pipelined: the program places flags or barriers}}
  scf.for %i = %c0 to %c8 step %c1 {
    npu.copy %x to %t : !gm to memref<1024xf16, #npu.space<ub>>
    npu.barrier all
  } {npu.pipeline = 2}
  // expected-remark @below {{is not pipelined: it is not known what 'test.unknown' does}}
  scf.for %i = %c0 to %c8 step %c1 {
    npu.copy %x to %t : !gm to memref<1024xf16, #npu.space<ub>>
    "test.unknown"() : () -> ()
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!all = memref<1024xf16, #npu.space<ub>>

func.func @nothing(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %t = npu.alloc : !all
  // expected-remark @below {{is not pipelined: there is nothing that loads could overlap with}}
  scf.for %i = %c0 to %c8 step %c1 {
    npu.copy %x to %t : !gm to !all
  } {npu.pipeline = 2}
  // expected-remark @below {{is not pipelined: its body loads nothing from global memory}}
  scf.for %i = %c0 to %c8 step %c1 {
    npu.unary relu %t to %t : !all to !all
    npu.copy %t to %x : !all to !gm
  } {npu.pipeline = 2}
  return
}

// -----

// Room for three slots of 256 bytes, of the four that the loop asks for: the load
// is issued one iteration ahead, what is stored has one slot.
!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 1000>>} {
// CHECK-LABEL: func.func @room
// CHECK-NEXT: npu.alloc slots 2 :
// CHECK: npu.copy
// CHECK: scf.for
// CHECK: npu.alloc :
func.func @room(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c128 {
    // expected-remark @below {{has 1 of 2 slots: ub has no room for more with what is alive at the same time}}
    %t = npu.alloc : !ub
    %u = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %u : !part to !ub
    npu.unary relu %u to %t : !ub to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}
}

// -----

// Two slots instead of three: one iteration ahead instead of two.
!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 700>>} {
func.func @fewer(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  // expected-remark @below {{issues its loads 1 iterations ahead instead of 2: there are no more slots}}
  scf.for %i = %c0 to %c1024 step %c128 {
    // expected-remark @below {{has 2 of 3 slots: ub has no room for more with what is alive at the same time}}
    %t = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %t : !part to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 3}
  return
}
}

// -----

// With one slot nothing is loaded ahead. Of two loops, which become one, the outer
// one gives way.
!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 800>>} {
// CHECK-LABEL: func.func @outer
// CHECK-NEXT: npu.alloc slots 2 :
// CHECK: npu.alloc :
// CHECK: scf.for
// CHECK-NOT: scf.for
func.func @outer(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.for %i = %c0 to %c1024 step %c128 {
    // expected-remark @below {{has 1 of 2 slots}}
    %t = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: it may touch what 'npu.binary' of an earlier iteration touches}}
    npu.copy %xs to %t : !part to !ub
    scf.for %j = %c0 to %c1024 step %c128 {
      %u = npu.alloc : !ub
      %xj = memref.subview %x[%j] [128] [1] : !gm to !part
      npu.copy %xj to %u : !part to !ub
      npu.binary add %t, %u to %t : !ub, !ub to !ub
    } {npu.pipeline = 2}
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>

// CHECK-LABEL: func.func @alone
// CHECK-NOT: slots
func.func @alone(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  scf.for %i = %c0 to %c1024 step %c128 {
    // expected-remark @below {{has one slot: its address is given}}
    %t = npu.alloc at 0 : !ub
    // expected-remark @below {{has one slot: a view of it has strides or an offset of its own}}
    %u = npu.alloc : !ub
    %us = memref.reinterpret_cast %u to offset: [0], sizes: [64], strides: [1] : !ub to memref<64xf16, strided<[1]>, #npu.space<ub>>
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    // expected-remark @below {{is not issued ahead: its buffer has one slot}}
    npu.copy %xs to %t : !part to !ub
    npu.unary relu %us to %us : memref<64xf16, strided<[1]>, #npu.space<ub>> to memref<64xf16, strided<[1]>, #npu.space<ub>>
    npu.copy %u to %ys : !ub to !part
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

// Without room even for one slot each nothing is taken; npu-plan-memory reports
// it.
!ub = memref<128xf16, #npu.space<ub>>
!gm = memref<128xf16, #npu.space<gm>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 128>>} {
func.func @none(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // expected-remark @below {{is not pipelined: no op can be issued ahead}}
  scf.for %i = %c0 to %c4 step %c1 {
    // expected-remark @below {{has 1 of 2 slots}}
    %t = npu.alloc : !ub
    // expected-remark @below {{is not issued ahead: its buffer has one slot}}
    npu.copy %x to %t : !gm to !ub
    npu.copy %t to %x : !ub to !gm
  } {npu.pipeline = 2}
  return
}
}

// -----

!gm = memref<4096xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ring = memref<8x128xf16, #npu.space<ub>>
!flat = memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>

// A ring of eight rows: eight iterations ahead is the row that is still used.
func.func @ring(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %ring = npu.alloc : !ring
  // expected-remark @below {{issues its loads 7 iterations ahead instead of 8: there are no more slots}}
  scf.for %i = %c0 to %c4096 step %c128 {
    %r = affine.apply affine_map<(d0) -> (d0 floordiv 128 mod 8)>(%i)
    %row = memref.subview %ring[%r, 0] [1, 128] [1, 1] : !ring to !flat
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %row : !part to !flat
    npu.copy %row to %ys : !flat to !part
  } {npu.pipeline = 9}
  return
}
