// RUN: gc-opt %s --gc-npu-pipeline=stop-after=extract -o %t
// RUN: gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal,poly-schedule,poly-tile{policy="S_1 : 1 @ L1, 32 @ L1, 32 @ L1, 144 @ L1, 1 @ L0, 32 @ L0, 32 @ L0, 48 @ L0"},poly-fuse,poly-map-units,poly-promote,poly-tile-statements))' | FileCheck %s
// RUN: gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal,poly-schedule,poly-tile{policy="S_1 : 2 @ L1, 100 @ L1, 32 @ L1, 144 @ L1, 2 @ L0, 100 @ L0, 32 @ L0, 48 @ L0"},poly-fuse,poly-map-units,poly-promote,poly-tile-statements))' | FileCheck %s --check-prefix=IMAGES

// Policies of other sizes are errors.
// RUN: not gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal,poly-schedule,poly-tile{policy="S_1 : 2 @ L1, 32 @ L1, 32 @ L1, 144 @ L1, 2 @ L0, 32 @ L0, 32 @ L0, 48 @ L0"},poly-fuse,poly-map-units,poly-promote,poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=PART
// RUN: not gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-conv-to-fractal,poly-schedule,poly-tile{policy="S_1 : 1 @ L1, 32 @ L1, 32 @ L1, 96 @ L1, 1 @ L0, 32 @ L0, 32 @ L0, 48 @ L0"},poly-fuse,poly-map-units,poly-promote,poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=SLICE
// RUN: not gc-opt %t --pass-pipeline='builtin.module(poly.scop(poly-schedule,poly-tile,poly-fuse,poly-map-units,poly-promote,poly-tile-statements))' 2>&1 | FileCheck %s --check-prefix=WINDOW

// PART: has tiles of 2 images and 32 of 100 positions; with several images they must be all
// SLICE: adds up in slices of 96 and steps of 48 terms; slices of a convolution are multiples of 144 that divide 288, and steps divide slices
// WINDOW: that reaches beyond the array; only convolutions after poly-conv-to-fractal may

// 32 positions touch five rows of ten, and seven of the image. A slab begins at
// the first of them, at 0 or at the last row from which seven are left.

// CHECK-DAG:  affine_map<(d0) -> (d0 * 32, 68)>
// CHECK-DAG:  affine_map<(d0) -> (d0 floordiv 10 - 1, 3)>
// CHECK-DAG:  affine_map<(d0) -> (d0, 0)>
// CHECK:      poly.scop @conv
// CHECK:      poly.buffer @[[X:.*]]_l1 of @[[X]] : memref<1x2x7x10x16xf16, #npu.space<l1>>
// CHECK:      poly.buffer @[[W:.*]]_l1 of @[[W]] : memref<2x9x32x16xf16, #npu.space<l1>>
// CHECK:      npu.img2col %{{.*}} to %{{.*}} kernel [3, 3] pads [1, 1] output_width 10 : memref<2x7x10x16xf16
// CHECK:      poly.tile @load_[[X]]
// CHECK:      npu.pack %{{.*}} to %{{.*}} : memref<70x32xf16, {{.*}}> to memref<2x70x16xf16

// Each image is whole, and begins with a fractal of its own.

// IMAGES:         poly.buffer @[[X:.*]]_l1 of @[[X]] : memref<2x2x10x10x16xf16, #npu.space<l1>>
// IMAGES:         poly.buffer @[[X]]_l0a of @[[X]] : memref<14x3x16x16xf16
// IMAGES-COUNT-2: npu.img2col %{{.*}} to %{{.*}} kernel [3, 3] pads [1, 1] output_width 10 : {{.*}} to memref<7x3x16x16xf16
// IMAGES:         poly.tile @store_O0
// IMAGES:         npu.unpack %{{.*}} to %{{.*}} : memref<2x112x16xf16, #npu.space<ub>> to memref<100x32xf16
func.func @conv(%x: tensor<3x10x10x32xf16>, %w: tensor<3x3x32x32xf16>) -> tensor<3x10x10x32xf16> {
  %0 = graph.convolution %x, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<3x10x10x32xf16>, tensor<3x3x32x32xf16>) -> tensor<3x10x10x32xf16>
  return %0 : tensor<3x10x10x32xf16>
}
