// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu --mode=cycles %s --json=%t.json | FileCheck %s
// RUN: %python -c "import json; r = json.load(open('%t.json')); print(r['cycles']); assert r['cycles'] <= 16500000"

// A million instructions, in tiles of two heights: what repeats itself is left out
// where the program is planned.

// CHECK: (0 of all pipes)

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
!a = memref<2032x3712xf16, #gm>
!b = memref<3712x6080xf16, #gm>
!y = memref<2032x6080xf16, #gm>
!panel = memref<58x4x128x16xf16, #l1>
!a1 = memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a0 = memref<8x4x16x16xf16, #l0a>
!b0 = memref<4x8x16x16xf16, #l0b>
!b1 = memref<8x64x16xf16, #l1>
!c = memref<8x8x16x16xf32, #l0c>

func.func private @reference(%a: tensor<2032x3712xf16>, %b: tensor<3712x6080xf16>) -> tensor<2032x6080xf16> {
  %c = graph.matmul %a, %b : (tensor<2032x3712xf16>, tensor<3712x6080xf16>) -> tensor<2032x6080xf16>
  return %c : tensor<2032x6080xf16>
}

func.func @long(%a: !a, %b: !b, %y: !y) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %last = arith.constant 57 : index
  %halves = arith.constant 1 : index
  %parts = arith.constant 1 : index
  %steps = arith.constant 44544 : index
  %low = arith.constant 15 : index
  %narrow = arith.constant 47 : index
  %c = npu.alloc : !c
  %panel = npu.alloc : !panel
  scf.for %t = %0 to %steps step %1 {
    %k = affine.apply affine_map<(d0) -> (d0 mod 58 * 64)>(%t)
    %step = affine.apply affine_map<(d0) -> (d0 mod 58)>(%t)
    %j = affine.apply affine_map<(d0) -> (d0 floordiv 58 mod 48)>(%t)
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 2784)>(%t)
    %r = affine.apply affine_map<(d0) -> (d0 floordiv 2784 * 128)>(%t)
    %q = affine.apply affine_map<(d0) -> (d0 floordiv 58 mod 48 * 128)>(%t)
    %isHigh = arith.cmpi slt, %i, %low : index
    %isWide = arith.cmpi slt, %j, %narrow : index
    %isNew = arith.cmpi eq, %j, %0 : index
    %b1 = npu.alloc : !b1
    %a1 = memref.subview %panel[%step, 0, 0, 0] [1, 4, 128, 16] [1, 1, 1, 1] : !panel to !a1
    scf.if %isNew {
    scf.if %isHigh {
      %s = memref.subview %a[%r, %k] [128, 64] [1, 1] : !a to memref<128x64xf16, strided<[3712, 1], offset: ?>, #gm>
      %d = memref.subview %a1[0, 0, 0] [4, 128, 16] [1, 1, 1] : !a1 to memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
      npu.pack %s to %d : memref<128x64xf16, strided<[3712, 1], offset: ?>, #gm> to memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
    } else {
      %s = memref.subview %a[%r, %k] [112, 64] [1, 1] : !a to memref<112x64xf16, strided<[3712, 1], offset: ?>, #gm>
      %d = memref.subview %a1[0, 0, 0] [4, 112, 16] [1, 1, 1] : !a1 to memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
      npu.pack %s to %d : memref<112x64xf16, strided<[3712, 1], offset: ?>, #gm> to memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
    }
    }
    scf.if %isWide {
      %s = memref.subview %b[%k, %q] [64, 128] [1, 1] : !b to memref<64x128xf16, strided<[6080, 1], offset: ?>, #gm>
      %d = memref.subview %b1[0, 0, 0] [8, 64, 16] [1, 1, 1] : !b1 to memref<8x64x16xf16, strided<[1024, 16, 1]>, #l1>
      npu.pack %s to %d : memref<64x128xf16, strided<[6080, 1], offset: ?>, #gm> to memref<8x64x16xf16, strided<[1024, 16, 1]>, #l1>
    } else {
      %s = memref.subview %b[%k, %q] [64, 64] [1, 1] : !b to memref<64x64xf16, strided<[6080, 1], offset: ?>, #gm>
      %d = memref.subview %b1[0, 0, 0] [4, 64, 16] [1, 1, 1] : !b1 to memref<4x64x16xf16, strided<[1024, 16, 1]>, #l1>
      npu.pack %s to %d : memref<64x64xf16, strided<[6080, 1], offset: ?>, #gm> to memref<4x64x16xf16, strided<[1024, 16, 1]>, #l1>
    }
    scf.for %h = %0 to %halves step %1 {
      %a0all = npu.alloc : !a0
      %b0all = npu.alloc : !b0
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 1 + d1)>(%step, %h)
      %isFirst = arith.cmpi eq, %number, %0 : index
      %isLast = arith.cmpi eq, %number, %last : index
      %slice = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
      %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
    scf.if %isHigh {
      scf.if %isWide {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 128, 16] [1, 1, 1] : !a1 to memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [8, 64, 16] [1, 1, 1] : !b1 to memref<8x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<8x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1> to memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 8, 16, 16] [1, 1, 1, 1] : !c to memref<8x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<8x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [8, 8, 16, 16] [1, 1, 1, 1] : !c to memref<8x8x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<8x8x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1)>(%p, %r)
            %u = npu.alloc : memref<8x128x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 8, 16, 16] [1, 1, 1, 1] : !c to memref<8x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [128, 128] [1, 1] : !y to memref<128x128xf16, strided<[6080, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<8x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c> to memref<8x128x16xf16, #ub>
            npu.unpack %u to %ys : memref<8x128x16xf16, #ub> to memref<128x128xf16, strided<[6080, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      } else {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 128, 16] [1, 1, 1] : !a1 to memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [4, 64, 16] [1, 1, 1] : !b1 to memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x128x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1> to memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<8x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !c to memref<4x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<4x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !c to memref<4x8x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<8x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<4x8x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 8)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 128 + d1)>(%p, %r)
            %u = npu.alloc : memref<4x128x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !c to memref<4x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [128, 64] [1, 1] : !y to memref<128x64xf16, strided<[6080, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<4x8x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c> to memref<4x128x16xf16, #ub>
            npu.unpack %u to %ys : memref<4x128x16xf16, #ub> to memref<128x64xf16, strided<[6080, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      }
    } else {
      scf.if %isWide {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 112, 16] [1, 1, 1] : !a1 to memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [8, 64, 16] [1, 1, 1] : !b1 to memref<8x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [7, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<8x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1> to memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 7)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [7, 4, 16, 16] [1, 1, 1, 1] : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 7, 16, 16] [1, 1, 1, 1] : !c to memref<8x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<8x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [8, 7, 16, 16] [1, 1, 1, 1] : !c to memref<8x7x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x8x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<8x7x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 7)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 112 + d1)>(%p, %r)
            %u = npu.alloc : memref<8x112x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 7, 16, 16] [1, 1, 1, 1] : !c to memref<8x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [112, 128] [1, 1] : !y to memref<112x128xf16, strided<[6080, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<8x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c> to memref<8x112x16xf16, #ub>
            npu.unpack %u to %ys : memref<8x112x16xf16, #ub> to memref<112x128xf16, strided<[6080, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      } else {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 112, 16] [1, 1, 1] : !a1 to memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [4, 64, 16] [1, 1, 1] : !b1 to memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [7, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x112x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1> to memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 7)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [7, 4, 16, 16] [1, 1, 1, 1] : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<7x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [4, 7, 16, 16] [1, 1, 1, 1] : !c to memref<4x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<4x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [4, 7, 16, 16] [1, 1, 1, 1] : !c to memref<4x7x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<7x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x4x16x16xf16, strided<[2048, 256, 16, 1]>, #l0b> into memref<4x7x16x16xf32, strided<[2048, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 7)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 112 + d1)>(%p, %r)
            %u = npu.alloc : memref<4x112x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [4, 7, 16, 16] [1, 1, 1, 1] : !c to memref<4x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [112, 64] [1, 1] : !y to memref<112x64xf16, strided<[6080, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<4x7x16x16xf32, strided<[2048, 256, 16, 1], offset: ?>, #l0c> to memref<4x112x16xf16, #ub>
            npu.unpack %u to %ys : memref<4x112x16xf16, #ub> to memref<112x64xf16, strided<[6080, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      }
    }
    } {npu.pipeline = 2}
  } {npu.pipeline = 3}
  return
}
