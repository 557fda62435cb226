// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check | FileCheck %s --check-prefixes=CHECK,VALUES
// RUN: gc-runner --target=npu --mode=cycles %s --json=%t.json | FileCheck %s
// RUN: %python -c "import json; r = json.load(open('%t.json')); print(r['cycles']); assert r['cycles'] <= 6300"

// exp(q k^T) v with the cube and the vector unit at work on different tiles: scores
// of tile t, exponentials of tile t - 1, products of tile t - 2, the result of tile
// t - 3. Each goes through an inner loop of its own, under conditions of its own,
// so most pairs of pipes have more dependences than flags. Single flags are set
// and waited for further out, or the first pipe waits for the second; no barrier
// of all pipes is needed.

// CHECK: (0 of all pipes)
// VALUES: check     passed

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
!q = memref<192x32xf16, #gm>
!kv = memref<256x32xf16, #gm>
!row = memref<16x32xf16, strided<[32, 1], offset: ?>, #gm>
!q1 = memref<2x16x16xf16, #l1>
!qu = memref<2x16x16xf16, #ub>
!q0 = memref<1x2x16x16xf16, #l0a>
!kv1 = memref<2x256x16xf16, #l1>
!kv1s = memref<2x64x16xf16, strided<[4096, 16, 1], offset: ?>, #l1>
!k0 = memref<2x4x16x16xf16, #l0b>
!v0 = memref<4x2x16x16xf16, #l0b>
!s = memref<16x1x16x16xf32, #l0c>
!ss = memref<4x1x16x16xf32, strided<[256, 256, 16, 1], offset: ?>, #l0c>
!pu = memref<2x16x16x16xf16, #ub>
!pus = memref<4x16x16xf16, strided<[256, 16, 1], offset: ?>, #ub>
!p1 = memref<2x16x16x16xf16, #l1>
!p1s = memref<4x16x16xf16, strided<[256, 16, 1], offset: ?>, #l1>
!p0 = memref<1x4x16x16xf16, #l0a>
!o = memref<2x2x1x16x16xf32, #l0c>
!os = memref<2x1x16x16xf32, strided<[256, 256, 16, 1], offset: ?>, #l0c>

func.func private @reference(%q: tensor<192x32xf16>, %k: tensor<256x32xf16>, %v: tensor<256x32xf16>) -> tensor<192x32xf16> {
  %s = graph.matmul %q, %k {transpose_b = true} : (tensor<192x32xf16>, tensor<256x32xf16>) -> tensor<192x256xf16>
  %c = graph.constant dense<0.125> : tensor<f16>
  %x = graph.multiply %s, %c : (tensor<192x256xf16>, tensor<f16>) -> tensor<192x256xf16>
  %p = graph.exp %x : (tensor<192x256xf16>) -> tensor<192x256xf16>
  %o = graph.matmul %p, %v : (tensor<192x256xf16>, tensor<256x32xf16>) -> tensor<192x32xf16>
  return %o : tensor<192x32xf16>
}

