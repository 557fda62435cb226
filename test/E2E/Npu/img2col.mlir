// A 3x3 convolution of 16 channels with pads, and its ReLU on the way out: the
// image as it is in L1, img2col into L0A.
//
// RUN: gc-runner --target=npu --check %s | FileCheck %s
// RUN: gc-runner --target=npu --check --entry=strided %s | FileCheck %s --check-prefix=STRIDED

// CHECK: bound 336 (memory)
// CHECK: check     passed
// STRIDED: check     passed

func.func private @convolution(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x16xf16>) -> tensor<1x8x8x16xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<3x3x16x16xf16>) -> tensor<1x8x8x16xf16>
  %1 = graph.relu %0 : (tensor<1x8x8x16xf16>) -> tensor<1x8x8x16xf16>
  return %1 : tensor<1x8x8x16xf16>
}

func.func @main(%x: memref<1x8x8x16xf16, #npu.space<gm>>, %w: memref<3x3x16x16xf16, #npu.space<gm>>, %z: memref<1x8x8x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @convolution} {
  %c0 = arith.constant 0 : index
  %image = npu.alloc at 0 : memref<1x8x8x16xf16, #npu.space<l1>>
  %b1 = npu.alloc at 2048 : memref<1x144x16xf16, #npu.space<l1>>
  %a = npu.alloc at 0 : memref<4x9x16x16xf16, #npu.space<l0a>>
  %b = npu.alloc at 0 : memref<9x1x16x16xf16, #npu.space<l0b>>
  %c = npu.alloc at 0 : memref<1x4x16x16xf32, #npu.space<l0c>>
  %r = npu.alloc at 0 : memref<1x64x16xf16, #npu.space<ub>>
  %weights = memref.collapse_shape %w [[0, 1, 2], [3]] : memref<3x3x16x16xf16, #npu.space<gm>> into memref<144x16xf16, #npu.space<gm>>
  %result = memref.collapse_shape %z [[0, 1, 2], [3]] : memref<1x8x8x16xf16, #npu.space<gm>> into memref<64x16xf16, #npu.space<gm>>
  npu.dma %x to %image length 2048 : memref<1x8x8x16xf16, #npu.space<gm>> to memref<1x8x8x16xf16, #npu.space<l1>>
  npu.pack %weights to %b1 : memref<144x16xf16, #npu.space<gm>> to memref<1x144x16xf16, #npu.space<l1>>
  npu.set_flag mte2 -> mte1 [%c0]
  npu.wait_flag mte2 -> mte1 [%c0]
  npu.img2col %image[%c0, %c0] to %a kernel [3, 3] pads [1, 1] output_width 8 : memref<1x8x8x16xf16, #npu.space<l1>> to memref<4x9x16x16xf16, #npu.space<l0a>>
  npu.load2d %b1 to %b fractals 9 transposed : memref<1x144x16xf16, #npu.space<l1>> to memref<9x1x16x16xf16, #npu.space<l0b>>
  npu.set_flag mte1 -> m [%c0]
  npu.wait_flag mte1 -> m [%c0]
  npu.matmul %a, %b into %c initialised : memref<4x9x16x16xf16, #npu.space<l0a>>, memref<9x1x16x16xf16, #npu.space<l0b>> into memref<1x4x16x16xf32, #npu.space<l0c>>
  npu.set_flag m -> v [%c0]
  npu.wait_flag m -> v [%c0]
  npu.drain %c to %r relu : memref<1x4x16x16xf32, #npu.space<l0c>> to memref<1x64x16xf16, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.unpack %r to %result : memref<1x64x16xf16, #npu.space<ub>> to memref<64x16xf16, #npu.space<gm>>
  return
}

func.func private @halving(%x: tensor<1x8x8x16xf16>, %w: tensor<3x3x16x16xf16>) -> tensor<1x4x4x16xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x8x8x16xf16>, tensor<3x3x16x16xf16>) -> tensor<1x4x4x16xf16>
  return %0 : tensor<1x4x4x16xf16>
}

