// RUN: gc-opt %s --npu-insert-sync --split-input-file \
// RUN:   --remarks-filter-missed=npu-insert-sync --remark-format=emitRemark 2>&1 | FileCheck %s

// What the pass had to do slowly, and why: remarks come first.

// CHECK: remark: [Missed] Unknown | Category:npu-insert-sync | {{.*}}Reason="its condition is not known", Suggestion="compute it from constants, loop variables and npu.core_id only"
// CHECK: remark: [Missed] Barriers | Category:npu-insert-sync | {{.*}}Reason="loop bounds or conditions are not known; a barrier of all pipes precedes each instruction"
// CHECK: remark: [Missed] Unknown | Category:npu-insert-sync | {{.*}}Reason="an address is not known"

!row = memref<1024xf16, #npu.space<ub>>

// A branch on a loaded value: its direction is not known at compile time.

// CHECK-LABEL: func.func @branch
// CHECK: npu.barrier all
// CHECK-NEXT: npu.vector exp
// CHECK: scf.if
// CHECK-NEXT: npu.barrier all
// CHECK-NEXT: npu.vector abs
func.func @branch() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f16
  %a = npu.alloc at 0 : !row
  npu.vector exp (%a) to %a repeat 8 : (!row) to !row
  %v = npu.load_scalar %a[%c0] : !row -> f16
  %negative = arith.cmpf olt, %v, %zero : f16
  scf.if %negative {
    npu.vector abs (%a) to %a repeat 8 : (!row) to !row
  }
  return
}

// -----

!row = memref<1024xf16, #npu.space<ub>>
!rows = memref<4x1024xf16, #npu.space<ub>>
!some = memref<1x1024xf16, strided<[1024, 1], offset: ?>, #npu.space<ub>>
!gm = memref<4096xf16, #npu.space<gm>>

// An argument says which row: it may be any.

// CHECK-LABEL: func.func @row
// CHECK: npu.dma
// CHECK-NEXT: npu.set_flag mte2 -> v
// CHECK: npu.wait_flag mte2 -> v
// CHECK-NEXT: npu.vector exp
func.func @row(%x: !gm, %n: index) attributes {npu.kernel} {
  %a = npu.alloc at 0 : !rows
  %b = npu.alloc at 8192 : !row
  npu.dma %x to %a length 8192 : !gm to !rows
  %r = memref.subview %a[%n, 0] [1, 1024] [1, 1] : !rows to !some
  npu.vector exp (%r) to %b repeat 8 : (!some) to !row
  return
}
