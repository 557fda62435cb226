// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Constraints of moves that are one instruction.

func.func @dma_path(%x: memref<64xf16, #npu.space<gm>>, %y: memref<64xf16, #npu.space<gm>>) {
  // expected-error @below {{'npu.dma' op (C1) no path of the machine joins the memories}}
  npu.dma %x to %y length 128 : memref<64xf16, #npu.space<gm>> to memref<64xf16, #npu.space<gm>>
  return
}

// -----

// There is no path from the accumulators to global memory.
func.func @dma_l0c(%x: memref<256xf32, #npu.space<l0c>>, %y: memref<256xf32, #npu.space<gm>>) {
  // expected-error @below {{'npu.dma' op (C1) no path}}
  npu.dma %x to %y length 1024 : memref<256xf32, #npu.space<l0c>> to memref<256xf32, #npu.space<gm>>
  return
}

// -----

func.func @dma_vector(%x: memref<64xf16, #npu.space<ub>>, %y: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C1) a copy from ub to ub is npu.vector copy}}
  npu.dma %x to %y length 128 : memref<64xf16, #npu.space<ub>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_l1_to_l0(%x: memref<256xf16, #npu.space<l1>>, %y: memref<256xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.dma' op (C1) dma: there is no path from l1 to l0a}}
  npu.dma %x to %y length 512 : memref<256xf16, #npu.space<l1>> to memref<256xf16, #npu.space<l0a>>
  return
}

// -----

func.func @dma_space(%x: memref<64xf16>, %y: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C1) 'memref<64xf16>' is not in a memory of the machine}}
  npu.dma %x to %y length 128 : memref<64xf16> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_bursts(%x: memref<8192x16xf16, #npu.space<gm>>, %y: memref<8192x16xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C2) dma: number of bursts is 4096}}
  npu.dma %x to %y bursts 4096 length 32 : memref<8192x16xf16, #npu.space<gm>> to memref<8192x16xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_length(%x: memref<64xf16, #npu.space<gm>>, %y: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C2) has bursts of 0 bytes}}
  npu.dma %x to %y length 0 : memref<64xf16, #npu.space<gm>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_stride(%x: memref<64x16xf16, #npu.space<gm>>, %y: memref<64x24xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C3) dma: destination stride is 48}}
  npu.dma %x to %y bursts 64 length 32 source_stride 32 target_stride 48 : memref<64x16xf16, #npu.space<gm>> to memref<64x24xf16, #npu.space<ub>>
  return
}

// -----

// A part of a buffer that begins within a block.
func.func @dma_address(%x: memref<16xf16, #npu.space<gm>>) {
  %a = npu.alloc : memref<64xf16, #npu.space<ub>>
  %b = memref.subview %a[8] [16] [1] : memref<64xf16, #npu.space<ub>> to memref<16xf16, strided<[1], offset: 8>, #npu.space<ub>>
  // expected-error @below {{'npu.dma' op (C3) dma: the destination is at byte 16 of ub, but addresses there are multiples of 32}}
  npu.dma %x to %b length 32 : memref<16xf16, #npu.space<gm>> to memref<16xf16, strided<[1], offset: 8>, #npu.space<ub>>
  return
}

// -----

