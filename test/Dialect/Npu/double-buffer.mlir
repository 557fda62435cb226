// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(npu-double-buffer),canonicalize,cse)" 2>/dev/null | FileCheck %s

!gm = memref<1024xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// The example of the pass's description.
// CHECK-DAG: #[[$MAP0:.*]] = affine_map<(d0) -> (d0 * 128 + 128)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0) -> (d0 + 1)>
// CHECK-LABEL: func.func @example
// CHECK-SAME: %[[X:[^:]*]]: memref<1024xf16, #npu.space<gm>>, %[[Y:[^:]*]]: memref
// CHECK-DAG: %[[C0:.*]] = arith.constant 0 : index
// CHECK-DAG: %[[C7:.*]] = arith.constant 7 : index
// CHECK-DAG: %[[C8:.*]] = arith.constant 8 : index
// CHECK: %[[B:.*]] = npu.alloc slots 2 : memref<128xf16, #npu.space<ub>>
// CHECK-NEXT: %[[S0:.*]] = npu.slot %[[B]][%[[C0]]]
// CHECK: memref.subview %[[X]][0] [128] [1]
// CHECK: npu.copy %{{.*}} to %[[S0]]
// CHECK: scf.for %[[I:.*]] = %[[C0]] to %[[C8]] step
// CHECK-NEXT: %[[MORE:.*]] = arith.cmpi slt, %[[I]], %[[C7]]
// CHECK-NEXT: scf.if %[[MORE]] {
// CHECK-NEXT: %[[AHEAD:.*]] = affine.apply #[[$MAP1]](%[[I]])
// CHECK-NEXT: %[[S1:.*]] = npu.slot %[[B]][%[[AHEAD]]]
// CHECK-NEXT: %[[NEXT:.*]] = affine.apply #[[$MAP0]](%[[I]])
// CHECK-NEXT: %[[X1:.*]] = memref.subview %[[X]][%[[NEXT]]] [128] [1]
// CHECK-NEXT: npu.copy %[[X1]] to %[[S1]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[S:.*]] = npu.slot %[[B]][%[[I]]]
// CHECK: %[[Y1:.*]] = memref.subview %[[Y]]
// CHECK-NEXT: npu.unary {{ *}}relu %[[S]] to %[[S]]
// CHECK-NEXT: npu.copy %[[S]] to %[[Y1]]
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @example(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %t = npu.alloc : !ub
    %o = affine.apply affine_map<(d0) -> (d0 * 128)>(%i)
    %xs = memref.subview %x[%o] [128] [1] : !gm to !part
    %ys = memref.subview %y[%o] [128] [1] : !gm to !part
    npu.copy %xs to %t : !part to !ub
    npu.unary relu %t to %t : !ub to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<384xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// Three iterations of the inner loop: slots alternate across outer ones, by 3 m
// + i, and 3 m is m modulo 2. The loop's own step does not matter.
// CHECK-DAG: #[[$MAP0:.*]] = affine_map<(d0, d1) -> (d0 + d1 floordiv 128 + 1)>
// CHECK-DAG: #[[$MAP1:.*]] = affine_map<(d0, d1) -> (d1 + d0 floordiv 128)>
// CHECK-LABEL: func.func @linear
// CHECK: %[[B:.*]] = npu.alloc slots 2
// CHECK: scf.for %[[M:.*]] = %{{.*}} to %{{.*}} step
// CHECK: npu.slot %[[B]][%[[M]]]
// CHECK: scf.for %[[I:.*]] =
// CHECK: %[[AHEAD:.*]] = affine.apply #[[$MAP0]](%[[M]], %[[I]])
// CHECK: npu.slot %[[B]][%[[AHEAD]]]
// CHECK: %[[NOW:.*]] = affine.apply #[[$MAP1]](%[[I]], %[[M]])
// CHECK: npu.slot %[[B]][%[[NOW]]]
func.func @linear(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %c128 = arith.constant 128 : index
  %c384 = arith.constant 384 : index
  scf.for %m = %c0 to %c5 step %c1 {
    scf.for %i = %c0 to %c384 step %c128 {
      %t = npu.alloc : !ub
      %xs = memref.subview %x[%i] [128] [1] : !gm to !part
      %ys = memref.subview %y[%i] [128] [1] : !gm to !part
      npu.copy %xs to %t : !part to !ub
      npu.copy %t to %ys : !ub to !part
    } {npu.pipeline = 2}
  }
  return
}

// -----

!gm = memref<512xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// Two iterations ahead. A buffer that only one pipe uses has one slot and stays
// in the body.
// CHECK-DAG: #[[$MAP0:.*]] = affine_map<(d0) -> (d0 + 256)>
// CHECK-LABEL: func.func @three
// CHECK: npu.alloc slots 3
// CHECK: npu.copy
// CHECK: npu.copy
// CHECK: scf.for %[[I:.*]] = %c0 to %c512 step
// CHECK: arith.cmpi slt, %[[I]], %c256
// CHECK-NEXT: scf.if
// CHECK: affine.apply #[[$MAP0]]
// CHECK: npu.copy
// CHECK-NEXT: }
// CHECK: npu.alloc :
// CHECK: npu.unary
// CHECK: npu.copy
// CHECK-NOT: npu.copy
// CHECK: return
func.func @three(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c512 = arith.constant 512 : index
  scf.for %i = %c0 to %c512 step %c128 {
    %t = npu.alloc : !ub
    %v = npu.alloc : !ub
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %t : !part to !ub
    npu.unary relu %t to %v : !ub to !ub
    npu.unary exp %v to %t : !ub to !ub
    npu.copy %t to %ys : !ub to !part
  } {npu.pipeline = 3}
  return
}

// -----

!gm = memref<?xf16, strided<[1]>, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// Bounds that are not known: a prologue that may run less often. The same memory
// is read and written, in parts of its own each iteration.
// CHECK-DAG: #[[$SLOT:.*]] = affine_map<(d0, d1)[s0] -> (d0 floordiv 128 + d1 * (s0 ceildiv 128))>
// CHECK-DAG: #[[$END:.*]] = affine_map<()[s0] -> (s0 - 128)>
// CHECK-DAG: #[[$LEAST:.*]] = affine_map<()[s0] -> (128, s0)>
// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: %[[N:[^:]*]]: index
// CHECK: scf.for %[[M:.*]] =
// CHECK: %[[FIRST:.*]] = affine.min #[[$LEAST]]()[%[[N]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[FIRST]] step %c128
// CHECK: affine.apply #[[$SLOT]](%[[I]], %[[M]])[%[[N]]]
// CHECK: npu.copy
// CHECK-NEXT: }
// CHECK: %[[END:.*]] = affine.apply #[[$END]]()[%[[N]]]
// CHECK: scf.for %[[I:.*]] = %c0 to %[[N]] step %c128
// CHECK: arith.cmpi slt, %[[I]], %[[END]]
// CHECK-NEXT: scf.if
// CHECK: npu.copy
// CHECK-NEXT: }
// CHECK: npu.unary
// CHECK-NEXT: npu.copy
// CHECK-NOT: npu.copy
// CHECK: return
func.func @dynamic(%x: !gm, %n: index) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c128 = arith.constant 128 : index
  scf.for %m = %c0 to %c2 step %c1 {
    scf.for %i = %c0 to %n step %c128 {
      %t = npu.alloc : !ub
      %xs = memref.subview %x[%i] [128] [1] : !gm to !part
      npu.copy %xs to %t : !part to !ub
      npu.unary relu %t to %t : !ub to !ub
      npu.copy %t to %xs : !ub to !part
    } {npu.pipeline = 2}
  }
  return
}

