// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --graph-specialize="dims=batch=16" --split-input-file --verify-diagnostics
// RUN: not gc-opt %s --graph-specialize="dims=batch=x" 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: not gc-opt %s --graph-specialize="dims={batch=1, =2}" 2>&1 | FileCheck %s --check-prefix=NAME
// TEXT: for the --dims option: 'batch=x' is not name=size
// NAME: for the --dims option: '=2' is not name=size
// RUN: not gc-opt %s --graph-specialize="dims=batch=1,batch=2" 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: option 'dims': two sizes for 'batch'

// expected-error @below {{'func.func' op size 16 of 'batch' is not from 1 to 15}}
func.func @above(%x: tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [1, 15]}} {
  return
}

// -----

// expected-error @below {{'func.func' op size 16 of 'batch' is not from 17 to 20}}
func.func @below(%x: tensor<?xf32> {graph.dims = ["batch"]})
    attributes {graph.dim_bounds = {batch = [17, 20]}} {
  return
}

// -----

// expected-error @below {{no function has a dimension 'batch'}}
module {
  func.func @none(%x: tensor<4xf32>) {
    return
  }
}

// -----

func.func @unknown(%x: tensor<?xf32> {graph.dims = ["batch"]}) -> tensor<?xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.wildcard' op result 0 of type 'tensor<?xf32>' has a size that does not follow from the operands}}
  %0 = graph.wildcard %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// -----

func.func @no_fit(%x: tensor<?x3xf32> {graph.dims = ["batch", ""]}) -> tensor<?x7xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.static_reshape' op (C2) 48 elements do not divide into [-1, 7]}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 7>, special_zero = true} : (tensor<?x3xf32>) -> tensor<?x7xf32>
  return %0 : tensor<?x7xf32>
}

// -----

func.func @no_fit_of_names(%x: tensor<?x3xf32> {graph.dims = ["batch + 1", ""]}) -> tensor<?x3xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.static_reshape' op (C2) 51 elements do not fit the shape [16, 3]}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, 3>, dims = ["batch", ""]} : (tensor<?x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

func.func @large_name(%x: tensor<?xf32> {graph.dims = ["batch"]}) -> tensor<?x?xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.static_reshape' op size '2147483648 * batch' is too large}}
  %0 = graph.static_reshape %x {shape = array<i64: -1, -1>, dims = ["batch", "2147483648 * batch"]} : (tensor<?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// -----

func.func @differ(%x: tensor<?x3xf32> {graph.dims = ["batch", ""]},
                  %y: tensor<5x3xf32>) -> tensor<?x3xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.add' op (C1)}}
  %0 = graph.add %x, %y : (tensor<?x3xf32>, tensor<5x3xf32>) -> tensor<?x3xf32>
  return %0 : tensor<?x3xf32>
}

// -----

func.func @region(%q: tensor<2x3x16xf32>, %k: tensor<2x16x?xf32> {graph.dims = ["", "", "batch"]},
                  %v: tensor<2x?x16xf32> {graph.dims = ["", "batch", ""]}) -> tensor<2x3x16xf32>
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.attention' op has a region with an argument whose size varies; that is not supported}}
  %0 = graph.attention %q, %k, %v : (tensor<2x3x16xf32>, tensor<2x16x?xf32>, tensor<2x?x16xf32>) -> tensor<2x3x16xf32> {
  ^bb0(%s: tensor<2x3x?xf32>):
    graph.yield %s : tensor<2x3x?xf32>
  }
  return %0 : tensor<2x3x16xf32>
}

// -----

// expected-error @below {{'func.func' op argument 0 has dimension 1 too large}}
func.func @large(%x: tensor<?x?xf32> {graph.dims = ["batch", "2147483648 * batch"]})
    attributes {graph.dim_bounds = {batch = [1, 64]}} {
  return
}

// -----

// Callers rely on a size that the graph states.
func.func @stated(%x: tensor<?x64xf32> {graph.dims = ["batch", ""]}, %w: tensor<64x32xf32>)
    -> tensor<4x32xf32> attributes {graph.dim_bounds = {batch = [1, 64]}} {
  // expected-error @below {{'graph.matmul' op result 0 has size 16 in dimension 0, its type says 4}}
  %0 = graph.matmul %x, %w : (tensor<?x64xf32>, tensor<64x32xf32>) -> tensor<4x32xf32>
  return %0 : tensor<4x32xf32>
}
