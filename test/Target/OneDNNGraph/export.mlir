// RUN: gc-translate --export-onednn-graph %s -o %t.json
// RUN: FileCheck %s --input-file=%t.json
// RUN: gc-translate --import-onednn-graph %t.json | FileCheck %s --check-prefix=BACK
// RUN: gc-translate --export-onednn-graph %s --mlir-print-debuginfo | %python -c "import json, sys; print(len(json.load(sys.stdin)['graph']), 'ops')" | FileCheck %s --check-prefix=VALID

// VALID: 5 ops

// Arguments keep the number that is their name; others get the next free ones.
// CHECK: "name": "model"
// CHECK: "input_ports": [
// CHECK-NEXT: 7,
// CHECK-NEXT: 0,
// CHECK-NEXT: 1
// CHECK-NEXT: ]
// CHECK: "output_ports": [
// CHECK-NEXT: 6,
// CHECK-NEXT: 5
// CHECK-NEXT: ]

// CHECK: "name": "MatMul_0"
// CHECK-NEXT: "kind": "MatMul"
// CHECK: "transpose_b": {
// CHECK-NEXT: "type": "bool",
// CHECK-NEXT: "value": 1
// CHECK: "id": 7,
// CHECK-NEXT: "dtype": "f32"
// CHECK: "layout_type": "strided"
// CHECK-NEXT: "property_type": "variable"
// CHECK: "id": 0,
// CHECK: "stride": [
// CHECK-NEXT: 4,
// CHECK-NEXT: 1
// CHECK-NEXT: ]
// CHECK: "property_type": "constant"

// The attribute that must be written, and an empty list that need not be.
// CHECK: "kind": "Elu"
// CHECK: "value": 0.100000001
// CHECK: "kind": "ReduceSum"
// CHECK-NOT: "axes"
// CHECK: "keep_dims"
// CHECK: "kind": "Quantize"
// CHECK: "scales": {
// CHECK-NEXT: "type": "f32[]",
// CHECK-NEXT: "value": [
// CHECK-NEXT: 0.5
// CHECK: "dtype": "s8"
// The layout of a result is a matter of its strides.
// CHECK: "kind": "StaticTranspose"
// CHECK: "outputs": [
// CHECK: "id": 6,
// CHECK: "stride": [
// CHECK-NEXT: 1,
// CHECK-NEXT: 3
// CHECK-NOT: "Reorder"

// BACK: func.func @model(%[[X:.*]]: tensor<2x4xf32> {graph.name = "7"}, %[[W:.*]]: tensor<3x4xf32> {graph.const_arg, graph.name = "0"}, %[[B:.*]]: tensor<2x3xf32, #graph.layout<strided, [1, 2]>> {graph.name = "1"})
// BACK-SAME: -> (tensor<3x2xf32, #graph.layout<strided, [1, 3]>>, tensor<2x3xsi8>)
func.func @model(%x: tensor<2x4xf32> {graph.name = "7"},
    %w: tensor<3x4xf32> {graph.name = "weights", graph.const_arg},
    %b: tensor<2x3xf32, #graph.layout<strided, [1, 2]>>)
    -> (tensor<3x2xf32, #graph.layout<strided, [1, 3]>>, tensor<2x3xsi8>) {
  // BACK: graph.matmul %[[X]], %[[W]], %[[B]] {transpose_b = true}
  %0 = graph.matmul %x, %w, %b {transpose_b = true} : (tensor<2x4xf32>, tensor<3x4xf32>, tensor<2x3xf32, #graph.layout<strided, [1, 2]>>) -> tensor<2x3xf32>
  // BACK: graph.elu %{{.*}} {alpha = 1.000000e-01 : f32}
  %1 = graph.elu %0 {alpha = 0.1 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // BACK: graph.reduce_sum %{{[0-9]+}} :
  %2 = graph.reduce_sum %1 : (tensor<2x3xf32>) -> tensor<2x3xf32>
  // BACK: graph.quantize %{{.*}} {scales = array<f32: 5.000000e-01>}
  %3 = graph.quantize %2 {scales = array<f32: 0.5>} : (tensor<2x3xf32>) -> tensor<2x3xsi8>
  // BACK: graph.static_transpose
  %4 = graph.static_transpose %2 {order = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  // BACK-NEXT: graph.reorder
  %5 = graph.reorder %4 : tensor<3x2xf32> -> tensor<3x2xf32, #graph.layout<strided, [1, 3]>>
  // BACK-NEXT: return
  return %5, %3 : tensor<3x2xf32, #graph.layout<strided, [1, 3]>>, tensor<2x3xsi8>
}
