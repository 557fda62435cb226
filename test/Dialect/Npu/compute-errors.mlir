// RUN: gc-opt %s --split-input-file --verify-diagnostics

// Constraints of the cube and of vector instructions.

func.func @matmul_spaces(%a: memref<1x1x16x16xf16, #npu.space<l0b>>, %b: memref<1x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x1x16x16xf32, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C1) needs A in l0a, B in l0b and C in l0c}}
  npu.matmul %a, %b into %c : memref<1x1x16x16xf16, #npu.space<l0b>>, memref<1x1x16x16xf16, #npu.space<l0b>> into memref<1x1x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_types(%a: memref<1x1x16x16xf16, #npu.space<l0a>>, %b: memref<1x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x1x16x16xf16, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C2) multiplies f16 into f32 or i8 into i32}}
  npu.matmul %a, %b into %c : memref<1x1x16x16xf16, #npu.space<l0a>>, memref<1x1x16x16xf16, #npu.space<l0b>> into memref<1x1x16x16xf16, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_shapes(%a: memref<2x3x16x16xf16, #npu.space<l0a>>, %b: memref<2x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x2x16x16xf32, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C2) multiplies [M1, K1, 16, 16] by [K1, N1, 16, 16] into [N1, M1, 16, 16]}}
  npu.matmul %a, %b into %c : memref<2x3x16x16xf16, #npu.space<l0a>>, memref<2x1x16x16xf16, #npu.space<l0b>> into memref<1x2x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_gaps(%a: memref<2x2x16x16xf16, strided<[1024, 512, 16, 1]>, #npu.space<l0a>>, %b: memref<2x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x2x16x16xf32, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C3) only the first dimension of an operand may have gaps}}
  npu.matmul %a, %b into %c : memref<2x2x16x16xf16, strided<[1024, 512, 16, 1]>, #npu.space<l0a>>, memref<2x1x16x16xf16, #npu.space<l0b>> into memref<1x2x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_sizes(%a: memref<2x2x16x16xf16, #npu.space<l0a>>, %b: memref<2x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x2x16x16xf32, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C4) size 16 does not end in the last of 2 fractals of 16}}
  npu.matmul %a, %b into %c sizes [16, 16, 32] : memref<2x2x16x16xf16, #npu.space<l0a>>, memref<2x1x16x16xf16, #npu.space<l0b>> into memref<1x2x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_size_count(%a: memref<2x2x16x16xf16, #npu.space<l0a>>, %b: memref<2x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x2x16x16xf32, #npu.space<l0c>>) {
  // expected-error @below {{'npu.matmul' op (C4) has 2 sizes, not 3}}
  npu.matmul %a, %b into %c sizes [20, 16] : memref<2x2x16x16xf16, #npu.space<l0a>>, memref<2x1x16x16xf16, #npu.space<l0b>> into memref<1x2x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @matmul_initialise(%a: memref<1x1x16x16xf16, #npu.space<l0a>>, %b: memref<1x1x16x16xf16, #npu.space<l0b>>, %c: memref<1x1x16x16xf32, #npu.space<l0c>>, %i: i1) {
  // expected-error @below {{'npu.matmul' op (C5) has both initialise and initialised}}
  npu.matmul %a, %b into %c initialise %i initialised : memref<1x1x16x16xf16, #npu.space<l0a>>, memref<1x1x16x16xf16, #npu.space<l0b>> into memref<1x1x16x16xf32, #npu.space<l0c>>
  return
}

// -----

func.func @drain_spaces(%c: memref<1x1x16x16xf32, #npu.space<l0c>>, %y: memref<1x16x16xf32, #npu.space<gm>>) {
  // expected-error @below {{'npu.drain' op (C1) goes from [N1, M1, 16, 16] in l0c to [N / W, M, W] in ub}}
  npu.drain %c to %y : memref<1x1x16x16xf32, #npu.space<l0c>> to memref<1x16x16xf32, #npu.space<gm>>
  return
}

// -----

func.func @drain_width(%c: memref<2x1x16x16xf32, #npu.space<l0c>>, %y: memref<4x16x8xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.drain' op (C2) takes [N1, M1, 16, 16] to [2, 16 or more, 16]}}
  npu.drain %c to %y : memref<2x1x16x16xf32, #npu.space<l0c>> to memref<4x16x8xf32, #npu.space<ub>>
  return
}

// -----