func.func @attention(%q: !q, %k: !kv, %v: !kv, %y: !q) attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %blocks = arith.constant 4 : index
  %tiles = arith.constant 12 : index
  %tiles1 = arith.constant 13 : index
  %tiles2 = arith.constant 14 : index
  %tiles3 = arith.constant 15 : index
  %scale = arith.constant 0.125 : f32
  %k1 = npu.alloc : !kv1
  %v1 = npu.alloc : !kv1
  %s = npu.alloc : !s
  %pu = npu.alloc : !pu
  %p1 = npu.alloc : !p1
  %o = npu.alloc : !o
  npu.pack %k to %k1 : !kv to !kv1
  npu.pack %v to %v1 : !kv to !kv1
  scf.for %t = %0 to %tiles3 step %1 {
    %isScore = arith.cmpi slt, %t, %tiles : index
    %from1 = arith.cmpi sge, %t, %1 : index
    %to1 = arith.cmpi slt, %t, %tiles1 : index
    %isExp = arith.andi %from1, %to1 : i1
    %from2 = arith.cmpi sge, %t, %2 : index
    %to2 = arith.cmpi slt, %t, %tiles2 : index
    %isSum = arith.andi %from2, %to2 : i1
    %isOut = arith.cmpi sge, %t, %3 : index
    %even = affine.apply affine_map<(d0) -> (d0 mod 2)>(%t)
    %odd = affine.apply affine_map<(d0) -> ((d0 + 1) mod 2)>(%t)

    // Scores of tile t.
    %q1 = npu.alloc : !q1
    %q0 = npu.alloc : !q0
    %qu = npu.alloc : !qu
    scf.if %isScore {
      %row = affine.apply affine_map<(d0) -> (d0 * 16)>(%t)
      %qs = memref.subview %q[%row, 0] [16, 32] [1, 1] : !q to !row
      npu.pack %qs to %qu : !row to !qu
      npu.scalar muls %qu, %scale to %qu : !qu to !qu
      npu.copy %qu to %q1 : !qu to !q1
      npu.load_fractals %q1 to %q0 : !q1 to !q0
    }
    scf.for %i = %0 to %blocks step %1 {
      %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      %k0 = npu.alloc : !k0
      scf.if %isScore {
        %ks = memref.subview %k1[0, %at, 0] [2, 64, 16] [1, 1, 1] : !kv1 to !kv1s
        %ss = memref.subview %s[%block, 0, 0, 0] [4, 1, 16, 16] [1, 1, 1, 1] : !s to !ss
        npu.load_fractals %ks to %k0 : !kv1s to !k0
        npu.matmul %q0, %k0 into %ss initialised : !q0, !k0 into !ss
      }
    } {npu.pipeline = 2}

    // Exponentials of tile t - 1; products of tile t - 2 with V.
    scf.for %i = %0 to %blocks step %1 {
      %at = affine.apply affine_map<(d0) -> (d0 * 64)>(%i)
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      scf.if %isExp {
        %from = memref.subview %pu[%odd, %block, 0, 0] [1, 4, 16, 16] [1, 1, 1, 1] : !pu to !pus
        %to = memref.subview %p1[%odd, %block, 0, 0] [1, 4, 16, 16] [1, 1, 1, 1] : !p1 to !p1s
        npu.unary exp %from to %from : !pus to !pus
        npu.copy %from to %to : !pus to !p1s
      }
      %p0 = npu.alloc : !p0
      %v0 = npu.alloc : !v0
      scf.if %isSum {
        %ps = memref.subview %p1[%even, %block, 0, 0] [1, 4, 16, 16] [1, 1, 1, 1] : !p1 to !p1s
        %vs = memref.subview %v1[0, %at, 0] [2, 64, 16] [1, 1, 1] : !kv1 to !kv1s
        %os = memref.subview %o[%even, 0, 0, 0, 0] [1, 2, 1, 16, 16] [1, 1, 1, 1, 1] : !o to !os
        npu.load_fractals %ps to %p0 : !p1s to !p0
        npu.load_fractals %vs to %v0 transposed : !kv1s to !v0
        %isFirst = arith.cmpi eq, %i, %0 : index
        npu.matmul %p0, %v0 into %os initialise %isFirst : !p0, !v0 into !os
      }
    } {npu.pipeline = 2}

    // The scores leave the cube; so does the result of tile t - 3.
    scf.for %i = %0 to %blocks step %1 {
      %block = affine.apply affine_map<(d0) -> (d0 * 4)>(%i)
      scf.if %isScore {
        %to = memref.subview %pu[%even, %block, 0, 0] [1, 4, 16, 16] [1, 1, 1, 1] : !pu to !pus
        %ss = memref.subview %s[%block, 0, 0, 0] [4, 1, 16, 16] [1, 1, 1, 1] : !s to !ss
        npu.drain %ss to %to : !ss to !pus
      }
    }
    scf.if %isOut {
      %row = affine.apply affine_map<(d0) -> (d0 * 16 - 48)>(%t)
      %u = npu.alloc : !qu
      %os = memref.subview %o[%odd, 0, 0, 0, 0] [1, 2, 1, 16, 16] [1, 1, 1, 1, 1] : !o to !os
      %ys = memref.subview %y[%row, 0] [16, 32] [1, 1] : !q to !row
      npu.drain %os to %u : !os to !qu
      npu.unpack %u to %ys : !qu to !row
    }
  }
  return
}
