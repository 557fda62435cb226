// Moves in all their forms, against the reference; barriers everywhere.
//
// RUN: gc-runner --target=npu --check --entry=atomic %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=transposed %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=strided %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=tails %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=scalar %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=slots %s | FileCheck %s
// RUN: not gc-runner --target=npu --mode=cycles --entry=search %s 2>&1 | FileCheck %s --check-prefix=SEARCH

// CHECK: check passed

//===----------------------------------------------------------------------===//
// Two atomic adds to zeros in global memory make a sum.
//===----------------------------------------------------------------------===//

func.func private @sum(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.add %x, %y : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
func.func @atomic(%x: memref<64xf32, #npu.space<gm>>, %y: memref<64xf32, #npu.space<gm>>, %z: memref<64xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @sum} {
  %zero = arith.constant 0.0 : f32
  %a = npu.alloc at 0 : memref<64xf32, #npu.space<ub>>
  %b = npu.alloc at 256 : memref<64xf32, #npu.space<ub>>
  %c = npu.alloc at 512 : memref<64xf32, #npu.space<ub>>
  npu.vector dup (), %zero to %c : () to memref<64xf32, #npu.space<ub>>
  npu.dma %x to %a length 256 : memref<64xf32, #npu.space<gm>> to memref<64xf32, #npu.space<ub>>
  npu.dma %y to %b length 256 : memref<64xf32, #npu.space<gm>> to memref<64xf32, #npu.space<ub>>
  npu.barrier all
  npu.dma %c to %z length 256 : memref<64xf32, #npu.space<ub>> to memref<64xf32, #npu.space<gm>>
  npu.barrier mte3
  npu.dma %a to %z length 256 atomic : memref<64xf32, #npu.space<ub>> to memref<64xf32, #npu.space<gm>>
  npu.dma %b to %z length 256 atomic : memref<64xf32, #npu.space<ub>> to memref<64xf32, #npu.space<gm>>
  return
}

//===----------------------------------------------------------------------===//
// A matrix that is packed transposed and unpacked as it is: 40 x 24, so that
// both sides have a rest.
//===----------------------------------------------------------------------===//

func.func private @transposition(%x: tensor<40x24xf16>) -> tensor<24x40xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<40x24xf16>) -> tensor<24x40xf16>
  return %0 : tensor<24x40xf16>
}
func.func @transposed(%x: memref<40x24xf16, #npu.space<gm>>, %z: memref<24x40xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @transposition} {
  %a = npu.alloc at 0 : memref<3x32x16xf16, #npu.space<ub>>
  npu.pack %x to %a transposed : memref<40x24xf16, #npu.space<gm>> to memref<3x32x16xf16, #npu.space<ub>>
  npu.barrier all
  npu.unpack %a to %z : memref<3x32x16xf16, #npu.space<ub>> to memref<24x40xf16, #npu.space<gm>>
  return
}

//===----------------------------------------------------------------------===//
// Runs of 64 bytes with distances on the side of global memory.
//===----------------------------------------------------------------------===//

func.func private @permutation(%x: tensor<4x8x32xf16>) -> tensor<8x4x32xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0, 2>} : (tensor<4x8x32xf16>) -> tensor<8x4x32xf16>
  return %0 : tensor<8x4x32xf16>
}
func.func @strided(%x: memref<4x8x32xf16, #npu.space<gm>>, %z: memref<8x4x32xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @permutation} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %a = npu.alloc at 0 : memref<8x32xf16, #npu.space<ub>>
  scf.for %i = %c0 to %c4 step %c1 {
    %from = memref.subview %x[%i, 0, 0] [1, 8, 32] [1, 1, 1] : memref<4x8x32xf16, #npu.space<gm>> to memref<8x32xf16, strided<[32, 1], offset: ?>, #npu.space<gm>>
    %to = memref.subview %z[0, %i, 0] [8, 1, 32] [1, 1, 1] : memref<8x4x32xf16, #npu.space<gm>> to memref<8x32xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
    npu.dma %from to %a length 512 : memref<8x32xf16, strided<[32, 1], offset: ?>, #npu.space<gm>> to memref<8x32xf16, #npu.space<ub>>
    npu.barrier all
    npu.dma %a to %to bursts 8 length 64 target_stride 256 : memref<8x32xf16, #npu.space<ub>> to memref<8x32xf16, strided<[128, 1], offset: ?>, #npu.space<gm>>
    npu.barrier all
  }
  return
}

