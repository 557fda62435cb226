// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check | FileCheck %s --check-prefixes=CHECK,VALUES
// RUN: gc-runner --target=npu --mode=cycles %s --json=%t.json | FileCheck %s
// RUN: %python -c "import json; r = json.load(open('%t.json')); print(r['cycles']); assert r['cycles'] <= 144500"

// Tiles of two heights and two widths in one loop, in branches of their own, with
// a panel of A that stays in L1. Each of the four branches drains its tile in
// parts, with flags of its own: more than the pairs of pipes have. No barrier of
// all pipes is needed for that.

// CHECK: (0 of all pipes)
// VALUES: check     passed

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
!a = memref<720x768xf16, #gm>
!b = memref<768x896xf16, #gm>
!y = memref<720x896xf16, #gm>
!panel = memref<6x8x192x16xf16, #l1>
!a1 = memref<8x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
!a0 = memref<12x4x16x16xf16, #l0a>
!b0 = memref<4x16x16x16xf16, #l0b>
!b1 = memref<16x128x16xf16, #l1>
!c = memref<16x12x16x16xf32, #l0c>

func.func private @reference(%a: tensor<720x768xf16>, %b: tensor<768x896xf16>) -> tensor<720x896xf16> {
  %c = graph.matmul %a, %b : (tensor<720x768xf16>, tensor<768x896xf16>) -> tensor<720x896xf16>
  return %c : tensor<720x896xf16>
}

