// Casts, transposes, and bits: rows whose types differ in size; squares of 16 x 16
// in both directions; bits of repeats that end within a block of 32 bytes.
//
// RUN: gc-runner --target=npu --check --entry=cast_f16_f32_1000 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=cast_f32_f16_70x16 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=back_i8_f16_6x72 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=cast_i8_f16_70x16 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=back_i32_f32_6x72 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=transpose_16x16 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=transpose_48x112 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=transpose_2032x16 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=select_ge_f16_129 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=select_ge_f16_255 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=select_lt_f32_300 %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=select_lt_f32_5000 %s | FileCheck %s
//
// CHECK: check     passed

func.func private @cast_f16_f32_1000_ref(%a0: tensor<1000xf16>) -> tensor<1000xf32> {
  %r = graph.type_cast %a0 : tensor<1000xf16> -> tensor<1000xf32>
  return %r : tensor<1000xf32>
}
func.func @cast_f16_f32_1000(%a0: memref<1000xf16, #npu.space<gm>>, %o0: memref<1000xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @cast_f16_f32_1000_ref} {
  %v1 = npu.alloc : memref<1008xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [1000] [1] : memref<1008xf16, #npu.space<ub>> to memref<1000xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<1000xf16, #npu.space<gm>> to memref<1000xf16, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<1000xf32, #npu.space<ub>>
  npu.cast %v2 to %v3 : memref<1000xf16, strided<[1]>, #npu.space<ub>> to memref<1000xf32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<1000xf32, #npu.space<ub>> to memref<1000xf32, #npu.space<gm>>
  return
}

func.func private @cast_f32_f16_70x16_ref(%a0: tensor<70x16xf32>) -> tensor<70x16xf16> {
  %r = graph.type_cast %a0 : tensor<70x16xf32> -> tensor<70x16xf16>
  return %r : tensor<70x16xf16>
}
func.func @cast_f32_f16_70x16(%a0: memref<70x16xf32, #npu.space<gm>>, %o0: memref<70x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @cast_f32_f16_70x16_ref} {
  %v1 = npu.alloc : memref<70x16xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<70x16xf32, #npu.space<gm>> to memref<70x16xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<70x16xf16, #npu.space<ub>>
  npu.cast %v1 to %v2 : memref<70x16xf32, #npu.space<ub>> to memref<70x16xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<70x16xf16, #npu.space<ub>> to memref<70x16xf16, #npu.space<gm>>
  return
}

func.func private @back_i8_f16_6x72_ref(%a0: tensor<6x72xsi8>) -> tensor<6x72xsi8> {
  %b = graph.type_cast %a0 : tensor<6x72xsi8> -> tensor<6x72xf16>
  %r = graph.type_cast %b : tensor<6x72xf16> -> tensor<6x72xsi8>
  return %r : tensor<6x72xsi8>
}
func.func @back_i8_f16_6x72(%a0: memref<6x72xi8, #npu.space<gm>>, %o0: memref<6x72xi8, #npu.space<gm>>) attributes {npu.kernel, reference = @back_i8_f16_6x72_ref} {
  %v1 = npu.alloc : memref<6x96xi8, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [6, 72] [1, 1] : memref<6x96xi8, #npu.space<ub>> to memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<6x72xi8, #npu.space<gm>> to memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<6x80xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0, 0] [6, 72] [1, 1] : memref<6x80xf16, #npu.space<ub>> to memref<6x72xf16, strided<[80, 1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<6x96xi8, #npu.space<ub>>
  %v6 = memref.subview %v5[0, 0] [6, 72] [1, 1] : memref<6x96xi8, #npu.space<ub>> to memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>>
  npu.cast %v2 to %v4 : memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>> to memref<6x72xf16, strided<[80, 1]>, #npu.space<ub>>
  npu.cast %v4 to %v6 : memref<6x72xf16, strided<[80, 1]>, #npu.space<ub>> to memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>>
  npu.copy %v6 to %o0 : memref<6x72xi8, strided<[96, 1]>, #npu.space<ub>> to memref<6x72xi8, #npu.space<gm>>
  return
}

