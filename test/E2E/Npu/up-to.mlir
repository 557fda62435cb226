// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=product --check
// RUN: gc-runner --target=npu %s --entry=image --check
// RUN: gc-runner --target=npu %s --entry=boxes --check

// Sizes that are known at run time only: tails run through the same loop body
// as whole tiles.

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>

func.func private @matmul(%a: tensor<40x70xf16>, %b: tensor<70x50xf16>) -> tensor<40x50xf16> {
  %c = graph.matmul %a, %b : (tensor<40x70xf16>, tensor<70x50xf16>) -> tensor<40x50xf16>
  return %c : tensor<40x50xf16>
}

// 32 and 8 rows; 32, 32 and 6 steps of the sum; 50 of 64 columns.
func.func @product(%a: memref<40x70xf16, #gm>, %b: memref<70x50xf16, #gm>, %y: memref<40x50xf16, #gm>)
    attributes {npu.kernel, reference = @matmul} {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %c32 = arith.constant 32 : index
  %c40 = arith.constant 40 : index
  %c50 = arith.constant 50 : index
  %c70 = arith.constant 70 : index
  scf.for %i = %c0 to %c40 step %c32 {
    %m = affine.min affine_map<(d0) -> (32, 40 - d0)>(%i)
    %c = npu.alloc : memref<4x2x16x16xf32, #l0c>
    scf.for %s = %c0 to %c70 step %c32 {
      %k = affine.min affine_map<(d0) -> (32, 70 - d0)>(%s)
      %blocks = affine.apply affine_map<(d0) -> (d0 ceildiv 16)>(%k)
      %a1 = npu.alloc : memref<2x32x16xf16, #l1>
      %b1 = npu.alloc : memref<4x32x16xf16, #l1>
      %a0 = npu.alloc : memref<2x2x16x16xf16, #l0a>
      %b0 = npu.alloc : memref<2x4x16x16xf16, #l0b>
      %as = memref.subview %a[%i, %s] [32, 32] [1, 1] : memref<40x70xf16, #gm> to memref<32x32xf16, strided<[70, 1], offset: ?>, #gm>
      %bs = memref.subview %b[%s, 0] [32, 50] [1, 1] : memref<70x50xf16, #gm> to memref<32x50xf16, strided<[50, 1], offset: ?>, #gm>
      npu.pack %as to %a1 up_to [%m, %k] : memref<32x32xf16, strided<[70, 1], offset: ?>, #gm> to memref<2x32x16xf16, #l1>
      npu.pack %bs to %b1 up_to [%k, %c50] : memref<32x50xf16, strided<[50, 1], offset: ?>, #gm> to memref<4x32x16xf16, #l1>
      npu.load_fractals %a1 to %a0 up_to [%blocks, %m] : memref<2x32x16xf16, #l1> to memref<2x2x16x16xf16, #l0a>
      npu.load_fractals %b1 to %b0 transposed up_to [%c4, %k] : memref<4x32x16xf16, #l1> to memref<2x4x16x16xf16, #l0b>
      %first = arith.cmpi eq, %s, %c0 : index
      npu.matmul %a0, %b0 into %c initialise %first up_to [%m, %c50, %k] : memref<2x2x16x16xf16, #l0a>, memref<2x4x16x16xf16, #l0b> into memref<4x2x16x16xf32, #l0c>
    } {npu.pipeline = 2}
    %u = npu.alloc : memref<4x32x16xf16, #ub>
    npu.drain %c to %u up_to [%m, %c50] : memref<4x2x16x16xf32, #l0c> to memref<4x32x16xf16, #ub>
    %ys = memref.subview %y[%i, 0] [32, 50] [1, 1] : memref<40x50xf16, #gm> to memref<32x50xf16, strided<[50, 1], offset: ?>, #gm>
    npu.unpack %u to %ys up_to [%m, %c50] : memref<4x32x16xf16, #ub> to memref<32x50xf16, strided<[50, 1], offset: ?>, #gm>
  }
  return
}

func.func private @convolution(%x: tensor<1x6x8x16xf16>, %w: tensor<1x1x16x16xf16>) -> tensor<1x6x8x16xf16> {
  %y = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x6x8x16xf16>, tensor<1x1x16x16xf16>) -> tensor<1x6x8x16xf16>
  return %y : tensor<1x6x8x16xf16>
}

