// RUN: gc-opt %s --gc-npu-pipeline="stop-after=slots" | FileCheck %s --check-prefix=SLOTS
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=npu" | FileCheck %s --check-prefix=INSTRUCTIONS
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=memory" | FileCheck %s --check-prefix=ADDRESSES
// RUN: gc-opt %s --gc-npu-pipeline | FileCheck %s --check-prefix=FLAGS
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=sync" | FileCheck %s --check-prefix=FLAGS

// A kernel enters at phase npu: the phases before it change nothing.
// RUN: gc-opt %s -o %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=extract" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=schedule" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=tile" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=fuse" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=map" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=promote" | cmp - %t.parsed
// RUN: gc-opt %s --gc-npu-pipeline="stop-after=kernels" | cmp - %t.parsed
// A word of an older list is no phase, and the error says which are.
// RUN: not gc-opt %s --gc-npu-pipeline="stop-after=addresses" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: for the --stop-after option: Cannot find option named 'addresses'
// The words, in order.
// RUN: gc-opt --help | FileCheck %s --check-prefix=WORDS
// WORDS: gc-npu-pipeline
// WORDS: =extract
// WORDS: =schedule
// WORDS: =tile
// WORDS: =fuse
// WORDS: =map
// WORDS: =promote
// WORDS: =kernels
// WORDS: =slots
// WORDS: =npu
// WORDS: =memory
// WORDS: =sync

#gm = #npu.space<gm>
#ub = #npu.space<ub>
!part = memref<256xf16, strided<[1], offset: ?>, #gm>
!tile = memref<256xf16, #ub>

// SLOTS: npu.alloc slots 2 : memref<256xf16, #npu.space<ub>>
// SLOTS: scf.for
// SLOTS: npu.slot
// SLOTS: npu.copy
// SLOTS: npu.unary relu

// INSTRUCTIONS: npu.alloc slots 2 : memref<256xf16
// INSTRUCTIONS-NOT: npu.{{copy|unary}}
// INSTRUCTIONS: npu.dma
// INSTRUCTIONS-NOT: npu.{{copy|unary}}
// INSTRUCTIONS: npu.vector relu
// INSTRUCTIONS-NOT: npu.{{copy|unary}}

// INSTRUCTIONS: return

// ADDRESSES: npu.alloc slots 2 at {{[0-9]+}} : memref<256xf16
// ADDRESSES-NOT: npu.set_flag
// ADDRESSES: npu.vector relu

// FLAGS: npu.dma
// FLAGS: npu.set_flag mte2 -> v
// FLAGS: npu.wait_flag mte2 -> v
// FLAGS: npu.vector relu
// FLAGS: npu.wait_flag v -> mte3

func.func @relu(%x: memref<4096xf16, #gm>, %y: memref<4096xf16, #gm>) attributes {npu.kernel} {
  %zero = arith.constant 0 : index
  %step = arith.constant 256 : index
  %end = arith.constant 4096 : index
  scf.for %i = %zero to %end step %step {
    %a = npu.alloc : !tile
    %b = npu.alloc : !tile
    %from = memref.subview %x[%i] [256] [1] : memref<4096xf16, #gm> to !part
    %to = memref.subview %y[%i] [256] [1] : memref<4096xf16, #gm> to !part
    npu.copy %from to %a : !part to !tile
    npu.unary relu %a to %b : !tile to !tile
    npu.copy %b to %to : !tile to !part
  } {npu.pipeline = 2}
  return
}

// Not a kernel: left alone.
// FLAGS-LABEL: func.func @other
// FLAGS: npu.unary
func.func @other(%a: !tile) {
  npu.unary relu %a to %a : !tile to !tile
  return
}