func.func private @cast_i8_f16_70x16_ref(%a0: tensor<70x16xsi8>) -> tensor<70x16xf16> {
  %r = graph.type_cast %a0 : tensor<70x16xsi8> -> tensor<70x16xf16>
  return %r : tensor<70x16xf16>
}
func.func @cast_i8_f16_70x16(%a0: memref<70x16xi8, #npu.space<gm>>, %o0: memref<70x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @cast_i8_f16_70x16_ref} {
  %v1 = npu.alloc : memref<70x32xi8, #npu.space<ub>>
  %v2 = memref.subview %v1[0, 0] [70, 16] [1, 1] : memref<70x32xi8, #npu.space<ub>> to memref<70x16xi8, strided<[32, 1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<70x16xi8, #npu.space<gm>> to memref<70x16xi8, strided<[32, 1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<70x16xf16, #npu.space<ub>>
  npu.cast %v2 to %v3 : memref<70x16xi8, strided<[32, 1]>, #npu.space<ub>> to memref<70x16xf16, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<70x16xf16, #npu.space<ub>> to memref<70x16xf16, #npu.space<gm>>
  return
}

func.func private @back_i32_f32_6x72_ref(%a0: tensor<6x72xsi32>) -> tensor<6x72xsi32> {
  %b = graph.type_cast %a0 : tensor<6x72xsi32> -> tensor<6x72xf32>
  %r = graph.type_cast %b : tensor<6x72xf32> -> tensor<6x72xsi32>
  return %r : tensor<6x72xsi32>
}
func.func @back_i32_f32_6x72(%a0: memref<6x72xi32, #npu.space<gm>>, %o0: memref<6x72xi32, #npu.space<gm>>) attributes {npu.kernel, reference = @back_i32_f32_6x72_ref} {
  %v1 = npu.alloc : memref<6x72xi32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<6x72xi32, #npu.space<gm>> to memref<6x72xi32, #npu.space<ub>>
  %v2 = npu.alloc : memref<6x72xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<6x72xi32, #npu.space<ub>>
  npu.cast %v1 to %v2 : memref<6x72xi32, #npu.space<ub>> to memref<6x72xf32, #npu.space<ub>>
  npu.cast %v2 to %v3 : memref<6x72xf32, #npu.space<ub>> to memref<6x72xi32, #npu.space<ub>>
  npu.copy %v3 to %o0 : memref<6x72xi32, #npu.space<ub>> to memref<6x72xi32, #npu.space<gm>>
  return
}

func.func private @transpose_16x16_ref(%a0: tensor<16x16xf16>) -> tensor<16x16xf16> {
  %r = graph.static_transpose %a0 {order = array<i64: 1, 0>} : (tensor<16x16xf16>) -> tensor<16x16xf16>
  return %r : tensor<16x16xf16>
}
func.func @transpose_16x16(%a0: memref<16x16xf16, #npu.space<gm>>, %o0: memref<16x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @transpose_16x16_ref} {
  %v1 = npu.alloc : memref<16x16xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<16x16xf16, #npu.space<gm>> to memref<16x16xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<16x16xf16, #npu.space<ub>>
  npu.transpose %v1 to %v2 : memref<16x16xf16, #npu.space<ub>> to memref<16x16xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<16x16xf16, #npu.space<ub>> to memref<16x16xf16, #npu.space<gm>>
  return
}

func.func private @transpose_48x112_ref(%a0: tensor<48x112xf16>) -> tensor<112x48xf16> {
  %r = graph.static_transpose %a0 {order = array<i64: 1, 0>} : (tensor<48x112xf16>) -> tensor<112x48xf16>
  return %r : tensor<112x48xf16>
}
func.func @transpose_48x112(%a0: memref<48x112xf16, #npu.space<gm>>, %o0: memref<112x48xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @transpose_48x112_ref} {
  %v1 = npu.alloc : memref<48x112xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<48x112xf16, #npu.space<gm>> to memref<48x112xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<112x48xf16, #npu.space<ub>>
  npu.transpose %v1 to %v2 : memref<48x112xf16, #npu.space<ub>> to memref<112x48xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<112x48xf16, #npu.space<ub>> to memref<112x48xf16, #npu.space<gm>>
  return
}

