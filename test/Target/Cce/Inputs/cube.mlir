// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Transfers and the cube unit in their less usual forms: bursts that are not
// whole blocks, boxes with tails, transposed fractals, sums in global memory,
// results with ReLU, strides between fractals.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#l1 = #npu.space<l1>

func.func private @reference(%a: tensor<40x50xf16>, %b: tensor<50x70xf16>) -> tensor<40x70xf16> {
  %c = graph.matmul %a, %b : (tensor<40x50xf16>, tensor<50x70xf16>) -> tensor<40x70xf16>
  return %c : tensor<40x70xf16>
}

func.func @cube(%a: memref<40x50xf16, #gm>, %b: memref<50x70xf16, #gm>, %c: memref<40x70xf16, #gm>)
    attributes {npu.kernel, reference = @reference} {
  %a_l1 = npu.alloc at 0 : memref<4x48x16xf16, #l1>
  %b_l1 = npu.alloc at 65536 : memref<4x80x16xf16, #l1>
  %b2_l1 = npu.alloc at 131072 : memref<5x64x16xf16, #l1>
  %a_l0 = npu.alloc at 0 : memref<3x4x16x16xf16, #npu.space<l0a>>
  %b_l0 = npu.alloc at 0 : memref<4x5x16x16xf16, #npu.space<l0b>>
  %c_l0 = npu.alloc at 0 : memref<5x3x16x16xf32, #npu.space<l0c>>
  %out = npu.alloc at 0 : memref<5x48x16xf16, #ub>
  %rows = npu.alloc at 16384 : memref<640xf16, #ub>
  %zero = npu.alloc at 32768 : memref<4096xf16, #ub>
  %false = arith.constant false
  %none = arith.constant 0.000000e+00 : f32

  // B once as columns and once as rows, whose fractals turn on the way.
  npu.pack %a to %a_l1 : memref<40x50xf16, #gm> to memref<4x48x16xf16, #l1>
  npu.pack %b to %b_l1 transposed : memref<50x70xf16, #gm> to memref<4x80x16xf16, #l1>
  npu.pack %b to %b2_l1 : memref<50x70xf16, #gm> to memref<5x64x16xf16, #l1>
  npu.vector dup(), %none to %zero repeat 32 : () to memref<4096xf16, #ub>
  npu.barrier all
  npu.dma %zero to %c length 5600 : memref<4096xf16, #ub> to memref<40x70xf16, #gm>
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %5 = arith.constant 5 : index
  scf.for %i = %0 to %3 step %1 {
    %row = affine.apply affine_map<(i) -> (i * 16)>(%i)
    %from = memref.subview %a_l1[0, %row, 0] [4, 16, 16] [1, 1, 1]
        : memref<4x48x16xf16, #l1> to memref<4x16x16xf16, strided<[768, 16, 1], offset: ?>, #l1>
    %to = memref.subview %a_l0[%i, 0, 0, 0] [1, 4, 16, 16] [1, 1, 1, 1]
        : memref<3x4x16x16xf16, #npu.space<l0a>> to memref<4x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0a>>
    npu.load2d %from to %to fractals 4 source_stride 3
        : memref<4x16x16xf16, strided<[768, 16, 1], offset: ?>, #l1>
        to memref<4x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0a>>
  }
  npu.load2d %b_l1 to %b_l0 fractals 20 : memref<4x80x16xf16, #l1> to memref<4x5x16x16xf16, #npu.space<l0b>>
  npu.barrier all
  npu.matmul %a_l0, %b_l0 into %c_l0 initialised sizes [40, 70, 50]
      : memref<3x4x16x16xf16, #npu.space<l0a>>, memref<4x5x16x16xf16, #npu.space<l0b>>
      into memref<5x3x16x16xf32, #npu.space<l0c>>
  npu.barrier all
  scf.for %i = %0 to %4 step %1 {
    %row = affine.apply affine_map<(i) -> (i * 16)>(%i)
    %from = memref.subview %b2_l1[0, %row, 0] [5, 16, 16] [1, 1, 1]
        : memref<5x64x16xf16, #l1> to memref<5x16x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
    %to = memref.subview %b_l0[%i, 0, 0, 0] [1, 5, 16, 16] [1, 1, 1, 1]
        : memref<4x5x16x16xf16, #npu.space<l0b>> to memref<5x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0b>>
    npu.load2d %from to %to fractals 5 source_stride 4 transposed
        : memref<5x16x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
        to memref<5x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0b>>
  }
  npu.barrier all
  // Twice the product, less than 0 is 0.
  npu.matmul %a_l0, %b_l0 into %c_l0 initialise %false sizes [40, 70, 50]
      : memref<3x4x16x16xf16, #npu.space<l0a>>, memref<4x5x16x16xf16, #npu.space<l0b>>
      into memref<5x3x16x16xf32, #npu.space<l0c>>
  npu.barrier all
  npu.vector dup(), %none to %out repeat 30 : () to memref<5x48x16xf16, #ub>
  npu.barrier v
  scf.for %n = %0 to %4 step %1 {
    %c_n = memref.subview %c_l0[%n, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1]
        : memref<5x3x16x16xf32, #npu.space<l0c>> to memref<1x2x16x16xf32, strided<[768, 256, 16, 1], offset: ?>, #npu.space<l0c>>
    %out_n = memref.subview %out[%n, 0, 0] [1, 32, 16] [1, 1, 1]
        : memref<5x48x16xf16, #ub> to memref<1x32x16xf16, strided<[768, 16, 1], offset: ?>, #ub>
    npu.drain %c_n to %out_n relu
        : memref<1x2x16x16xf32, strided<[768, 256, 16, 1], offset: ?>, #npu.space<l0c>>
        to memref<1x32x16xf16, strided<[768, 16, 1], offset: ?>, #ub>
  }
  npu.barrier all
  // The same twice, added up; then rows 3 to 5 in bursts of 13 numbers.
  scf.for %i = %0 to %3 step %1 {
    npu.unpack %out to %c atomic : memref<5x48x16xf16, #ub> to memref<40x70xf16, #gm>
  }
  npu.barrier all
  %from = memref.subview %a[3, 7] [3, 13] [1, 1]
      : memref<40x50xf16, #gm> to memref<3x13xf16, strided<[50, 1], offset: 157>, #gm>
  %to = memref.subview %c[36, 7] [3, 13] [1, 1]
      : memref<40x70xf16, #gm> to memref<3x13xf16, strided<[70, 1], offset: 2527>, #gm>
  npu.dma %from to %rows bursts 3 length 26 source_stride 100 target_stride 64
      : memref<3x13xf16, strided<[50, 1], offset: 157>, #gm> to memref<640xf16, #ub>
  npu.barrier all
  npu.dma %rows to %to bursts 3 length 26 source_stride 64 target_stride 140 atomic
      : memref<640xf16, #ub> to memref<3x13xf16, strided<[70, 1], offset: 2527>, #gm>
  return
}
