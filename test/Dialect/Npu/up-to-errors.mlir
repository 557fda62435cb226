// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Sizes at run time: how many there are, and what is known of them.

!gm = memref<32x40xf16, #npu.space<gm>>
!l1 = memref<3x32x16xf16, #npu.space<l1>>

func.func @pack(%x: !gm, %y: !l1, %n: index) {
  // expected-error @below {{'npu.pack' op (C4) has 1 sizes in up_to, not 2}}
  npu.pack %x to %y up_to [%n] : !gm to !l1
  return
}

// -----

!gm = memref<32x40xf16, #npu.space<gm>>
!ub = memref<3x32x16xf16, #npu.space<ub>>

func.func @unpack(%x: !ub, %y: !gm, %n: index) {
  %c41 = arith.constant 41 : index
  // expected-error @below {{'npu.unpack' op (C4) size 41 in up_to is not between 1 and 40}}
  npu.unpack %x to %y up_to [%n, %c41] : !ub to !gm
  return
}

// -----

!gm = memref<32x40xf16, #npu.space<gm>>
!ub = memref<32x48xf16, #npu.space<ub>>

// The length of a burst is not known, so the distance between bursts must be.
func.func @dma(%x: !gm, %y: !ub, %n: index) {
  // expected-error @below {{'npu.dma' op (C6) needs both strides}}
  npu.dma %x to %y bursts 32 length 80 source_stride 80 up_to [%n, %n] : !gm to !ub
  return
}

// -----

!l1 = memref<16x16xf16, #npu.space<l1>>
!l0 = memref<16x16xf16, #npu.space<l0a>>

func.func @load2d(%x: !l1, %y: !l0) {
  %c0 = arith.constant 0 : index
  // expected-error @below {{'npu.load2d' op (C5) size 0 in up_to is not between 1 and 1}}
  npu.load2d %x to %y fractals 1 up_to [%c0] : !l1 to !l0
  return
}

// -----

!l1 = memref<1x4x8x16xf16, #npu.space<l1>>
!l0 = memref<2x1x16x16xf16, #npu.space<l0a>>

func.func @img2col(%x: !l1, %y: !l0, %n: index) {
  // expected-error @below {{'npu.img2col' op (C4) has 2 sizes in up_to, not 1}}
  npu.img2col %x[%n, %n] to %y kernel [1, 1] output_width 8 up_to [%n, %n] : !l1 to !l0
  return
}

// -----

!a = memref<2x2x16x16xf16, #npu.space<l0a>>
!b = memref<2x1x16x16xf16, #npu.space<l0b>>
!c = memref<1x2x16x16xf32, #npu.space<l0c>>

func.func @matmul(%a: !a, %b: !b, %c: !c, %n: index) {
  // expected-error @below {{'npu.matmul' op (C6) has both sizes and up_to}}
  npu.matmul %a, %b into %c sizes [20, 16, 32] up_to [%n, %n, %n] : !a, !b into !c
  return
}

// -----

!c = memref<1x2x16x16xf32, #npu.space<l0c>>
!ub = memref<1x32x16xf16, #npu.space<ub>>

func.func @drain(%c: !c, %y: !ub, %n: index) {
  // expected-error @below {{'npu.drain' op (C5) has 3 sizes in up_to, not 2}}
  npu.drain %c to %y up_to [%n, %n, %n] : !c to !ub
  return
}

// -----

!ub = memref<4x16xf16, #npu.space<ub>>

func.func @copy_vector(%x: !ub, %y: !ub, %n: index) {
  // expected-error @below {{'npu.copy' op (C5) from ub to ub has no sizes at run time}}
  npu.copy %x to %y up_to [%n, %n] : !ub to !ub
  return
}

// -----

!gm = memref<4x20xf16, #npu.space<gm>>
!ub = memref<4x20xf16, #npu.space<ub>>

// Without sizes at run time this would be one run.
func.func @copy_rows(%x: !gm, %y: !ub, %n: index) {
  // expected-error @below {{'npu.copy' op (C3) rows in ub are 40 bytes apart, not a multiple of 32}}
  npu.copy %x to %y up_to [%n, %n] : !gm to !ub
  return
}

// -----

!l1 = memref<2x32x16xf16, #npu.space<l1>>
!l0 = memref<2x2x16x16xf16, #npu.space<l0a>>

func.func @load_fractals(%x: !l1, %y: !l0, %n: index) {
  %c33 = arith.constant 33 : index
  // expected-error @below {{'npu.load_fractals' op (C3) size 33 in up_to is not between 1 and 32}}
  npu.load_fractals %x to %y up_to [%n, %c33] : !l1 to !l0
  return
}
