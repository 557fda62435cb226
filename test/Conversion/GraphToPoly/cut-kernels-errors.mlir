// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --poly-cut-kernels --split-input-file --verify-diagnostics

// A fold function that is missing, or computes something else.

// expected-error @below {{'func.func' op has no fold function that computes its arguments with 'graph.folded' from the constant ones}}
func.func @missing(%x: tensor<8xf16>, %f: tensor<8xf16> {graph.folded = 0 : i64}) -> tensor<8xf16> attributes {graph.fold_function = @missing_fold} {
  %0 = graph.add %x, %f : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// -----

// expected-error @below {{'func.func' op has no fold function that computes its arguments with 'graph.folded' from the constant ones}}
func.func @too_few(%x: tensor<8xf16>, %w: tensor<8xf16> {graph.const_arg}, %f: tensor<8xf16> {graph.folded = 1 : i64}) -> tensor<8xf16> attributes {graph.fold_function = @too_few_fold} {
  %0 = graph.add %x, %f : (tensor<8xf16>, tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
func.func private @too_few_fold(%w: tensor<8xf16> {graph.const_arg}) -> tensor<8xf16> {
  %0 = graph.exp %w : (tensor<8xf16>) -> tensor<8xf16>
  return %0 : tensor<8xf16>
}
