// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Constraints of ops on tiles.

func.func @copy_shape(%x: memref<8x16xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C1) copies 'memref<8x16xf16, #npu.space<gm>>' to another shape or element type}}
  npu.copy %x to %y : memref<8x16xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @copy_dynamic(%x: memref<?xf16, #npu.space<gm>>, %y: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C1) needs a memref of f16, f32, i8 or i32}}
  npu.copy %x to %y : memref<?xf16, #npu.space<gm>> to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @copy_path(%x: memref<256xf16, #npu.space<l1>>, %y: memref<256xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.copy' op (C2) no path from l1 to l0a}}
  npu.copy %x to %y : memref<256xf16, #npu.space<l1>> to memref<256xf16, #npu.space<l0a>>
  return
}

// -----

func.func @copy_accumulators(%x: memref<256xf32, #npu.space<l0c>>, %y: memref<256xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C2) no path from l0c to ub}}
  npu.copy %x to %y : memref<256xf32, #npu.space<l0c>> to memref<256xf32, #npu.space<ub>>
  return
}

// -----

func.func @copy_inner(%x: memref<8x16xf16, strided<[64, 2]>, #npu.space<gm>>, %y: memref<8x16xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C3) the innermost dimension has gaps}}
  npu.copy %x to %y : memref<8x16xf16, strided<[64, 2]>, #npu.space<gm>> to memref<8x16xf16, #npu.space<ub>>
  return
}

// -----

// Rows of 20 elements that follow each other in UB, but not in global memory.
func.func @copy_rows(%x: memref<8x20xf16, strided<[64, 1]>, #npu.space<gm>>, %y: memref<8x20xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C3) rows in ub are 40 bytes apart, not a multiple of 32}}
  npu.copy %x to %y : memref<8x20xf16, strided<[64, 1]>, #npu.space<gm>> to memref<8x20xf16, #npu.space<ub>>
  return
}

// -----

