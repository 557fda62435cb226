// Arguments keep their names; layouts and what is not read are left out.

// RUN: gc-translate --export-onnx %s -o %t.onnx
// RUN: %python %S/Inputs/print.py %t.onnx | FileCheck %s
// RUN: gc-translate --import-onnx %t.onnx | FileCheck %s --check-prefix=BACK

// CHECK: opset 17
// CHECK: graph model (
// CHECK-NEXT: %x[FLOAT, 2x4]
// CHECK-NEXT: %arg1[FLOAT, 3x4]
// CHECK-NEXT: %arg2[FLOAT, 3]
// CHECK-NEXT: %ids[INT32, 2x3]
// CHECK: %[[GEMM:.*]] = Gemm[transA = 0, transB = 1](%x, %arg1, %arg2)
// A zero point that is even may be added after rounding as well as before.
// CHECK-NEXT: %[[EVEN:.*]] = QuantizeLinear(%[[GEMM]], %{{.*}}, %{{.*}})
// CHECK-NEXT: %[[DIV:.*]] = Div(%[[GEMM]], %{{.*}})
// CHECK-NEXT: %[[SUM:.*]] = Add(%[[DIV]], %{{.*}})
// CHECK: Round(%[[SUM]])
// CHECK: %[[ODD:.*]] = Cast[to = 3](
// Integers saturate.
// CHECK: %[[WIDE:.*]] = Add(
// CHECK-NEXT: %[[CLIP:.*]] = Clip(%[[WIDE]],
// CHECK-NEXT: %[[NARROW:.*]] = Cast[to = 6](%[[CLIP]])
// GELU is made of others in this operator set.
// CHECK: Erf
// CHECK-NOT: Exp
// CHECK: %result0 = Identity(%[[EVEN]])
// CHECK-NEXT: %result1 = Identity(%[[ODD]])
// CHECK-NEXT: %result2 = Identity(%[[NARROW]])
// CHECK: return %result0, %result1, %result2, %result3

// BACK: func.func @main(%{{.*}}: tensor<2x4xf32> {graph.name = "x"}, %{{.*}}: tensor<3x4xf32>
// BACK: graph.matmul %{{.*}}, %{{.*}} {transpose_b = true}
// BACK: graph.erf
func.func @model(%x: tensor<2x4xf32, #graph.layout<strided, [1, 2]>> {graph.name = "x"},
    %w: tensor<3x4xf32> {graph.const_arg}, %b: tensor<3xf32>,
    %ids: tensor<2x3xsi32> {graph.name = "ids"})
    -> (tensor<2x3xsi8>, tensor<2x3xsi8>, tensor<2x3xsi32>, tensor<2x3xf32>) {
  %0 = graph.matmul %x, %w, %b {transpose_b = true} : (tensor<2x4xf32, #graph.layout<strided, [1, 2]>>, tensor<3x4xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %even = graph.quantize %0 {scales = array<f32: 0.5>, zps = array<i64: 2>} : (tensor<2x3xf32>) -> tensor<2x3xsi8>
  %odd = graph.quantize %0 {scales = array<f32: 0.5>, zps = array<i64: 1>} : (tensor<2x3xf32>) -> tensor<2x3xsi8>
  %sum = graph.add %ids, %ids : (tensor<2x3xsi32>, tensor<2x3xsi32>) -> tensor<2x3xsi32>
  %gelu = graph.gelu %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %unused = graph.exp %0 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %even, %odd, %sum, %gelu : tensor<2x3xsi8>, tensor<2x3xsi8>, tensor<2x3xsi32>, tensor<2x3xf32>
}
