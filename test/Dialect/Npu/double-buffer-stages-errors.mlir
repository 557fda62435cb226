// RUN: gc-opt %s --split-input-file --npu-double-buffer --verify-diagnostics | FileCheck %s

!gm = memref<8x128xf16, #npu.space<gm>>
!part = memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// The buffer between the stages is outside of the loop: it has one slot.
// CHECK-LABEL: func.func @one_slot
// CHECK-NOT: npu.stage
func.func @one_slot(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = npu.alloc : !ub
  scf.for %i = %c0 to %c8 step %c1 {
    %a = npu.alloc : !ub
    %xs = memref.subview %x[%i, 0] [1, 128] [1, 1] : !gm to !part
    %ys = memref.subview %y[%i, 0] [1, 128] [1, 1] : !gm to !part
    npu.copy %xs to %a : !part to !ub
    // expected-remark @below {{of stage 0 is issued 0 iterations ahead instead of 1}}
    npu.unary exp %a to %b : !ub to !ub
    npu.copy %b to %ys {npu.stage = 1 : i64} : !ub to !part
  } {npu.pipeline = 3}
  return
}

// -----

// expected-error @below {{'npu.stage' must be an integer from 0 to 255 on an op in the body of scf.for}}
func.func @place() attributes {npu.stage = 1 : i64} {
  return
}