func.func private @transpose_2032x16_ref(%a0: tensor<2032x16xf16>) -> tensor<16x2032xf16> {
  %r = graph.static_transpose %a0 {order = array<i64: 1, 0>} : (tensor<2032x16xf16>) -> tensor<16x2032xf16>
  return %r : tensor<16x2032xf16>
}
func.func @transpose_2032x16(%a0: memref<2032x16xf16, #npu.space<gm>>, %o0: memref<16x2032xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @transpose_2032x16_ref} {
  %v1 = npu.alloc : memref<2032x16xf16, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<2032x16xf16, #npu.space<gm>> to memref<2032x16xf16, #npu.space<ub>>
  %v2 = npu.alloc : memref<16x2032xf16, #npu.space<ub>>
  npu.transpose %v1 to %v2 : memref<2032x16xf16, #npu.space<ub>> to memref<16x2032xf16, #npu.space<ub>>
  npu.copy %v2 to %o0 : memref<16x2032xf16, #npu.space<ub>> to memref<16x2032xf16, #npu.space<gm>>
  return
}

func.func private @select_ge_f16_129_ref(%a0: tensor<129xf16>, %a1: tensor<129xf16>) -> tensor<129xf16> {
  %c = graph.greater_equal %a0, %a1 : (tensor<129xf16>, tensor<129xf16>) -> tensor<129xi1>
  %r = graph.select %c, %a0, %a1 : (tensor<129xi1>, tensor<129xf16>, tensor<129xf16>) -> tensor<129xf16>
  return %r : tensor<129xf16>
}
func.func @select_ge_f16_129(%a0: memref<129xf16, #npu.space<gm>>, %a1: memref<129xf16, #npu.space<gm>>, %o0: memref<129xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @select_ge_f16_129_ref} {
  %v1 = npu.alloc : memref<144xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [129] [1] : memref<144xf16, #npu.space<ub>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<129xf16, #npu.space<gm>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<144xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0] [129] [1] : memref<144xf16, #npu.space<ub>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<129xf16, #npu.space<gm>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<32xi8, #npu.space<ub>>
  %v6 = npu.alloc : memref<144xf16, #npu.space<ub>>
  %v7 = memref.subview %v6[0] [129] [1] : memref<144xf16, #npu.space<ub>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  npu.compare ge %v2, %v4 to %v5 : memref<129xf16, strided<[1]>, #npu.space<ub>>, memref<129xf16, strided<[1]>, #npu.space<ub>> to memref<32xi8, #npu.space<ub>>
  npu.select %v5, %v2, %v4 to %v7 : memref<32xi8, #npu.space<ub>>, memref<129xf16, strided<[1]>, #npu.space<ub>>, memref<129xf16, strided<[1]>, #npu.space<ub>> to memref<129xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %v7 to %o0 : memref<129xf16, strided<[1]>, #npu.space<ub>> to memref<129xf16, #npu.space<gm>>
  return
}

func.func private @select_ge_f16_255_ref(%a0: tensor<255xf16>, %a1: tensor<255xf16>) -> tensor<255xf16> {
  %c = graph.greater_equal %a0, %a1 : (tensor<255xf16>, tensor<255xf16>) -> tensor<255xi1>
  %r = graph.select %c, %a0, %a1 : (tensor<255xi1>, tensor<255xf16>, tensor<255xf16>) -> tensor<255xf16>
  return %r : tensor<255xf16>
}
func.func @select_ge_f16_255(%a0: memref<255xf16, #npu.space<gm>>, %a1: memref<255xf16, #npu.space<gm>>, %o0: memref<255xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @select_ge_f16_255_ref} {
  %v1 = npu.alloc : memref<256xf16, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [255] [1] : memref<256xf16, #npu.space<ub>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<255xf16, #npu.space<gm>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<256xf16, #npu.space<ub>>
  %v4 = memref.subview %v3[0] [255] [1] : memref<256xf16, #npu.space<ub>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<255xf16, #npu.space<gm>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<32xi8, #npu.space<ub>>
  %v6 = npu.alloc : memref<256xf16, #npu.space<ub>>
  %v7 = memref.subview %v6[0] [255] [1] : memref<256xf16, #npu.space<ub>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  npu.compare ge %v2, %v4 to %v5 : memref<255xf16, strided<[1]>, #npu.space<ub>>, memref<255xf16, strided<[1]>, #npu.space<ub>> to memref<32xi8, #npu.space<ub>>
  npu.select %v5, %v2, %v4 to %v7 : memref<32xi8, #npu.space<ub>>, memref<255xf16, strided<[1]>, #npu.space<ub>>, memref<255xf16, strided<[1]>, #npu.space<ub>> to memref<255xf16, strided<[1]>, #npu.space<ub>>
  npu.copy %v7 to %o0 : memref<255xf16, strided<[1]>, #npu.space<ub>> to memref<255xf16, #npu.space<gm>>
  return
}

