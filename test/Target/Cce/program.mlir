// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Programs of the NPU as C text.
// RUN: gc-translate --npu-to-cce %s | FileCheck %s

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#l1 = #npu.space<l1>
!tile = memref<4096xf16, #ub>
!slot = memref<4096xf16, strided<[1], offset: ?>, #ub>
!part = memref<4096xf16, strided<[1], offset: ?>, #gm>

// CHECK: #include "Simulator/Cce.h"

// One pointer for each buffer and part of one, one intrinsic for each instruction,
// one call for the cost of an iteration. Inputs and outputs go by what is written.
//
// CHECK-LABEL: extern "C" __global__ __aicore__ void add__kernel0(
// CHECK-SAME:    __gm__ half *[[X:gm[0-9]+]], __gm__ half *[[Y:gm[0-9]+]])
// CHECK-NEXT:   __ubuf__ half *[[BUFFER:v[0-9]+]] = (__ubuf__ half *)alloc_ubuf(64, 16384);
// CHECK-NEXT:   set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
// CHECK-NEXT:   for (int64_t [[I:i[0-9]+]] = 0; [[I]] < 8; [[I]] += 1) {
// CHECK-NEXT:     loop_iteration();
// CHECK-NEXT:     int64_t [[AT:v[0-9]+]] = [[I]] * 4096;
// CHECK-NEXT:     __gm__ half *[[FROM:v[0-9]+]] = element([[X]], [[AT]]);
// CHECK-NEXT:     __ubuf__ half *[[SLOT:v[0-9]+]] = slot([[BUFFER]], [[I]], 2, 4096, 4096);
// CHECK-NEXT:     copy_gm_to_ubuf([[SLOT]], [[FROM]], 0, 1, 256, 0, 0);
// CHECK-NEXT:     set_flag(PIPE_MTE2, PIPE_V, [[I]]);
// CHECK-NEXT:     set_vector_mask(~0ull, ~0ull);
// CHECK-NEXT:     vadd([[SLOT]], [[SLOT]], [[SLOT]], 32, 1, 1, 1, 8, 8, 8);
// Another mask; the next instruction has the same.
// CHECK-NEXT:     set_vector_mask(0x0ull, 0xffull);
// CHECK-NEXT:     vmuls([[SLOT]], [[SLOT]], 0.5f, 3, 1, 2, 8, 9);
// CHECK-NEXT:     vexp([[SLOT]], [[SLOT]], 1, 1, 1, 8, 8);
// CHECK-NEXT:     bool [[MORE:v[0-9]+]] = compare([[I]] < 7);
// CHECK-NEXT:     if ([[MORE]]) {
// CHECK-NEXT:       pipe_barrier(PIPE_V);
// CHECK-NEXT:     } else {
// CHECK-NEXT:       pipe_barrier(PIPE_ALL);
// CHECK-NEXT:     }
// CHECK-NEXT:     __gm__ half *[[TO:v[0-9]+]] = element([[Y]], [[AT]]);
// CHECK-NEXT:     copy_ubuf_to_gm_align([[TO]], [[SLOT]], 0, 2, 100, 1, 20);
// CHECK-NEXT:   }
// CHECK-NEXT:   wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
// CHECK-NEXT: }
// CHECK-NEXT: GC_CCE_PROGRAM("add", add__kernel0, 1,
// CHECK-NEXT:                {65536, false}, {65536, true})
func.func @add(%x: memref<32768xf16, #gm>, %y: memref<32768xf16, #gm>) attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %7 = arith.constant 7 : index
  %8 = arith.constant 8 : index
  %half = arith.constant 0.5 : f32
  %buffer = npu.alloc slots 2 at 64 : !tile
  npu.set_flag v -> mte2 [%0]
  scf.for %i = %0 to %8 step %1 {
    %at = affine.apply affine_map<(i) -> (i * 4096)>(%i)
    %from = memref.subview %x[%at] [4096] [1] : memref<32768xf16, #gm> to !part
    %slot = npu.slot %buffer[%i] : !tile to !slot
    npu.dma %from to %slot length 8192 : !part to !slot
    npu.set_flag mte2 -> v [%i]
    npu.vector add(%slot, %slot) to %slot repeat 32 : (!slot, !slot) to !slot
    npu.vector muls(%slot), %half to %slot repeat 3 mask [255, 0] strides [1, 8, 2, 9, 0, 0] : (!slot) to !slot
    npu.vector exp(%slot) to %slot mask [255, 0] : (!slot) to !slot
    %more = arith.cmpi slt, %i, %7 : index
    scf.if %more {
      npu.barrier v
    } else {
      npu.barrier all
    }
    %to = memref.subview %y[%at] [4096] [1] : memref<32768xf16, #gm> to !part
    npu.dma %slot to %to bursts 2 length 100 source_stride 160 target_stride 120 : !slot to !part
  }
  npu.wait_flag v -> mte2 [%0]
  return
}

