// RUN: gc-opt %s --graph-partition -split-input-file -verify-diagnostics --remark-format=emitRemark --remarks-filter-missed=graph-partition
// RUN: not gc-opt %s -split-input-file --graph-partition=target=abacus 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not gc-opt %s -split-input-file --graph-partition=policy=wishful 2>&1 | FileCheck %s --check-prefix=POLICY

// NAME: error: no target is named 'abacus'
// POLICY: error: policy must be 'fusion' or 'debug', not 'wishful'

// expected-error @+1 {{'func.func' op has more than one block; a graph is one}}
func.func @blocks(%a: tensor<3xf32>) -> tensor<3xf32> {
  cf.br ^end
^end:
  return %a : tensor<3xf32>
}

// -----

// Ops that the target does not run get a remark.
func.func @kind(%a: tensor<3xf32>, %b: tensor<3xf64>) -> tensor<3xf32> {
  // expected-remark @+1 {{'graph.wildcard' is a partition that target 'cpu' does not run}}
  %0 = graph.wildcard %a : (tensor<3xf32>) -> tensor<3xf32>
  // expected-remark @+1 {{it has no instructions for element type 'f64'}}
  %1 = graph.reorder %b : tensor<3xf64> -> tensor<3xf64>
  return %0 : tensor<3xf32>
}

// -----

// expected-error @+1 {{'graph.partition_support' is an array of i1 and for functions}}
module attributes {graph.partition_support = array<i1: true>} {}

// -----

func.func @index(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'graph.partition' must be the index of a partition, an i64}}
  %0 = graph.relu %a {graph.partition = -1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}

// -----

func.func @kind(%a: tensor<3xf32>) -> tensor<3xf32> {
  // expected-error @+1 {{'graph.unknown_kind' is a string and for graph.wildcard}}
  %0 = graph.relu %a {graph.unknown_kind = "Frobnicate"} : (tensor<3xf32>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
