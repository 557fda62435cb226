// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=known --check
// RUN: gc-runner --target=npu %s --entry=unknown --check
// RUN: gc-runner --target=npu %s --entry=short --check
// RUN: gc-runner --target=npu %s --entry=tight --check

// Loops of which several iterations are under way: every element arrives once,
// also where the number of iterations is seen at run time only, or is less than
// what is issued ahead.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!tensor = memref<3x640xf16, #gm>
!part = memref<1x128xf16, strided<[640, 1], offset: ?>, #gm>
!tile = memref<1x128xf16, #ub>

func.func private @reference(%x: tensor<3x640xf16>) -> tensor<3x640xf16> {
  %y = graph.relu %x : (tensor<3x640xf16>) -> tensor<3x640xf16>
  return %y : tensor<3x640xf16>
}

// Five iterations, an odd number: slots alternate across the outer loop.
func.func @known(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %128 = arith.constant 128 : index
  %640 = arith.constant 640 : index
  scf.for %r = %0 to %3 step %1 {
    scf.for %i = %0 to %640 step %128 {
      %t = npu.alloc : !tile
      %u = npu.alloc : !tile
      %px = memref.subview %x[%r, %i] [1, 128] [1, 1] : !tensor to !part
      %py = memref.subview %y[%r, %i] [1, 128] [1, 1] : !tensor to !part
      npu.copy %px to %t : !part to !tile
      npu.unary relu %t to %u : !tile to !tile
      npu.copy %u to %py : !tile to !part
    } {npu.pipeline = 3}
  }
  return
}

// The same with bounds that depend on the core, 0.
func.func @unknown(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %128 = arith.constant 128 : index
  %core = npu.core_id
  %end = affine.apply affine_map<(d0) -> (d0 * 128 + 640)>(%core)
  scf.for %r = %0 to %3 step %1 {
    scf.for %i = %0 to %end step %128 {
      %t = npu.alloc : !tile
      %u = npu.alloc : !tile
      %px = memref.subview %x[%r, %i] [1, 128] [1, 1] : !tensor to !part
      %py = memref.subview %y[%r, %i] [1, 128] [1, 1] : !tensor to !part
      npu.copy %px to %t : !part to !tile
      npu.unary relu %t to %u : !tile to !tile
      npu.copy %u to %py : !tile to !part
    } {npu.pipeline = 3}
  }
  return
}

// Loops of 0, 1 and 4 iterations, three of them to be loaded ahead.
func.func @short(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %128 = arith.constant 128 : index
  %core = npu.core_id
  %begin = affine.apply affine_map<(d0) -> (d0)>(%core)
  %first = affine.apply affine_map<(d0) -> (d0 + 128)>(%core)
  %end = affine.apply affine_map<(d0) -> (d0 + 640)>(%core)
  scf.for %r = %0 to %3 step %1 {
    scf.for %i = %begin to %begin step %128 {
      %t = npu.alloc : !tile
      %px = memref.subview %x[%r, %i] [1, 128] [1, 1] : !tensor to !part
      %py = memref.subview %y[%r, %i] [1, 128] [1, 1] : !tensor to !part
      npu.copy %px to %t : !part to !tile
      npu.copy %t to %py : !tile to !part
    } {npu.pipeline = 4}
    scf.for %i = %begin to %first step %128 {
      %t = npu.alloc : !tile
      %px = memref.subview %x[%r, %i] [1, 128] [1, 1] : !tensor to !part
      %py = memref.subview %y[%r, %i] [1, 128] [1, 1] : !tensor to !part
      npu.copy %px to %t : !part to !tile
      npu.unary relu %t to %t : !tile to !tile
      npu.copy %t to %py : !tile to !part
    } {npu.pipeline = 4}
    scf.for %i = %first to %end step %128 {
      %t = npu.alloc : !tile
      %px = memref.subview %x[%r, %i] [1, 128] [1, 1] : !tensor to !part
      %py = memref.subview %y[%r, %i] [1, 128] [1, 1] : !tensor to !part
      npu.copy %px to %t : !part to !tile
      npu.unary relu %t to %t : !tile to !tile
      npu.copy %t to %py : !tile to !part
    } {npu.pipeline = 4}
  }
  return
}

// Buffers of 196608, 32768 and 196608 bytes in each iteration: the first and the
// last share bytes of UB, and values are right all the same.
!all = memref<640xf16, strided<[1]>, #ub>
!row = memref<640xf16, strided<[1], offset: ?>, #gm>
!large = memref<98304xf16, #ub>
func.func @tight(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  scf.for %r = %0 to %3 step %1 {
    %a = npu.alloc : !large
    %b = npu.alloc : memref<16384xf16, #ub>
    %c = npu.alloc : !large
    %as = memref.subview %a[0] [640] [1] : !large to !all
    %bs = memref.subview %b[0] [640] [1] : memref<16384xf16, #ub> to !all
    %cs = memref.subview %c[0] [640] [1] : !large to !all
    %px = memref.subview %x[%r, 0] [1, 640] [1, 1] : !tensor to !row
    %py = memref.subview %y[%r, 0] [1, 640] [1, 1] : !tensor to !row
    npu.copy %px to %as : !row to !all
    npu.unary relu %as to %bs : !all to !all
    npu.copy %bs to %cs : !all to !all
    npu.copy %cs to %py : !all to !row
  }
  return
}
