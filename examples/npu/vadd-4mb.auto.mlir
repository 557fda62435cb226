// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// c = a + b on 4 MiB of f16 each. Tiles of 32 KiB go through UB; the loop says
// only that two of them may be under way at once.
//
//   gc-runner --target=npu examples/npu/vadd-4mb.auto.mlir --check

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!tensor = memref<2097152xf16, #gm>
!part = memref<16384xf16, strided<[1], offset: ?>, #gm>
!tile = memref<16384xf16, #ub>

func.func private @reference(%a: tensor<2097152xf16>, %b: tensor<2097152xf16>)
    -> tensor<2097152xf16> {
  %c = graph.add %a, %b : (tensor<2097152xf16>, tensor<2097152xf16>) -> tensor<2097152xf16>
  return %c : tensor<2097152xf16>
}

func.func @vadd(%a: !tensor, %b: !tensor, %c: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %zero = arith.constant 0 : index
  %step = arith.constant 16384 : index
  %end = arith.constant 2097152 : index
  scf.for %i = %zero to %end step %step {
    %x = npu.alloc : !tile
    %y = npu.alloc : !tile
    %z = npu.alloc : !tile
    %pa = memref.subview %a[%i] [16384] [1] : !tensor to !part
    %pb = memref.subview %b[%i] [16384] [1] : !tensor to !part
    %pc = memref.subview %c[%i] [16384] [1] : !tensor to !part
    npu.copy %pa to %x : !part to !tile
    npu.copy %pb to %y : !part to !tile
    npu.binary add %x, %y to %z : !tile, !tile to !tile
    npu.copy %z to %pc : !tile to !part
  } {npu.pipeline = 2}
  return
}
