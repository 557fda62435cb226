// Moves of tiles, expanded: fractals of both operands in both orientations, with
// tails in M, N and K; boxes with more bursts than one instruction has, with more
// dimensions than it has, over L1, and added in global memory.
//
// RUN: gc-runner --target=npu --check --entry=plain %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=transposed %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=bytes %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=bursts %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=boxes %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=detour %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=halves %s | FileCheck %s
//
// CHECK: check     passed

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>

// A [70, 50] by B [50, 40], A as it is in memory, B transposed on the way to L0B.
func.func private @product(%a: tensor<70x50xf16>, %b: tensor<50x40xf16>) -> tensor<70x40xf16> {
  %0 = graph.matmul %a, %b : (tensor<70x50xf16>, tensor<50x40xf16>) -> tensor<70x40xf16>
  return %0 : tensor<70x40xf16>
}
func.func @plain(%x: memref<70x50xf16, #gm>, %y: memref<50x40xf16, #gm>, %z: memref<70x40xf16, #gm>) attributes {npu.kernel, reference = @product} {
  %a1 = npu.alloc : memref<4x80x16xf16, #l1>
  %b1 = npu.alloc : memref<3x64x16xf16, #l1>
  %a = npu.alloc : memref<5x4x16x16xf16, #l0a>
  %b = npu.alloc : memref<4x3x16x16xf16, #l0b>
  %c = npu.alloc : memref<3x5x16x16xf32, #l0c>
  %r = npu.alloc : memref<3x80x16xf16, #ub>
  npu.pack %x to %a1 : memref<70x50xf16, #gm> to memref<4x80x16xf16, #l1>
  npu.pack %y to %b1 : memref<50x40xf16, #gm> to memref<3x64x16xf16, #l1>
  npu.load_fractals %a1 to %a : memref<4x80x16xf16, #l1> to memref<5x4x16x16xf16, #l0a>
  npu.load_fractals %b1 to %b transposed : memref<3x64x16xf16, #l1> to memref<4x3x16x16xf16, #l0b>
  npu.matmul %a, %b into %c initialised sizes [70, 40, 50] : memref<5x4x16x16xf16, #l0a>, memref<4x3x16x16xf16, #l0b> into memref<3x5x16x16xf32, #l0c>
  npu.drain %c to %r sizes [70, 40] : memref<3x5x16x16xf32, #l0c> to memref<3x80x16xf16, #ub>
  npu.unpack %r to %z : memref<3x80x16xf16, #ub> to memref<70x40xf16, #gm>
  return
}

// Both matrices transposed in memory: A is [50, 70], B is [40, 50].
func.func private @product_t(%a: tensor<50x70xf16>, %b: tensor<40x50xf16>) -> tensor<70x40xf16> {
  %0 = graph.matmul %a, %b {transpose_a = true, transpose_b = true} : (tensor<50x70xf16>, tensor<40x50xf16>) -> tensor<70x40xf16>
  return %0 : tensor<70x40xf16>
}
func.func @transposed(%x: memref<50x70xf16, #gm>, %y: memref<40x50xf16, #gm>, %z: memref<70x40xf16, #gm>) attributes {npu.kernel, reference = @product_t} {
  %a1 = npu.alloc : memref<5x64x16xf16, #l1>
  %b1 = npu.alloc : memref<4x48x16xf16, #l1>
  %a = npu.alloc : memref<5x4x16x16xf16, #l0a>
  %b = npu.alloc : memref<4x3x16x16xf16, #l0b>
  %c = npu.alloc : memref<3x5x16x16xf32, #l0c>
  %r = npu.alloc : memref<3x80x16xf16, #ub>
  npu.pack %x to %a1 : memref<50x70xf16, #gm> to memref<5x64x16xf16, #l1>
  npu.pack %y to %b1 : memref<40x50xf16, #gm> to memref<4x48x16xf16, #l1>
  npu.load_fractals %a1 to %a transposed : memref<5x64x16xf16, #l1> to memref<5x4x16x16xf16, #l0a>
  npu.load_fractals %b1 to %b : memref<4x48x16xf16, #l1> to memref<4x3x16x16xf16, #l0b>
  npu.matmul %a, %b into %c initialised sizes [70, 40, 50] : memref<5x4x16x16xf16, #l0a>, memref<4x3x16x16xf16, #l0b> into memref<3x5x16x16xf32, #l0c>
  npu.drain %c to %r sizes [70, 40] : memref<3x5x16x16xf32, #l0c> to memref<3x80x16xf16, #ub>
  npu.unpack %r to %z : memref<3x80x16xf16, #ub> to memref<70x40xf16, #gm>
  return
}