//===----------------------------------------------------------------------===//
// A product of sizes that fill no fractal, in f32 on the way out.
//===----------------------------------------------------------------------===//

func.func private @product(%a: tensor<20x24xf16>, %b: tensor<24x40xf16>) -> tensor<20x40xf32> {
  %0 = graph.matmul %a, %b : (tensor<20x24xf16>, tensor<24x40xf16>) -> tensor<20x40xf32>
  return %0 : tensor<20x40xf32>
}
func.func @tails(%x: memref<20x24xf16, #npu.space<gm>>, %y: memref<24x40xf16, #npu.space<gm>>, %z: memref<20x40xf32, #npu.space<gm>>) attributes {npu.kernel, reference = @product} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %a1 = npu.alloc at 0 : memref<2x32x16xf16, #npu.space<l1>>
  %b1 = npu.alloc at 2048 : memref<2x48x16xf16, #npu.space<l1>>
  %a0 = npu.alloc at 0 : memref<2x2x16x16xf16, #npu.space<l0a>>
  %b0 = npu.alloc at 0 : memref<2x3x16x16xf16, #npu.space<l0b>>
  %c = npu.alloc at 0 : memref<3x2x16x16xf32, #npu.space<l0c>>
  %r = npu.alloc at 0 : memref<3x32x16xf32, #npu.space<ub>>
  npu.pack %x to %a1 : memref<20x24xf16, #npu.space<gm>> to memref<2x32x16xf16, #npu.space<l1>>
  npu.pack %y to %b1 transposed : memref<24x40xf16, #npu.space<gm>> to memref<2x48x16xf16, #npu.space<l1>>
  npu.barrier all
  scf.for %m = %c0 to %c2 step %c1 {
    %row = affine.apply affine_map<(d0) -> (d0 * 16)>(%m)
    %from = memref.subview %a1[0, %row, 0] [2, 16, 16] [1, 1, 1] : memref<2x32x16xf16, #npu.space<l1>> to memref<2x16x16xf16, strided<[512, 16, 1], offset: ?>, #npu.space<l1>>
    %to = memref.subview %a0[%m, 0, 0, 0] [1, 2, 16, 16] [1, 1, 1, 1] : memref<2x2x16x16xf16, #npu.space<l0a>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0a>>
    npu.load2d %from to %to fractals 2 source_stride 2 : memref<2x16x16xf16, strided<[512, 16, 1], offset: ?>, #npu.space<l1>> to memref<2x16x16xf16, strided<[256, 16, 1], offset: ?>, #npu.space<l0a>>
  }
  npu.load2d %b1 to %b0 fractals 6 : memref<2x48x16xf16, #npu.space<l1>> to memref<2x3x16x16xf16, #npu.space<l0b>>
  npu.barrier all
  npu.matmul %a0, %b0 into %c initialised sizes [20, 40, 24] : memref<2x2x16x16xf16, #npu.space<l0a>>, memref<2x3x16x16xf16, #npu.space<l0b>> into memref<3x2x16x16xf32, #npu.space<l0c>>
  npu.barrier all
  npu.drain %c to %r sizes [20, 40] : memref<3x2x16x16xf32, #npu.space<l0c>> to memref<3x32x16xf32, #npu.space<ub>>
  npu.barrier all
  npu.unpack %r to %z : memref<3x32x16xf32, #npu.space<ub>> to memref<20x40xf32, #npu.space<gm>>
  return
}

//===----------------------------------------------------------------------===//
// A number that comes from UB, by way of a register.
//===----------------------------------------------------------------------===//