// 32 and 16 of the 48 pixels.
func.func @image(%x: memref<1x6x8x16xf16, #gm>, %w: memref<1x1x16x16xf16, #gm>, %y: memref<1x6x8x16xf16, #gm>)
    attributes {npu.kernel, reference = @convolution} {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c32 = arith.constant 32 : index
  %c48 = arith.constant 48 : index
  %x1 = npu.alloc : memref<1x6x8x16xf16, #l1>
  %w1 = npu.alloc : memref<1x16x16xf16, #l1>
  %w0 = npu.alloc : memref<1x1x16x16xf16, #l0b>
  npu.copy %x to %x1 : memref<1x6x8x16xf16, #gm> to memref<1x6x8x16xf16, #l1>
  %wm = memref.collapse_shape %w [[0, 1, 2], [3]] : memref<1x1x16x16xf16, #gm> into memref<16x16xf16, #gm>
  npu.pack %wm to %w1 : memref<16x16xf16, #gm> to memref<1x16x16xf16, #l1>
  npu.load_fractals %w1 to %w0 transposed : memref<1x16x16xf16, #l1> to memref<1x1x16x16xf16, #l0b>
  %ym = memref.collapse_shape %y [[0, 1, 2], [3]] : memref<1x6x8x16xf16, #gm> into memref<48x16xf16, #gm>
  scf.for %i = %c0 to %c48 step %c32 {
    %m = affine.min affine_map<(d0) -> (32, 48 - d0)>(%i)
    %x0 = npu.alloc : memref<2x1x16x16xf16, #l0a>
    %c = npu.alloc : memref<1x2x16x16xf32, #l0c>
    %u = npu.alloc : memref<1x32x16xf16, #ub>
    npu.img2col %x1[%i, %c0] to %x0 kernel [1, 1] output_width 8 up_to [%m] : memref<1x6x8x16xf16, #l1> to memref<2x1x16x16xf16, #l0a>
    npu.matmul %x0, %w0 into %c initialised up_to [%m, %c16, %c16] : memref<2x1x16x16xf16, #l0a>, memref<1x1x16x16xf16, #l0b> into memref<1x2x16x16xf32, #l0c>
    npu.drain %c to %u up_to [%m, %c16] : memref<1x2x16x16xf32, #l0c> to memref<1x32x16xf16, #ub>
    %ys = memref.subview %ym[%i, 0] [32, 16] [1, 1] : memref<48x16xf16, #gm> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
    npu.unpack %u to %ys up_to [%m, %c16] : memref<1x32x16xf16, #ub> to memref<32x16xf16, strided<[16, 1], offset: ?>, #gm>
  }
  return
}

func.func private @same(%x: tensor<5x7x20xf16>) -> tensor<5x7x20xf16> {
  %y = graph.static_reshape %x {shape = array<i64: 5, 7, 20>, special_zero = false} : (tensor<5x7x20xf16>) -> tensor<5x7x20xf16>
  return %y : tensor<5x7x20xf16>
}

// Boxes of 2x4x16 at the end of every dimension.
func.func @boxes(%x: memref<5x7x20xf16, #gm>, %y: memref<5x7x20xf16, #gm>)
    attributes {npu.kernel, reference = @same} {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c7 = arith.constant 7 : index
  %c16 = arith.constant 16 : index
  %c20 = arith.constant 20 : index
  scf.for %i = %c0 to %c5 step %c2 {
    %a = affine.min affine_map<(d0) -> (2, 5 - d0)>(%i)
    scf.for %j = %c0 to %c7 step %c4 {
      %b = affine.min affine_map<(d0) -> (4, 7 - d0)>(%j)
      scf.for %k = %c0 to %c20 step %c16 {
        %c = affine.min affine_map<(d0) -> (16, 20 - d0)>(%k)
        %t = npu.alloc : memref<2x4x16xf16, #ub>
        %xs = memref.subview %x[%i, %j, %k] [2, 4, 16] [1, 1, 1] : memref<5x7x20xf16, #gm> to memref<2x4x16xf16, strided<[140, 20, 1], offset: ?>, #gm>
        %ys = memref.subview %y[%i, %j, %k] [2, 4, 16] [1, 1, 1] : memref<5x7x20xf16, #gm> to memref<2x4x16xf16, strided<[140, 20, 1], offset: ?>, #gm>
        npu.copy %xs to %t up_to [%a, %b, %c] : memref<2x4x16xf16, strided<[140, 20, 1], offset: ?>, #gm> to memref<2x4x16xf16, #ub>
        npu.copy %t to %ys up_to [%a, %b, %c] : memref<2x4x16xf16, #ub> to memref<2x4x16xf16, strided<[140, 20, 1], offset: ?>, #gm>
      } {npu.pipeline = 2}
    }
  }
  return
}
