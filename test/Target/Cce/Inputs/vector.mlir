// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector instructions of all kinds on one input; result k is at y[256 k]. Every
// instruction waits for those before it.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!tensor = memref<8192xf16, #gm>
!tile = memref<8192xf16, #ub>
!wide = memref<256xf32, #ub>
!part = memref<256xf16, strided<[1], offset: ?>, #ub>

func.func private @reference(%x: tensor<8192xf16>) -> tensor<8192xf16> {
  %y = graph.relu %x : (tensor<8192xf16>) -> tensor<8192xf16>
  return %y : tensor<8192xf16>
}

func.func @vector(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %32 = arith.constant 32 : index
  %256 = arith.constant 256 : index
  %half = arith.constant 5.000000e-01 : f32
  %in = npu.alloc at 0 : !tile
  %out = npu.alloc at 16384 : !tile
  %bits = npu.alloc at 32768 : memref<32xi8, #ub>
  %wide = npu.alloc at 33024 : !wide
  %wide_2 = npu.alloc at 34048 : !wide
  %integers = npu.alloc at 35072 : memref<256xi32, #ub>
  %bytes = npu.alloc at 36096 : memref<256xi8, #ub>
  %sums = npu.alloc at 36352 : memref<256xf32, #ub>
  npu.dma %x to %in length 16384 : !tensor to !tile
  npu.barrier all
  npu.vector dup(), %half to %out repeat 64 : () to !tile
  npu.barrier v

  %a = memref.subview %in[%0] [256] [1] : !tile to !part
  %b = memref.subview %in[%256] [256] [1] : !tile to !part
  %o0 = memref.subview %out[0] [256] [1] : !tile to memref<256xf16, strided<[1]>, #ub>
  %o1 = memref.subview %out[256] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 256>, #ub>
  %o2 = memref.subview %out[512] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 512>, #ub>
  %o3 = memref.subview %out[768] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 768>, #ub>
  %o4 = memref.subview %out[1024] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 1024>, #ub>
  %o5 = memref.subview %out[1280] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 1280>, #ub>
  %o6 = memref.subview %out[1536] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 1536>, #ub>
  %o7 = memref.subview %out[1792] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 1792>, #ub>
  %o8 = memref.subview %out[2048] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 2048>, #ub>
  %o9 = memref.subview %out[2304] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 2304>, #ub>
  npu.vector add(%a, %b) to %o0 repeat 2 : (!part, !part) to memref<256xf16, strided<[1]>, #ub>
  npu.vector sub(%a, %b) to %o1 repeat 2 : (!part, !part) to memref<256xf16, strided<[1], offset: 256>, #ub>
  npu.vector mul(%a, %b) to %o2 repeat 2 : (!part, !part) to memref<256xf16, strided<[1], offset: 512>, #ub>
  // A source that repeats its first block, and a mask with holes.
  npu.vector div(%a, %b) to %o3 repeat 2 strides [1, 8, 1, 8, 0, 0]
      : (!part, !part) to memref<256xf16, strided<[1], offset: 768>, #ub>
  npu.vector max(%a, %b) to %o4 mask [81985529216486895, -9223372036854775807] strides [2, 8, 1, 8, 1, 8]
      : (!part, !part) to memref<256xf16, strided<[1], offset: 1024>, #ub>
  npu.vector min(%a, %b) to %o5 repeat 2 : (!part, !part) to memref<256xf16, strided<[1], offset: 1280>, #ub>
  npu.vector adds(%a), %half to %o6 repeat 2 : (!part) to memref<256xf16, strided<[1], offset: 1536>, #ub>
  npu.vector muls(%a), %half to %o7 repeat 2 : (!part) to memref<256xf16, strided<[1], offset: 1792>, #ub>
  npu.vector relu(%a) to %o8 repeat 2 : (!part) to memref<256xf16, strided<[1], offset: 2048>, #ub>
  npu.vector abs(%a) to %o9 repeat 2 : (!part) to memref<256xf16, strided<[1], offset: 2304>, #ub>
  npu.barrier v

  // Comparisons and selections, in one another's place.
  %o10 = memref.subview %out[2560] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 2560>, #ub>
  %o11 = memref.subview %out[2816] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 2816>, #ub>
  %o12 = memref.subview %out[3072] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 3072>, #ub>
  npu.vector cmp_lt(%a, %b) to %bits repeat 2 : (!part, !part) to memref<32xi8, #ub>
  npu.barrier v
  npu.vector select(%bits, %a, %b) to %o10 repeat 2
      : (memref<32xi8, #ub>, !part, !part) to memref<256xf16, strided<[1], offset: 2560>, #ub>
  npu.barrier v
  npu.vector cmp_ge(%a, %b) to %bits repeat 2 : (!part, !part) to memref<32xi8, #ub>
  npu.barrier v
  npu.vector select(%bits, %a, %b) to %o11 repeat 2
      : (memref<32xi8, #ub>, !part, !part) to memref<256xf16, strided<[1], offset: 2816>, #ub>
  npu.vector transpose(%a) to %o12 : (!part) to memref<256xf16, strided<[1], offset: 3072>, #ub>
  npu.barrier v

  // f32, integers, bytes and back.
  %o13 = memref.subview %out[3328] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 3328>, #ub>
  %o14 = memref.subview %out[3584] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 3584>, #ub>
  %o15 = memref.subview %out[3840] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 3840>, #ub>
  npu.vector convert(%a) to %wide repeat 4 strides [1, 8, 1, 4, 0, 0] : (!part) to !wide
  npu.barrier v
  npu.vector exp(%wide) to %wide_2 repeat 4 : (!wide) to !wide
  npu.barrier v
  npu.vector convert(%wide_2) to %o13 repeat 4 strides [1, 4, 1, 8, 0, 0]
      : (!wide) to memref<256xf16, strided<[1], offset: 3328>, #ub>
  npu.vector convert(%wide_2) to %integers repeat 4 : (!wide) to memref<256xi32, #ub>
  npu.barrier v
  npu.vector convert(%integers) to %o14 repeat 4 strides [1, 4, 1, 8, 0, 0]
      : (memref<256xi32, #ub>) to memref<256xf16, strided<[1], offset: 3584>, #ub>
  npu.vector convert(%a) to %bytes repeat 2 strides [1, 4, 1, 8, 0, 0]
      : (!part) to memref<256xi8, #ub>
  npu.barrier v
  npu.vector convert(%bytes) to %o15 repeat 2 strides [1, 8, 1, 4, 0, 0]
      : (memref<256xi8, #ub>) to memref<256xf16, strided<[1], offset: 3840>, #ub>
  npu.barrier v

  // Functions of positive numbers.
  %o16 = memref.subview %out[4096] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 4096>, #ub>
  %o17 = memref.subview %out[4352] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 4352>, #ub>
  %o18 = memref.subview %out[4608] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 4608>, #ub>
  %o19 = memref.subview %out[4864] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 4864>, #ub>
  %o20 = memref.subview %out[5120] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 5120>, #ub>
  npu.vector log(%o9) to %o16 repeat 2 : (memref<256xf16, strided<[1], offset: 2304>, #ub>) to memref<256xf16, strided<[1], offset: 4096>, #ub>
  npu.vector sqrt(%o9) to %o17 repeat 2 : (memref<256xf16, strided<[1], offset: 2304>, #ub>) to memref<256xf16, strided<[1], offset: 4352>, #ub>
  npu.vector rsqrt(%o9) to %o18 repeat 2 : (memref<256xf16, strided<[1], offset: 2304>, #ub>) to memref<256xf16, strided<[1], offset: 4608>, #ub>
  npu.vector rec(%o9) to %o19 repeat 2 : (memref<256xf16, strided<[1], offset: 2304>, #ub>) to memref<256xf16, strided<[1], offset: 4864>, #ub>
  npu.vector copy(%a) to %o20 repeat 2 : (!part) to memref<256xf16, strided<[1], offset: 5120>, #ub>

  // Reductions: two repeats give two results, 32 blocks 32; sums also in f32.
  %o21 = memref.subview %out[5376] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 5376>, #ub>
  %o22 = memref.subview %out[5632] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 5632>, #ub>
  %o23 = memref.subview %out[5888] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 5888>, #ub>
  %o24 = memref.subview %out[6144] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 6144>, #ub>
  %o25 = memref.subview %out[6400] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 6400>, #ub>
  %o26 = memref.subview %out[6656] [16] [1] : !tile to memref<16xf16, strided<[1], offset: 6656>, #ub>
  %o27 = memref.subview %out[6912] [256] [1] : !tile to memref<256xf16, strided<[1], offset: 6912>, #ub>
  npu.vector reduce_sum(%a) to %o21 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 5376>, #ub>
  npu.vector reduce_max(%a) to %o22 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 5632>, #ub>
  npu.vector reduce_min(%a) to %o23 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 5888>, #ub>
  npu.vector group_sum(%a) to %o24 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 6144>, #ub>
  npu.vector group_max(%a) to %o25 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 6400>, #ub>
  npu.vector group_min(%a) to %o26 repeat 2 : (!part) to memref<16xf16, strided<[1], offset: 6656>, #ub>
  npu.vector dup(), %half to %sums repeat 4 : () to memref<256xf32, #ub>
  npu.barrier v
  npu.vector group_sum(%a) to %sums repeat 2 : (!part) to memref<256xf32, #ub>
  npu.barrier v
  npu.vector convert(%sums) to %o27 repeat 4 strides [1, 4, 1, 8, 0, 0]
      : (memref<256xf32, #ub>) to memref<256xf16, strided<[1], offset: 6912>, #ub>
  npu.barrier all

  // Registers: the front end moves a row by what it reads.
  %last = memref.subview %out[7168] [1024] [1] : !tile to memref<1024xf16, strided<[1], offset: 7168>, #ub>
  %sum = scf.for %i = %0 to %32 step %1 iter_args(%s = %half) -> f32 {
    %number = npu.load_scalar %in[%i] : !tile -> f16
    %number_32 = arith.extf %number : f16 to f32
    %next = arith.addf %s, %number_32 : f32
    scf.yield %next : f32
  }
  npu.vector adds(%last), %sum to %last repeat 8
      : (memref<1024xf16, strided<[1], offset: 7168>, #ub>) to memref<1024xf16, strided<[1], offset: 7168>, #ub>
  npu.barrier all
  npu.dma %out to %y length 16384 : !tile to !tensor
  return
}
