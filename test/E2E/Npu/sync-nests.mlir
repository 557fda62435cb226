// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check | FileCheck %s --check-prefixes=CHECK,VALUES
// RUN: gc-runner --target=npu --mode=cycles %s --json=%t.json | FileCheck %s
// RUN: %python -c "import json; r = json.load(open('%t.json')); print(r['cycles']); assert r['cycles'] <= 86000"

// A product as two nests of loops, of wide tiles and of a strip of narrow ones. The
// nests share pipes, and flags where that is possible: no barrier of all pipes is
// between them.

// CHECK: (0 of all pipes)
// VALUES: check     passed

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
!a = memref<768x768xf16, #gm>
!b = memref<768x384xf16, #gm>
!y = memref<768x384xf16, #gm>
!as = memref<192x128xf16, strided<[768, 1], offset: ?>, #gm>
!a1 = memref<8x192x16xf16, #l1>
!a1s = memref<4x192x16xf16, strided<[3072, 16, 1], offset: ?>, #l1>
!a0 = memref<12x4x16x16xf16, #l0a>
!a0s = memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
!bm = memref<128x256xf16, strided<[384, 1], offset: ?>, #gm>
!b1m = memref<16x128x16xf16, #l1>
!b1ms = memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!b0m = memref<4x16x16x16xf16, #l0b>
!cm = memref<16x12x16x16xf32, #l0c>
!cms = memref<16x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
!um = memref<16x64x16xf16, #ub>
!ym = memref<64x256xf16, strided<[384, 1], offset: ?>, #gm>
!bn = memref<128x128xf16, strided<[384, 1], offset: ?>, #gm>
!b1n = memref<8x128x16xf16, #l1>
!b1ns = memref<8x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!b0n = memref<4x8x16x16xf16, #l0b>
!cn = memref<8x12x16x16xf32, #l0c>
!cns = memref<8x4x16x16xf32, strided<[3072, 256, 16, 1], offset: ?>, #l0c>
!un = memref<8x64x16xf16, #ub>
!yn = memref<64x128xf16, strided<[384, 1], offset: ?>, #gm>

func.func private @reference(%a: tensor<768x768xf16>, %b: tensor<768x384xf16>) -> tensor<768x384xf16> {
  %c = graph.matmul %a, %b : (tensor<768x768xf16>, tensor<768x384xf16>) -> tensor<768x384xf16>
  return %c : tensor<768x384xf16>
}

