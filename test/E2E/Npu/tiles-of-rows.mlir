// A tile of 2 x 2 rows. Their results have gaps in between: rows of a buffer begin at blocks of
// 32 bytes, and two f16 do not fill one. npu.reduce writes results without gaps.

// RUN: gc-opt %s --gc-npu-pipeline=stop-after=schedule --poly-tile='policy="S_3: 2 @UB, 2 @UB"' --poly-fuse --poly-map-units --poly-promote --poly-tile-statements --convert-poly-to-npu -o %t.mlir
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: gc-runner --target=npu %t.mlir --check --strict

// CHECK-LABEL: func.func @rows
// CHECK:         npu.binary add {{.*}} memref<2x2x32xf16
// CHECK:         npu.reduce max {{.*}} to memref<2xf16, strided<[1], offset: ?>
func.func @rows(%x: tensor<2x2x16x32xf16>, %b: tensor<2x1x1x32xf16>) -> tensor<2x2x16x32xf16> {
  %a = graph.add %x, %b : (tensor<2x2x16x32xf16>, tensor<2x1x1x32xf16>) -> tensor<2x2x16x32xf16>
  %m = graph.reduce_max %a {axes = array<i64: 3>, keep_dims = true} : (tensor<2x2x16x32xf16>) -> tensor<2x2x16x1xf16>
  %y = graph.subtract %a, %m : (tensor<2x2x16x32xf16>, tensor<2x2x16x1xf16>) -> tensor<2x2x16x32xf16>
  return %y : tensor<2x2x16x32xf16>
}