// -----

// The GEMM of one tile: slices in L1 come from global memory, slices in L0 from
// L1. Loads of the outer loop are issued ahead; those of the inner one need not
// be, since they come from L1. A panel that the first tile loads for all is
// written ahead as well: each iteration has a part of its own.
// CHECK-DAG: #[[$MAP0:.*]] = affine_map<(d0) -> (d0 + 128)>
// CHECK-LABEL: func.func @gemm
// CHECK-DAG: %[[A:.*]] = npu.alloc slots 2 : memref<16x4x16x16xf16, #npu.space<l0a>>
// CHECK-DAG: %[[B:.*]] = npu.alloc slots 2 : memref<8x256x16xf16, #npu.space<l1>>
// CHECK-DAG: %[[PANEL:.*]] = npu.alloc : memref<64x256x16xf16, #npu.space<l1>>
// CHECK: npu.pack
// CHECK: npu.pack
// CHECK: scf.for %[[K:.*]] =
// CHECK: %[[NEXT:.*]] = affine.apply #[[$MAP0]](%[[K]])
// CHECK: memref.subview %{{.*}}[0, %[[NEXT]]]
// CHECK: scf.if
// CHECK: npu.pack
// CHECK: npu.slot %[[B]]
// CHECK: npu.pack
// CHECK: scf.for
// CHECK: memref.subview %[[PANEL]]
// CHECK: npu.slot %[[A]]
// CHECK: npu.load_fractals
// CHECK: npu.matmul
// CHECK-NOT: npu.matmul
// CHECK: return
!a = memref<256x1024xf16, #npu.space<gm>>
!slice = memref<256x128xf16, strided<[1024, 1], offset: ?>, #npu.space<gm>>
!l1 = memref<8x256x16xf16, #npu.space<l1>>
!panel = memref<64x256x16xf16, #npu.space<l1>>
!l1_part = memref<8x256x16xf16, strided<[4096, 16, 1], offset: ?>, #npu.space<l1>>
!l1_half = memref<4x256x16xf16, strided<[4096, 16, 1], offset: ?>, #npu.space<l1>>
!l0a = memref<16x4x16x16xf16, #npu.space<l0a>>
!l0b = memref<4x16x16x16xf16, #npu.space<l0b>>
!l0c = memref<16x16x16x16xf32, #npu.space<l0c>>
func.func @gemm(%a: !a, %b: !a, %first: i1) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  %panel = npu.alloc : !panel
  %c = npu.alloc : !l0c
  scf.for %k = %c0 to %c1024 step %c128 {
    %k16 = affine.apply affine_map<(d0) -> (d0 floordiv 16)>(%k)
    %as = memref.subview %a[0, %k] [256, 128] [1, 1] : !a to !slice
    %bs = memref.subview %b[0, %k] [256, 128] [1, 1] : !a to !slice
    %a1 = memref.subview %panel[%k16, 0, 0] [8, 256, 16] [1, 1, 1] : !panel to !l1_part
    scf.if %first {
      npu.pack %as to %a1 : !slice to !l1_part
    }
    %b1 = npu.alloc : !l1
    npu.pack %bs to %b1 : !slice to !l1
    scf.for %kk = %c0 to %c8 step %c4 {
      %ka = affine.apply affine_map<(d0, d1) -> (d0 + d1)>(%k16, %kk)
      %ah = memref.subview %panel[%ka, 0, 0] [4, 256, 16] [1, 1, 1] : !panel to !l1_half
      %bh = memref.subview %b1[%kk, 0, 0] [4, 256, 16] [1, 1, 1] : !l1 to !l1_half
      %a0 = npu.alloc : !l0a
      %b0 = npu.alloc : !l0b
      npu.load_fractals %ah to %a0 : !l1_half to !l0a
      npu.load_fractals %bh to %b0 : !l1_half to !l0b
      npu.matmul %a0, %b0 into %c : !l0a, !l0b into !l0c
    } {npu.pipeline = 2}
  } {npu.pipeline = 2}
  return
}

