// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A 3 x 3 convolution of 64 to 64 channels on 56 x 56, batch 16, f16, with bias
// and ReLU, the simple way: one buffer of each kind and a barrier of all pipes
// after every step. conv3x3-64x56.tuned.mlir explains the layouts.
//
//   gc-runner --target=npu examples/npu/conv3x3-64x56.naive.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#ub = #npu.space<ub>
!images = memref<16x4x56x56x16xf16, #gm>
!gm_image = memref<4x56x56x16xf16, strided<[50176, 896, 16, 1], offset: ?>, #gm>
!weights = memref<36x64x16xf16, #gm>
!bias = memref<64xf16, #gm>
!outputs = memref<16x4x3136x16xf16, #gm>
!part_out = memref<4x224x16xf16, strided<[50176, 16, 1], offset: ?>, #gm>
!image = memref<4x56x56x16xf16, #l1>
!l1_weights = memref<36x64x16xf16, #l1>
!some_weights = memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
!a = memref<14x4x16x16xf16, #npu.space<l0a>>
!b = memref<4x4x16x16xf16, #npu.space<l0b>>
!c = memref<4x14x16x16xf32, #npu.space<l0c>>
!out = memref<4x224x16xf16, #ub>
!channels_out = memref<224x16xf16, strided<[16, 1], offset: ?>, #ub>
!ub_bias = memref<64xf16, #ub>
!some_bias = memref<16xf16, strided<[1], offset: ?>, #ub>

func.func private @reference(%x: tensor<16x4x56x56x16xf16>, %w: tensor<36x64x16xf16>,
                             %bias: tensor<64xf16>) -> tensor<16x4x3136x16xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 1, 4, 2, 3>}
      : (tensor<16x4x56x56x16xf16>) -> tensor<16x4x16x56x56xf16>
  %1 = graph.static_reshape %0 {shape = array<i64: 16, 64, 56, 56>}
      : (tensor<16x4x16x56x56xf16>) -> tensor<16x64x56x56xf16>
  %2 = graph.static_reshape %w {shape = array<i64: 4, 3, 3, 64, 16>}
      : (tensor<36x64x16xf16>) -> tensor<4x3x3x64x16xf16>
  %3 = graph.static_transpose %2 {order = array<i64: 3, 0, 4, 1, 2>}
      : (tensor<4x3x3x64x16xf16>) -> tensor<64x4x16x3x3xf16>
  %4 = graph.static_reshape %3 {shape = array<i64: 64, 64, 3, 3>}
      : (tensor<64x4x16x3x3xf16>) -> tensor<64x64x3x3xf16>
  %5 = graph.convolution %1, %4, %bias {strides = array<i64: 1, 1>,
      pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>,
      dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"}
      : (tensor<16x64x56x56xf16>, tensor<64x64x3x3xf16>, tensor<64xf16>) -> tensor<16x64x56x56xf16>
  %6 = graph.relu %5 : (tensor<16x64x56x56xf16>) -> tensor<16x64x56x56xf16>
  %7 = graph.static_reshape %6 {shape = array<i64: 16, 4, 16, 3136>}
      : (tensor<16x64x56x56xf16>) -> tensor<16x4x16x3136xf16>
  %8 = graph.static_transpose %7 {order = array<i64: 0, 1, 3, 2>}
      : (tensor<16x4x16x3136xf16>) -> tensor<16x4x3136x16xf16>
  return %8 : tensor<16x4x3136x16xf16>
}

func.func @convolution(%x: !images, %w: !weights, %bias: !bias, %y: !outputs)
    attributes {npu.kernel, reference = @reference} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 1 : index
  %4 = arith.constant 4 : index
  %16 = arith.constant 16 : index
  %36 = arith.constant 36 : index
  %224 = arith.constant 224 : index
  %3136 = arith.constant 3136 : index
  %image = npu.alloc at 0 : !image
  %l1_weights = npu.alloc at 401408 : !l1_weights
  %a = npu.alloc at 0 : !a
  %b = npu.alloc at 0 : !b
  %c = npu.alloc at 0 : !c
  %out = npu.alloc at 0 : !out
  %ub_bias = npu.alloc at 28672 : !ub_bias
  npu.dma %bias to %ub_bias length 128 : !bias to !ub_bias
  npu.dma %w to %l1_weights length 73728 : !weights to !l1_weights
  scf.for %i = %0 to %16 step %1 {
    %from = memref.subview %x[%i, 0, 0, 0, 0] [1, 4, 56, 56, 16] [1, 1, 1, 1, 1] : !images to !gm_image
    npu.dma %from to %image bursts 4 length 100352 : !gm_image to !image
    npu.barrier all
    scf.for %m = %0 to %3136 step %224 {
      scf.for %fractal = %0 to %36 step %4 {
        %k = affine.apply affine_map<(f) -> (f * 16)>(%fractal)
        %some = memref.subview %l1_weights[%fractal, 0, 0] [4, 64, 16] [1, 1, 1] : !l1_weights to !some_weights
        npu.img2col %image[%m, %k] to %a kernel [3, 3] strides [1, 1] pads [1, 1] output_width 56
            : !image to !a
        npu.load2d %some to %b fractals 16 : !some_weights to !b
        npu.barrier all
        %initialise = arith.cmpi eq, %fractal, %0 : index
        npu.matmul %a, %b into %c initialise %initialise : !a, !b into !c
        npu.barrier all
      }
      npu.drain %c to %out : !c to !out
      npu.barrier all
      scf.for %c1 = %0 to %4 step %1 {
        %channel = affine.apply affine_map<(c) -> (c * 16)>(%c1)
        %part = memref.subview %out[%c1, 0, 0] [1, 224, 16] [1, 1, 1] : !out to !channels_out
        %some_bias = memref.subview %ub_bias[%channel] [16] [1] : !ub_bias to !some_bias
        npu.vector add(%part, %some_bias) to %part repeat 28 strides [1, 8, 1, 8, 0, 0]
            : (!channels_out, !some_bias) to !channels_out
      }
      npu.barrier all
      npu.vector relu(%out) to %out repeat 112 : (!out) to !out
      npu.barrier all
      %at = memref.subview %y[%i, 0, %m, 0] [1, 4, 224, 16] [1, 1, 1, 1] : !outputs to !part_out
      npu.dma %out to %at bursts 4 length 7168 target_stride 100352 : !out to !part_out
      npu.barrier all
    }
  }
  return
}
