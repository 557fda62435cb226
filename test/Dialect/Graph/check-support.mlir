// RUN: gc-opt %s --graph-check-support | FileCheck %s

// Ops that the CPU runs pass through unchanged, complex ops included: the ops
// they become are checked after graph-decompose.
// CHECK-LABEL: func.func @all
// CHECK: graph.matmul
// CHECK: graph.softmax
// CHECK: graph.static_reshape
// CHECK: graph.reduce_max
// CHECK: graph.type_cast
// CHECK: graph.gen_index
func.func @all(%a: tensor<4x8xf32>, %b: tensor<8x6xf32>, %c: tensor<6xf32>) -> (tensor<24xf32>, tensor<4x1xf32>, tensor<4x6xsi8>, tensor<4x6xsi32>) {
  %0 = graph.matmul %a, %b, %c : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
  %1 = graph.softmax %0 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %2 = graph.static_reshape %1 {shape = array<i64: 24>} : (tensor<4x6xf32>) -> tensor<24xf32>
  %3 = graph.reduce_max %1 {axes = array<i64: 1>, keep_dims = true} : (tensor<4x6xf32>) -> tensor<4x1xf32>
  %4 = graph.type_cast %0 : tensor<4x6xf32> -> tensor<4x6xsi8>
  %5 = graph.gen_index %0 {axis = 1 : i64} : (tensor<4x6xf32>) -> tensor<4x6xsi32>
  %6 = graph.add %5, %5 : (tensor<4x6xsi32>, tensor<4x6xsi32>) -> tensor<4x6xsi32>
  return %2, %3, %4, %6 : tensor<24xf32>, tensor<4x1xf32>, tensor<4x6xsi8>, tensor<4x6xsi32>
}

// Ops of other dialects are not its business.
// CHECK-LABEL: func.func @other
// CHECK: arith.addf
func.func @other(%a: f32) -> f32 {
  %0 = arith.addf %a, %a : f32
  return %0 : f32
}
