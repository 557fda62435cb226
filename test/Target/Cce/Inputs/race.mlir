// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sum reads what the transfer writes, without a flag between them.

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!tile = memref<128xf16, #ub>

func.func @race(%x: memref<128xf16, #gm>, %y: memref<128xf16, #gm>) attributes {npu.kernel} {
  %a = npu.alloc at 0 : !tile
  npu.dma %x to %a length 256 : memref<128xf16, #gm> to !tile
  npu.vector add(%a, %a) to %a : (!tile, !tile) to !tile
  npu.barrier all
  npu.dma %a to %y length 256 : !tile to memref<128xf16, #gm>
  return
}

func.func @nothing(%x: memref<128xf16, #gm>) attributes {npu.kernel} {
  return
}
