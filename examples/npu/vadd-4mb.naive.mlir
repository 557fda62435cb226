// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// c = a + b on 4 MiB of f16 each, one buffer of each kind and a barrier of all
// pipes after every step: nothing overlaps.
//
//   gc-runner --target=npu examples/npu/vadd-4mb.naive.mlir --check

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
  %x = npu.alloc at 0 : !tile
  %y = npu.alloc at 32768 : !tile
  %z = npu.alloc at 65536 : !tile
  scf.for %i = %zero to %end step %step {
    %pa = memref.subview %a[%i] [16384] [1] : !tensor to !part
    %pb = memref.subview %b[%i] [16384] [1] : !tensor to !part
    %pc = memref.subview %c[%i] [16384] [1] : !tensor to !part
    npu.dma %pa to %x length 32768 : !part to !tile
    npu.dma %pb to %y length 32768 : !part to !tile
    npu.barrier all
    npu.vector add(%x, %y) to %z repeat 128 : (!tile, !tile) to !tile
    npu.barrier all
    npu.dma %z to %pc length 32768 : !tile to !part
    npu.barrier all
  }
  return
}