func.func @nests(%a: !a, %b: !b, %y: !y) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %parts = arith.constant 3 : index
  %last = arith.constant 11 : index
  %steps = arith.constant 24 : index
  %cm = npu.alloc : !cm
  scf.for %t = %0 to %steps step %1 {
    %step = affine.apply affine_map<(d0) -> (d0 mod 6)>(%t)
    %k = affine.apply affine_map<(d0) -> (d0 mod 6 * 128)>(%t)
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 6 * 192)>(%t)
    %a1 = npu.alloc : !a1
    %b1 = npu.alloc : !b1m
    %as = memref.subview %a[%row, %k] [192, 128] [1, 1] : !a to !as
    %bs = memref.subview %b[%k, 0] [128, 256] [1, 1] : !b to !bm
    npu.pack %as to %a1 : !as to !a1
    npu.pack %bs to %b1 : !bm to !b1m
    scf.for %h = %0 to %2 step %1 {
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%step, %h)
      %isFirst = arith.cmpi eq, %number, %0 : index
      %isLast = arith.cmpi eq, %number, %last : index
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
      %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
      %a0 = npu.alloc : !a0
      %b0 = npu.alloc : !b0m
      %a1s = memref.subview %a1[%block, 0, 0] [4, 192, 16] [1, 1, 1] : !a1 to !a1s
      %b1s = memref.subview %b1[0, %from, 0] [16, 64, 16] [1, 1, 1] : !b1m to !b1ms
      npu.load_fractals %a1s to %a0 : !a1s to !a0
      npu.load_fractals %b1s to %b0 transposed : !b1ms to !b0m
      scf.if %isFirst {
        scf.for %p = %0 to %parts step %1 {
          %line = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
          %ap = memref.subview %a0[%line, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !a0 to !a0s
          %cp = memref.subview %cm[0, %line, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !cm to !cms
          npu.matmul %ap, %b0 into %cp initialised : !a0s, !b0m into !cms
        }
      } else {
        npu.matmul %a0, %b0 into %cm : !a0, !b0m into !cm
      }
      scf.if %isLast {
        scf.for %p = %0 to %parts step %1 {
          %line = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
          %to = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%p, %row)
          %u = npu.alloc : !um
          %cp = memref.subview %cm[0, %line, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !cm to !cms
          %ys = memref.subview %y[%to, 0] [64, 256] [1, 1] : !y to !ym
          npu.drain %cp to %u : !cms to !um
          npu.unpack %u to %ys : !um to !ym
        } {npu.pipeline = 3}
      }
    } {npu.pipeline = 2}
  } {npu.pipeline = 3}
  %cn = npu.alloc : !cn
  scf.for %t = %0 to %steps step %1 {
    %step = affine.apply affine_map<(d0) -> (d0 mod 6)>(%t)
    %k = affine.apply affine_map<(d0) -> (d0 mod 6 * 128)>(%t)
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 6 * 192)>(%t)
    %a1 = npu.alloc : !a1
    %b1 = npu.alloc : !b1n
    %as = memref.subview %a[%row, %k] [192, 128] [1, 1] : !a to !as
    %bs = memref.subview %b[%k, 256] [128, 128] [1, 1] : !b to !bn
    npu.pack %as to %a1 : !as to !a1
    npu.pack %bs to %b1 : !bn to !b1n
    scf.for %h = %0 to %2 step %1 {
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%step, %h)
      %isFirst = arith.cmpi eq, %number, %0 : index
      %isLast = arith.cmpi eq, %number, %last : index
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
      %from = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
      %a0 = npu.alloc : !a0
      %b0 = npu.alloc : !b0n
      %a1s = memref.subview %a1[%block, 0, 0] [4, 192, 16] [1, 1, 1] : !a1 to !a1s
      %b1s = memref.subview %b1[0, %from, 0] [8, 64, 16] [1, 1, 1] : !b1n to !b1ns
      npu.load_fractals %a1s to %a0 : !a1s to !a0
      npu.load_fractals %b1s to %b0 transposed : !b1ns to !b0n
      scf.if %isFirst {
        scf.for %p = %0 to %parts step %1 {
          %line = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
          %ap = memref.subview %a0[%line, 0, 0, 0] [4, 4, 16, 16] [1, 1, 1, 1] : !a0 to !a0s
          %cp = memref.subview %cn[0, %line, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !cn to !cns
          npu.matmul %ap, %b0 into %cp initialised : !a0s, !b0n into !cns
        }
      } else {
        npu.matmul %a0, %b0 into %cn : !a0, !b0n into !cn
      }
      scf.if %isLast {
        scf.for %p = %0 to %parts step %1 {
          %line = affine.apply affine_map<(d0) -> (d0 * 4)>(%p)
          %to = affine.apply affine_map<(d0, d1) -> (d0 * 64 + d1)>(%p, %row)
          %u = npu.alloc : !un
          %cp = memref.subview %cn[0, %line, 0, 0] [8, 4, 16, 16] [1, 1, 1, 1] : !cn to !cns
          %ys = memref.subview %y[%to, 256] [64, 128] [1, 1] : !y to !yn
          npu.drain %cp to %u : !cns to !un
          npu.unpack %u to %ys : !un to !yn
        } {npu.pipeline = 3}
      }
    } {npu.pipeline = 2}
  } {npu.pipeline = 3}
  return
}
