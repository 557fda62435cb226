// RUN: split-file %s %t
// RUN: not gc-translate --export-onnx %t/random.mlir 2>&1 | FileCheck %s --check-prefix=RANDOM
// RUN: not gc-translate --export-onnx %t/wildcard.mlir 2>&1 | FileCheck %s --check-prefix=WILDCARD
// RUN: not gc-translate --export-onnx %t/small.mlir 2>&1 | FileCheck %s --check-prefix=SMALL
// RUN: not gc-translate --export-onnx %t/f8.mlir 2>&1 | FileCheck %s --check-prefix=F8
// RUN: not gc-translate --export-onnx %t/blocked.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKED
// RUN: not gc-translate --export-onnx %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not gc-translate --export-onnx %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not gc-translate --export-onnx %t/two.mlir 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not gc-translate --export-onnx %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gc-translate --export-onnx %t/compiled.mlir 2>&1 | FileCheck %s --check-prefix=COMPILED

// Nothing is written after an error.
// RUN: not gc-translate --export-onnx %t/random.mlir 2>/dev/null | count 0

//--- random.mlir
// RANDOM: error: 'graph.dropout' cannot be exported: ONNX has no such random numbers
func.func @f(%x: tensor<4xf32>, %seed: tensor<1xui64>, %p: tensor<1xf32>) -> tensor<4xf32> {
  %0 = graph.dropout %x, %seed, %seed, %p : (tensor<4xf32>, tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- wildcard.mlir
// WILDCARD: error: 'graph.wildcard' cannot be exported: ONNX has no such operator
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.wildcard %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- small.mlir
// SMALL: error: 'graph.type_cast' cannot be exported: operator set 17 has no integers of 4 bits
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.type_cast %x : tensor<4xf32> -> tensor<4xsi4>
  %1 = graph.type_cast %0 : tensor<4xsi4> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- f8.mlir
// F8: error: 'graph.quantize' cannot be exported: operator set 17 has no floating-point numbers of 8 bits
func.func @f(%x: tensor<4xf32>) -> tensor<4xf8E5M2> {
  %0 = graph.quantize %x {scales = array<f32: 1.0>} : (tensor<4xf32>) -> tensor<4xf8E5M2>
  return %0 : tensor<4xf8E5M2>
}

//--- blocked.mlir
// BLOCKED: error: 'graph.reorder' cannot be exported: ONNX has no blocked layouts
func.func @f(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %0 = graph.reorder %x : tensor<4x4xf32> -> tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 2]>>
  %1 = graph.reorder %0 : tensor<4x4xf32, #graph.layout<blocked, outer = [0, 1], inner = [0 : 2]>> -> tensor<4x4xf32>
  return %1 : tensor<4x4xf32>
}

//--- dynamic.mlir
// DYNAMIC: error: 'graph.relu' cannot be exported: its result of type 'tensor<?xf32>' has no static shape
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

//--- other.mlir
// OTHER: error: 'func.call' cannot be exported: ONNX has no such operator
func.func private @g(tensor<4xf32>) -> tensor<4xf32>
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- two.mlir
// TWO: error: is the second public function; a model is one graph
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @g(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

//--- none.mlir
// NONE: error: there is no public function to export
func.func private @f(tensor<4xf32>) -> tensor<4xf32>

//--- compiled.mlir
// COMPILED: error: 'graph.fused_op' cannot be exported: it is part of a compiled graph
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.fused_op -> (tensor<4xf32>) {
    %1 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
    graph.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
