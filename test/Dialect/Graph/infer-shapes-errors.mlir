// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --graph-infer-shapes --split-input-file --verify-diagnostics

// expected-error @below {{'func.func' op argument 1 of type 'tensor<?x4xf32>' has a dynamic size; shapes must be static}}
func.func @dynamic_argument(%x: tensor<4xf32>, %y: tensor<?x4xf32>) {
  %0 = graph.add %x, %y : (tensor<4xf32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @dynamic_result(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.wildcard' op result 1 of type 'tensor<?xf32>' has a dynamic size; shapes must be static}}
  %0:2 = graph.wildcard %x : (tensor<4xf32>) -> (tensor<4xf32>, tensor<?xf32>)
  return
}

// -----

// The function that uses the op is the context of the error, not its caller.
func.func @first(%x: tensor<4xf32>) {
  %0 = graph.relu %x : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// expected-error @below {{'func.func' op argument 0 of type 'tensor<0x4xf32>' is empty}}
func.func @empty_batch(%x: tensor<0x4xf32>) {
  %0 = graph.relu %x : (tensor<0x4xf32>) -> tensor<0x4xf32>
  return
}

// -----

func.func @empty_result(%x: tensor<4xf32>) {
  // expected-error @below {{'graph.constant' op result 0 of type 'tensor<0xf32>' is empty}}
  %0 = graph.constant dense<> : tensor<0xf32>
  return
}

// -----

// expected-error @below {{'func.func' op argument 0 of type 'tensor<4294967296x4294967296xf32>' is larger than memory can be}}
func.func @huge(%x: tensor<4294967296x4294967296xf32>) {
  %0 = graph.relu %x : (tensor<4294967296x4294967296xf32>) -> tensor<4294967296x4294967296xf32>
  return
}

// -----

// expected-error @below {{'func.func' op argument 0 of type 'tensor<4xf32, "mine">' has an encoding that is not a #graph.layout}}
func.func @encoding(%x: tensor<4xf32, "mine">) {
  %0 = graph.relu %x : (tensor<4xf32, "mine">) -> tensor<4xf32>
  return
}

// -----

// The sizes are compatible as they are written, but not once they are known.
func.func @mismatch(%x: tensor<2x3xf32>, %y: tensor<4xf32>) {
  %0 = graph.relu %x : (tensor<2x3xf32>) -> tensor<2x?xf32>
  // expected-error @below {{(C1) shapes [2, 3] and [4] do not broadcast}}
  %1 = graph.add %0, %y : (tensor<2x?xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @overlap(%x: tensor<4x8xf32>) {
  // expected-error @below {{result 0 of type 'tensor<4x8xf32, #graph.layout<strided, [7, 1]>>' has elements that share memory}}
  %0 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32, #graph.layout<strided, [7, 1]>>
  return
}

// -----

func.func @broadcast(%x: tensor<4x8xf32>) {
  // expected-error @below {{has elements that share memory}}
  %0 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32, #graph.layout<strided, [8, 0]>>
  return
}

// -----

// Arguments may; dimensions of size 1 have strides without a meaning.
func.func @no_overlap(%x: tensor<4x8xf32, #graph.layout<strided, [0, 1]>>)
    -> (tensor<4x1x8xf32, #graph.layout<strided, [1, 0, 4]>>, tensor<4x8xf32, #graph.layout<strided, [1, 4]>>) {
  %0 = graph.static_reshape %x {shape = array<i64: 4, 1, 8>, special_zero = false} : (tensor<4x8xf32, #graph.layout<strided, [0, 1]>>) -> tensor<4x1x8xf32, #graph.layout<strided, [1, 0, 4]>>
  %1 = graph.relu %x : (tensor<4x8xf32, #graph.layout<strided, [0, 1]>>) -> tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
  return %0, %1 : tensor<4x1x8xf32, #graph.layout<strided, [1, 0, 4]>>, tensor<4x8xf32, #graph.layout<strided, [1, 4]>>
}

// -----

// expected-error @below {{'func.func' op result 0 of type 'tensor<4x8xf32, #graph.layout<strided, [0, 1]>>' has elements that share memory}}
func.func @returned(%x: tensor<4x8xf32, #graph.layout<strided, [0, 1]>>) -> tensor<4x8xf32, #graph.layout<strided, [0, 1]>> {
  %0 = graph.relu %x : (tensor<4x8xf32, #graph.layout<strided, [0, 1]>>) -> tensor<4x8xf32>
  return %x : tensor<4x8xf32, #graph.layout<strided, [0, 1]>>
}
