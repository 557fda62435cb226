// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=nest --check
// RUN: gc-runner --target=npu %s --entry=flat --check
// RUN: gc-runner --target=npu --mode=cycles %s --entry=nest --json=%t.nest
// RUN: gc-runner --target=npu --mode=cycles %s --entry=flat --json=%t.flat
// RUN: %python -c "import json; a, b = [json.load(open('%t.' + n))['cycles'] for n in ('nest', 'flat')]; print(a, b); assert a <= 1.02 * b"

// A product as three nested loops takes as long as one whose loops are
// flattened by hand: loads are issued ahead from one run of an inner loop to
// the next, and those of the panel of A while the last tile of the panel before
// is still computed.

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
!gm = memref<512x512xf16, #gm>
!as = memref<256x128xf16, strided<[512, 1], offset: ?>, #gm>
!bs = memref<128x256xf16, strided<[512, 1], offset: ?>, #gm>
!cs = memref<64x256xf16, strided<[512, 1], offset: ?>, #gm>
!panel = memref<4x8x256x16xf16, #l1>
!a1 = memref<8x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!a1s = memref<4x256x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!b1 = memref<16x128x16xf16, #l1>
!b1s = memref<16x64x16xf16, strided<[2048, 16, 1], offset: ?>, #l1>
!a0 = memref<16x4x16x16xf16, #l0a>
!b0 = memref<4x16x16x16xf16, #l0b>
!c0 = memref<16x16x16x16xf32, #l0c>
!c0s = memref<16x4x16x16xf32, strided<[4096, 256, 16, 1], offset: ?>, #l0c>
!u = memref<16x64x16xf16, #ub>

func.func private @reference(%a: tensor<512x512xf16>, %b: tensor<512x512xf16>) -> tensor<512x512xf16> {
  %c = graph.matmul %a, %b : (tensor<512x512xf16>, tensor<512x512xf16>) -> tensor<512x512xf16>
  return %c : tensor<512x512xf16>
}

func.func @nest(%a: !gm, %b: !gm, %y: !gm) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %4 = arith.constant 4 : index
  scf.for %i = %0 to %2 step %1 {
    %row = affine.apply affine_map<(d0) -> (d0 * 256)>(%i)
    %panel = npu.alloc : !panel
    scf.for %p = %0 to %4 step %1 {
      %step = affine.apply affine_map<(d0) -> (d0 * 128)>(%p)
      %as = memref.subview %a[%row, %step] [256, 128] [1, 1] : !gm to !as
      %a1 = memref.subview %panel[%p, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !a1
      npu.pack %as to %a1 : !as to !a1
    }
    scf.for %j = %0 to %2 step %1 {
      %column = affine.apply affine_map<(d0) -> (d0 * 256)>(%j)
      %c = npu.alloc : !c0
      scf.for %k = %0 to %4 step %1 {
        %step = affine.apply affine_map<(d0) -> (d0 * 128)>(%k)
        %b1 = npu.alloc : !b1
        %bs = memref.subview %b[%step, %column] [128, 256] [1, 1] : !gm to !bs
        npu.pack %bs to %b1 : !bs to !b1
        %a1 = memref.subview %panel[%k, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !a1
        scf.for %h = %0 to %2 step %1 {
          %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
          %rows = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
          %number = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%k, %h)
          %first = arith.cmpi eq, %number, %0 : index
          %a0 = npu.alloc : !a0
          %b0 = npu.alloc : !b0
          %a1s = memref.subview %a1[%block, 0, 0] [4, 256, 16] [1, 1, 1] : !a1 to !a1s
          %b1s = memref.subview %b1[0, %rows, 0] [16, 64, 16] [1, 1, 1] : !b1 to !b1s
          npu.load_fractals %a1s to %a0 : !a1s to !a0
          npu.load_fractals %b1s to %b0 transposed : !b1s to !b0
          npu.matmul %a0, %b0 into %c initialise %first : !a0, !b0 into !c0
        } {npu.pipeline = 2}
      } {npu.pipeline = 2}
      scf.for %d = %0 to %4 step %1 {
        %part = affine.apply affine_map<(d0) -> (d0 * 4)>(%d)
        %to = affine.apply affine_map<(d0, d1) -> (d0 * 256 + d1 * 64)>(%i, %d)
        %u = npu.alloc : !u
        %cp = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c0 to !c0s
        npu.drain %cp to %u : !c0s to !u
        %ys = memref.subview %y[%to, %column] [64, 256] [1, 1] : !gm to !cs
        npu.unpack %u to %ys : !u to !cs
      } {npu.pipeline = 2}
    } {npu.pipeline = 2}
  } {npu.pipeline = 2}
  return
}

