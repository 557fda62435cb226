// RUN: gc-opt --convert-npu-to-llvm --canonicalize --cse %s | FileCheck %s

// Calls, in the order of the program; addresses are numbers: ub is space 2 in
// the upper four bits. The address of a buffer comes from the simulator.

// CHECK-LABEL: llvm.func @calls(
// CHECK-SAME: %[[CORE:.*]]: !llvm.ptr, %[[X:.*]]: i64, %[[Z:.*]]: i64)
// CHECK-NOT: npu.kernel
// CHECK-DAG: %[[UB:.*]] = llvm.mlir.constant(2305843009213694208 : i64)
// CHECK-DAG: %[[C256:.*]] = llvm.mlir.constant(256 : i64)
// CHECK-DAG: %[[NONE:.*]] = llvm.mlir.constant(-1 : i32)
// CHECK-DAG: %[[MTE2:.*]] = llvm.mlir.constant(4 : i32)
// CHECK-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i64)
// CHECK: %[[A:.*]] = llvm.call @gc_npu_alloc(%[[CORE]], %{{.*}}, %[[UB]], %[[C256]])
// CHECK: %[[POINTER:.*]] = llvm.inttoptr %[[A]]
// CHECK: %[[TO:.*]] = llvm.ptrtoint %[[POINTER]]
// CHECK: llvm.call @gc_npu_dma(%[[CORE]], %{{.*}}, %[[TO]], %{{.*}}, %{{.*}}, %[[C256]], %[[C256]], %[[C256]], %[[NONE]])
// CHECK: llvm.call @gc_npu_set_flag(%[[CORE]], %{{.*}}, %[[MTE2]], %{{.*}}, %[[C0]])
// CHECK: llvm.call @gc_npu_wait_flag
// CHECK: llvm.call @gc_npu_vector
// CHECK: llvm.call @gc_npu_barrier
// CHECK: llvm.call @gc_npu_dma
// CHECK: llvm.return
func.func @calls(%x: memref<128xf16, #npu.space<gm>>, %z: memref<128xf16, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 256 : memref<128xf16, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  npu.set_flag mte2 -> v [%c0]
  npu.wait_flag mte2 -> v [%c0]
  npu.vector relu (%a) to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  npu.barrier all
  npu.dma %a to %z length 256 : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<gm>>
  return
}

// A view is a number of elements past the address: row i of 128 elements of two
// bytes.

// CHECK-LABEL: llvm.func @loop(
// CHECK-SAME: %[[CORE:.*]]: !llvm.ptr, %[[X:.*]]: i64)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(2 : i64)
// CHECK-DAG: %[[C256:.*]] = llvm.mlir.constant(256 : i64)
// CHECK-DAG: %[[ROW:.*]] = llvm.mlir.constant(128 : index)
// CHECK: llvm.cond_br
// CHECK: llvm.call @gc_npu_iteration(%[[CORE]], %{{.*}})
// The slot of the iteration.
// CHECK: llvm.call @gc_npu_slot(%[[CORE]], %{{.*}}, %{{.*}}, %[[I:.*]], %[[TWO]], %[[C256]], %[[C256]])
// CHECK: llvm.call @gc_npu_scalar(%[[CORE]])
// CHECK: %[[ELEMENTS:.*]] = llvm.mul %[[I]], %[[ROW]]
// CHECK: %[[FROM:.*]] = llvm.call @gc_npu_offset(%[[CORE]], %{{.*}}, %{{.*}}, %[[ELEMENTS]], %[[TWO]])
// CHECK: llvm.call @gc_npu_dma(%[[CORE]], %{{.*}}, %{{.*}}, %[[FROM]],
func.func @loop(%x: memref<8x128xf16, #npu.space<gm>>) attributes {npu.kernel, npu.cores = 2} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %b = npu.alloc slots 2 at 0 : memref<128xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c8 step %c1 {
    %row = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<8x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    %slot = npu.slot %b[%i] : memref<128xf16, #npu.space<ub>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    %first = arith.cmpi eq, %i, %c0 : index
    scf.if %first {
      npu.barrier all
    }
    npu.dma %row to %slot length 256 : memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
  }
  return
}

// Slots are at the alignment of their space: 100 bytes take 128 in UB, and the
// last one its own size.

// CHECK-LABEL: llvm.func @slots(
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(356 : i64)
// CHECK: llvm.call @gc_npu_alloc(%{{.*}}, %{{.*}}, %{{.*}}, %[[BYTES]])
func.func @slots() attributes {npu.kernel} {
  %b = npu.alloc slots 3 at 0 : memref<50xf16, #npu.space<ub>>
  return
}

// A scalar is loaded as a double and converted to the element type.

// CHECK-LABEL: llvm.func @scalar(
// CHECK: %[[V:.*]] = llvm.call @gc_npu_load_scalar
// CHECK-SAME: -> f64
// CHECK: llvm.fptrunc %[[V]] : f64 to f32
// CHECK: llvm.fdiv
// CHECK: %[[R:.*]] = llvm.fpext %{{.*}} : f32 to f64
// CHECK: llvm.call @gc_npu_vector({{.*}}, %[[R]])
func.func @scalar() attributes {npu.kernel} {
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f32
  %a = npu.alloc at 0 : memref<64xf32, #npu.space<ub>>
  %s = npu.load_scalar %a[%c1] : memref<64xf32, #npu.space<ub>> -> f32
  %r = arith.divf %one, %s : f32
  npu.vector muls (%a), %r to %a : (memref<64xf32, #npu.space<ub>>) to memref<64xf32, #npu.space<ub>>
  return
}

// Steps and divisors that are not constants are checked at run time. The one
// division that overflows is one by one.

// CHECK-LABEL: llvm.func @checks(
// CHECK-SAME: %[[CORE:.*]]: !llvm.ptr)
// CHECK: %[[ID:.*]] = llvm.call @gc_npu_core_id
// CHECK-NOT: llvm.call
// CHECK: llvm.udiv
// CHECK: %[[NONZERO:.*]] = llvm.icmp "ne" %[[ID]]
// CHECK: %[[DIVISOR:.*]] = llvm.zext %[[NONZERO]]
// CHECK: llvm.call @gc_npu_check_divisor(%[[CORE]], %{{.*}}, %[[DIVISOR]])
// CHECK: llvm.select
// CHECK: %[[STEP:.*]] = llvm.sdiv
// CHECK: llvm.call @gc_npu_check_step(%[[CORE]], %{{.*}}, %[[STEP]])
// CHECK: llvm.br
func.func @checks() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %id = npu.core_id
  %seventh = arith.divui %id, %c7 : index
  %step = arith.divsi %seventh, %id : index
  scf.for %i = %c0 to %c7 step %step {
    npu.barrier all
  }
  return
}

// Functions that are not kernels stay.
// CHECK-LABEL: func.func @other
func.func @other(%x: i32) -> i32 {
  return %x : i32
}
