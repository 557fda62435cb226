// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// c = a + b on 4 MiB of f16 each. Two slots of every buffer: while V adds tile
// i, MTE2 loads tile i + 1 and MTE3 stores tile i - 1. A slot has a flag that says
// it is full and one that says it is free.
//
//   gc-runner --target=npu examples/npu/vadd-4mb.tuned.mlir --check

#gm = #npu.space<gm>
#ub = #npu.space<ub>
#parity = affine_map<(i) -> (i mod 2)>
#start = affine_map<(i) -> (i * 16384)>
!tensor = memref<2097152xf16, #gm>
!part = memref<16384xf16, strided<[1], offset: ?>, #gm>
!tile = memref<16384xf16, #ub>
!slot = memref<16384xf16, strided<[1], offset: ?>, #ub>

func.func private @reference(%a: tensor<2097152xf16>, %b: tensor<2097152xf16>)
    -> tensor<2097152xf16> {
  %c = graph.add %a, %b : (tensor<2097152xf16>, tensor<2097152xf16>) -> tensor<2097152xf16>
  return %c : tensor<2097152xf16>
}

func.func @vadd(%a: !tensor, %b: !tensor, %c: !tensor)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %tiles = arith.constant 128 : index
  %xs = npu.alloc slots 2 at 0 : !tile
  %ys = npu.alloc slots 2 at 65536 : !tile
  %zs = npu.alloc slots 2 at 131072 : !tile
  // All slots are free.
  npu.set_flag v -> mte2 [%0]
  npu.set_flag v -> mte2 [%1]
  npu.set_flag mte3 -> v [%0]
  npu.set_flag mte3 -> v [%1]
  scf.for %i = %0 to %tiles step %1 {
    %slot = affine.apply #parity(%i)
    %at = affine.apply #start(%i)
    %x = npu.slot %xs[%slot] : !tile to !slot
    %y = npu.slot %ys[%slot] : !tile to !slot
    %z = npu.slot %zs[%slot] : !tile to !slot
    %pa = memref.subview %a[%at] [16384] [1] : !tensor to !part
    %pb = memref.subview %b[%at] [16384] [1] : !tensor to !part
    %pc = memref.subview %c[%at] [16384] [1] : !tensor to !part
    npu.wait_flag v -> mte2 [%slot]
    npu.dma %pa to %x length 32768 : !part to !slot
    npu.dma %pb to %y length 32768 : !part to !slot
    npu.set_flag mte2 -> v [%slot]

    npu.wait_flag mte2 -> v [%slot]
    npu.wait_flag mte3 -> v [%slot]
    npu.vector add(%x, %y) to %z repeat 128 : (!slot, !slot) to !slot
    npu.set_flag v -> mte2 [%slot]
    npu.set_flag v -> mte3 [%slot]

    npu.wait_flag v -> mte3 [%slot]
    npu.dma %z to %pc length 32768 : !slot to !part
    npu.set_flag mte3 -> v [%slot]
  }
  npu.wait_flag v -> mte2 [%0]
  npu.wait_flag v -> mte2 [%1]
  npu.wait_flag mte3 -> v [%0]
  npu.wait_flag mte3 -> v [%1]
  return
}
