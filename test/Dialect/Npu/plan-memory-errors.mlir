// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(func.func(npu-plan-memory))"

// One buffer that is too large: 1024 rows of 512 bytes fit into UB's 256 KiB less
// the 512 bytes of the other.
!tile = memref<1024x256xf16, #npu.space<ub>>
!row = memref<1x256xf16, #npu.space<ub>>
func.func @one() attributes {npu.kernel} {
  // expected-note @below {{alive at the same time: 1x256xf16, 512 bytes}}
  %row = npu.alloc : !row
  // expected-error @unknown {{'tile' 1024x256xf16 does not fit into ub: with what is alive at the same time it needs 524800 bytes, and there are 262144; with 511 instead of 1024 in dimension 0 all would fit}}
  %tile = npu.alloc : !tile loc("tile")
  %part = memref.subview %tile[3, 0] [1, 256] [1, 1] : !tile to memref<1x256xf16, strided<[256, 1], offset: 768>, #npu.space<ub>>
  npu.copy %part to %row : memref<1x256xf16, strided<[256, 1], offset: 768>, #npu.space<ub>> to !row
  return
}

// -----

// A tile size that three buffers of a loop have: 1024 bytes each a row, so that 85
// rows fit; what else is alive is told.
!gm = memref<128x512xf16, #npu.space<gm>>
!tile = memref<128x512xf16, #npu.space<ub>>
func.func @tile(%x: !gm) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    // expected-error @below {{128x512xf16 does not fit into ub: with what is alive at the same time it needs 393216 bytes, and there are 262144; with 85 instead of 128 in dimension 0 of it and of 2 others all would fit}}
    %a = npu.alloc : !tile
    // expected-note @below {{alive at the same time: 128x512xf16, 131072 bytes}}
    %b = npu.alloc : !tile
    // expected-note @unknown {{alive at the same time: 'out' 128x512xf16, 131072 bytes}}
    %c = npu.alloc : !tile loc("out")
    npu.copy %x to %a : !gm to !tile
    npu.copy %x to %b : !gm to !tile
    npu.binary add %a, %b to %c : !tile, !tile to !tile
    npu.copy %c to %x : !tile to !gm
  }
  return
}

// -----

// The machine of the module is smaller. Slots count; the first dimension that
// is not 1 is the one that a tile size changes.
!tile = memref<1x4x128xf16, #npu.space<ub>>
!slot = memref<1x4x128xf16, strided<[512, 128, 1], offset: ?>, #npu.space<ub>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 2047>>} {
func.func @slots() attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  // expected-error @below {{2 slots of 1x4x128xf16 does not fit into ub: it needs 2048 bytes, and there are 2047; with 3 instead of 4 in dimension 1 all would fit}}
  %a = npu.alloc slots 2 : !tile
  %s = npu.slot %a[%c0] : !tile to !slot
  npu.unary exp %s to %s : !slot to !slot
  return
}
}

// -----

// Nothing fits: what the program has placed is in the way.
!tile = memref<2x16xf16, #npu.space<ub>>
!rest = memref<4x256xf16, #npu.space<ub>>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "NPU" = #dlti.target_device_spec<"ub_bytes" = 2048>>} {
func.func @fixed(%x: memref<2x16xf16, #npu.space<gm>>) attributes {npu.kernel} {
  // expected-note @below {{alive at the same time: 4x256xf16, 2048 bytes}}
  %rest = npu.alloc at 0 : !rest
  // expected-error @below {{2x16xf16 does not fit into ub: with what is alive at the same time it needs 2112 bytes, and there are 2048; no size of dimension 0 would fit}}
  %a = npu.alloc : !tile
  npu.unary exp %rest to %rest : !rest to !rest
  npu.copy %x to %a : memref<2x16xf16, #npu.space<gm>> to !tile
  npu.copy %a to %x : !tile to memref<2x16xf16, #npu.space<gm>>
  npu.unary exp %rest to %rest : !rest to !rest
  return
}
}

// -----

!ub = memref<128xf16, #npu.space<ub>>
func.func @overlap() attributes {npu.kernel} {
  // expected-note @below {{the other, bytes 64 to 320}}
  %a = npu.alloc at 64 : !ub
  // expected-error @below {{its bytes 256 to 512 of ub overlap with a buffer that is alive at the same time}}
  %b = npu.alloc at 256 : !ub
  npu.copy %a to %b : !ub to !ub
  return
}

// -----

// The same addresses are fine one after the other.
!ub = memref<128xf16, #npu.space<ub>>
func.func @no_overlap() attributes {npu.kernel} {
  %a = npu.alloc at 64 : !ub
  %b = npu.alloc at 256 : !ub
  npu.unary exp %a to %a : !ub to !ub
  npu.unary exp %b to %b : !ub to !ub
  return
}

// -----

!ub = memref<128xf16, #npu.space<ub>>
func.func @hidden(%which: i1) attributes {npu.kernel} {
  %a = npu.alloc : !ub
  %b = npu.alloc : !ub
  // expected-error @below {{hides which buffer it passes on}}
  %c = arith.select %which, %a, %b : !ub
  npu.unary exp %c to %c : !ub to !ub
  return
}

// -----

!ub = memref<128xf16, #npu.space<ub>>
func.func @carried(%n: index) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = npu.alloc : !ub
  // expected-error @below {{hides which buffer it passes on}}
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%c = %a) -> !ub {
    scf.yield %c : !ub
  }
  return
}

// -----

// expected-error @below {{memory is planned only for kernels of one block whose loops are scf loops}}
func.func @blocks() attributes {npu.kernel} {
  cf.br ^next
^next:
  return
}
