// Fusible ops with several results: every result has its own map.
// RUN: gc-test-opt %s -split-input-file --pass-pipeline="builtin.module(func.func(graph-fuse{threads=1}))" | FileCheck %s
// RUN: gc-test-opt %s -split-input-file --gc-cpu-pipeline="stop-after=tensor threads=1" | FileCheck %s --check-prefix=LOOPS

// The op joins a region with users of both results; one of them leaves it.
// CHECK-LABEL: func.func @both
// CHECK: %[[F:.*]]:2 = graph.fused_op
// CHECK: %[[P:.*]], %[[N:.*]] = test_graph.split_sign
// CHECK: %[[T:.*]] = graph.subtract %[[P]], %[[N]]
// CHECK: graph.yield %[[N]], %[[T]]
// CHECK: return %[[F]]#0, %[[F]]#1
// LOOPS-LABEL: func.func @both
// One pass: what the op reads is loaded once.
// LOOPS: tir.parallel
// LOOPS: vector.load
// LOOPS-NOT: vector.load
// LOOPS: arith.maximumf
// LOOPS: arith.minimumf
// LOOPS: vector.store
// LOOPS: vector.store
// LOOPS-NOT: arith.maximumf
// LOOPS: return
func.func @both(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>) {
  %p, %n = test_graph.split_sign %x : (tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8x64xf32>)
  %t = graph.subtract %p, %n : (tensor<8x64xf32>, tensor<8x64xf32>) -> tensor<8x64xf32>
  return %n, %t : tensor<8x64xf32>, tensor<8x64xf32>
}

// -----

// The second result has the operand's order, the first one is transposed: ops
// that read them agree with that.
// CHECK-LABEL: func.func @maps
// CHECK: graph.fused_op
// CHECK: test_graph.with_transpose
// CHECK: graph.add
// CHECK: graph.multiply
// CHECK: graph.yield
func.func @maps(%x: tensor<8x64xf32>, %row: tensor<8x1xf32>, %column: tensor<64x1xf32>) -> (tensor<64x8xf32>, tensor<8x64xf32>) {
  %t, %s = test_graph.with_transpose %x : (tensor<8x64xf32>) -> (tensor<64x8xf32>, tensor<8x64xf32>)
  %0 = graph.add %t, %column : (tensor<64x8xf32>, tensor<64x1xf32>) -> tensor<64x8xf32>
  %1 = graph.multiply %s, %row : (tensor<8x64xf32>, tensor<8x1xf32>) -> tensor<8x64xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<8x64xf32>
}

// -----

// An op with several results does not prepare an operand.
// CHECK-LABEL: func.func @operand
// CHECK: graph.fused_op
// CHECK-NEXT: test_graph.split_sign
// CHECK-NEXT: graph.yield
// CHECK: graph.fused_op
// CHECK-NEXT: graph.matmul
func.func @operand(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> (tensor<8x4xf32>, tensor<8x16xf32>) {
  %p, %n = test_graph.split_sign %x : (tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>)
  %0 = graph.matmul %p, %w : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  return %0, %n : tensor<8x4xf32>, tensor<8x16xf32>
}