func.func @dma_source_end(%x: memref<64xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C4) touches 256 bytes of 'memref<64xf16, #npu.space<gm>>', which has 128}}
  npu.dma %x to %y bursts 4 length 64 : memref<64xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_target_end(%x: memref<128xf16, #npu.space<gm>>, %y: memref<40xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C4) touches 128 bytes of 'memref<40xf16, #npu.space<ub>>', which has 96}}
  npu.dma %x to %y length 128 : memref<128xf16, #npu.space<gm>> to memref<40xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_atomic(%x: memref<64xf16, #npu.space<gm>>, %y: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.dma' op (C5) adds in global memory only}}
  npu.dma %x to %y length 128 atomic : memref<64xf16, #npu.space<gm>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

func.func @dma_atomic_type(%x: memref<64xi8, #npu.space<ub>>, %y: memref<64xi8, #npu.space<gm>>) {
  // expected-error @below {{'npu.dma' op (C5) dma: there is no form for an atomic add}}
  npu.dma %x to %y length 64 atomic : memref<64xi8, #npu.space<ub>> to memref<64xi8, #npu.space<gm>>
  return
}

// -----

func.func @pack_source(%x: memref<16x16xf16, #npu.space<ub>>, %y: memref<1x16x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.pack' op (C1) the source is a matrix in gm}}
  npu.pack %x to %y : memref<16x16xf16, #npu.space<ub>> to memref<1x16x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @pack_columns(%x: memref<16x16xf16, strided<[64, 2]>, #npu.space<gm>>, %y: memref<1x16x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.pack' op (C1) the source is a matrix in gm with adjacent columns}}
  npu.pack %x to %y : memref<16x16xf16, strided<[64, 2]>, #npu.space<gm>> to memref<1x16x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @pack_target(%x: memref<16x16xf16, #npu.space<gm>>, %y: memref<1x16x16xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.pack' op (C1) the target is [blocks, rows, C0] in l1 or ub}}
  npu.pack %x to %y : memref<16x16xf16, #npu.space<gm>> to memref<1x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @pack_rows(%x: memref<20x16xf16, #npu.space<gm>>, %y: memref<1x16x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.pack' op (C2) needs a target of at least [1, 20, 16]}}
  npu.pack %x to %y : memref<20x16xf16, #npu.space<gm>> to memref<1x16x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @pack_transposed(%x: memref<20x40xf16, #npu.space<gm>>, %y: memref<1x48x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.pack' op (C2) needs a target of at least [2, 40, 16]}}
  npu.pack %x to %y transposed : memref<20x40xf16, #npu.space<gm>> to memref<1x48x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @pack_many(%x: memref<4112x16xf16, #npu.space<gm>>, %y: memref<1x4112x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.pack' op (C3) pack: number of rows is 4112}}
  npu.pack %x to %y : memref<4112x16xf16, #npu.space<gm>> to memref<1x4112x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @unpack_source(%x: memref<1x16x16xf16, #npu.space<l1>>, %y: memref<16x16xf16, #npu.space<gm>>) {
  // expected-error @below {{'npu.unpack' op (C1) the source is [blocks, rows, width] in ub}}
  npu.unpack %x to %y : memref<1x16x16xf16, #npu.space<l1>> to memref<16x16xf16, #npu.space<gm>>
  return
}

// -----

func.func @unpack_target(%x: memref<1x16x16xf16, #npu.space<ub>>, %y: memref<16x16xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.unpack' op (C1) the target is a matrix in gm}}
  npu.unpack %x to %y : memref<1x16x16xf16, #npu.space<ub>> to memref<16x16xf16, #npu.space<l1>>
  return
}

// -----

func.func @unpack_blocks(%x: memref<3x16x16xf16, #npu.space<ub>>, %y: memref<16x20xf16, #npu.space<gm>>) {
  // expected-error @below {{'npu.unpack' op (C2) needs a source of [2, 16 or more, 16]}}
  npu.unpack %x to %y : memref<3x16x16xf16, #npu.space<ub>> to memref<16x20xf16, #npu.space<gm>>
  return
}

// -----

func.func @unpack_atomic(%x: memref<1x16x16xi8, #npu.space<ub>>, %y: memref<16x16xi8, #npu.space<gm>>) {
  // expected-error @below {{'npu.unpack' op (C3) unpack: there is no form for an atomic add}}
  npu.unpack %x to %y atomic : memref<1x16x16xi8, #npu.space<ub>> to memref<16x16xi8, #npu.space<gm>>
  return
}

// -----

func.func @load2d_path(%x: memref<256xf16, #npu.space<ub>>, %y: memref<256xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load2d' op (C1) no path}}
  npu.load2d %x to %y fractals 1 : memref<256xf16, #npu.space<ub>> to memref<256xf16, #npu.space<l0a>>
  return
}

// -----

func.func @load2d_none(%x: memref<256xf16, #npu.space<l1>>, %y: memref<256xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load2d' op (C2) load2d: number of fractals is 0}}
  npu.load2d %x to %y fractals 0 : memref<256xf16, #npu.space<l1>> to memref<256xf16, #npu.space<l0a>>
  return
}

// -----

func.func @load2d_end(%x: memref<1024xf16, #npu.space<l1>>, %y: memref<512xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load2d' op (C3) touches 1536 bytes of 'memref<512xf16, #npu.space<l0a>>', which has 1024}}
  npu.load2d %x to %y fractals 2 target_stride 2 : memref<1024xf16, #npu.space<l1>> to memref<512xf16, #npu.space<l0a>>
  return
}

// -----

func.func @load2d_type(%x: memref<512xi8, #npu.space<l1>>, %y: memref<512xi8, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load2d' op (C4) load2d: there is no form for transposing}}
  npu.load2d %x to %y fractals 1 transposed : memref<512xi8, #npu.space<l1>> to memref<512xi8, #npu.space<l0a>>
  return
}

// -----

func.func @img2col_spaces(%x: memref<4x10x56x16xf16, #npu.space<ub>>, %y: memref<1x9x16x16xf16, #npu.space<l0a>>, %i: index) {
  // expected-error @below {{'npu.img2col' op (C1) goes from l1 to l0a}}
  npu.img2col %x[%i, %i] to %y kernel [3, 3] output_width 56 : memref<4x10x56x16xf16, #npu.space<ub>> to memref<1x9x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @img2col_shape(%x: memref<4x10x56x16xf16, #npu.space<l1>>, %y: memref<1x9x16x32xf16, #npu.space<l0a>>, %i: index) {
  // expected-error @below {{'npu.img2col' op (C2) takes an image [C1, H, W, 16] to [M / 16, K / 16, 16, 16]}}
  npu.img2col %x[%i, %i] to %y kernel [3, 3] output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>> to memref<1x9x16x32xf16, #npu.space<l0a>>
  return
}

// -----

// 37 columns of 16 are more than 4 channel blocks of 9 taps.
func.func @img2col_channels(%x: memref<4x10x56x16xf16, #npu.space<l1>>, %y: memref<1x37x16x16xf16, #npu.space<l0a>>) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'npu.img2col' op (C2) touches}}
  npu.img2col %x[%c0, %c0] to %y kernel [3, 3] output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>> to memref<1x37x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @img2col_kernel(%x: memref<4x10x56x16xf16, #npu.space<l1>>, %y: memref<1x9x16x16xf16, #npu.space<l0a>>, %i: index) {
  // expected-error @below {{'npu.img2col' op (C3) needs two positive kernel sizes}}
  npu.img2col %x[%i, %i] to %y kernel [3] output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>> to memref<1x9x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @img2col_column(%x: memref<4x10x56x16xf16, #npu.space<l1>>, %y: memref<1x9x16x16xf16, #npu.space<l0a>>) {
  %c8 = arith.constant 8 : index
  // expected-error @below {{'npu.img2col' op (C3) column 8 is not a multiple of 16}}
  npu.img2col %x[%c8, %c8] to %y kernel [3, 3] output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>> to memref<1x9x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @negative_length(%x: memref<128xf16, #npu.space<gm>>) {
  %a = npu.alloc at 0 : memref<128xf16, #npu.space<ub>>
  // expected-error @below {{(C2) has bursts of -256 bytes}}
  npu.dma %x to %a length -256 : memref<128xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}