func.func private @scaled(%x: tensor<256xf16>, %s: tensor<1xf16>) -> tensor<256xf16> {
  %0 = graph.multiply %x, %s : (tensor<256xf16>, tensor<1xf16>) -> tensor<256xf16>
  return %0 : tensor<256xf16>
}
func.func @scalar(%x: memref<256xf16, #npu.space<gm>>, %s: memref<1xf16, #npu.space<gm>>, %z: memref<256xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @scaled} {
  %c0 = arith.constant 0 : index
  %a = npu.alloc at 0 : memref<256xf16, #npu.space<ub>>
  %b = npu.alloc at 512 : memref<16xf16, #npu.space<ub>>
  npu.dma %x to %a length 512 : memref<256xf16, #npu.space<gm>> to memref<256xf16, #npu.space<ub>>
  npu.dma %s to %b length 2 : memref<1xf16, #npu.space<gm>> to memref<16xf16, #npu.space<ub>>
  npu.barrier all
  %h = npu.load_scalar %b[%c0] : memref<16xf16, #npu.space<ub>> -> f16
  %f = arith.extf %h : f16 to f32
  npu.vector muls (%a), %f to %a repeat 2 : (memref<256xf16, #npu.space<ub>>) to memref<256xf16, #npu.space<ub>>
  npu.barrier all
  npu.dma %a to %z length 512 : memref<256xf16, #npu.space<ub>> to memref<256xf16, #npu.space<gm>>
  return
}

//===----------------------------------------------------------------------===//
// Three slots in turn, each guarded by its own flags.
//===----------------------------------------------------------------------===//

func.func private @absolute(%x: tensor<10x128xf16>) -> tensor<10x128xf16> {
  %0 = graph.abs %x : (tensor<10x128xf16>) -> tensor<10x128xf16>
  return %0 : tensor<10x128xf16>
}
func.func @slots(%x: memref<10x128xf16, #npu.space<gm>>, %z: memref<10x128xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @absolute} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c10 = arith.constant 10 : index
  %a = npu.alloc slots 3 at 0 : memref<128xf16, #npu.space<ub>>
  // Free at first.
  scf.for %i = %c0 to %c3 step %c1 {
    npu.set_flag mte3 -> mte2 [%i]
  }
  scf.for %i = %c0 to %c10 step %c1 {
    %e = arith.remui %i, %c3 : index
    %from = memref.subview %x[%i, 0] [1, 128] [1, 1] : memref<10x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    %to = memref.subview %z[%i, 0] [1, 128] [1, 1] : memref<10x128xf16, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    %s = npu.slot %a[%i] : memref<128xf16, #npu.space<ub>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    npu.wait_flag mte3 -> mte2 [%e]
    npu.dma %from to %s length 256 : memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    npu.set_flag mte2 -> v [%e]
    npu.wait_flag mte2 -> v [%e]
    npu.vector abs (%s) to %s : (memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>) to memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>>
    npu.set_flag v -> mte3 [%e]
    npu.wait_flag v -> mte3 [%e]
    npu.dma %s to %to length 256 : memref<128xf16, strided<[1], offset: ?>, #npu.space<ub>> to memref<128xf16, strided<[1], offset: ?>, #npu.space<gm>>
    npu.set_flag mte3 -> mte2 [%e]
  }
  scf.for %i = %c0 to %c3 step %c1 {
    npu.wait_flag mte3 -> mte2 [%i]
  }
  return
}

//===----------------------------------------------------------------------===//
// Without values there is nothing to decide by.
//===----------------------------------------------------------------------===//

func.func @search(%x: memref<16xi32, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %a = npu.alloc at 0 : memref<16xi32, #npu.space<ub>>
  npu.dma %x to %a length 64 : memref<16xi32, #npu.space<gm>> to memref<16xi32, #npu.space<ub>>
  npu.barrier all
  %v = npu.load_scalar %a[%c0] : memref<16xi32, #npu.space<ub>> -> i32
  %b = arith.cmpi eq, %v, %zero : i32
  // SEARCH: moves.mlir:[[@LINE+1]]:3: 'scf.if' op has an address or a branch that depends on a value loaded from UB
  scf.if %b {
    npu.barrier all
  }
  return
}
