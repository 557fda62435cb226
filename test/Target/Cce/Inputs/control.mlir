// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the front end does: loops, branches, arithmetic. Two cores copy rows of
// 32 numbers, which row to which place comes out of the control flow.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!rows = memref<64x32xf16, #gm>
!row = memref<32xf16, strided<[1], offset: ?>, #gm>
!buffers = memref<32xf16, #ub>
!buffer = memref<32xf16, strided<[1], offset: ?>, #ub>

func.func private @reference(%x: tensor<64x32xf16>) -> tensor<64x32xf16> {
  %y = graph.relu %x : (tensor<64x32xf16>) -> tensor<64x32xf16>
  return %y : tensor<64x32xf16>
}

func.func @control(%x: !rows, %y: !rows)
    attributes {npu.kernel, npu.cores = 2, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %7 = arith.constant 7 : index
  %minus_5 = arith.constant -5 : index
  %32 = arith.constant 32 : index
  %small = arith.constant 100 : i8
  %buffers = npu.alloc slots 2 at 0 : !buffers
  %core = npu.core_id
  %first = arith.muli %core, %32 : index
  %slot_0 = npu.slot %buffers[%0] : !buffers to !buffer
  %slot_1 = npu.slot %buffers[%1] : !buffers to !buffer

  // A pair of numbers and a pair of buffers that change places.
  %a, %b, %p, %q = scf.for %i = %0 to %7 step %1
      iter_args(%a = %0, %b = %1, %p = %slot_0, %q = %slot_1) -> (index, index, !buffer, !buffer) {
    %sum = arith.addi %a, %b : index
    %place = arith.remui %sum, %32 : index
    %at = arith.addi %first, %place : index
    %from = memref.subview %x[%at, 0] [1, 32] [1, 1] : !rows to !row
    %row = arith.addi %first, %i : index
    %to = memref.subview %y[%row, 0] [1, 32] [1, 1] : !rows to !row
    npu.dma %from to %p length 64 : !row to !buffer
    npu.barrier all
    npu.dma %p to %to length 64 : !buffer to !row
    npu.barrier all
    scf.yield %b, %sum, %q, %p : index, index, !buffer, !buffer
  }

  // Collatz: 7 takes 16 steps; and divisions of negative numbers.
  %n, %steps = scf.while (%n = %7, %steps = %0) : (index, index) -> (index, index) {
    %more = arith.cmpi ne, %n, %1 : index
    scf.condition(%more) %n, %steps : index, index
  } do {
  ^bb0(%m: index, %s: index):
    %rest = arith.remsi %m, %2 : index
    %odd = arith.cmpi ne, %rest, %0 : index
    %next = scf.if %odd -> index {
      %triple = arith.muli %m, %3 : index
      %plus = arith.addi %triple, %1 : index
      scf.yield %plus : index
    } else {
      %halved = arith.divsi %m, %2 : index
      scf.yield %halved : index
    }
    %count = arith.addi %s, %1 : index
    scf.yield %next, %count : index, index
  }
  scf.for %i = %0 to %7 step %1 {
    %shifted = arith.addi %i, %minus_5 : index
    %which = affine.apply affine_map<(i)[n] -> ((i - 5) floordiv 2 + (i - 5) mod 3 + n ceildiv 3)>(%i)[%steps]
    %other = arith.floordivsi %shifted, %2 : index
    %high = arith.maxsi %which, %other : index
    %case = arith.remui %i, %3 : index
    %add = scf.index_switch %case -> index
    case 0 {
      scf.yield %3 : index
    }
    case 1 {
      %wide = arith.extsi %small : i8 to i32
      %doubled = arith.addi %small, %small : i8
      %negative = arith.extsi %doubled : i8 to i32
      %difference = arith.subi %wide, %negative : i32
      %index = arith.index_cast %difference : i32 to index
      %rest = arith.remsi %index, %7 : index
      scf.yield %rest : index
    }
    default {
      %float = arith.constant 2.750000e+00 : f32
      %half = arith.truncf %float : f32 to f16
      %sum = arith.addf %half, %half : f16
      %small_2 = arith.fptosi %sum : f16 to i32
      %big = arith.cmpf ogt, %sum, %half : f16
      %one = arith.extui %big : i1 to i32
      %total = arith.addi %small_2, %one : i32
      %index = arith.index_cast %total : i32 to index
      scf.yield %index : index
    }
    %sum = arith.addi %high, %add : index
    %bounded = arith.remui %sum, %32 : index
    %at = arith.addi %first, %bounded : index
    %row_0 = arith.addi %i, %7 : index
    %row = arith.addi %first, %row_0 : index
    %from = memref.subview %x[%at, 0] [1, 32] [1, 1] : !rows to !row
    %to = memref.subview %y[%row, 0] [1, 32] [1, 1] : !rows to !row
    npu.dma %from to %p length 64 : !row to !buffer
    npu.barrier all
    npu.dma %p to %to length 64 : !buffer to !row
    npu.barrier all
  }
  return
}
