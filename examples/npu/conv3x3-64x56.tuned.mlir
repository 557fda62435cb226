// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A 3 x 3 convolution of 64 to 64 channels on 56 x 56, batch 16, f16, with bias
// and ReLU. Images are NC1HWC0; weights are fractals [C1 KH KW][Cout][C0].
//
// The cube multiplies the img2col matrix, 3136 x 576 an image, by the weights:
// tiles of 4 output rows (224 x 64), 9 steps of 64 in K. Weights stay in L1, images
// have two slots there and come in two pieces, so that the first tiles start
// early: 13 rows serve three tiles. L0A, L0B, L0C and the results in UB have two
// slots each.
//
// Flags: mte2 -> mte1 [2 s + piece]  piece of the image in slot s is there
//        mte1 -> mte2 [s]            slot s is free
//        mte1 -> m, m -> mte1 [p]    L0A and L0B slot p, full and free
//        m -> v, v -> m [c]          L0C slot c, full and free
//        v -> mte3, mte3 -> v [c]    result slot c, full and free
//
//   gc-runner --target=npu examples/npu/conv3x3-64x56.tuned.mlir --check

#gm = #npu.space<gm>
#l1 = #npu.space<l1>
#l0a = #npu.space<l0a>
#l0b = #npu.space<l0b>
#l0c = #npu.space<l0c>
#ub = #npu.space<ub>

// Tile t is tile t mod 14 of image t / 14.
#image = affine_map<(t) -> (t floordiv 14)>
#next_image = affine_map<(t) -> (t floordiv 14 + 1)>
#tile = affine_map<(t) -> (t mod 14)>
#position = affine_map<(t) -> (t mod 14 * 224)>
#parity = affine_map<(i) -> (i mod 2)>
#head = affine_map<(s) -> (s * 2)>
#rest = affine_map<(s) -> (s * 2 + 1)>
#step_parity = affine_map<(s)[t] -> ((t * 9 + s) mod 2)>
#depth = affine_map<(s) -> (s * 64)>
#fractal = affine_map<(s) -> (s * 4)>
#channels = affine_map<(c) -> (c * 16)>

