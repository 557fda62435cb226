// The fork: which unit computes what.

// RUN: gc-opt %s --pass-pipeline='builtin.module(poly-extract,poly.scop(poly-schedule,poly-tile,poly-fuse,poly-map-units))' | FileCheck %s

// One statement: the mark is above its loops.
// CHECK-LABEL: poly.scop @relu
// CHECK:         mark: "tile:UB",
// CHECK:           mark: "local_UB",
// CHECK-NEXT:      child: {
// CHECK-NEXT:        schedule: "[{ S_0[i0] -> [(i0)] }]",
// CHECK-NOT:       mark
// CHECK:         } {
func.func @relu(%x: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %y = graph.relu %x : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %y : tensor<1024x1024xf16>
}

// A row operator: all loops of a statement become its own.
// CHECK-LABEL: poly.scop @rows
// CHECK:         mark: "local_UB",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      sequence: [
// CHECK-NEXT:        {
// CHECK-NEXT:          filter: "{ S_0[i0] }",
// CHECK-NEXT:          child: {
// CHECK-NEXT:            schedule: "[{ S_0[i0] -> [(i0)] }]",
// CHECK:               filter: "{ S_1[i0, i1] }",
// CHECK-NEXT:          child: {
// CHECK-NEXT:            schedule: "[{ S_1[i0, i1] -> [(i0)] }, { S_1[i0, i1] -> [(i1)] }]",
// CHECK-NEXT:            permutable: 1,
// CHECK-NEXT:            coincident: [ 1, 0 ]
func.func @rows(%x: tensor<4096x512xf16>) -> tensor<4096x512xf16> {
  %0 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<4096x512xf16>) -> tensor<4096x1xf16>
  %1 = graph.subtract %x, %0 : (tensor<4096x512xf16>, tensor<4096x1xf16>) -> tensor<4096x512xf16>
  return %1 : tensor<4096x512xf16>
}

// A product and what follows; slices are outside of points.
// CHECK-LABEL: poly.scop @matmul
// CHECK:         mark: "cube",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      sequence: [
// CHECK-NEXT:        {
// CHECK-NEXT:          filter: "{ S_0[i0, i1] }",
// CHECK:               filter: "{ S_1[i0, i1, i2] }",
// CHECK-NEXT:          child: {
// CHECK-NEXT:            mark: "tile:L1",
// CHECK-NEXT:            child: {
// CHECK-NEXT:              schedule: "[{ S_1[i0, i1, i2] -> [(floor((i2)/128))] }]",
// CHECK:                     mark: "tile:L0",
// CHECK-NEXT:                child: {
// CHECK-NEXT:                  schedule: "[{ S_1[i0, i1, i2] -> [(floor((i2)/64))] }]",
// CHECK-NEXT:                  permutable: 1,
// CHECK-NEXT:                  child: {
// CHECK-NEXT:                    schedule: "[{ S_1[i0, i1, i2] -> [(i0)] }, { S_1[i0, i1, i2] -> [(i1)] }, { S_1[i0, i1, i2] -> [(i2)] }]",
// CHECK:         mark: "local_UB",
// CHECK-NEXT:    child: {
// CHECK-NEXT:      sequence: [
// CHECK-NEXT:        {
// CHECK-NEXT:          filter: "{ S_2[i0, i1] }",
// CHECK:               filter: "{ S_3[i0, i1] }",
func.func @matmul(%a: tensor<1024x1024xf16>, %b: tensor<1024x1024xf16>) -> tensor<1024x1024xf16> {
  %0 = graph.matmul %a, %b : (tensor<1024x1024xf16>, tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  %1 = graph.relu %0 : (tensor<1024x1024xf16>) -> tensor<1024x1024xf16>
  return %1 : tensor<1024x1024xf16>
}