// Bytes: B is packed transposed, since fractals of bytes cannot be turned.
func.func private @product_bytes(%a: tensor<48x96xsi8>, %b: tensor<96x32xsi8>) -> tensor<48x32xsi32> {
  %0 = graph.matmul %a, %b : (tensor<48x96xsi8>, tensor<96x32xsi8>) -> tensor<48x32xsi32>
  return %0 : tensor<48x32xsi32>
}
func.func @bytes(%x: memref<48x96xi8, #gm>, %y: memref<96x32xi8, #gm>, %z: memref<48x32xi32, #gm>) attributes {npu.kernel, reference = @product_bytes} {
  %a1 = npu.alloc : memref<3x48x32xi8, #l1>
  %b1 = npu.alloc : memref<3x32x32xi8, #l1>
  %a = npu.alloc : memref<3x3x16x32xi8, #l0a>
  %b = npu.alloc : memref<3x2x16x32xi8, #l0b>
  %c = npu.alloc : memref<2x3x16x16xi32, #l0c>
  %r = npu.alloc : memref<2x48x16xi32, #ub>
  npu.pack %x to %a1 : memref<48x96xi8, #gm> to memref<3x48x32xi8, #l1>
  npu.pack %y to %b1 transposed : memref<96x32xi8, #gm> to memref<3x32x32xi8, #l1>
  npu.load_fractals %a1 to %a : memref<3x48x32xi8, #l1> to memref<3x3x16x32xi8, #l0a>
  npu.load_fractals %b1 to %b : memref<3x32x32xi8, #l1> to memref<3x2x16x32xi8, #l0b>
  npu.matmul %a, %b into %c initialised : memref<3x3x16x32xi8, #l0a>, memref<3x2x16x32xi8, #l0b> into memref<2x3x16x16xi32, #l0c>
  npu.drain %c to %r : memref<2x3x16x16xi32, #l0c> to memref<2x48x16xi32, #ub>
  npu.unpack %r to %z : memref<2x48x16xi32, #ub> to memref<48x32xi32, #gm>
  return
}

// 5000 rows of 20 elements out of 24: two instructions a transfer.
func.func private @slice_abs(%a: tensor<5000x20xf16>) -> tensor<5000x20xf16> {
  %0 = graph.abs %a : (tensor<5000x20xf16>) -> tensor<5000x20xf16>
  return %0 : tensor<5000x20xf16>
}
func.func @bursts(%x: memref<5000x20xf16, #gm>, %z: memref<5000x20xf16, #gm>) attributes {npu.kernel, reference = @slice_abs} {
  %zero = arith.constant 0 : index
  %half = arith.constant 2500 : index
  %end = arith.constant 5000 : index
  %a = npu.alloc : memref<4200x24xf16, #ub>
  scf.for %i = %zero to %end step %half {
    %from = memref.subview %x[%i, 0] [2500, 20] [1, 1] : memref<5000x20xf16, #gm> to memref<2500x20xf16, strided<[20, 1], offset: ?>, #gm>
    %to = memref.subview %z[%i, 0] [2500, 20] [1, 1] : memref<5000x20xf16, #gm> to memref<2500x20xf16, strided<[20, 1], offset: ?>, #gm>
    %b = npu.alloc : memref<2500x32xf16, #ub>
    %t = memref.subview %b[0, 0] [2500, 20] [1, 1] : memref<2500x32xf16, #ub> to memref<2500x20xf16, strided<[32, 1]>, #ub>
    npu.copy %from to %t : memref<2500x20xf16, strided<[20, 1], offset: ?>, #gm> to memref<2500x20xf16, strided<[32, 1]>, #ub>
    npu.unary abs %t to %t : memref<2500x20xf16, strided<[32, 1]>, #ub> to memref<2500x20xf16, strided<[32, 1]>, #ub>
    npu.copy %t to %to : memref<2500x20xf16, strided<[32, 1]>, #ub> to memref<2500x20xf16, strided<[20, 1], offset: ?>, #gm>
  }
  return
}

