// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s

// Every op, with each optional part.

!gm = memref<64x1024xf16, #npu.space<gm>>
!row = memref<1024xf16, #npu.space<ub>>

// CHECK-LABEL: func.func @buffers
// CHECK-SAME: npu.cores = 2
// CHECK-SAME: npu.kernel
// CHECK-SAME: reference = @graph
func.func @buffers(%x: !gm) attributes {npu.kernel, npu.cores = 2, reference = @graph} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  // CHECK: npu.alloc : memref<8x256x16xf16, #npu.space<l1>>
  %a = npu.alloc : memref<8x256x16xf16, #npu.space<l1>>
  // CHECK: %[[B:.*]] = npu.alloc slots 2 at 32768 : memref<1024xf16, #npu.space<ub>>
  %b = npu.alloc slots 2 at 32768 : !row
  // CHECK: scf.for
  // CHECK: npu.slot %[[B]][%{{.*}}] : memref<1024xf16, #npu.space<ub>> to memref<1024xf16, strided<[1], offset: ?>, #npu.space<ub>>
  // CHECK: } {npu.pipeline = 2 : i64}
  scf.for %i = %c0 to %c4 step %c1 {
    %s = npu.slot %b[%i] : !row to memref<1024xf16, strided<[1], offset: ?>, #npu.space<ub>>
  } {npu.pipeline = 2}
  // CHECK: npu.set_flag mte2 -> v[%c1]
  npu.set_flag mte2 -> v[%c1]
  // CHECK: npu.wait_flag mte2 -> v[%c1]
  npu.wait_flag mte2 -> v[%c1]
  // CHECK: npu.barrier v
  npu.barrier v
  // CHECK: npu.barrier all
  npu.barrier all
  %r = npu.alloc : !row
  // CHECK: npu.load_scalar %{{.*}}[%c1] : memref<1024xf16, #npu.space<ub>> -> f16
  %v = npu.load_scalar %r[%c1] : !row -> f16
  // CHECK: npu.core_id
  %core = npu.core_id
  return
}

