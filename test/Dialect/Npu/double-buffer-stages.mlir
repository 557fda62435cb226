// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(npu-double-buffer),canonicalize,cse)" 2>/dev/null | FileCheck %s

!gm = memref<8x128xf16, #npu.space<gm>>
!part = memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// Each stage is an iteration ahead of the next: the vector unit works on row
// i + 1 while row i is stored. The load is as far ahead as there are slots.

// CHECK-LABEL: func.func @stages
// CHECK-COUNT-2: npu.copy
// CHECK: npu.unary {{.*}}exp
// CHECK: scf.for
// CHECK: scf.if
// CHECK: npu.copy
// CHECK: scf.if
// CHECK: npu.unary {{.*}}exp
// CHECK: npu.copy
// CHECK-NOT: npu.stage
func.func @stages(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %a = npu.alloc : !ub
    %b = npu.alloc : !ub
    %xs = memref.subview %x[%i, 0] [1, 128] [1, 1] : !gm to !part
    %ys = memref.subview %y[%i, 0] [1, 128] [1, 1] : !gm to !part
    npu.copy %xs to %a : !part to !ub
    npu.unary exp %a to %b : !ub to !ub
    npu.copy %b to %ys {npu.stage = 1 : i64} : !ub to !part
  } {npu.pipeline = 3}
  return
}
