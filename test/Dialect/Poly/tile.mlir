// Tile sizes of a policy, and those that Auto Tiling chooses.

// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile))' | FileCheck %s

// A large flat operator: three buffers of each tensor in UB.
// CHECK-LABEL: poly.scop @relu
// CHECK:         mark: "tile:UB",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      schedule: "[{ S_0[i0] -> [(floor((i0)/[[SIZE:[0-9]+]]))] }]",
// CHECK-NEXT:      permutable: 1,
// CHECK-NEXT:      coincident: [ 1 ],
// CHECK-NEXT:      child: {
// CHECK-NEXT:        schedule: "[{ S_0[i0] -> [(i0)] }]",
// CHECK:         attributes {{{.*}}policy = "S_0 : [[SIZE]] @ UB"}
func.func @relu(%x: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %y = graph.relu %x : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %y : tensor<1024x1024xf16>
}

// Rows stay whole where a reduction needs them.
// CHECK-LABEL: poly.scop @rows
// CHECK:         schedule: "[{ {{.*}}S_2[i0, i1] -> [(floor((i0)/[[ROWS:[0-9]+]]))]{{.*}} }]",
// CHECK:         attributes {{{.*}}policy = "S_2 : [[ROWS]] @ UB, 512 @ UB"}
func.func @rows(%x: tensor<4096x512xf16>) -> tensor<4096x512xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4096x512xf16>) -> tensor<4096x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<4096x512xf16>, tensor<4096x1xf16>) -> tensor<4096x512xf16>
  return %1 : tensor<4096x512xf16>
}

// A product: tiles for L0C, slices of terms for L1 and L0.
// CHECK-LABEL: poly.scop @matmul
// CHECK:         mark: "tile:L1",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      schedule: "[{{.*}}S_1[i0, i1, i2] -> [(floor((i0)/256))]{{.*}}S_1[i0, i1, i2] -> [(floor((i1)/[[N:[0-9]+]]))]
// CHECK:           filter: "{ S_1[i0, i1, i2] }",
// CHECK-NEXT:      child: {
// CHECK-NEXT:        mark: "tile:L1",
// CHECK-NEXT:        child: {
// CHECK-NEXT:          schedule: "[{ S_1[i0, i1, i2] -> [(floor((i2)/128))] }]",
// CHECK-NEXT:          permutable: 1,
// CHECK-NEXT:          child: {
// CHECK-NEXT:            mark: "tile:L0",
// CHECK-NEXT:            child: {
// CHECK-NEXT:              schedule: "[{ S_1[i0, i1, i2] -> [(floor((i2)/64))] }]",
// CHECK:         attributes {{{.*}}policy = "S_1 : 256 @ L1, [[N]] @ L1, 128 @ L1, 256 @ L0, [[N]] @ L0, 64 @ L0"}
func.func @matmul(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %0 = graph.matmul %a, %b : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %0 : tensor<1024x1024xf16>
}
