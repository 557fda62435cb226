// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Softmax over the rows of 4096 x 1024 in f16, tile by tile of 16 rows, one buffer
// and a barrier of all pipes after every step. softmax-4096x1024.tuned.mlir
// explains the reductions.
//
//   gc-runner --target=npu examples/npu/softmax-4096x1024.naive.mlir --check --rtol=1e-2 --atol=2e-3

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#place = affine_map<(r) -> (r mod 4 * 16 + r floordiv 4)>
!tensor = memref<4096x1024xf16, #gm>
!rows = memref<16x1024xf16, strided<[1024, 1], offset: ?>, #gm>
!tile = memref<16x1024xf16, #ub>
!row = memref<1024xf16, strided<[1], offset: ?>, #ub>
!groups = memref<1024xf16, #ub>
!groups_2 = memref<128xf16, #ub>
!values = memref<64xf16, #ub>

func.func private @reference(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %y = graph.softmax %x {axis = -1 : i64} : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  return %y : tensor<4096x1024xf16>
}

func.func @softmax(%x: !tensor, %y: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %16 = arith.constant 16 : index
  %4096 = arith.constant 4096 : index
  %one = arith.constant 1.0 : f32
  %tile = npu.alloc at 0 : !tile
  %groups = npu.alloc at 32768 : !groups
  %groups_2 = npu.alloc at 34816 : !groups_2
  %maxima = npu.alloc at 35072 : !values
  %sums = npu.alloc at 35200 : !values
  // 16 rows fill half of the blocks of the second step; the rest has to be defined.
  npu.vector dup(), %one to %groups_2 : () to !groups_2
  npu.barrier all
  scf.for %i = %0 to %4096 step %16 {
    %from = memref.subview %x[%i, 0] [16, 1024] [1, 1] : !tensor to !rows
    %to = memref.subview %y[%i, 0] [16, 1024] [1, 1] : !tensor to !rows
    npu.dma %from to %tile length 32768 : !rows to !tile
    npu.barrier all
    npu.vector group_max(%tile) to %groups repeat 128 : (!tile) to !groups
    npu.barrier all
    npu.vector group_max(%groups) to %groups_2 repeat 8 : (!groups) to !groups_2
    npu.barrier all
    %max_0 = memref.subview %maxima[0] [8] [1] : !values to memref<8xf16, strided<[1]>, #ub>
    npu.vector group_max(%groups_2) to %max_0 mask [4222189076152335, 4222189076152335] : (!groups_2) to memref<8xf16, strided<[1]>, #ub>
    %max_1 = memref.subview %maxima[16] [8] [1] : !values to memref<8xf16, strided<[1], offset: 16>, #ub>
    npu.vector group_max(%groups_2) to %max_1 mask [67555025218437360, 67555025218437360] : (!groups_2) to memref<8xf16, strided<[1], offset: 16>, #ub>
    %max_2 = memref.subview %maxima[32] [8] [1] : !values to memref<8xf16, strided<[1], offset: 32>, #ub>
    npu.vector group_max(%groups_2) to %max_2 mask [1080880403494997760, 1080880403494997760] : (!groups_2) to memref<8xf16, strided<[1], offset: 32>, #ub>
    %max_3 = memref.subview %maxima[48] [8] [1] : !values to memref<8xf16, strided<[1], offset: 48>, #ub>
    npu.vector group_max(%groups_2) to %max_3 mask [-1152657617789587456, -1152657617789587456] : (!groups_2) to memref<8xf16, strided<[1], offset: 48>, #ub>
    npu.barrier all
    scf.for %r = %0 to %16 step %1 {
      %place = affine.apply #place(%r)
      %maximum = npu.load_scalar %maxima[%place] : !values -> f16
      %wide = arith.extf %maximum : f16 to f32
      %minus = arith.negf %wide : f32
      %row = memref.subview %tile[%r, 0] [1, 1024] [1, 1] : !tile to !row
      npu.vector adds(%row), %minus to %row repeat 8 : (!row) to !row
    }
    npu.barrier all
    npu.vector exp(%tile) to %tile repeat 128 : (!tile) to !tile
    npu.barrier all
    npu.vector group_sum(%tile) to %groups repeat 128 : (!tile) to !groups
    npu.barrier all
    npu.vector group_sum(%groups) to %groups_2 repeat 8 : (!groups) to !groups_2
    npu.barrier all
    %sum_0 = memref.subview %sums[0] [8] [1] : !values to memref<8xf16, strided<[1]>, #ub>
    npu.vector group_sum(%groups_2) to %sum_0 mask [4222189076152335, 4222189076152335] : (!groups_2) to memref<8xf16, strided<[1]>, #ub>
    %sum_1 = memref.subview %sums[16] [8] [1] : !values to memref<8xf16, strided<[1], offset: 16>, #ub>
    npu.vector group_sum(%groups_2) to %sum_1 mask [67555025218437360, 67555025218437360] : (!groups_2) to memref<8xf16, strided<[1], offset: 16>, #ub>
    %sum_2 = memref.subview %sums[32] [8] [1] : !values to memref<8xf16, strided<[1], offset: 32>, #ub>
    npu.vector group_sum(%groups_2) to %sum_2 mask [1080880403494997760, 1080880403494997760] : (!groups_2) to memref<8xf16, strided<[1], offset: 32>, #ub>
    %sum_3 = memref.subview %sums[48] [8] [1] : !values to memref<8xf16, strided<[1], offset: 48>, #ub>
    npu.vector group_sum(%groups_2) to %sum_3 mask [-1152657617789587456, -1152657617789587456] : (!groups_2) to memref<8xf16, strided<[1], offset: 48>, #ub>
    npu.barrier all
    npu.vector rec(%sums) to %sums mask [71777214294589695, 0] : (!values) to !values
    npu.barrier all
    scf.for %r = %0 to %16 step %1 {
      %place = affine.apply #place(%r)
      %factor = npu.load_scalar %sums[%place] : !values -> f16
      %wide = arith.extf %factor : f16 to f32
      %row = memref.subview %tile[%r, 0] [1, 1024] [1, 1] : !tile to !row
      npu.vector muls(%row), %wide to %row repeat 8 : (!row) to !row
    }
    npu.barrier all
    npu.dma %tile to %to length 32768 : !tile to !rows
    npu.barrier all
  }
  return
}
