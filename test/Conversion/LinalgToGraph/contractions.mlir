// Products of matrices, by the loops that their operands share.

// RUN: gc-opt %s --convert-linalg-to-graph --split-input-file | FileCheck %s --implicit-check-not=linalg. --implicit-check-not=tensor.empty

// The layer of an MLP in three ops.

#map = affine_map<(d0, d1) -> (d0, d1)>
#bias = affine_map<(d0, d1) -> (d1)>
// CHECK-LABEL: func.func @layer(
// CHECK-SAME:    %[[X:.*]]: tensor<32x64xf32>, %[[W:.*]]: tensor<64x48xf32>, %[[B:.*]]: tensor<48xf32>)
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %[[X]], %[[W]] :
// CHECK-NEXT:    %[[S:.*]] = graph.add %[[P]], %[[B]] : (tensor<32x48xf32>, tensor<48xf32>)
// CHECK-NEXT:    %[[Z:.*]] = graph.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[R:.*]] = graph.maximum %[[S]], %[[Z]]
// CHECK-NEXT:    return %[[R]]
func.func @layer(%x: tensor<32x64xf32>, %w: tensor<64x48xf32>, %b: tensor<48xf32>) -> tensor<32x48xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<32x48xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<32x48xf32>) -> tensor<32x48xf32>
  %0 = linalg.matmul ins(%x, %w : tensor<32x64xf32>, tensor<64x48xf32>) outs(%init : tensor<32x48xf32>) -> tensor<32x48xf32>
  %1 = linalg.generic {indexing_maps = [#map, #bias, #map], iterator_types = ["parallel", "parallel"]}
      ins(%0, %b : tensor<32x48xf32>, tensor<48xf32>) outs(%empty : tensor<32x48xf32>) {
  ^bb0(%in: f32, %bias: f32, %out: f32):
    %s = arith.addf %in, %bias : f32
    linalg.yield %s : f32
  } -> tensor<32x48xf32>
  %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]}
      ins(%1 : tensor<32x48xf32>) outs(%empty : tensor<32x48xf32>) {
  ^bb0(%in: f32, %out: f32):
    %s = arith.maximumf %in, %zero : f32
    linalg.yield %s : f32
  } -> tensor<32x48xf32>
  return %2 : tensor<32x48xf32>
}

// -----

// Transposed operands are in the maps of named ops; the init is the addend.

