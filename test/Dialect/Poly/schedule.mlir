// Clusters of statements, from graph functions.

// RUN: gc-opt %s --pass-pipeline="builtin.module(poly-extract,poly.scop(poly-schedule))" | FileCheck %s
// RUN: gc-opt %s --pass-pipeline="builtin.module(poly-extract,poly.scop(poly-schedule{budget=1}))" 2>&1 | FileCheck %s --check-prefix=BUDGET

// A softmax over rows: all nine statements share the loop over rows, the
// columns are loops of their own.
// CHECK-LABEL: poly.scop @softmax
// CHECK:       child: {
// CHECK-NEXT:    schedule: "[{ {{.*}}S_7[i0, i1] -> [(i0)]{{.*}} }]",
// CHECK-NEXT:    permutable: 1,
// CHECK-NEXT:    coincident: [ 1 ],
// CHECK-NEXT:    child: {
// CHECK-NEXT:      sequence: [
// CHECK:             filter: "{ S_0[i0, i1] }",
// CHECK-NEXT:        child: {
// CHECK-NEXT:          schedule: "[{ S_0[i0, i1] -> [(i1)] }]",
// CHECK-NEXT:          permutable: 1,
// CHECK-NEXT:          coincident: [ 1 ]
// CHECK:             filter: "{ S_1[i0] }"
// CHECK-NOT:         child
// CHECK:             filter: "{ S_2[i0, i1] }",
// CHECK-NEXT:        child: {
// CHECK-NEXT:          schedule: "[{ S_2[i0, i1] -> [(i1)] }]",
// CHECK-NEXT:          permutable: 1
// CHECK-NEXT:        }
// CHECK:             filter: "{ S_7[i0, i1] }",
// Without a budget the order is the same, and a remark says why.
// BUDGET-LABEL: poly.scop @softmax
// BUDGET:         schedule: "[{ {{.*}}S_7[i0, i1] -> [(i0)]
func.func @softmax(%x: tensor<64x128xf16>, %mask: tensor<64x128xf16>) -> tensor<64x128xf16> {
  %0 = graph.add %x, %mask : (tensor<64x128xf16>, tensor<64x128xf16>) -> tensor<64x128xf16>
  %1 = graph.reduce_max %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x128xf16>) -> tensor<64x1xf16>
  %2 = graph.subtract %0, %1 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
  %3 = graph.exp %2 : (tensor<64x128xf16>) -> tensor<64x128xf16>
  %4 = graph.reduce_sum %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x128xf16>) -> tensor<64x1xf16>
  %5 = graph.divide %3, %4 : (tensor<64x128xf16>, tensor<64x1xf16>) -> tensor<64x128xf16>
  return %5 : tensor<64x128xf16>
}

// What feeds a product is a cluster of its own; what follows is not.
// CHECK-LABEL: poly.scop @before_and_after
// CHECK:         sequence: [
// CHECK-NEXT:      {
// CHECK-NEXT:        filter: "{ S_0[i0, i1] }",
// CHECK:             filter: "{ {{(S_[1234]\[i0, i1(, i2)?\](; )?)+}} }",
// CHECK-NEXT:        child: {
// CHECK-NEXT:          schedule: "[{ {{.*}}S_4[i0, i1] -> [(i0)]{{.*}} }, { {{.*}}S_4[i0, i1] -> [(i1)]{{.*}} }]",
func.func @before_and_after(%x: tensor<32x48xf16>, %w: tensor<48x64xf16>) -> tensor<32x64xf16> {
  %0 = graph.relu %x : (tensor<32x48xf16>) -> tensor<32x48xf16>
  %1 = graph.matmul %0, %w : (tensor<32x48xf16>, tensor<48x64xf16>) -> tensor<32x64xf16>
  %2 = graph.exp %1 : (tensor<32x64xf16>) -> tensor<32x64xf16>
  return %2 : tensor<32x64xf16>
}

// A row that is broadcast is computed for each tile rather than shrinking the
// loops to its own.
// CHECK-LABEL: poly.scop @row
// CHECK:         sequence: [
// CHECK:           filter: "{ S_0[i0] }",
// CHECK:           filter: "{ S_1[i0, i1] }",
func.func @row(%x: tensor<32x48xf16>, %row: tensor<48xf16>) -> tensor<32x48xf16> {
  %0 = graph.exp %row : (tensor<48xf16>) -> tensor<48xf16>
  %1 = graph.multiply %x, %0 : (tensor<32x48xf16>, tensor<48xf16>) -> tensor<32x48xf16>
  return %1 : tensor<32x48xf16>
}

// A row that is returned is no producer of tiles: what both results are computed
// from is a cluster of its own.
// CHECK-LABEL: poly.scop @row_of_two
// CHECK:         sequence: [
// CHECK:           filter: "{ S_0[i0] }",
// CHECK:           filter: "{ {{(S_[12]\[i0, i1\](; )?)+}} }",
// CHECK:           filter: "{ S_3[i0] }",
func.func @row_of_two(%x: tensor<32x48xf32>, %y: tensor<32x48xf32>, %row: tensor<48xf32>, %scale: tensor<48xf32>) -> (tensor<32x48xf32>, tensor<48xf32>) {
  %0 = graph.sqrt %row : (tensor<48xf32>) -> tensor<48xf32>
  %1 = graph.add %x, %y : (tensor<32x48xf32>, tensor<32x48xf32>) -> tensor<32x48xf32>
  %2 = graph.add %1, %0 : (tensor<32x48xf32>, tensor<48xf32>) -> tensor<32x48xf32>
  %3 = graph.multiply %0, %scale : (tensor<48xf32>, tensor<48xf32>) -> tensor<48xf32>
  return %2, %3 : tensor<32x48xf32>, tensor<48xf32>
}