// Stride 2, and columns in two parts that are summed.
func.func @strided(%x: memref<1x8x8x16xf16, #npu.space<gm>>, %w: memref<3x3x16x16xf16, #npu.space<gm>>, %z: memref<1x4x4x16xf16, #npu.space<gm>>) attributes {npu.kernel, reference = @halving} {
  %c0 = arith.constant 0 : index
  %c48 = arith.constant 48 : index
  %c144 = arith.constant 144 : index
  %image = npu.alloc at 0 : memref<1x8x8x16xf16, #npu.space<l1>>
  %b1 = npu.alloc at 2048 : memref<1x144x16xf16, #npu.space<l1>>
  %a = npu.alloc at 0 : memref<1x3x16x16xf16, #npu.space<l0a>>
  %b = npu.alloc at 0 : memref<3x1x16x16xf16, #npu.space<l0b>>
  %c = npu.alloc at 0 : memref<1x1x16x16xf32, #npu.space<l0c>>
  %r = npu.alloc at 0 : memref<1x16x16xf16, #npu.space<ub>>
  %weights = memref.collapse_shape %w [[0, 1, 2], [3]] : memref<3x3x16x16xf16, #npu.space<gm>> into memref<144x16xf16, #npu.space<gm>>
  %result = memref.collapse_shape %z [[0, 1, 2], [3]] : memref<1x4x4x16xf16, #npu.space<gm>> into memref<16x16xf16, #npu.space<gm>>
  npu.dma %x to %image length 2048 : memref<1x8x8x16xf16, #npu.space<gm>> to memref<1x8x8x16xf16, #npu.space<l1>>
  npu.pack %weights to %b1 : memref<144x16xf16, #npu.space<gm>> to memref<1x144x16xf16, #npu.space<l1>>
  npu.set_flag mte2 -> mte1 [%c0]
  npu.wait_flag mte2 -> mte1 [%c0]
  scf.for %k = %c0 to %c144 step %c48 {
    %first = arith.cmpi eq, %k, %c0 : index
    %b1k = memref.subview %b1[0, %k, 0] [1, 48, 16] [1, 1, 1] : memref<1x144x16xf16, #npu.space<l1>> to memref<48x16xf16, strided<[16, 1], offset: ?>, #npu.space<l1>>
    npu.img2col %image[%c0, %k] to %a kernel [3, 3] strides [2, 2] pads [1, 1] output_width 4 : memref<1x8x8x16xf16, #npu.space<l1>> to memref<1x3x16x16xf16, #npu.space<l0a>>
    npu.load2d %b1k to %b fractals 3 transposed : memref<48x16xf16, strided<[16, 1], offset: ?>, #npu.space<l1>> to memref<3x1x16x16xf16, #npu.space<l0b>>
    npu.set_flag mte1 -> m [%c0]
    npu.wait_flag mte1 -> m [%c0]
    npu.matmul %a, %b into %c initialise %first : memref<1x3x16x16xf16, #npu.space<l0a>>, memref<3x1x16x16xf16, #npu.space<l0b>> into memref<1x1x16x16xf32, #npu.space<l0c>>
    // The next part overwrites what the cube reads.
    npu.set_flag m -> mte1 [%c0]
    npu.wait_flag m -> mte1 [%c0]
  }
  npu.set_flag m -> v [%c0]
  npu.wait_flag m -> v [%c0]
  npu.drain %c to %r : memref<1x1x16x16xf32, #npu.space<l0c>> to memref<1x16x16xf16, #npu.space<ub>>
  npu.set_flag v -> mte3 [%c0]
  npu.wait_flag v -> mte3 [%c0]
  npu.unpack %r to %result : memref<1x16x16xf16, #npu.space<ub>> to memref<16x16xf16, #npu.space<gm>>
  return
}
