// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check | FileCheck %s

// Six products of 80x48x48 whose results leave in five parts, four in a loop and a
// shorter one after it: more dependences between the same pipes than the machine
// has flags. No barrier of all pipes is needed for that.

// CHECK: (0 of all pipes)
// CHECK: check     passed

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
!a = memref<6x80x48xf16, #gm>
!b = memref<6x48x48xf16, #gm>
!as = memref<80x48xf16, strided<[48, 1], offset: ?>, #gm>
!bs = memref<48x48xf16, strided<[48, 1], offset: ?>, #gm>
!a1 = memref<3x80x16xf16, #l1>
!b1 = memref<3x48x16xf16, #l1>
!a0 = memref<5x3x16x16xf16, #npu.space<l0a>>
!a0s = memref<1x3x16x16xf16, strided<[768, 256, 16, 1], offset: ?>, #npu.space<l0a>>
!b0 = memref<3x3x16x16xf16, #npu.space<l0b>>
!c = memref<3x5x16x16xf32, #npu.space<l0c>>
!cs = memref<3x1x16x16xf32, strided<[1280, 256, 16, 1], offset: ?>, #npu.space<l0c>>
!u = memref<3x16x16xf16, #ub>
!ys = memref<16x48xf16, strided<[48, 1], offset: ?>, #gm>

func.func private @reference(%a: tensor<6x80x48xf16>, %b: tensor<6x48x48xf16>) -> tensor<6x80x48xf16> {
  %c = graph.matmul %a, %b : (tensor<6x80x48xf16>, tensor<6x48x48xf16>) -> tensor<6x80x48xf16>
  return %c : tensor<6x80x48xf16>
}

func.func @parts(%a: !a, %b: !b, %y: !a) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %5 = arith.constant 5 : index
  %6 = arith.constant 6 : index
  %c = npu.alloc : !c
  scf.for %i = %0 to %6 step %1 {
    %a1 = npu.alloc : !a1
    %b1 = npu.alloc : !b1
    %as = memref.subview %a[%i, 0, 0] [1, 80, 48] [1, 1, 1] : !a to !as
    %bs = memref.subview %b[%i, 0, 0] [1, 48, 48] [1, 1, 1] : !b to !bs
    npu.pack %as to %a1 : !as to !a1
    npu.pack %bs to %b1 : !bs to !b1
    scf.for %k = %0 to %1 step %1 {
      %a0 = npu.alloc : !a0
      %b0 = npu.alloc : !b0
      npu.load_fractals %a1 to %a0 : !a1 to !a0
      npu.load_fractals %b1 to %b0 transposed : !b1 to !b0
      scf.for %p = %0 to %5 step %1 {
        %ap = memref.subview %a0[%p, 0, 0, 0] [1, 3, 16, 16] [1, 1, 1, 1] : !a0 to !a0s
        %cp = memref.subview %c[0, %p, 0, 0] [3, 1, 16, 16] [1, 1, 1, 1] : !c to !cs
        npu.matmul %ap, %b0 into %cp initialised : !a0s, !b0 into !cs
      }
      %isLast = arith.cmpi eq, %k, %0 : index
      scf.if %isLast {
        scf.for %p = %0 to %4 step %1 {
          %u = npu.alloc : !u
          %row = affine.apply affine_map<(d0) -> (d0 * 16)>(%p)
          %cp = memref.subview %c[0, %p, 0, 0] [3, 1, 16, 16] [1, 1, 1, 1] : !c to !cs
          %ys = memref.subview %y[%i, %row, 0] [1, 16, 48] [1, 1, 1] : !a to !ys
          npu.drain %cp to %u : !cs to !u
          npu.unpack %u to %ys : !u to !ys
        } {npu.pipeline = 4}
        %u = npu.alloc : !u
        %cp = memref.subview %c[0, %4, 0, 0] [3, 1, 16, 16] [1, 1, 1, 1] : !c to !cs
        %ys = memref.subview %y[%i, 64, 0] [1, 16, 48] [1, 1, 1] : !a to !ys
        npu.drain %cp to %u : !cs to !u
        npu.unpack %u to %ys : !u to !ys
      }
    } {npu.pipeline = 2}
  } {npu.pipeline = 4}
  return
}
