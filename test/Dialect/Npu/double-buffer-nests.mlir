// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(npu-double-buffer))" 2>/dev/null | FileCheck %s

!gm = memref<12x256xf16, #npu.space<gm>>
!out = memref<3x128xf16, #npu.space<gm>>
!part = memref<1x128xf16, strided<[256, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// Two marked loops become one of 3 x 4 iterations, so that the loads of the next
// run are issued ahead. What follows the inner loop is guarded.

// CHECK-LABEL: func.func @nest
// CHECK: %[[END:.*]] = arith.constant 12 : index
// CHECK: scf.for %[[T:.*]] = %{{.*}} to %[[END]]
// CHECK: scf.if
// CHECK: npu.copy
// CHECK: npu.binary {{.*}}add
// CHECK: scf.if
// CHECK: npu.copy
// CHECK-NOT: scf.for
func.func @nest(%x: !gm, %y: !out) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %s = npu.alloc : !ub
    scf.for %k = %c0 to %c4 step %c1 {
      %t = npu.alloc : !ub
      %r = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %k)
      %xs = memref.subview %x[%r, 0] [1, 128] [1, 1] : !gm to !part
      npu.copy %xs to %t : !part to !ub
      npu.binary add %s, %t to %s : !ub, !ub to !ub
    } {npu.pipeline = 2}
    %ys = memref.subview %y[%i, 0] [1, 128] [1, 1] : !out to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
    npu.copy %s to %ys : !ub to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<12x256xf16, #npu.space<gm>>
!part = memref<1x128xf16, strided<[256, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// Only the inner loop is marked: it stays a loop of its own.

// CHECK-LABEL: func.func @inner
// CHECK: scf.for
// CHECK: scf.for
func.func @inner(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c0 to %c3 step %c1 {
    scf.for %k = %c0 to %c4 step %c1 {
      %t = npu.alloc : !ub
      %r = affine.apply affine_map<(d0, d1) -> (d0 * 4 + d1)>(%i, %k)
      %xs = memref.subview %x[%r, 0] [1, 128] [1, 1] : !gm to !part
      %ys = memref.subview %y[%r, 0] [1, 128] [1, 1] : !gm to !part
      npu.copy %xs to %t : !part to !ub
      npu.unary exp %t to %t : !ub to !ub
      npu.copy %t to %ys : !ub to !part
    } {npu.pipeline = 2}
  }
  return
}

// -----

!gm = memref<1024x128xf16, #npu.space<gm>>
!part = memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// A ring of five rows in the program itself, whose index is a remainder of a
// remainder: 0 1 2 3 4 0 1 2 3, and again. Three iterations ahead meet no row
// that is still used; four would.

// CHECK-LABEL: func.func @ring
// CHECK-COUNT-3: npu.copy
// CHECK: scf.for
func.func @ring(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1024 = arith.constant 1024 : index
  %ring = npu.alloc : memref<5x128xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c1024 step %c1 {
    %n = affine.apply affine_map<(d0) -> (d0 mod 9 mod 5)>(%i)
    %t = memref.subview %ring[%n, 0] [1, 128] [1, 1] : memref<5x128xf16, #npu.space<ub>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>>
    %xs = memref.subview %x[%i, 0] [1, 128] [1, 1] : !gm to !part
    %ys = memref.subview %y[%i, 0] [1, 128] [1, 1] : !gm to !part
    npu.copy %xs to %t : !part to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>>
    npu.unary exp %t to %t : memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>> to memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>>
    npu.copy %t to %ys : memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<ub>> to !part
  } {npu.pipeline = 4}
  return
}