func.func private @select_lt_f32_300_ref(%a0: tensor<300xf32>, %a1: tensor<300xf32>) -> tensor<300xf32> {
  %c = graph.greater_equal %a0, %a1 : (tensor<300xf32>, tensor<300xf32>) -> tensor<300xi1>
  %r = graph.select %c, %a1, %a0 : (tensor<300xi1>, tensor<300xf32>, tensor<300xf32>) -> tensor<300xf32>
  return %r : tensor<300xf32>
}
func.func @select_lt_f32_300(%a0: memref<300xf32, #npu.space<gm>>, %a1: memref<300xf32, #npu.space<gm>>, %o0: memref<300xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @select_lt_f32_300_ref} {
  %v1 = npu.alloc : memref<304xf32, #npu.space<ub>>
  %v2 = memref.subview %v1[0] [300] [1] : memref<304xf32, #npu.space<ub>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  npu.copy %a0 to %v2 : memref<300xf32, #npu.space<gm>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  %v3 = npu.alloc : memref<304xf32, #npu.space<ub>>
  %v4 = memref.subview %v3[0] [300] [1] : memref<304xf32, #npu.space<ub>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  npu.copy %a1 to %v4 : memref<300xf32, #npu.space<gm>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  %v5 = npu.alloc : memref<40xi8, #npu.space<ub>>
  %v6 = npu.alloc : memref<304xf32, #npu.space<ub>>
  %v7 = memref.subview %v6[0] [300] [1] : memref<304xf32, #npu.space<ub>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  npu.compare lt %v2, %v4 to %v5 : memref<300xf32, strided<[1]>, #npu.space<ub>>, memref<300xf32, strided<[1]>, #npu.space<ub>> to memref<40xi8, #npu.space<ub>>
  npu.select %v5, %v2, %v4 to %v7 : memref<40xi8, #npu.space<ub>>, memref<300xf32, strided<[1]>, #npu.space<ub>>, memref<300xf32, strided<[1]>, #npu.space<ub>> to memref<300xf32, strided<[1]>, #npu.space<ub>>
  npu.copy %v7 to %o0 : memref<300xf32, strided<[1]>, #npu.space<ub>> to memref<300xf32, #npu.space<gm>>
  return
}

func.func private @select_lt_f32_5000_ref(%a0: tensor<5000xf32>, %a1: tensor<5000xf32>) -> tensor<5000xf32> {
  %c = graph.greater_equal %a0, %a1 : (tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xi1>
  %r = graph.select %c, %a1, %a0 : (tensor<5000xi1>, tensor<5000xf32>, tensor<5000xf32>) -> tensor<5000xf32>
  return %r : tensor<5000xf32>
}
func.func @select_lt_f32_5000(%a0: memref<5000xf32, #npu.space<gm>>, %a1: memref<5000xf32, #npu.space<gm>>, %o0: memref<5000xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @select_lt_f32_5000_ref} {
  %v1 = npu.alloc : memref<5000xf32, #npu.space<ub>>
  npu.copy %a0 to %v1 : memref<5000xf32, #npu.space<gm>> to memref<5000xf32, #npu.space<ub>>
  %v2 = npu.alloc : memref<5000xf32, #npu.space<ub>>
  npu.copy %a1 to %v2 : memref<5000xf32, #npu.space<gm>> to memref<5000xf32, #npu.space<ub>>
  %v3 = npu.alloc : memref<632xi8, #npu.space<ub>>
  %v4 = npu.alloc : memref<5000xf32, #npu.space<ub>>
  npu.compare lt %v1, %v2 to %v3 : memref<5000xf32, #npu.space<ub>>, memref<5000xf32, #npu.space<ub>> to memref<632xi8, #npu.space<ub>>
  npu.select %v3, %v1, %v2 to %v4 : memref<632xi8, #npu.space<ub>>, memref<5000xf32, #npu.space<ub>>, memref<5000xf32, #npu.space<ub>> to memref<5000xf32, #npu.space<ub>>
  npu.copy %v4 to %o0 : memref<5000xf32, #npu.space<ub>> to memref<5000xf32, #npu.space<gm>>
  return
}
