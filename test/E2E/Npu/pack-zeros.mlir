// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --check

// A matrix of 20x40 in a target of 4 blocks of 48 rows: the second half of the
// third block, the fourth block and the rows from 20 on are zeros, and the
// product over all of them is that of the matrix.

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>

func.func private @reference(%a: tensor<20x40xf16>, %b: tensor<40x16xf16>) -> tensor<20x16xf16> {
  %c = graph.matmul %a, %b : (tensor<20x40xf16>, tensor<40x16xf16>) -> tensor<20x16xf16>
  return %c : tensor<20x16xf16>
}

func.func @product(%x: memref<20x40xf16, #gm>, %w: memref<40x16xf16, #gm>, %y: memref<20x16xf16, #gm>) attributes {npu.kernel, reference = @reference} {
  %x1 = npu.alloc : memref<4x48x16xf16, #l1>
  %w1 = npu.alloc : memref<1x64x16xf16, #l1>
  %a = npu.alloc : memref<3x4x16x16xf16, #l0a>
  %b = npu.alloc : memref<4x1x16x16xf16, #l0b>
  %c = npu.alloc : memref<1x3x16x16xf32, #npu.space<l0c>>
  %u = npu.alloc : memref<1x48x16xf16, #npu.space<ub>>
  npu.pack %x to %x1 : memref<20x40xf16, #gm> to memref<4x48x16xf16, #l1>
  npu.pack %w to %w1 : memref<40x16xf16, #gm> to memref<1x64x16xf16, #l1>
  npu.load_fractals %x1 to %a : memref<4x48x16xf16, #l1> to memref<3x4x16x16xf16, #l0a>
  npu.load_fractals %w1 to %b transposed : memref<1x64x16xf16, #l1> to memref<4x1x16x16xf16, #l0b>
  npu.matmul %a, %b into %c initialised : memref<3x4x16x16xf16, #l0a>, memref<4x1x16x16xf16, #l0b> into memref<1x3x16x16xf32, #npu.space<l0c>>
  npu.drain %c to %u : memref<1x3x16x16xf32, #npu.space<l0c>> to memref<1x48x16xf16, #npu.space<ub>>
  npu.unpack %u to %y : memref<1x48x16xf16, #npu.space<ub>> to memref<20x16xf16, #gm>
  return
}