func.func @variants(%a: !a, %b: !b, %y: !y) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %last = arith.constant 11 : index
  %halves = arith.constant 2 : index
  %parts = arith.constant 3 : index
  %steps = arith.constant 96 : index
  %low = arith.constant 3 : index
  %narrow = arith.constant 3 : index
  %c = npu.alloc : !c
  %panel = npu.alloc : !panel
  scf.for %t = %0 to %steps step %1 {
    %k = affine.apply affine_map<(d0) -> (d0 mod 6 * 128)>(%t)
    %step = affine.apply affine_map<(d0) -> (d0 mod 6)>(%t)
    %j = affine.apply affine_map<(d0) -> (d0 floordiv 6 mod 4)>(%t)
    %i = affine.apply affine_map<(d0) -> (d0 floordiv 24)>(%t)
    %r = affine.apply affine_map<(d0) -> (d0 floordiv 24 * 192)>(%t)
    %q = affine.apply affine_map<(d0) -> (d0 floordiv 6 mod 4 * 256)>(%t)
    %isHigh = arith.cmpi slt, %i, %low : index
    %isWide = arith.cmpi slt, %j, %narrow : index
    %isNew = arith.cmpi eq, %j, %0 : index
    %b1 = npu.alloc : !b1
    %a1 = memref.subview %panel[%step, 0, 0, 0] [1, 8, 192, 16] [1, 1, 1, 1] : !panel to !a1
    scf.if %isNew {
    scf.if %isHigh {
      %s = memref.subview %a[%r, %k] [192, 128] [1, 1] : !a to memref<192x128xf16, strided<[768, 1], offset: ?>, #gm>
      %d = memref.subview %a1[0, 0, 0] [8, 192, 16] [1, 1, 1] : !a1 to memref<8x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
      npu.pack %s to %d : memref<192x128xf16, strided<[768, 1], offset: ?>, #gm> to memref<8x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
    } else {
      %s = memref.subview %a[%r, %k] [144, 128] [1, 1] : !a to memref<144x128xf16, strided<[768, 1], offset: ?>, #gm>
      %d = memref.subview %a1[0, 0, 0] [8, 144, 16] [1, 1, 1] : !a1 to memref<8x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
      npu.pack %s to %d : memref<144x128xf16, strided<[768, 1], offset: ?>, #gm> to memref<8x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
    }
    }
    scf.if %isWide {
      %s = memref.subview %b[%k, %q] [128, 256] [1, 1] : !b to memref<128x256xf16, strided<[896, 1], offset: ?>, #gm>
      %d = memref.subview %b1[0, 0, 0] [16, 128, 16] [1, 1, 1] : !b1 to memref<16x128x16xf16, strided<[2048, 16, 1]>, #l1>
      npu.pack %s to %d : memref<128x256xf16, strided<[896, 1], offset: ?>, #gm> to memref<16x128x16xf16, strided<[2048, 16, 1]>, #l1>
    } else {
      %s = memref.subview %b[%k, %q] [128, 128] [1, 1] : !b to memref<128x128xf16, strided<[896, 1], offset: ?>, #gm>
      %d = memref.subview %b1[0, 0, 0] [8, 128, 16] [1, 1, 1] : !b1 to memref<8x128x16xf16, strided<[2048, 16, 1]>, #l1>
      npu.pack %s to %d : memref<128x128xf16, strided<[896, 1], offset: ?>, #gm> to memref<8x128x16xf16, strided<[2048, 16, 1]>, #l1>
    }
    scf.for %h = %0 to %halves step %1 {
      %a0all = npu.alloc : !a0
      %b0all = npu.alloc : !b0
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%step, %h)
      %isFirst = arith.cmpi eq, %number, %0 : index
      %isLast = arith.cmpi eq, %number, %last : index
      %slice = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
      %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
    scf.if %isHigh {
      scf.if %isWide {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 192, 16] [1, 1, 1] : !a1 to memref<4x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [16, 64, 16] [1, 1, 1] : !b1 to memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [12, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 16, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1> to memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to memref<16x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<16x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [16, 12, 16, 16] [1, 1, 1, 1] : !c to memref<16x12x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<16x12x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%p, %r)
            %u = npu.alloc : memref<16x64x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c to memref<16x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [64, 256] [1, 1] : !y to memref<64x256xf16, strided<[896, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<16x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c> to memref<16x64x16xf16, #ub>
            npu.unpack %u to %ys : memref<16x64x16xf16, #ub> to memref<64x256xf16, strided<[896, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      } else {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 192, 16] [1, 1, 1] : !a1 to memref<4x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [8, 64, 16] [1, 1, 1] : !b1 to memref<8x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [12, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1> to memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<8x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !c to memref<8x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<8x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [8, 12, 16, 16] [1, 1, 1, 1] : !c to memref<8x12x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<12x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<8x12x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%p, %r)
            %u = npu.alloc : memref<8x64x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !c to memref<8x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [64, 128] [1, 1] : !y to memref<64x128xf16, strided<[896, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<8x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c> to memref<8x64x16xf16, #ub>
            npu.unpack %u to %ys : memref<8x64x16xf16, #ub> to memref<64x128xf16, strided<[896, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      }
    } else {
      scf.if %isWide {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 144, 16] [1, 1, 1] : !a1 to memref<4x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [16, 64, 16] [1, 1, 1] : !b1 to memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [9, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 16, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1> to memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 3)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [3, 4, 16, 16] [1, 1, 1, 1] : memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<3x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [16, 3, 16, 16] [1, 1, 1, 1] : !c to memref<16x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<3x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<16x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [16, 9, 16, 16] [1, 1, 1, 1] : !c to memref<16x9x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x16x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<16x9x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 3)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 48 + d1)>(%p, %r)
            %u = npu.alloc : memref<16x48x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [16, 3, 16, 16] [1, 1, 1, 1] : !c to memref<16x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [48, 256] [1, 1] : !y to memref<48x256xf16, strided<[896, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<16x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c> to memref<16x48x16xf16, #ub>
            npu.unpack %u to %ys : memref<16x48x16xf16, #ub> to memref<48x256xf16, strided<[896, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      } else {
        %a1s = memref.subview %a1[%slice, 0, 0] [4, 144, 16] [1, 1, 1] : !a1 to memref<4x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
        %b1s = memref.subview %b1[0, %from, 0] [8, 64, 16] [1, 1, 1] : !b1 to memref<8x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
        %a0 = memref.subview %a0all[0, 0, 0, 0] [9, 4, 16, 16] [1, 1, 1, 1] : !a0 to memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        %b0 = memref.subview %b0all[0, 0, 0, 0] [4, 8, 16, 16] [1, 1, 1, 1] : !b0 to memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        npu.load_fractals %a1s to %a0 : memref<4x144x16xf16, strided<[3072, 16, 1], offset: ?>, #l1> to memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>
        npu.load_fractals %b1s to %b0 transposed : memref<8x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1> to memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b>
        scf.if %isFirst {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 3)>(%p)
            %ap = memref.subview %a0[%row, 0, 0, 0] [3, 4, 16, 16] [1, 1, 1, 1] : memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a> to memref<3x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 3, 16, 16] [1, 1, 1, 1] : !c to memref<8x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            npu.matmul %ap, %b0 into %cp initialised : memref<3x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>, memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<8x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
          }
        } else {
          %cs = memref.subview %c[0, 0, 0, 0] [8, 9, 16, 16] [1, 1, 1, 1] : !c to memref<8x9x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
          npu.matmul %a0, %b0 into %cs : memref<9x4x16x16xf16, strided<[1024, 256, 16, 1]>, #l0a>, memref<4x8x16x16xf16, strided<[4096, 256, 16, 1]>, #l0b> into memref<8x9x16x16xf32, strided<[3072, 256, 16, 1]>, #l0c>
        }
        scf.if %isLast {
          scf.for %p = %0 to %parts step %1 {
            %row = affine.apply affine_map<(d0) -> (d0 * 3)>(%p)
            %line = affine.apply affine_map<(d0, d1) -> (d0 * 48 + d1)>(%p, %r)
            %u = npu.alloc : memref<8x48x16xf16, #ub>
            %cp = memref.subview %c[0, %row, 0, 0] [8, 3, 16, 16] [1, 1, 1, 1] : !c to memref<8x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
            %ys = memref.subview %y[%line, %q] [48, 128] [1, 1] : !y to memref<48x128xf16, strided<[896, 1], offset: ?>, #gm>
            npu.drain %cp to %u : memref<8x3x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c> to memref<8x48x16xf16, #ub>
            npu.unpack %u to %ys : memref<8x48x16xf16, #ub> to memref<48x128xf16, strided<[896, 1], offset: ?>, #gm>
          } {npu.pipeline = 4}
        }
      }
    }
    } {npu.pipeline = 2}
  } {npu.pipeline = 4}
  return
}
