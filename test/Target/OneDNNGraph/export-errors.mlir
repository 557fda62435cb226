// Graphs that the format cannot express: one error, and nothing is written.
// RUN: split-file %s %t
// RUN: not gc-translate --export-onednn-graph %t/kind.mlir -o %t/out.json 2>&1 | FileCheck %s --check-prefix=KIND
// RUN: not ls %t/out.json
// RUN: not gc-translate --export-onednn-graph %t/dialect.mlir 2>&1 | FileCheck %s --check-prefix=DIALECT
// RUN: not gc-translate --export-onednn-graph %t/attribute.mlir 2>&1 | FileCheck %s --check-prefix=ATTRIBUTE
// RUN: not gc-translate --export-onednn-graph %t/decision.mlir 2>&1 | FileCheck %s --check-prefix=DECISION
// RUN: not gc-translate --export-onednn-graph %t/type.mlir 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not gc-translate --export-onednn-graph %t/dynamic.mlir 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// RUN: not gc-translate --export-onednn-graph %t/blocked.mlir 2>&1 | FileCheck %s --check-prefix=BLOCKED
// RUN: not gc-translate --export-onednn-graph %t/between.mlir 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: not gc-translate --export-onednn-graph %t/twice.mlir 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not gc-translate --export-onednn-graph %t/argument.mlir 2>&1 | FileCheck %s --check-prefix=ARGUMENT
// RUN: not gc-translate --export-onednn-graph %t/functions.mlir 2>&1 | FileCheck %s --check-prefix=FUNCTIONS
// RUN: not gc-translate --export-onednn-graph %t/none.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not gc-translate --export-onednn-graph %t/results.mlir 2>&1 | FileCheck %s --check-prefix=RESULTS

// KIND: kind.mlir:2:8: error: 'graph.erf' is not an operation of oneDNN Graph
// DIALECT: dialect.mlir:3:{{.*}} error: 'func.call' is not an operation of oneDNN Graph
// ATTRIBUTE: error: attribute 'at_most_one' of 'graph.exp' is not an attribute of oneDNN Graph
// DECISION: error: attribute 'graph.constant_value' of 'graph.relu' is not an attribute of oneDNN Graph
// TYPE: error: argument 0 of type 'tensor<3xf64>': the format has no such element type
// DYNAMIC: error: argument 0 of type 'tensor<?xf32>': the format has tensors of static shape
// BLOCKED: error: argument 0 of type {{.*}}: the format has no blocked layouts
// BETWEEN: error: result 0 of type {{.*}}: the format has layouts only for inputs and outputs
// TWICE: error: {{.*}}returns a tensor twice
// ARGUMENT: error: {{.*}}returns an argument that no op reads
// FUNCTIONS: error: {{.*}}is the second public function; a file holds one graph
// NONE: error: {{.*}}there is no public function to export
// RESULTS: error: {{.*}}the graph has no outputs

//--- kind.mlir
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.erf %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- dialect.mlir
func.func private @f(tensor<3xf32>) -> tensor<3xf32>
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = func.call @f(%a) : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- attribute.mlir
func.func @main(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.exp %a {at_most_one = true} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- decision.mlir
func.func @main(%a: tensor<3xf32> {graph.const_arg}) -> tensor<3xf32> {
  %0 = graph.relu %a {graph.constant_value} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- type.mlir
func.func @main(%a: tensor<3xf64>) -> tensor<3xf64> {
  %0 = graph.static_reshape %a {shape = array<i64: 3>} : (tensor<3xf64>) -> tensor<3xf64>
  return %0 : tensor<3xf64>
}
//--- dynamic.mlir
func.func @main(%a: tensor<?xf32>) -> tensor<?xf32> {
  %0 = graph.relu %a : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
//--- blocked.mlir
func.func @main(%a: tensor<3x8xf32, #graph.layout<blocked, outer = [1, 0]>>) -> tensor<3x8xf32> {
  %0 = graph.relu %a : (tensor<3x8xf32, #graph.layout<blocked, outer = [1, 0]>>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}
//--- between.mlir
func.func @main(%a: tensor<3x8xf32>) -> tensor<3x8xf32> {
  %0 = graph.relu %a : (tensor<3x8xf32>) -> tensor<3x8xf32, #graph.layout<strided, [1, 3]>>
  %1 = graph.abs %0 : (tensor<3x8xf32, #graph.layout<strided, [1, 3]>>) -> tensor<3x8xf32>
  return %1 : tensor<3x8xf32>
}
//--- twice.mlir
func.func @main(%a: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.relu %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %0 : tensor<3xf32>, tensor<3xf32>
}
//--- argument.mlir
func.func @main(%a: tensor<3xf32>, %b: tensor<3xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %0 = graph.relu %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0, %b : tensor<3xf32>, tensor<3xf32>
}
//--- functions.mlir
func.func @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.relu %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
func.func @g(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.relu %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- none.mlir
func.func private @f(%a: tensor<3xf32>) -> tensor<3xf32> {
  %0 = graph.relu %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
//--- results.mlir
func.func @main(%a: tensor<3xf32>) {
  graph.end %a : tensor<3xf32>
  return
}