// CHECK-LABEL: func.func @moves
func.func @moves(%x: !gm, %y: memref<256x128xf16, strided<[1024, 1], offset: ?>, #npu.space<gm>>) attributes {npu.kernel} {
  %c0 = arith.constant 0 : index
  %b = npu.alloc : memref<64x128xf16, #npu.space<ub>>
  %l = npu.alloc : memref<8x256x16xf16, #npu.space<l1>>
  %p = npu.alloc : memref<8x256x16xf16, #npu.space<ub>>
  %a = npu.alloc : memref<16x8x16x16xf16, #npu.space<l0a>>
  %image = npu.alloc : memref<4x10x56x16xf16, #npu.space<l1>>
  %m = npu.alloc : memref<16x4x16x16xf16, #npu.space<l0a>>
  %xs = memref.subview %x[0, 0] [64, 128] [1, 1] : !gm to memref<64x128xf16, strided<[1024, 1]>, #npu.space<gm>>
  // CHECK: npu.copy %{{.*}} to %{{.*}} : memref<64x128xf16, strided<[1024, 1]>, #npu.space<gm>> to memref<64x128xf16, #npu.space<ub>>
  npu.copy %xs to %b : memref<64x128xf16, strided<[1024, 1]>, #npu.space<gm>> to memref<64x128xf16, #npu.space<ub>>
  // CHECK: npu.copy %{{.*}} to %{{.*}} atomic
  npu.copy %b to %xs atomic : memref<64x128xf16, #npu.space<ub>> to memref<64x128xf16, strided<[1024, 1]>, #npu.space<gm>>
  // CHECK: npu.dma %{{.*}} to %{{.*}} bursts 64 length 256 source_stride 2048 :
  npu.dma %x to %b bursts 64 length 256 source_stride 2048 : !gm to memref<64x128xf16, #npu.space<ub>>
  // CHECK: npu.dma %{{.*}} to %{{.*}} length 64 atomic :
  npu.dma %b to %x length 64 atomic : memref<64x128xf16, #npu.space<ub>> to !gm
  // CHECK: npu.pack %{{.*}} to %{{.*}} :
  npu.pack %y to %l : memref<256x128xf16, strided<[1024, 1], offset: ?>, #npu.space<gm>> to memref<8x256x16xf16, #npu.space<l1>>
  // CHECK: npu.pack %{{.*}} to %{{.*}} transposed :
  %t = npu.alloc : memref<16x128x16xf16, #npu.space<l1>>
  npu.pack %y to %t transposed : memref<256x128xf16, strided<[1024, 1], offset: ?>, #npu.space<gm>> to memref<16x128x16xf16, #npu.space<l1>>
  // CHECK: npu.unpack %{{.*}} to %{{.*}} atomic :
  npu.unpack %p to %y atomic : memref<8x256x16xf16, #npu.space<ub>> to memref<256x128xf16, strided<[1024, 1], offset: ?>, #npu.space<gm>>
  // CHECK: npu.load_fractals %{{.*}} to %{{.*}} :
  npu.load_fractals %l to %a : memref<8x256x16xf16, #npu.space<l1>> to memref<16x8x16x16xf16, #npu.space<l0a>>
  %at = npu.alloc : memref<8x16x16x16xf16, #npu.space<l0a>>
  // CHECK: npu.load_fractals %{{.*}} to %{{.*}} transposed :
  npu.load_fractals %l to %at transposed : memref<8x256x16xf16, #npu.space<l1>> to memref<8x16x16x16xf16, #npu.space<l0a>>
  // CHECK: npu.load2d %{{.*}} to %{{.*}} fractals 16 target_stride 8 :
  npu.load2d %l to %a fractals 16 target_stride 8 : memref<8x256x16xf16, #npu.space<l1>> to memref<16x8x16x16xf16, #npu.space<l0a>>
  // CHECK: npu.load2d %{{.*}} to %{{.*}} fractals 4 source_stride 2 transposed :
  npu.load2d %l to %a fractals 4 source_stride 2 transposed : memref<8x256x16xf16, #npu.space<l1>> to memref<16x8x16x16xf16, #npu.space<l0a>>
  // CHECK: npu.img2col %{{.*}}[%c0, %c0] to %{{.*}} kernel [3, 3] strides [2, 2] pads [1, 1] output_width 56
  npu.img2col %image[%c0, %c0] to %m kernel [3, 3] strides [2, 2] pads [1, 1] output_width 56 : memref<4x10x56x16xf16, #npu.space<l1>> to memref<16x4x16x16xf16, #npu.space<l0a>>
  return
}

// CHECK-LABEL: func.func @cube
func.func @cube(%first: i1) attributes {npu.kernel} {
  %a = npu.alloc : memref<4x4x16x16xf16, #npu.space<l0a>>
  %b = npu.alloc : memref<4x2x16x16xf16, #npu.space<l0b>>
  %c = npu.alloc : memref<2x4x16x16xf32, #npu.space<l0c>>
  %d = npu.alloc : memref<2x64x16xf16, #npu.space<ub>>
  // CHECK: npu.matmul %{{.*}}, %{{.*}} into %{{.*}} initialise %{{.*}} :
  npu.matmul %a, %b into %c initialise %first : memref<4x4x16x16xf16, #npu.space<l0a>>, memref<4x2x16x16xf16, #npu.space<l0b>> into memref<2x4x16x16xf32, #npu.space<l0c>>
  // CHECK: npu.matmul %{{.*}}, %{{.*}} into %{{.*}} initialised sizes [60, 32, 50] :
  npu.matmul %a, %b into %c initialised sizes [60, 32, 50] : memref<4x4x16x16xf16, #npu.space<l0a>>, memref<4x2x16x16xf16, #npu.space<l0b>> into memref<2x4x16x16xf32, #npu.space<l0c>>
  // CHECK: npu.drain %{{.*}} to %{{.*}} relu sizes [60, 32] :
  npu.drain %c to %d relu sizes [60, 32] : memref<2x4x16x16xf32, #npu.space<l0c>> to memref<2x64x16xf16, #npu.space<ub>>
  return
}

