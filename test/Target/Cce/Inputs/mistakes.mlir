// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mistakes that only numbers at run time make: they come from the number of the
// core, 0, which is not known before.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!x = memref<128xf16, #gm>
!part = memref<128xf16, strided<[1], offset: ?>, #gm>
!tile = memref<128xf16, #ub>
!view = memref<128xf16, strided<[1], offset: ?>, #ub>

func.func @neighbour() attributes {npu.kernel} {
  %16 = arith.constant 16 : index
  %one = arith.constant 1.0 : f32
  %core = npu.core_id
  %at = arith.addi %core, %16 : index
  %a = npu.alloc at 512 : !tile
  %b = npu.alloc at 768 : !tile
  npu.vector dup(), %one to %b : () to !tile
  %view = memref.subview %a[%at] [128] [1] : !tile to !view
  npu.vector dup(), %one to %view : () to !view
  return
}

func.func @slot_of_another() attributes {npu.kernel} {
  %minus_16 = arith.constant -16 : index
  %one = arith.constant 1.0 : f32
  %core = npu.core_id
  %1 = arith.constant 1 : index
  %at = arith.addi %core, %minus_16 : index
  %a = npu.alloc slots 2 at 512 : !tile
  %slot = npu.slot %a[%1] : !tile to !view
  %view = memref.subview %slot[%at] [128] [1] : !view to !view
  npu.vector dup(), %one to %view : () to !view
  return
}

func.func @negative_slot() attributes {npu.kernel} {
  %minus_1 = arith.constant -1 : index
  %one = arith.constant 1.0 : f32
  %core = npu.core_id
  %at = arith.addi %core, %minus_1 : index
  %a = npu.alloc slots 2 at 512 : !tile
  %slot = npu.slot %a[%at] : !tile to !view
  npu.vector dup(), %one to %slot : () to !view
  return
}

func.func @element() attributes {npu.kernel} {
  %128 = arith.constant 128 : index
  %core = npu.core_id
  %at = arith.addi %core, %128 : index
  %a = npu.alloc at 0 : !tile
  %number = npu.load_scalar %a[%at] : !tile -> f16
  %wide = arith.extf %number : f16 to f32
  npu.vector dup(), %wide to %a : () to !tile
  return
}

func.func @in_front(%x: !x) attributes {npu.kernel} {
  %minus_16 = arith.constant -16 : index
  %core = npu.core_id
  %at = arith.addi %core, %minus_16 : index
  %a = npu.alloc at 0 : !tile
  %part = memref.subview %x[%at] [128] [1] : !x to !part
  npu.dma %part to %a length 256 : !part to !tile
  return
}

func.func @far(%x: !x, %y: !x) attributes {npu.kernel} {
  %tib = arith.constant 549755813888 : index
  %core = npu.core_id
  %at = arith.addi %core, %tib : index
  %a = npu.alloc at 0 : !tile
  %part = memref.subview %y[%at] [128] [1] : !x to !part
  npu.dma %part to %a length 256 : !part to !tile
  return
}

func.func @division() attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %7 = arith.constant 7 : index
  %core = npu.core_id
  %end = arith.floordivsi %7, %core : index
  scf.for %i = %0 to %end step %7 {
    npu.barrier all
  }
  return
}

func.func @remainder() attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %7 = arith.constant 7 : index
  %core = npu.core_id
  %end = affine.apply affine_map<(a)[s] -> (a mod s)>(%7)[%core]
  scf.for %i = %0 to %end step %7 {
    npu.barrier all
  }
  return
}

func.func @step() attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %minus_2 = arith.constant -2 : index
  %7 = arith.constant 7 : index
  %core = npu.core_id
  %step = arith.addi %core, %minus_2 : index
  scf.for %i = %0 to %7 step %step {
    npu.barrier all
  }
  return
}
