// Tile sizes that follow from when tiles are loaded, computed and stored.

// RUN: gc-opt %s --split-input-file --gc-npu-pipeline=stop-after=promote | FileCheck %s

// Two tiles: a third one would wait for the first one's buffer.
// CHECK-LABEL: poly.scop @relu
// CHECK: policy = "S_0 : 8000 @ UB"
func.func @relu(%x: tensor<16x1000xf16>) -> tensor<16x1000xf16> {
  %y = graph.relu %x : (tensor<16x1000xf16>) -> tensor<16x1000xf16>
  return %y : tensor<16x1000xf16>
}

// -----

// Four tiles, all of them under way.
// CHECK-LABEL: poly.scop @add
// CHECK: mark: "pipeline:4"
// CHECK: policy = "S_0 : 4000 @ UB"
func.func @add(%x: tensor<16x1000xf16>, %y: tensor<16x1000xf16>) -> tensor<16x1000xf16> {
  %z = graph.add %x, %y : (tensor<16x1000xf16>, tensor<16x1000xf16>) -> tensor<16x1000xf16>
  return %z : tensor<16x1000xf16>
}

// -----

// Tiles that overlap store one after the other, so all elements are in one.
// CHECK-LABEL: poly.scop @prime
// CHECK: policy = "S_0 : 4099 @ UB"
func.func @prime(%x: tensor<4099xf16>) -> tensor<4099xf16> {
  %y = graph.relu %x : (tensor<4099xf16>) -> tensor<4099xf16>
  return %y : tensor<4099xf16>
}

// -----

// Blocks of both the matrix and its transpose are whole.
// CHECK-LABEL: poly.scop @transpose
// CHECK: policy = "S_0 : 128 @ UB, 128 @ UB"
func.func @transpose(%x: tensor<1000x777xf16>) -> tensor<777x1000xf16> {
  %y = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<1000x777xf16>) -> tensor<777x1000xf16>
  return %y : tensor<777x1000xf16>
}

// -----

// Rows of one repeat, whose values are spread by one transposition for 16 of
// them.
// CHECK-LABEL: poly.scop @digits
// CHECK: policy = "S_0 : 64 @ UB, 64 @ UB"
func.func @digits(%a: tensor<123x1xf32>, %b: tensor<1x128xf32>) -> tensor<123x128xf16> {
  %0 = graph.greater_equal %a, %b : (tensor<123x1xf32>, tensor<1x128xf32>) -> tensor<123x128xi1>
  %1 = graph.constant dense<1.000000e+00> : tensor<f16>
  %2 = graph.constant dense<0.000000e+00> : tensor<f16>
  %3 = graph.select %0, %1, %2 : (tensor<123x128xi1>, tensor<f16>, tensor<f16>) -> tensor<123x128xf16>
  return %3 : tensor<123x128xf16>
}

// -----

// A row is stored from the buffer that it was loaded into, which is not free
// before that: three slots of 32 rows are faster than two of 48.
// CHECK-LABEL: poly.scop @softmax
// CHECK: mark: "pipeline:3"
// CHECK: policy = "S_6 : 32 @ UB, 1024 @ UB"
func.func @softmax(%x: tensor<4096x1024xf16>) -> tensor<4096x1024xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4096x1024xf16>) -> tensor<4096x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<4096x1024xf16>, tensor<4096x1xf16>) -> tensor<4096x1024xf16>
  %2 = graph.exp %1 : (tensor<4096x1024xf16>) -> tensor<4096x1024xf16>
  %3 = graph.reduce_sum %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<4096x1024xf16>) -> tensor<4096x1xf16>
  %4 = graph.divide %2, %3 : (tensor<4096x1024xf16>, tensor<4096x1xf16>) -> tensor<4096x1024xf16>
  return %4 : tensor<4096x1024xf16>
}

// -----

// The front end is busy with the registers of short rows, so more of them are
// in a tile.
// CHECK-LABEL: poly.scop @short
// CHECK: policy = "S_3 : 512 @ UB, 64 @ UB"
func.func @short(%x: tensor<4096x64xf16>) -> tensor<4096x64xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4096x64xf16>) -> tensor<4096x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<4096x64xf16>, tensor<4096x1xf16>) -> tensor<4096x64xf16>
  %2 = graph.exp %1 : (tensor<4096x64xf16>) -> tensor<4096x64xf16>
  return %2 : tensor<4096x64xf16>
}

// -----

// The last columns overlap those before them, whose stores they would wait for:
// tiles follow each other along the rows.
// CHECK-LABEL: poly.scop @hot
// CHECK: choices = {innermost = 0 : i64, {{.*}}policy = "S_0 : 80 @ UB, 64 @ UB"
func.func @hot(%a: tensor<160x1xf32>, %b: tensor<1x160xf32>) -> tensor<160x160xf16> {
  %0 = graph.greater_equal %a, %b : (tensor<160x1xf32>, tensor<1x160xf32>) -> tensor<160x160xi1>
  %1 = graph.greater_equal %b, %a : (tensor<1x160xf32>, tensor<160x1xf32>) -> tensor<160x160xi1>
  %2 = graph.constant dense<1.000000e+00> : tensor<f16>
  %3 = graph.constant dense<0.000000e+00> : tensor<f16>
  %4 = graph.select %1, %2, %3 : (tensor<160x160xi1>, tensor<f16>, tensor<f16>) -> tensor<160x160xf16>
  %5 = graph.select %0, %4, %3 : (tensor<160x160xi1>, tensor<160x160xf16>, tensor<f16>) -> tensor<160x160xf16>
  return %5 : tensor<160x160xf16>
}