!images = memref<16x4x56x56x16xf16, #gm>
!image_head = memref<4x13x56x16xf16, strided<[50176, 896, 16, 1], offset: ?>, #gm>
!image_rest = memref<4x43x56x16xf16, strided<[50176, 896, 16, 1], offset: ?>, #gm>
!weights = memref<36x64x16xf16, #gm>
!bias = memref<64xf16, #gm>
!outputs = memref<16x4x3136x16xf16, #gm>
!part_out = memref<4x224x16xf16, strided<[50176, 16, 1], offset: ?>, #gm>
!image = memref<4x56x56x16xf16, #l1>
!slot_image = memref<4x56x56x16xf16, strided<[50176, 896, 16, 1], offset: ?>, #l1>
!slot_rest = memref<4x43x56x16xf16, strided<[50176, 896, 16, 1], offset: ?>, #l1>
!l1_weights = memref<36x64x16xf16, #l1>
!some_weights = memref<4x64x16xf16, strided<[1024, 16, 1], offset: ?>, #l1>
!a = memref<14x4x16x16xf16, #l0a>
!slot_a = memref<14x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0a>
!b = memref<4x4x16x16xf16, #l0b>
!slot_b = memref<4x4x16x16xf16, strided<[1024, 256, 16, 1], offset: ?>, #l0b>
!c = memref<4x14x16x16xf32, #l0c>
!slot_c = memref<4x14x16x16xf32, strided<[3584, 256, 16, 1], offset: ?>, #l0c>
!out = memref<4x224x16xf16, #ub>
!slot_out = memref<4x224x16xf16, strided<[3584, 16, 1], offset: ?>, #ub>
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
  %2 = arith.constant 2 : index
  %3 = arith.constant 3 : index
  %4 = arith.constant 4 : index
  %9 = arith.constant 9 : index
  %13 = arith.constant 13 : index
  %16 = arith.constant 16 : index
  %tiles = arith.constant 224 : index
  %images = npu.alloc slots 2 at 0 : !image
  %l1_weights = npu.alloc at 802816 : !l1_weights
  %as = npu.alloc slots 2 at 0 : !a
  %bs = npu.alloc slots 2 at 0 : !b
  %cs = npu.alloc slots 2 at 0 : !c
  %outs = npu.alloc slots 2 at 0 : !out
  %ub_bias = npu.alloc at 57344 : !ub_bias

  // Everything is free but slot 0 of the images, which gets the first one.
  scf.for %i = %0 to %2 step %1 {
    npu.set_flag m -> mte1 [%i]
    npu.set_flag v -> m [%i]
    npu.set_flag mte3 -> v [%i]
  }
  npu.set_flag mte1 -> mte2 [%1]
  npu.dma %bias to %ub_bias length 128 : !bias to !ub_bias
  npu.set_flag mte2 -> v [%0]
  npu.wait_flag mte2 -> v [%0]
  npu.dma %w to %l1_weights length 73728 : !weights to !l1_weights
  %first = npu.slot %images[%0] : !image to !slot_image
  %first_rest = memref.subview %first[0, 13, 0, 0] [4, 43, 56, 16] [1, 1, 1, 1] : !slot_image to !slot_rest
  %x_rest = memref.subview %x[0, 0, 13, 0, 0] [1, 4, 43, 56, 16] [1, 1, 1, 1, 1]
      : !images to memref<4x43x56x16xf16, strided<[50176, 896, 16, 1], offset: 11648>, #gm>
  npu.dma %x to %first bursts 4 length 23296 source_stride 100352 target_stride 100352 : !images to !slot_image
  npu.set_flag mte2 -> mte1 [%0]
  npu.dma %x_rest to %first_rest bursts 4 length 77056 source_stride 100352 target_stride 100352
      : memref<4x43x56x16xf16, strided<[50176, 896, 16, 1], offset: 11648>, #gm> to !slot_rest
  npu.set_flag mte2 -> mte1 [%1]

  scf.for %t = %0 to %tiles step %1 {
    %image = affine.apply #image(%t)
    %tile = affine.apply #tile(%t)
    %slot = affine.apply #parity(%image)
    %is_first = arith.cmpi eq, %tile, %0 : index
    scf.if %is_first {
      %next = affine.apply #next_image(%t)
      %more = arith.cmpi ult, %next, %16 : index
      scf.if %more {
        %other = affine.apply #parity(%next)
        %to = npu.slot %images[%other] : !image to !slot_image
        %to_rest = memref.subview %to[0, 13, 0, 0] [4, 43, 56, 16] [1, 1, 1, 1] : !slot_image to !slot_rest
        %from = memref.subview %x[%next, 0, 0, 0, 0] [1, 4, 13, 56, 16] [1, 1, 1, 1, 1] : !images to !image_head
        %from_rest = memref.subview %x[%next, 0, 13, 0, 0] [1, 4, 43, 56, 16] [1, 1, 1, 1, 1] : !images to !image_rest
        %head = affine.apply #head(%other)
        %rest = affine.apply #rest(%other)
        npu.wait_flag mte1 -> mte2 [%other]
        npu.dma %from to %to bursts 4 length 23296 source_stride 100352 target_stride 100352 : !image_head to !slot_image
        npu.set_flag mte2 -> mte1 [%head]
        npu.dma %from_rest to %to_rest bursts 4 length 77056 source_stride 100352 target_stride 100352 : !image_rest to !slot_rest
        npu.set_flag mte2 -> mte1 [%rest]
      }
      %head = affine.apply #head(%slot)
      npu.wait_flag mte2 -> mte1 [%head]
    }
    %needs_rest = arith.cmpi eq, %tile, %3 : index
    scf.if %needs_rest {
      %rest = affine.apply #rest(%slot)
      npu.wait_flag mte2 -> mte1 [%rest]
    }

    %c_index = affine.apply #parity(%t)
    %c = npu.slot %cs[%c_index] : !c to !slot_c
    %l1_image = npu.slot %images[%slot] : !image to !slot_image
    %m = affine.apply #position(%t)
    npu.wait_flag v -> m [%c_index]
    scf.for %s = %0 to %9 step %1 {
      %p = affine.apply #step_parity(%s)[%t]
      %a = npu.slot %as[%p] : !a to !slot_a
      %b = npu.slot %bs[%p] : !b to !slot_b
      %k = affine.apply #depth(%s)
      %fractal = affine.apply #fractal(%s)
      %weights = memref.subview %l1_weights[%fractal, 0, 0] [4, 64, 16] [1, 1, 1] : !l1_weights to !some_weights
      npu.wait_flag m -> mte1 [%p]
      npu.img2col %l1_image[%m, %k] to %a kernel [3, 3] strides [1, 1] pads [1, 1] output_width 56
          : !slot_image to !slot_a
      npu.load2d %weights to %b fractals 16 : !some_weights to !slot_b
      npu.set_flag mte1 -> m [%p]
      npu.wait_flag mte1 -> m [%p]
      %initialise = arith.cmpi eq, %s, %0 : index
      npu.matmul %a, %b into %c initialise %initialise : !slot_a, !slot_b into !slot_c
      npu.set_flag m -> mte1 [%p]
    }
    npu.set_flag m -> v [%c_index]
    %is_last = arith.cmpi eq, %tile, %13 : index
    scf.if %is_last {
      npu.set_flag mte1 -> mte2 [%slot]
    }

    %out = npu.slot %outs[%c_index] : !out to !slot_out
    npu.wait_flag m -> v [%c_index]
    npu.wait_flag mte3 -> v [%c_index]
    npu.drain %c to %out : !slot_c to !slot_out
    npu.set_flag v -> m [%c_index]
    npu.barrier v
    scf.for %c1 = %0 to %4 step %1 {
      %channel = affine.apply #channels(%c1)
      %part = memref.subview %out[%c1, 0, 0] [1, 224, 16] [1, 1, 1] : !slot_out to !channels_out
      %some_bias = memref.subview %ub_bias[%channel] [16] [1] : !ub_bias to !some_bias
      npu.vector add(%part, %some_bias) to %part repeat 28 strides [1, 8, 1, 8, 0, 0]
          : (!channels_out, !some_bias) to !channels_out
    }
    npu.barrier v
    npu.vector relu(%out) to %out repeat 112 : (!slot_out) to !slot_out
    npu.set_flag v -> mte3 [%c_index]
    npu.wait_flag v -> mte3 [%c_index]
    %at = memref.subview %y[%image, 0, %m, 0] [1, 4, 224, 16] [1, 1, 1, 1] : !outputs to !part_out
    npu.dma %out to %at bursts 4 length 7168 target_stride 100352 : !slot_out to !part_out
    npu.set_flag mte3 -> v [%c_index]
  }

  scf.for %i = %0 to %2 step %1 {
    npu.wait_flag m -> mte1 [%i]
    npu.wait_flag v -> m [%i]
    npu.wait_flag mte3 -> v [%i]
    npu.wait_flag mte1 -> mte2 [%i]
  }
  return
}