// -----

!gm = memref<4x128xf16, #npu.space<gm>>
!row = memref<1x128xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
!ub = memref<1x128xf16, #npu.space<ub>>

// Views of the buffer become views of the slot; what the loop carries, it carries
// still.
// CHECK-LABEL: func.func @views
// CHECK: npu.slot
// CHECK: %[[F:.*]] = scf.for {{.*}} iter_args(%[[SUM:.*]] = %{{.*}}) -> (f32)
// CHECK: npu.slot
// CHECK: npu.copy
// CHECK: %[[S:.*]] = npu.slot
// CHECK: %[[FLAT:.*]] = memref.collapse_shape %[[S]] {{.*}} into memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
// CHECK: %[[HALF:.*]] = memref.subview %[[FLAT]][64] [64] [1] : {{.*}} to memref<64xf16, strided<[1], offset: ?>, #npu.space<ub>>
// CHECK: npu.unary {{ *}}exp %[[HALF]]
// CHECK: %[[MORE:.*]] = arith.addf %[[SUM]]
// CHECK: scf.yield %[[MORE]]
// CHECK: return %[[F]]
func.func @views(%x: !gm, %f: f32) -> f32 attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %last = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %f) -> f32 {
    %t = npu.alloc : !ub
    %flat = memref.collapse_shape %t [[0, 1]] : !ub into memref<128xf16, #npu.space<ub>>
    %half = memref.subview %flat[64] [64] [1] : memref<128xf16, #npu.space<ub>> to memref<64xf16, strided<[1], offset: 64>, #npu.space<ub>>
    %xs = memref.subview %x[%i, 0] [1, 128] [1, 1] : !gm to !row
    npu.copy %xs to %t : !row to !ub
    npu.unary exp %half to %half : memref<64xf16, strided<[1], offset: 64>, #npu.space<ub>> to memref<64xf16, strided<[1], offset: 64>, #npu.space<ub>>
    %more = arith.addf %sum, %f : f32
    scf.yield %more : f32
  } {npu.pipeline = 2}
  return %last : f32
}

