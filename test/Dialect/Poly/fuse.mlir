// Producers in the tiles of their consumers.

// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile,poly-fuse))' | FileCheck %s

// A chain in front of a product: a row that is computed from the input, and what
// it is added to. Both are extensions, the producer's producer first.
// CHECK-LABEL: poly.scop @chain
// CHECK-NEXT:    domain: "{
// CHECK-NOT:     S_0
// CHECK-NOT:     S_1[i0, i1]
// CHECK:         child: {
// CHECK:         mark: "tile:L1",
// CHECK:         extension: "{ {{.*}} -> S_0[i0] : {{.*}}0 <= i0 <= 511; {{.*}} -> S_1[i0, i1] : {{.*}} }",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      sequence: [
// CHECK-NEXT:        {
// CHECK-NEXT:          filter: "{ S_0[i0] }",
// CHECK:               filter: "{ S_1[i0, i1] }",
// CHECK:               filter: "{ {{.*}}S_3[i0, i1, i2]{{.*}} }",
func.func @chain(%x: tensor<256x512xf16>, %row: tensor<512xf16>, %w: tensor<512x512xf16>) -> tensor<256x512xf16> {
  %0 = graph.exp %row : (tensor<512xf16>) -> tensor<512xf16>
  %1 = graph.add %x, %0 : (tensor<256x512xf16>, tensor<512xf16>) -> tensor<256x512xf16>
  %2 = graph.matmul %1, %w : (tensor<256x512xf16>, tensor<512x512xf16>) -> tensor<256x512xf16>
  return %2 : tensor<256x512xf16>
}

// All statements of an intermediate cluster, although only the last one writes
// what the tile reads: a maximum over rows before a product.
// CHECK-LABEL: poly.scop @rows
// CHECK-NEXT:    domain: "{
// CHECK-NOT:       S_0
// CHECK:         child: {
// CHECK:         extension: "{ {{.*}} -> S_2[i0, i1] : {{.*}}",
// CHECK:         filter: "{ S_0[i0] }",
// CHECK:         filter: "{ S_1[i0, i1] }",
// CHECK:         filter: "{ S_2[i0, i1] }",
func.func @rows(%x: tensor<256x64xf16>, %w: tensor<64x32xf16>) -> tensor<256x32xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<256x64xf16>) -> tensor<256x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<256x64xf16>, tensor<256x1xf16>) -> tensor<256x64xf16>
  %2 = graph.matmul %1, %w : (tensor<256x64xf16>, tensor<64x32xf16>) -> tensor<256x32xf16>
  return %2 : tensor<256x32xf16>
}

// Nothing to fuse: the tree is as it was.
// CHECK-LABEL: poly.scop @alone
// CHECK-NOT:     extension
// CHECK:         mark: "tile:UB",
func.func @alone(%x: tensor<256x512xf16>) -> tensor<256x512xf16> {
  %0 = graph.exp %x : (tensor<256x512xf16>) -> tensor<256x512xf16>
  %1 = graph.relu %0 : (tensor<256x512xf16>) -> tensor<256x512xf16>
  return %1 : tensor<256x512xf16>
}
