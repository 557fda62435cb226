// What the NPU says that it runs, op by op. unittests/Conversion compares it with
// what the pipeline compiles, for every operation.

// RUN: gc-opt %s --graph-check-support=target=npu | FileCheck %s
// RUN: gc-opt %s --gc-npu-pipeline=stop-after=extract -o /dev/null

// All types of the machine; signedness remains in the graph.
// CHECK-LABEL: func.func @types
func.func @types(%x: tensor<4x16xf16>, %i: tensor<4x16xsi32>, %b: tensor<4x16xsi8>) -> (tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf16>, tensor<16x4xsi32>) {
  %0 = graph.type_cast %x : tensor<4x16xf16> -> tensor<4x16xf32>
  %1 = graph.type_cast %i : tensor<4x16xsi32> -> tensor<4x16xf32>
  %2 = graph.type_cast %b : tensor<4x16xsi8> -> tensor<4x16xf16>
  %3 = graph.static_transpose %i {order = array<i64: 1, 0>} : (tensor<4x16xsi32>) -> tensor<16x4xsi32>
  return %0, %1, %2, %3 : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4x16xf16>, tensor<16x4xsi32>
}

// Complex ops are supported if what they are decomposed to is; casts before a
// product go into it.
// CHECK-LABEL: func.func @complex
func.func @complex(%x: tensor<4x16xf16>, %w: tensor<16x32xf16>, %c: tensor<32xf32>) -> (tensor<4x16xf16>, tensor<4x32xf32>) {
  %0 = graph.softmax %x {axis = 1} : (tensor<4x16xf16>) -> tensor<4x16xf16>
  %1 = graph.type_cast %x : tensor<4x16xf16> -> tensor<4x16xf32>
  %2 = graph.type_cast %w : tensor<16x32xf16> -> tensor<16x32xf32>
  %3 = graph.matmul %1, %2, %c : (tensor<4x16xf32>, tensor<16x32xf32>, tensor<32xf32>) -> tensor<4x32xf32>
  return %0, %3 : tensor<4x16xf16>, tensor<4x32xf32>
}

// Elements of i1 are compared where an elementwise op needs them.
// CHECK-LABEL: func.func @bits
func.func @bits(%x: tensor<4x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.greater_equal %x, %y : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xi1>
  %1 = graph.select %0, %x, %y : (tensor<4x16xi1>, tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %1 : tensor<4x16xf32>
}

// Constants have one value. Marks compute nothing.
// CHECK-LABEL: func.func @constants
func.func @constants(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.constant dense<2.0> : tensor<bf16>
  %1 = graph.constant dense<3.0> : tensor<4x16xf32>
  %2 = graph.multiply %x, %1 : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  %3 = graph.add %2, %0 : (tensor<4x16xf32>, tensor<bf16>) -> tensor<4x16xf32>
  graph.end %3 : tensor<4x16xf32>
  return %3 : tensor<4x16xf32>
}

// The cube unit converts its sums to i8 when it drains them; nothing else does.
// CHECK-LABEL: func.func @drained
func.func @drained(%a: tensor<32x64xsi8>, %b: tensor<64x48xsi8>) -> tensor<32x48xsi8> {
  %0 = graph.matmul %a, %b : (tensor<32x64xsi8>, tensor<64x48xsi8>) -> tensor<32x48xsi32>
  %1 = graph.type_cast %0 : tensor<32x48xsi32> -> tensor<32x48xsi8>
  return %1 : tensor<32x48xsi8>
}

// What no result needs is not compiled.
// CHECK-LABEL: func.func @unused
func.func @unused(%x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %0 = graph.elu %x {alpha = 1.0 : f32} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %1 = graph.elu %0 {alpha = 1.0 : f32} : (tensor<4x16xf32>) -> tensor<4x16xf32>
  %2 = graph.relu %x : (tensor<4x16xf32>) -> tensor<4x16xf32>
  return %2 : tensor<4x16xf32>
}

// Nor does it matter what would read a mask.
// CHECK-LABEL: func.func @unused_reader
func.func @unused_reader(%a: tensor<4x16xf16>, %b: tensor<4x16xf16>) -> tensor<4x16xf16> {
  %0 = graph.greater_equal %a, %b : (tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xi1>
  %1 = graph.select %0, %a, %b : (tensor<4x16xi1>, tensor<4x16xf16>, tensor<4x16xf16>) -> tensor<4x16xf16>
  %2 = graph.static_reshape %0 {shape = array<i64: 64>} : (tensor<4x16xi1>) -> tensor<64xi1>
  return %1 : tensor<4x16xf16>
}