// -----

!gm = memref<4096xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ring = memref<8x128xf16, #npu.space<ub>>
!flat = memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>

// A ring of the program's own, one row per iteration modulo 8: three iterations
// ahead meet no row that is still used.
// CHECK-LABEL: func.func @ring
// CHECK: npu.alloc : memref<8x128xf16
// CHECK-COUNT-3: npu.copy
// CHECK: scf.for
// CHECK: scf.if
// CHECK: npu.copy
// CHECK: npu.unary
// CHECK: npu.copy
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @ring(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c4096 = arith.constant 4096 : index
  %ring = npu.alloc : !ring
  scf.for %i = %c0 to %c4096 step %c128 {
    %r = affine.apply affine_map<(d0) -> (d0 floordiv 128 mod 8)>(%i)
    %row = memref.subview %ring[%r, 0] [1, 128] [1, 1] : !ring to !flat
    %xs = memref.subview %x[%i] [128] [1] : !gm to !part
    %ys = memref.subview %y[%i] [128] [1] : !gm to !part
    npu.copy %xs to %row : !part to !flat
    npu.unary relu %row to %row : !flat to !flat
    npu.copy %row to %ys : !flat to !part
  } {npu.pipeline = 4}
  return
}

// -----

!gm = memref<64x1024xf16, #npu.space<gm>>
!row = memref<1024xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<1024xf16, #npu.space<ub>>
!one = memref<16xf16, #npu.space<ub>>

// The front end waits for the maximum: it is computed one iteration ahead, loads
// come three iterations ahead, and the prologue alternates in the same way.
// CHECK-LABEL: func.func @waits
// CHECK-COUNT-3: npu.copy
// CHECK: npu.vector {{ *}}reduce_max
// CHECK: scf.for %[[I:.*]] = %c0 to %c64 step
// CHECK: arith.cmpi slt, %[[I]], %c61
// CHECK-NEXT: scf.if
// CHECK: npu.copy
// CHECK: arith.cmpi slt, %[[I]], %c63
// CHECK-NEXT: scf.if
// CHECK: npu.vector {{ *}}reduce_max
// CHECK-NEXT: }
// CHECK: scf.for
// CHECK: npu.load_scalar
// CHECK: npu.scalar
// CHECK: npu.copy
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @waits(%x: !gm, %y: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c1 {
    %t = npu.alloc : !ub
    %m = npu.alloc : !one
    %xs = memref.subview %x[%i, 0] [1, 1024] [1, 1] : !gm to !row
    %ys = memref.subview %y[%i, 0] [1, 1024] [1, 1] : !gm to !row
    npu.copy %xs to %t : !row to !ub
    npu.vector reduce_max (%t) to %m repeat 8 : (!ub) to !one
    scf.for %j = %c0 to %c8 step %c1 {
      %s = npu.load_scalar %m[%j] : !one -> f16
      %w = arith.extf %s : f16 to f32
      npu.scalar muls %t, %w to %t : !ub to !ub
    }
    npu.copy %t to %ys : !ub to !row
  } {npu.pipeline = 4}
  return
}

// -----

!gm = memref<1024xf16, #npu.space<gm>>
!part = memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
!ub = memref<128xf16, #npu.space<ub>>

// Loops may count in integers.
// CHECK-DAG: #[[$SLOT:.*]] = affine_map<(d0) -> (d0 floordiv 128)>
// CHECK-LABEL: func.func @integers
// CHECK: scf.for %[[I:.*]] = {{.*}} : i32 {
// CHECK: arith.addi %[[I]], %c128{{.*}} : i32
// CHECK: %[[INDEX:.*]] = arith.index_cast %[[I]] : i32 to index
// CHECK: affine.apply #[[$SLOT]](%[[INDEX]])
func.func @integers(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : i32
  %c128 = arith.constant 128 : i32
  %c1024 = arith.constant 1024 : i32
  scf.for %i = %c0 to %c1024 step %c128 : i32 {
    %at = arith.index_cast %i : i32 to index
    %t = npu.alloc : !ub
    %xs = memref.subview %x[%at] [128] [1] : !gm to !part
    npu.copy %xs to %t : !part to !ub
    npu.unary relu %t to %t : !ub to !ub
    npu.copy %t to %xs : !ub to !part
  } {npu.pipeline = 2}
  return
}
