// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax over the rows of 4096 x 1024 in f16, in tiles of 32 rows. The loop says
// only that three tiles may be under way at once: which instructions a reduction
// takes, where buffers lie, what is loaded ahead, and all flags and barriers come
// from the compiler.
//
//   gc-runner --target=npu examples/npu/softmax-4096x1024.auto.mlir --check --rtol=1e-2 --atol=2e-3

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#row = affine_map<(i) -> (i * 32)>
!tensor = memref<4096x1024xf16, #gm>
!rows = memref<32x1024xf16, strided<[1024, 1], offset: ?>, #gm>
!tile = memref<32x1024xf16, #ub>
!row = memref<1024xf16, strided<[1], offset: ?>, #ub>
!values = memref<32xf16, #ub>
!sums = memref<32xf32, #ub>

func.func private @reference(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %y = graph.softmax %x {axis = -1 : i64} : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %y : tensor<4096x1024xf16>
}

func.func @softmax(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %32 = arith.constant 32 : index
  %tiles = arith.constant 128 : index
  %one = arith.constant 1.0 : f32
  scf.for %i = %0 to %tiles step %1 {
    %tile = npu.alloc : !tile
    %maxima = npu.alloc : !values
    %sums = npu.alloc : !sums
    %at = affine.apply #row(%i)
    %in = memref.subview %x[%at, 0] [32, 1024] [1, 1] : !tensor to !rows
    %out = memref.subview %y[%at, 0] [32, 1024] [1, 1] : !tensor to !rows
    npu.copy %in to %tile : !rows to !tile
    npu.reduce max %tile to %maxima : !tile to !values
    scf.for %r = %0 to %32 step %1 {
      %maximum = npu.load_scalar %maxima[%r] : !values -> f16
      %wide = arith.extf %maximum : f16 to f32
      %minus = arith.negf %wide : f32
      %row = memref.subview %tile[%r, 0] [1, 1024] [1, 1] : !tile to !row
      npu.scalar adds %row, %minus to %row : !row to !row
    }
    npu.unary exp %tile to %tile : !tile to !tile
    npu.reduce sum %tile to %sums : !tile to !sums
    scf.for %r = %0 to %32 step %1 {
      %sum = npu.load_scalar %sums[%r] : !sums -> f32
      %factor = arith.divf %one, %sum : f32
      %row = memref.subview %tile[%r, 0] [1, 1024] [1, 1] : !tile to !row
      npu.scalar muls %row, %factor to %row : !row to !row
    }
    npu.copy %tile to %out : !tile to !rows
  } {npu.pipeline = 3}
  return
}