func.func @copy_atomic(%x: memref<64xf16, #npu.space<gm>>, %y: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.copy' op (C4) atomic is for f16, f32 and i32 in gm}}
  npu.copy %x to %y atomic : memref<64xf16, #npu.space<gm>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

func.func @load_fractals_spaces(%x: memref<1x16x16xf16, #npu.space<ub>>, %y: memref<1x1x16x16xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load_fractals' op (C1) goes from l1 to l0a or l0b}}
  npu.load_fractals %x to %y : memref<1x16x16xf16, #npu.space<ub>> to memref<1x1x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @load_fractals_type(%x: memref<1x32x32xi8, #npu.space<l1>>, %y: memref<1x2x16x32xi8, #npu.space<l0b>>) {
  // expected-error @below {{'npu.load_fractals' op (C2) element types are equal, and f16 if transposed}}
  npu.load_fractals %x to %y transposed : memref<1x32x32xi8, #npu.space<l1>> to memref<1x2x16x32xi8, #npu.space<l0b>>
  return
}

// -----

func.func @load_fractals_source(%x: memref<1x24x16xf16, #npu.space<l1>>, %y: memref<1x1x16x16xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load_fractals' op (C2) the source is [columns / C0, rows, C0], rows a multiple of 16}}
  npu.load_fractals %x to %y : memref<1x24x16xf16, #npu.space<l1>> to memref<1x1x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @load_fractals_target(%x: memref<2x64x16xf16, #npu.space<l1>>, %y: memref<2x4x16x16xf16, #npu.space<l0a>>) {
  // expected-error @below {{'npu.load_fractals' op (C2) the target is [4, 2, 16, 16]}}
  npu.load_fractals %x to %y : memref<2x64x16xf16, #npu.space<l1>> to memref<2x4x16x16xf16, #npu.space<l0a>>
  return
}

// -----

func.func @binary_space(%a: memref<64xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.binary' op (C1) works on f16 and f32 in ub}}
  npu.binary add %a, %a to %a : memref<64xf16, #npu.space<l1>>, memref<64xf16, #npu.space<l1>> to memref<64xf16, #npu.space<l1>>
  return
}

// -----

func.func @binary_type(%a: memref<64xi32, #npu.space<ub>>) {
  // expected-error @below {{'npu.binary' op (C1) works on f16 and f32 in ub}}
  npu.binary add %a, %a to %a : memref<64xi32, #npu.space<ub>>, memref<64xi32, #npu.space<ub>> to memref<64xi32, #npu.space<ub>>
  return
}

// -----

func.func @binary_types(%a: memref<64xf16, #npu.space<ub>>, %b: memref<64xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.binary' op (C1) has operands of two element types}}
  npu.binary add %a, %b to %a : memref<64xf16, #npu.space<ub>>, memref<64xf32, #npu.space<ub>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

// Along the last dimension there is no broadcast: that is npu.scalar.
func.func @binary_broadcast(%a: memref<4x64xf16, #npu.space<ub>>, %b: memref<4x1xf16, strided<[16, 1]>, #npu.space<ub>>) {
  // expected-error @below {{'npu.binary' op (C2) 'memref<4x1xf16, strided<[16, 1]>, #npu.space<ub>>' cannot be broadcast}}
  npu.binary add %a, %b to %a : memref<4x64xf16, #npu.space<ub>>, memref<4x1xf16, strided<[16, 1]>, #npu.space<ub>> to memref<4x64xf16, #npu.space<ub>>
  return
}

// -----

func.func @unary_rows(%a: memref<4x20xf16, strided<[24, 1]>, #npu.space<ub>>) {
  // expected-error @below {{'npu.unary' op (C3) rows are 48 bytes apart, not a multiple of 32}}
  npu.unary exp %a to %a : memref<4x20xf16, strided<[24, 1]>, #npu.space<ub>> to memref<4x20xf16, strided<[24, 1]>, #npu.space<ub>>
  return
}

// -----

func.func @scalar_shape(%a: memref<64xf16, #npu.space<ub>>, %b: memref<32xf16, #npu.space<ub>>, %x: f32) {
  // expected-error @below {{'npu.scalar' op (C1) needs one shape and element type}}
  npu.scalar muls %a, %x to %b : memref<64xf16, #npu.space<ub>> to memref<32xf16, #npu.space<ub>>
  return
}

// -----

func.func @unary_shape(%a: memref<64xf16, #npu.space<ub>>, %b: memref<64xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.unary' op (C1) needs one shape and element type}}
  npu.unary relu %a to %b : memref<64xf16, #npu.space<ub>> to memref<64xf32, #npu.space<ub>>
  return
}

// -----

func.func @cast_shape(%a: memref<64xf16, #npu.space<ub>>, %b: memref<32xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.cast' op (C1) casts 'memref<64xf16, #npu.space<ub>>' to another shape}}
  npu.cast %a to %b : memref<64xf16, #npu.space<ub>> to memref<32xf32, #npu.space<ub>>
  return
}

// -----

func.func @cast_types(%a: memref<64xi8, #npu.space<ub>>, %b: memref<64xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.cast' op (C2) casts f16 <-> f32}}
  npu.cast %a to %b : memref<64xi8, #npu.space<ub>> to memref<64xf32, #npu.space<ub>>
  return
}

// -----

func.func @compare_gaps(%a: memref<4x64xf16, strided<[128, 1]>, #npu.space<ub>>, %b: memref<32xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.compare' op (C1) needs tiles without gaps}}
  npu.compare lt %a, %a to %b : memref<4x64xf16, strided<[128, 1]>, #npu.space<ub>>, memref<4x64xf16, strided<[128, 1]>, #npu.space<ub>> to memref<32xi8, #npu.space<ub>>
  return
}

// -----

// 130 elements are two repeats of 128: 32 bytes of bits.
func.func @compare_bits(%a: memref<130xf16, #npu.space<ub>>, %b: memref<17xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.compare' op (C2) needs at least 32 bytes of i8 in ub for the bits}}
  npu.compare lt %a, %a to %b : memref<130xf16, #npu.space<ub>>, memref<130xf16, #npu.space<ub>> to memref<17xi8, #npu.space<ub>>
  return
}

// -----

func.func @select_bits(%a: memref<130xf32, #npu.space<ub>>, %b: memref<16xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.select' op (C2) needs at least 24 bytes of i8 in ub for the bits}}
  npu.select %b, %a, %a to %a : memref<16xi8, #npu.space<ub>>, memref<130xf32, #npu.space<ub>>, memref<130xf32, #npu.space<ub>> to memref<130xf32, #npu.space<ub>>
  return
}

// -----

func.func @reduce_shape(%a: memref<4x64xf16, #npu.space<ub>>, %b: memref<64xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.reduce' op (C2) reduces 'memref<4x64xf16, #npu.space<ub>>' to all its dimensions but the last}}
  npu.reduce sum %a to %b : memref<4x64xf16, #npu.space<ub>> to memref<64xf16, #npu.space<ub>>
  return
}

// -----

// Only sums widen.
func.func @reduce_type(%a: memref<4x64xf16, #npu.space<ub>>, %b: memref<4xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.reduce' op (C2)}}
  npu.reduce max %a to %b : memref<4x64xf16, #npu.space<ub>> to memref<4xf32, #npu.space<ub>>
  return
}

// -----

func.func @fill_type(%a: memref<64xi8, #npu.space<ub>>, %x: f32) {
  // expected-error @below {{'npu.fill' op (C1) works on f16 and f32 in ub}}
  npu.fill %x to %a : memref<64xi8, #npu.space<ub>>
  return
}

// -----

func.func @transpose_type(%a: memref<16x16xf32, #npu.space<ub>>, %b: memref<16x16xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.transpose' op (C1) has tiles of two element types}}
  npu.transpose %a to %b : memref<16x16xf32, #npu.space<ub>> to memref<16x16xf16, #npu.space<ub>>
  return
}

// -----

func.func @transpose_shape(%a: memref<16x24xf16, #npu.space<ub>>, %b: memref<24x16xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.transpose' op (C2) takes [R, C] to [C, R], both multiples of 16}}
  npu.transpose %a to %b : memref<16x24xf16, #npu.space<ub>> to memref<24x16xf16, #npu.space<ub>>
  return
}

// -----

// A single row, but of a target that is no square wide.
func.func @transpose_row(%a: memref<1x32xf16, #npu.space<ub>>, %b: memref<32x8xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.transpose' op (C2) takes [R, C] to [C, R], both multiples of 16}}
  npu.transpose %a to %b : memref<1x32xf16, #npu.space<ub>> to memref<32x8xf16, #npu.space<ub>>
  return
}

// -----

func.func @reduce_space(%a: memref<4x64xi32, #npu.space<ub>>, %b: memref<4xi32, #npu.space<ub>>) {
  // expected-error @below {{'npu.reduce' op (C1) works on f16 and f32 in ub}}
  npu.reduce sum %a to %b : memref<4x64xi32, #npu.space<ub>> to memref<4xi32, #npu.space<ub>>
  return
}

// -----

func.func @compare_broadcast_rows(%a: memref<4x24xf16, #npu.space<ub>>, %b: memref<1x24xf16, #npu.space<ub>>, %c: memref<32xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.compare' op (C3) broadcasts to rows of whole repeats (128) or to 8 blocks of 16, not to rows of 24}}
  npu.compare lt %a, %b to %c : memref<4x24xf16, #npu.space<ub>>, memref<1x24xf16, #npu.space<ub>> to memref<32xi8, #npu.space<ub>>
  return
}

// -----

func.func @select_broadcast_last(%a: memref<4x128xf16, #npu.space<ub>>, %b: memref<4x1xf16, #npu.space<ub>>, %c: memref<64xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.select' op (C1) needs one shape and element type}}
  npu.select %c, %a, %b to %a : memref<64xi8, #npu.space<ub>>, memref<4x128xf16, #npu.space<ub>>, memref<4x1xf16, #npu.space<ub>> to memref<4x128xf16, #npu.space<ub>>
  return
}
