// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A 3 x 3 convolution of 64 to 64 channels on 56 x 56, batch 16, f16, with bias
// and ReLU: the tiles of conv3x3-64x56.tuned.mlir, but without addresses, slots
// or flags. Two images, two tiles and two cube steps may be under way at once.
//
//   gc-runner --target=npu examples/npu/conv3x3-64x56.auto.mlir --check

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
!ub_bias = memref<64xf16, #ub>
!bias_rows = memref<4x1x16xf16, #ub>

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
  %l1_weights = npu.alloc : !l1_weights
  %ub_bias = npu.alloc : !ub_bias
  npu.copy %bias to %ub_bias : !bias to !ub_bias
  npu.copy %w to %l1_weights : !weights to !l1_weights
  %bias_rows = memref.expand_shape %ub_bias [[0, 1, 2]] output_shape [4, 1, 16] : !ub_bias into !bias_rows
  scf.for %i = %0 to %16 step %1 {
    %image = npu.alloc : !image
    %from = memref.subview %x[%i, 0, 0, 0, 0] [1, 4, 56, 56, 16] [1, 1, 1, 1, 1] : !images to !gm_image
    npu.copy %from to %image : !gm_image to !image
    scf.for %m = %0 to %3136 step %224 {
      %c = npu.alloc : !c
      %out = npu.alloc : !out
      scf.for %fractal = %0 to %36 step %4 {
        %a = npu.alloc : !a
        %b = npu.alloc : !b
        %k = affine.apply affine_map<(f) -> (f * 16)>(%fractal)
        %some = memref.subview %l1_weights[%fractal, 0, 0] [4, 64, 16] [1, 1, 1] : !l1_weights to !some_weights
        npu.img2col %image[%m, %k] to %a kernel [3, 3] strides [1, 1] pads [1, 1] output_width 56
            : !image to !a
        npu.load_fractals %some to %b : !some_weights to !b
        %initialise = arith.cmpi eq, %fractal, %0 : index
        npu.matmul %a, %b into %c initialise %initialise : !a, !b into !c
      } {npu.pipeline = 2}
      npu.drain %c to %out : !c to !out
      npu.binary add %out, %bias_rows to %out : !out, !bias_rows to !out
      npu.unary relu %out to %out : !out to !out
      %at = memref.subview %y[%i, 0, %m, 0] [1, 4, 224, 16] [1, 1, 1, 1] : !outputs to !part_out
      npu.copy %out to %at : !out to !part_out
    } {npu.pipeline = 2}
  } {npu.pipeline = 2}
  return
}
