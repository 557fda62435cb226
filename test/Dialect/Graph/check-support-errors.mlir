// RUN: gc-opt %s --graph-check-support -split-input-file -verify-diagnostics
// RUN: not gc-opt %s --graph-check-support=target=abacus 2>&1 | FileCheck %s --check-prefix=NAME

// NAME: error: no target is named 'abacus'

func.func @kind(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'graph.wildcard' op cannot run on target 'cpu': it has no meaning there}}
  %0 = graph.wildcard %a : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

// All of them in one error.
func.func @several(%a: tensor<3xf32>, %b: tensor<3xf64>) -> tensor<3xf64> {
  // expected-error @+1 {{cannot run on target 'cpu': it has no meaning there}}
  %0 = graph.wildcard %a : (tensor<3xf32>) -> tensor<3xf32>
  // expected-note @+1 {{neither can 'graph.reorder': it has no instructions for element type 'f64'}}
  %1 = graph.reorder %b : tensor<3xf64> -> tensor<3xf64>
  return %1 : tensor<3xf64>
}