!t16 = memref<4x256xf16, #npu.space<ub>>
!t32 = memref<4x256xf32, #npu.space<ub>>

// CHECK-LABEL: func.func @tiles
func.func @tiles(%s: f32) attributes {npu.kernel} {
  %a = npu.alloc : !t16
  %b = npu.alloc : !t16
  %w = npu.alloc : !t32
  %one = npu.alloc : memref<1x256xf16, #npu.space<ub>>
  %bits = npu.alloc : memref<128xi8, #npu.space<ub>>
  %r = npu.alloc : memref<4xf32, #npu.space<ub>>
  %t = npu.alloc : memref<32x64xf16, #npu.space<ub>>
  %u = npu.alloc : memref<64x32xf16, #npu.space<ub>>
  // CHECK: npu.binary add %{{.*}}, %{{.*}} to %{{.*}} :
  npu.binary add %a, %one to %b : !t16, memref<1x256xf16, #npu.space<ub>> to !t16
  // CHECK: npu.scalar muls %{{.*}}, %{{.*}} to %{{.*}} :
  npu.scalar muls %a, %s to %b : !t16 to !t16
  // CHECK: npu.unary exp %{{.*}} to %{{.*}} :
  npu.unary exp %a to %b : !t16 to !t16
  // CHECK: npu.cast %{{.*}} to %{{.*}} :
  npu.cast %a to %w : !t16 to !t32
  // CHECK: npu.compare lt %{{.*}}, %{{.*}} to %{{.*}} :
  npu.compare lt %a, %b to %bits : !t16, !t16 to memref<128xi8, #npu.space<ub>>
  // CHECK: npu.select %{{.*}}, %{{.*}}, %{{.*}} to %{{.*}} :
  npu.select %bits, %a, %b to %b : memref<128xi8, #npu.space<ub>>, !t16, !t16 to !t16
  // CHECK: npu.reduce sum %{{.*}} to %{{.*}} :
  npu.reduce sum %a to %r : !t16 to memref<4xf32, #npu.space<ub>>
  // CHECK: npu.fill %{{.*}} to %{{.*}} :
  npu.fill %s to %a : !t16
  // CHECK: npu.transpose %{{.*}} to %{{.*}} :
  npu.transpose %t to %u : memref<32x64xf16, #npu.space<ub>> to memref<64x32xf16, #npu.space<ub>>
  return
}

// CHECK-LABEL: func.func @vector
func.func @vector(%s: f32) attributes {npu.kernel} {
  %a = npu.alloc : !t16
  %b = npu.alloc : !t16
  %bits = npu.alloc : memref<128xi8, #npu.space<ub>>
  // CHECK: npu.vector add (%{{.*}}, %{{.*}}) to %{{.*}} repeat 8 :
  npu.vector add (%a, %b) to %b repeat 8 : (!t16, !t16) to !t16
  // CHECK: npu.vector adds (%{{.*}}), %{{.*}} to %{{.*}} mask [-1, 255] strides [1, 16, 1, 16, 1, 8] :
  npu.vector adds (%a), %s to %b mask [-1, 255] strides [1, 16, 1, 16, 1, 8] : (!t16) to !t16
  // CHECK: npu.vector dup (), %{{.*}} to %{{.*}} :
  npu.vector dup (), %s to %b : () to !t16
  // CHECK: npu.vector cmp_lt (%{{.*}}, %{{.*}}) to %{{.*}} repeat 8 :
  npu.vector cmp_lt (%a, %b) to %bits repeat 8 : (!t16, !t16) to memref<128xi8, #npu.space<ub>>
  // CHECK: npu.vector select (%{{.*}}, %{{.*}}, %{{.*}}) to %{{.*}} repeat 8 :
  npu.vector select (%bits, %a, %b) to %b repeat 8 : (memref<128xi8, #npu.space<ub>>, !t16, !t16) to !t16
  // CHECK: npu.vector group_max (%{{.*}}) to %{{.*}} repeat 8 :
  npu.vector group_max (%a) to %b repeat 8 : (!t16) to !t16
  return
}