func.func @flat(%a: !gm, %b: !gm, %y: !gm) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %16 = arith.constant 16 : index
  %panel = npu.alloc : !panel
  %c = npu.alloc : !c0
  scf.for %t = %0 to %16 step %1 {
    %k = affine.apply affine_map<(d0) -> (d0 mod 4)>(%t)
    %step = affine.apply affine_map<(d0) -> (d0 mod 4 * 128)>(%t)
    %row = affine.apply affine_map<(d0) -> (d0 floordiv 8 * 256)>(%t)
    %column = affine.apply affine_map<(d0) -> (d0 floordiv 4 mod 2 * 256)>(%t)
    %inPanel = affine.apply affine_map<(d0) -> (d0 mod 8)>(%t)
    %isFirst = arith.cmpi ult, %inPanel, %4 : index
    %a1 = memref.subview %panel[%k, 0, 0, 0] [1, 8, 256, 16] [1, 1, 1, 1] : !panel to !a1
    scf.if %isFirst {
      %as = memref.subview %a[%row, %step] [256, 128] [1, 1] : !gm to !as
      npu.pack %as to %a1 : !as to !a1
    }
    %b1 = npu.alloc : !b1
    %bs = memref.subview %b[%step, %column] [128, 256] [1, 1] : !gm to !bs
    npu.pack %bs to %b1 : !bs to !b1
    scf.for %h = %0 to %2 step %1 {
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%h)
      %rows = affine.apply affine_map<(d0) -> (d0 * 64)>(%h)
      %number = affine.apply affine_map<(d0, d1) -> (d0 * 2 + d1)>(%k, %h)
      %first = arith.cmpi eq, %number, %0 : index
      %a0 = npu.alloc : !a0
      %b0 = npu.alloc : !b0
      %a1s = memref.subview %a1[%block, 0, 0] [4, 256, 16] [1, 1, 1] : !a1 to !a1s
      %b1s = memref.subview %b1[0, %rows, 0] [16, 64, 16] [1, 1, 1] : !b1 to !b1s
      npu.load_fractals %a1s to %a0 : !a1s to !a0
      npu.load_fractals %b1s to %b0 transposed : !b1s to !b0
      npu.matmul %a0, %b0 into %c initialise %first : !a0, !b0 into !c0
    } {npu.pipeline = 2}
    %isLast = arith.cmpi eq, %k, %3 : index
    scf.if %isLast {
      scf.for %d = %0 to %4 step %1 {
        %part = affine.apply affine_map<(d0) -> (d0 * 4)>(%d)
        %to = affine.apply affine_map<(d0, d1) -> (d0 floordiv 8 * 256 + d1 * 64)>(%t, %d)
        %u = npu.alloc : !u
        %cp = memref.subview %c[0, %part, 0, 0] [16, 4, 16, 16] [1, 1, 1, 1] : !c0 to !c0s
        npu.drain %cp to %u : !c0s to !u
        %ys = memref.subview %y[%to, %column] [64, 256] [1, 1] : !gm to !cs
        npu.unpack %u to %ys : !u to !cs
      } {npu.pipeline = 2}
    }
  } {npu.pipeline = 2}
  return
}