// CHECK-LABEL: func.func @transposed(
// CHECK-SAME:    %[[X:.*]]: tensor<2x16x4xf32>, %[[W:.*]]: tensor<2x8x16xf32>, %[[Y:.*]]: tensor<2x4x8xf32>)
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %[[X]], %[[W]] {transpose_a = true, transpose_b = true}
// CHECK-NEXT:    graph.add %[[P]], %[[Y]]
func.func @transposed(%x: tensor<2x16x4xf32>, %w: tensor<2x8x16xf32>, %y: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = linalg.batch_matmul indexing_maps = [
      affine_map<(b, m, n, k) -> (b, k, m)>,
      affine_map<(b, m, n, k) -> (b, n, k)>,
      affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %w : tensor<2x16x4xf32>, tensor<2x8x16xf32>) outs(%y : tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// -----

// A contraction of attention heads: [s, h, d] x [t, h, d] -> [h, s, t].

// CHECK-LABEL: func.func @heads(
// CHECK:         %[[Q:.*]] = graph.static_transpose %{{.*}} {order = array<i64: 1, 0, 2>}
// CHECK:         %[[K:.*]] = graph.static_transpose %{{.*}} {order = array<i64: 1, 0, 2>}
// CHECK:         graph.matmul %[[Q]], %[[K]] {transpose_b = true} : (tensor<4x16x8xf32>, tensor<4x12x8xf32>) -> tensor<4x16x12xf32>
func.func @heads(%q: tensor<16x4x8xf32>, %k: tensor<12x4x8xf32>) -> tensor<4x16x12xf32> {
  %zero = arith.constant dense<0.0> : tensor<4x16x12xf32>
  %0 = linalg.generic {indexing_maps = [
      affine_map<(h, s, t, d) -> (s, h, d)>,
      affine_map<(h, s, t, d) -> (t, h, d)>,
      affine_map<(h, s, t, d) -> (h, s, t)>],
      iterator_types = ["parallel", "parallel", "parallel", "reduction"]}
      ins(%q, %k : tensor<16x4x8xf32>, tensor<12x4x8xf32>) outs(%zero : tensor<4x16x12xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %c, %p : f32
    linalg.yield %s : f32
  } -> tensor<4x16x12xf32>
  return %0 : tensor<4x16x12xf32>
}

// -----

// Several loops are rows: a matrix for all of the batch. Narrow operands with a
// wide result need no conversion of their own.

// CHECK-LABEL: func.func @rows(
// CHECK-NEXT:    %[[X:.*]] = graph.static_reshape %{{.*}} {shape = array<i64: 8, 16>
// CHECK-NEXT:    %[[P:.*]] = graph.matmul %[[X]], %{{.*}} : (tensor<8x16xbf16>, tensor<16x4xbf16>) -> tensor<8x4xf32>
// CHECK-NEXT:    graph.static_reshape %[[P]] {shape = array<i64: 2, 4, 4>
func.func @rows(%x: tensor<2x4x16xbf16>, %w: tensor<16x4xbf16>) -> tensor<2x4x4xf32> {
  %zero = arith.constant dense<0.0> : tensor<2x4x4xf32>
  %0 = linalg.contract indexing_maps = [
      affine_map<(b, m, n, k) -> (b, m, k)>,
      affine_map<(b, m, n, k) -> (k, n)>,
      affine_map<(b, m, n, k) -> (b, m, n)>]
      ins(%x, %w : tensor<2x4x16xbf16>, tensor<16x4xbf16>) outs(%zero : tensor<2x4x4xf32>) -> tensor<2x4x4xf32>
  return %0 : tensor<2x4x4xf32>
}

// -----

// CHECK-LABEL: func.func @matvec(
// CHECK:         graph.matmul %{{.*}} : (tensor<4x8xf32>, tensor<8x1xf32>) -> tensor<4x1xf32>
// CHECK-NEXT:    graph.static_reshape %{{.*}} {shape = array<i64: 4>
func.func @matvec(%a: tensor<4x8xf32>, %x: tensor<8xf32>) -> tensor<4xf32> {
  %zero = arith.constant dense<0.0> : tensor<4xf32>
  %0 = linalg.matvec ins(%a, %x : tensor<4x8xf32>, tensor<8xf32>) outs(%zero : tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A dot product has neither rows nor columns: a sum of products.

// CHECK-LABEL: func.func @dot(
// CHECK:         %[[P:.*]] = graph.multiply
// CHECK-NEXT:    graph.reduce_sum %[[P]] {axes = array<i64: 0>, keep_dims = true}
func.func @dot(%x: tensor<8xf32>, %y: tensor<8xf32>) -> tensor<f32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %0 = linalg.dot ins(%x, %y : tensor<8xf32>, tensor<8xf32>) outs(%zero : tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// Products of 8-bit integers are exact in 32 bits.

// CHECK-LABEL: func.func @integers(
// CHECK:         graph.matmul %{{.*}} : (tensor<4x8xsi8>, tensor<8x4xsi8>) -> tensor<4x4xsi32>
func.func @integers(%x: tensor<4x8xi8>, %w: tensor<8x4xi8>) -> tensor<4x4xi32> {
  %zero = arith.constant dense<0> : tensor<4x4xi32>
  %0 = linalg.matmul ins(%x, %w : tensor<4x8xi8>, tensor<8x4xi8>) outs(%zero : tensor<4x4xi32>) -> tensor<4x4xi32>
  return %0 : tensor<4x4xi32>
}
