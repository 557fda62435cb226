// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_1 : 64 @ L1, 64 @ L1, 128 @ L1, 64 @ L0, 64 @ L0, 64 @ L0"},poly-fuse,poly-map-units,poly-promote))' -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_1 : 64 @ L1, 64 @ L1, 128 @ L1, 64 @ L0, 64 @ L0, 64 @ L0"},poly-fuse,poly-map-units,poly-promote{promote=false}))' | FileCheck %s --check-prefix=SLICES
// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile{policy="S_1 : 64 @ L1, 64 @ L1, 128 @ L1, 64 @ L0, 64 @ L0, 64 @ L0"},poly-fuse,poly-map-units,poly-promote{check=false}))' | FileCheck %s --check-prefix=UNCHECKED
// Tiles use the buffers, whoever decided them.
// RUN: gc-opt %t.mlir --pass-pipeline='builtin.module(poly.scop(poly-tile-statements))' | FileCheck %s --check-prefix=TILES
// The phase of the pipeline shows both.
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=promote | FileCheck %s --check-prefix=PHASE

// All four slices of a panel of the left factor stay in L1, one of the right factor
// is there at a time; a step of both in L0; parts of 32 rows of the sums in UB.
// CHECK-LABEL: poly.scop @product
// CHECK:     mark: "cube"
// CHECK:     choices = {{{.*}}panel = 1 : i64, parts = 2 : i64, resident = 4 : i64
// CHECK-SAME: peak_bytes = {l0a = 8192 : i64, l0b = 8192 : i64, l0c = 16384 : i64, l1 = 81920 : i64, ub = 8320 : i64}
// CHECK-SAME: promoted = true
// CHECK:     poly.statement @S_1
// CHECK:     poly.buffer @I0_l1 of @I0 : memref<4x8x64x16xf16, #npu.space<l1>>
// CHECK:     poly.buffer @I1_l1 of @I1 : memref<8x64x16xf16, #npu.space<l1>>
// CHECK:     poly.buffer @I0_l0a of @I0 : memref<4x4x16x16xf16, #npu.space<l0a>>
// CHECK:     poly.buffer @I1_l0b of @I1 : memref<4x4x16x16xf16, #npu.space<l0b>>
// CHECK:     poly.buffer @[[SUMS:.*]]_l0c of @[[SUMS]] : memref<4x4x16x16xf32, #npu.space<l0c>>
// CHECK:     poly.buffer @I2_ub of @I2 : memref<4x16xf16, #npu.space<ub>>
// CHECK:     poly.buffer @O0_ub of @O0 : memref<4x32x16xf16, #npu.space<ub>>
// CHECK-NOT: poly.tile

// SLICES-LABEL: poly.scop @product
// SLICES-NOT: panel =
// SLICES:     peak_bytes = {{{.*}}l1 = 32768 : i64
// SLICES-SAME: promoted = false
// SLICES:     poly.buffer @I0_l1 of @I0 : memref<8x64x16xf16, #npu.space<l1>>

// UNCHECKED-NOT: peak_bytes
// UNCHECKED: promoted = true

// TILES-LABEL: poly.scop @product
// TILES-NOT:   promoted
// TILES:       poly.buffer @I0_l1 of @I0 : memref<4x8x64x16xf16, #npu.space<l1>>
// TILES-NOT:   poly.buffer {{.*}}l1 of @I0
// TILES:       poly.tile
// TILES:       poly.ref @I0_l1

// PHASE:     peak_bytes =
// PHASE:     poly.buffer @I0_l1 of @I0
// PHASE-NOT: poly.statement
// PHASE:     poly.tile

func.func @product(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>, %bias: tensor<256xf16>) -> tensor<256x256xf16> {
  %0 = graph.matmul %a, %b : (tensor<256x512xf16>, tensor<512x256xf16>) -> tensor<256x256xf16>
  %1 = graph.add %0, %bias : (tensor<256x256xf16>, tensor<256xf16>) -> tensor<256x256xf16>
  return %1 : tensor<256x256xf16>
}