// The cube unit: strides only where there are gaps, the image in its register.
//
// CHECK-LABEL: void conv_int8__kernel0(
// CHECK-SAME:    __gm__ int8_t *{{gm[0-9]+}}, __gm__ int32_t *[[SUMS:gm[0-9]+]])
// CHECK:         __cbuf__ int8_t *[[IMAGE:v[0-9]+]] = (__cbuf__ int8_t *)alloc_cbuf(0, 4096);
// CHECK:         __ca__ int8_t *[[A:v[0-9]+]] = (__ca__ int8_t *)alloc_ca(0, 1024);
// CHECK:         __cb__ int8_t *[[B:v[0-9]+]] = (__cb__ int8_t *)alloc_cb(0, 2048);
// CHECK:         __cc__ int32_t *[[C:v[0-9]+]] = (__cc__ int32_t *)alloc_cc(1024, 4096);
// CHECK:         copy_gm_to_cbuf_nd2nz([[IMAGE]], {{gm[0-9]+}}, 64, 32, 32, 64, 64, 2);
// CHECK-NEXT:    set_fmatrix(8, 8, 1, 1, 8);
// CHECK-NEXT:    img2col_cbuf_to_ca([[A]], [[IMAGE]], 3, 3, 1, 1, 16, 16, 64, 64);
// CHECK-NEXT:    load_cbuf_to_cb([[B]], [[IMAGE]], 0, 2, 3, 1, 0, false);
// CHECK-NEXT:    mad({{v[0-9]+}}, [[A]], [[B]], 16, 64, 32, true);
// CHECK:         mad([[C_2:v[0-9]+]], [[A]], [[B]], 9, 40, 20, 2, 2, 2, false);
// CHECK:         copy_matrix_cc_to_ubuf([[OUT:v[0-9]+]], [[C]], 0, 32, 32, 2, 32, 16, CRMODE_RELU);
// CHECK-NEXT:    set_atomic_s32();
// CHECK-NEXT:    set_atomic_add();
// CHECK-NEXT:    copy_ubuf_to_gm_nz2nd([[SUMS]], [[OUT]], 30, 20, 20, 32, 16);
// CHECK-NEXT:    set_atomic_none();
// CHECK:       GC_CCE_PROGRAM("conv-int8", conv_int8__kernel0, 4,
// CHECK-NEXT:                 {2048, false}, {2400, true})
func.func @"conv-int8"(%x: memref<64x32xi8, #gm>, %y: memref<30x20xi32, #gm>)
    attributes {npu.kernel, npu.cores = 4} {
  %16 = arith.constant 16 : index
  %64 = arith.constant 64 : index
  %false = arith.constant false
  %image = npu.alloc at 0 : memref<2x8x8x32xi8, #l1>
  %packed = memref.collapse_shape %image [[0], [1, 2], [3]] : memref<2x8x8x32xi8, #l1> into memref<2x64x32xi8, #l1>
  %a = npu.alloc at 0 : memref<1x2x16x32xi8, #npu.space<l0a>>
  %b = npu.alloc at 0 : memref<2x2x16x32xi8, #npu.space<l0b>>
  %c = npu.alloc at 1024 : memref<2x2x16x16xi32, #npu.space<l0c>>
  %c_1 = npu.alloc at 8192 : memref<2x1x16x16xi32, #npu.space<l0c>>
  %out = npu.alloc at 0 : memref<2x32x16xi32, #ub>
  npu.pack %x to %packed : memref<64x32xi8, #gm> to memref<2x64x32xi8, #l1>
  npu.img2col %image[%16, %64] to %a kernel [3, 3] pads [1, 1] output_width 8
      : memref<2x8x8x32xi8, #l1> to memref<1x2x16x32xi8, #npu.space<l0a>>
  npu.load2d %packed to %b fractals 2 source_stride 3 : memref<2x64x32xi8, #l1> to memref<2x2x16x32xi8, #npu.space<l0b>>
  npu.matmul %a, %b into %c_1 initialised
      : memref<1x2x16x32xi8, #npu.space<l0a>>, memref<2x2x16x32xi8, #npu.space<l0b>>
      into memref<2x1x16x16xi32, #npu.space<l0c>>
  %c_2 = memref.subview %c[0, 1, 0, 0] [2, 1, 16, 16] [1, 1, 1, 1]
      : memref<2x2x16x16xi32, #npu.space<l0c>> to memref<2x1x16x16xi32, strided<[512, 256, 16, 1], offset: 256>, #npu.space<l0c>>
  npu.matmul %a, %b into %c_2 initialise %false sizes [9, 20, 40]
      : memref<1x2x16x32xi8, #npu.space<l0a>>, memref<2x2x16x32xi8, #npu.space<l0b>>
      into memref<2x1x16x16xi32, strided<[512, 256, 16, 1], offset: 256>, #npu.space<l0c>>
  npu.drain %c to %out relu : memref<2x2x16x16xi32, #npu.space<l0c>> to memref<2x32x16xi32, #ub>
  npu.unpack %out to %y atomic : memref<2x32x16xi32, #ub> to memref<30x20xi32, #gm>
  return
}

// Values that go round a loop; a register from UB; a loop that says when it ends.
//
// CHECK-LABEL: void registers__kernel0(
// CHECK:         int64_t [[ID:v[0-9]+]] = get_block_idx();
// CHECK-NEXT:    int64_t [[A:v[0-9]+]] = 0;
// CHECK-NEXT:    float [[S:v[0-9]+]] = (-1.5f);
// CHECK-NEXT:    for (int64_t [[I:i[0-9]+]] = [[ID]]; [[I]] < 8; [[I]] += 1) {
// CHECK-NEXT:      loop_iteration();
// CHECK-NEXT:      half [[N:v[0-9]+]] = load_ubuf(element([[BUFFER:v[0-9]+]], [[I]] * 16 + 3));
// CHECK-NEXT:      float [[WIDE:v[0-9]+]] = (float)[[N]];
// CHECK-NEXT:      float [[SUM:v[0-9]+]] = [[S]] + [[WIDE]];
// CHECK-NEXT:      auto [[NEXT:next[0-9]+]] = [[I]];
// CHECK-NEXT:      auto [[NEXT_2:next[0-9]+]] = [[SUM]];
// CHECK-NEXT:      [[A]] = [[NEXT]];
// CHECK-NEXT:      [[S]] = [[NEXT_2]];
// CHECK-NEXT:    }
// CHECK-NEXT:    set_vector_mask(~0ull, ~0ull);
// CHECK-NEXT:    vector_dup([[BUFFER]], [[S]], 1, 1, 8);
// CHECK-NEXT:    int64_t [[END:v[0-9]+]];
// CHECK-NEXT:    int64_t [[M:v[0-9]+]] = [[A]];
// CHECK-NEXT:    while (true) {
// CHECK-NEXT:      bool [[MORE:v[0-9]+]] = compare((uint64_t)[[M]] > (uint64_t)1);
// CHECK-NEXT:      [[END]] = [[M]];
// CHECK-NEXT:      if (![[MORE]])
// CHECK-NEXT:        break;
// CHECK-NEXT:      loop_iteration();
// CHECK-NEXT:      int64_t [[HALVED:v[0-9]+]] = divide<int64_t>([[END]], 2);
// CHECK-NEXT:      [[M]] = [[HALVED]];
// CHECK-NEXT:    }
// CHECK-NEXT:    set_flag(PIPE_V, PIPE_MTE3, [[END]]);
func.func @registers(%x: memref<128xf16, #gm>) attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %8 = arith.constant 8 : index
  %start = arith.constant -1.5 : f32
  %buffer = npu.alloc at 0 : memref<8x16xf16, #ub>
  %id = npu.core_id
  %a, %s = scf.for %i = %id to %8 step %1 iter_args(%a = %0, %s = %start) -> (index, f32) {
    %number = npu.load_scalar %buffer[%i, %3] : memref<8x16xf16, #ub> -> f16
    %wide = arith.extf %number : f16 to f32
    %sum = arith.addf %s, %wide : f32
    scf.yield %i, %sum : index, f32
  }
  npu.vector dup(), %s to %buffer : () to memref<8x16xf16, #ub>
  %end = scf.while (%n = %a) : (index) -> index {
    %more = arith.cmpi ugt, %n, %1 : index
    scf.condition(%more) %n : index
  } do {
  ^bb0(%n: index):
    %halved = arith.divsi %n, %2 : index
    scf.yield %halved : index
  }
  npu.set_flag v -> mte3 [%end]
  return
}

// A step that is not a constant is checked before the loop; parts that are where
// the text says are plain sums.
//
// CHECK-LABEL: void steps__kernel0(
// CHECK-SAME:    __gm__ half *[[X:gm[0-9]+]])
// CHECK:         int64_t [[STEP:v[0-9]+]] = get_block_idx();
// CHECK-NEXT:    __gm__ half *[[PART:v[0-9]+]] = [[X]] + 64;
// CHECK-NEXT:    check_step([[STEP]]);
// CHECK-NEXT:    for (int64_t [[I:i[0-9]+]] = 0; [[I]] < 8; [[I]] += [[STEP]]) {
// CHECK:           copy_gm_to_ubuf({{v[0-9]+}}, [[PART]], 0, 1, 4, 0, 0);
func.func @steps(%x: memref<128xf16, #gm>) attributes {npu.kernel} {
  %0 = arith.constant 0 : index
  %8 = arith.constant 8 : index
  %a = npu.alloc at 0 : memref<64xf16, #ub>
  %step = npu.core_id
  %part = memref.subview %x[64] [64] [1]
      : memref<128xf16, #gm> to memref<64xf16, strided<[1], offset: 64>, #gm>
  scf.for %i = %0 to %8 step %step {
    npu.dma %part to %a length 128
        : memref<64xf16, strided<[1], offset: 64>, #gm> to memref<64xf16, #ub>
    npu.barrier all
  }
  return
}