func.func @drain_rows(%c: memref<2x2x16x16xf32, #npu.space<l0c>>, %y: memref<1x24x32xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.drain' op (C2) takes [N1, M1, 16, 16] to [1, 32 or more, 32]}}
  npu.drain %c to %y : memref<2x2x16x16xf32, #npu.space<l0c>> to memref<1x24x32xf16, #npu.space<ub>>
  return
}

// -----

func.func @drain_cast(%c: memref<1x1x16x16xf32, #npu.space<l0c>>, %y: memref<1x16x16xi8, #npu.space<ub>>) {
  // expected-error @below {{'npu.drain' op (C3) drain: there is no form for results of f32}}
  npu.drain %c to %y : memref<1x1x16x16xf32, #npu.space<l0c>> to memref<1x16x16xi8, #npu.space<ub>>
  return
}

// -----

func.func @drain_sizes(%c: memref<1x2x16x16xf32, #npu.space<l0c>>, %y: memref<1x32x16xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.drain' op (C4) size 33 does not end in the last of 2 fractals of 16}}
  npu.drain %c to %y sizes [33, 16] : memref<1x2x16x16xf32, #npu.space<l0c>> to memref<1x32x16xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_space(%a: memref<128xf16, #npu.space<l1>>) {
  // expected-error @below {{'npu.vector' op (C1) works on f16, f32, i8 and i32 in ub}}
  npu.vector exp (%a) to %a : (memref<128xf16, #npu.space<l1>>) to memref<128xf16, #npu.space<l1>>
  return
}

// -----

func.func @vector_address() {
  %a = npu.alloc : memref<256xf16, #npu.space<ub>>
  %b = memref.subview %a[8] [128] [1] : memref<256xf16, #npu.space<ub>> to memref<128xf16, strided<[1], offset: 8>, #npu.space<ub>>
  // expected-error @below {{'npu.vector' op (C1) vector exp: source 0 is at byte 16 of ub}}
  npu.vector exp (%b) to %a : (memref<128xf16, strided<[1], offset: 8>, #npu.space<ub>>) to memref<256xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_sources(%a: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C2) 'add' takes 2 sources, not 1}}
  npu.vector add (%a) to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_no_register(%a: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C2) 'adds' takes a register}}
  npu.vector adds (%a) to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_register(%a: memref<128xf16, #npu.space<ub>>, %x: f32) {
  // expected-error @below {{'npu.vector' op (C2) 'exp' has no register}}
  npu.vector exp (%a), %x to %a : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_repeat(%a: memref<65536xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C3) vector exp: repeat is 256}}
  npu.vector exp (%a) to %a repeat 256 : (memref<65536xf16, #npu.space<ub>>) to memref<65536xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_stride(%a: memref<65536xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C3) vector exp: source 0 repeat stride is 256}}
  npu.vector exp (%a) to %a repeat 2 strides [1, 8, 1, 256, 1, 8] : (memref<65536xf16, #npu.space<ub>>) to memref<65536xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_stride_count(%a: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C3) strides are those of the target and two sources}}
  npu.vector exp (%a) to %a strides [1, 8] : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_mask(%a: memref<128xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C3) a mask is [low, high]}}
  npu.vector exp (%a) to %a mask [1] : (memref<128xf16, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_types(%a: memref<128xf16, #npu.space<ub>>, %b: memref<128xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C4) has sources of two element types}}
  npu.vector add (%a, %b) to %a : (memref<128xf16, #npu.space<ub>>, memref<128xf32, #npu.space<ub>>) to memref<128xf16, #npu.space<ub>>
  return
}

// -----

func.func @vector_result_type(%a: memref<128xf16, #npu.space<ub>>, %b: memref<128xf32, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C4) vector exp: source is f16, destination f32}}
  npu.vector exp (%a) to %b : (memref<128xf16, #npu.space<ub>>) to memref<128xf32, #npu.space<ub>>
  return
}

// -----

func.func @vector_end(%a: memref<300xf16, #npu.space<ub>>, %b: memref<384xf16, #npu.space<ub>>) {
  // expected-error @below {{'npu.vector' op (C5) touches 768 bytes of 'memref<300xf16, #npu.space<ub>>', which has 608}}
  npu.vector exp (%a) to %b repeat 3 : (memref<300xf16, #npu.space<ub>>) to memref<384xf16, #npu.space<ub>>
  return
}