// A box of four dimensions, none of which continues another: loops around bursts.
func.func private @box_abs(%a: tensor<3x4x10x40xf32>) -> tensor<3x4x10x40xf32> {
  %0 = graph.abs %a : (tensor<3x4x10x40xf32>) -> tensor<3x4x10x40xf32>
  return %0 : tensor<3x4x10x40xf32>
}
func.func @boxes(%x: memref<3x4x10x40xf32, #gm>, %z: memref<3x4x10x40xf32, #gm>) attributes {npu.kernel, reference = @box_abs} {
  %b = npu.alloc : memref<4x5x11x48xf32, #ub>
  %t = memref.subview %b[1, 1, 1, 8] [3, 4, 10, 40] [1, 1, 1, 1] : memref<4x5x11x48xf32, #ub> to memref<3x4x10x40xf32, strided<[2640, 528, 48, 1], offset: 3224>, #ub>
  npu.copy %x to %t : memref<3x4x10x40xf32, #gm> to memref<3x4x10x40xf32, strided<[2640, 528, 48, 1], offset: 3224>, #ub>
  npu.unary abs %t to %t : memref<3x4x10x40xf32, strided<[2640, 528, 48, 1], offset: 3224>, #ub> to memref<3x4x10x40xf32, strided<[2640, 528, 48, 1], offset: 3224>, #ub>
  npu.copy %t to %z : memref<3x4x10x40xf32, strided<[2640, 528, 48, 1], offset: 3224>, #ub> to memref<3x4x10x40xf32, #gm>
  return
}

// UB to L1 and back, and within UB.
func.func private @row_abs(%a: tensor<6x100xf16>) -> tensor<6x100xf16> {
  %0 = graph.abs %a : (tensor<6x100xf16>) -> tensor<6x100xf16>
  return %0 : tensor<6x100xf16>
}
!row = memref<6x100xf16, strided<[112, 1]>, #ub>
func.func @detour(%x: memref<6x100xf16, #gm>, %z: memref<6x100xf16, #gm>) attributes {npu.kernel, reference = @row_abs} {
  %b0 = npu.alloc : memref<6x112xf16, #ub>
  %b = memref.subview %b0[0, 0] [6, 100] [1, 1] : memref<6x112xf16, #ub> to !row
  %l0 = npu.alloc : memref<6x128xf16, #l1>
  %l = memref.subview %l0[0, 0] [6, 100] [1, 1] : memref<6x128xf16, #l1> to memref<6x100xf16, strided<[128, 1]>, #l1>
  %c0 = npu.alloc : memref<6x112xf16, #ub>
  %c = memref.subview %c0[0, 0] [6, 100] [1, 1] : memref<6x112xf16, #ub> to !row
  %d0 = npu.alloc : memref<6x112xf16, #ub>
  %d = memref.subview %d0[0, 0] [6, 100] [1, 1] : memref<6x112xf16, #ub> to !row
  npu.copy %x to %b : memref<6x100xf16, #gm> to !row
  npu.unary abs %b to %b : !row to !row
  npu.copy %b to %l : !row to memref<6x100xf16, strided<[128, 1]>, #l1>
  npu.copy %l to %c : memref<6x100xf16, strided<[128, 1]>, #l1> to !row
  npu.copy %c to %d : !row to !row
  npu.copy %d to %z : !row to memref<6x100xf16, #gm>
  return
}

// Both halves added where they go.
func.func private @twice(%a: tensor<6x100xf32>) -> tensor<6x100xf32> {
  %0 = graph.add %a, %a : (tensor<6x100xf32>, tensor<6x100xf32>) -> tensor<6x100xf32>
  return %0 : tensor<6x100xf32>
}
func.func @halves(%x: memref<6x100xf32, #gm>, %z: memref<6x100xf32, #gm>) attributes {npu.kernel, reference = @twice} {
  %b0 = npu.alloc : memref<6x104xf32, #ub>
  %b = memref.subview %b0[0, 0] [6, 100] [1, 1] : memref<6x104xf32, #ub> to memref<6x100xf32, strided<[104, 1]>, #ub>
  npu.copy %x to %b : memref<6x100xf32, #gm> to memref<6x100xf32, strided<[104, 1]>, #ub>
  npu.copy %b to %z : memref<6x100xf32, strided<[104, 1]>, #ub> to memref<6x100xf32, #gm>
  npu.copy %b to %z atomic : memref<6x100xf32, strided<[104, 1]>, #ub> to memref<6x100xf32, #gm>
  return
}
