// RUN: gc-opt %s --npu-expand-tiles --split-input-file --verify-diagnostics

// Ops that verify but still have no instructions.

func.func @copy_bytes(%a: memref<64xi8, #npu.space<ub>>, %b: memref<64xi8, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.copy' op from ub to ub has no instruction for i8}}
  npu.copy %a to %b : memref<64xi8, #npu.space<ub>> to memref<64xi8, #npu.space<ub>>
  return
}

// -----

// Rows follow each other in the sum, but the row that is added is the same one.
func.func @broadcast_rows(%a: memref<8x20xf16, #npu.space<ub>>, %b: memref<1x20xf16, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.binary' op has rows that no vector instruction reaches: they do not begin at multiples of 32 bytes}}
  npu.binary add %a, %b to %a : memref<8x20xf16, #npu.space<ub>>, memref<1x20xf16, #npu.space<ub>> to memref<8x20xf16, #npu.space<ub>>
  return
}

// -----

func.func @reduce_rows(%a: memref<8x20xf16, #npu.space<ub>>, %b: memref<8xf16, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.reduce' op has rows 40 bytes apart, not a multiple of 32}}
  npu.reduce max %a to %b : memref<8x20xf16, #npu.space<ub>> to memref<8xf16, #npu.space<ub>>
  return
}

// -----

func.func @reduce_uneven(%a: memref<2x3x32xf16, strided<[128, 32, 1]>, #npu.space<ub>>, %b: memref<2x3xf16, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.reduce' op has rows that are not evenly apart: 'memref<2x3x32xf16, strided<[128, 32, 1]>}}
  npu.reduce max %a to %b : memref<2x3x32xf16, strided<[128, 32, 1]>, #npu.space<ub>> to memref<2x3xf16, #npu.space<ub>>
  return
}

// -----

func.func @large(%a: memref<4x65536xf16, #npu.space<gm>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.alloc' op of 524288 bytes does not fit into ub, which has 262144}}
  %0 = npu.alloc : memref<4x65536xf16, #npu.space<ub>>
  npu.copy %a to %0 : memref<4x65536xf16, #npu.space<gm>> to memref<4x65536xf16, #npu.space<ub>>
  return
}

// -----

func.func @transpose_wide(%a: memref<16x4096xf16, #npu.space<ub>>, %b: memref<4096x16xf16, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.transpose' op has rows of more than 255 blocks of 32 bytes}}
  npu.transpose %a to %b : memref<16x4096xf16, #npu.space<ub>> to memref<4096x16xf16, #npu.space<ub>>
  return
}

// -----

func.func @bits(%a: memref<2x3x128xf16, #npu.space<ub>>, %b: memref<2x1x128xf16, #npu.space<ub>>, %c: memref<96xi8, #npu.space<ub>>) attributes {npu.kernel} {
  // expected-error @below {{'npu.compare' op (C3) has 3 repeats in a row, whose bits do not fill blocks of 32 bytes}}
  npu.compare lt %a, %b to %c : memref<2x3x128xf16, #npu.space<ub>>, memref<2x1x128xf16, #npu.space<ub>> to memref<96xi8, #npu.space<ub>>
  return
}
