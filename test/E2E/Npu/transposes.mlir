// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=matrix --check --strict
// RUN: gc-runner --target=npu %s --entry=channels --check --strict
// RUN: gc-runner --target=npu %s --entry=swapped --check --strict
// RUN: gc-runner --target=npu %s --entry=reversed --check --strict
// RUN: gc-runner --target=npu %s --entry=added --check --strict
// RUN: gc-runner --target=npu %s --entry=relu --check --strict
// RUN: gc-runner --target=npu %s --entry=symmetric --check --strict
// RUN: gc-runner --target=npu %s --entry=widened --check --strict
// RUN: gc-runner --target=npu %s --entry=integers --check --strict
// RUN: gc-runner --target=npu %s --entry=digits --check --strict
// RUN: gc-runner --target=npu %s --entry=narrow --check --strict

// Transposes of graphs, with several tiles and a tail in each dimension.

// Rows become columns: fractals, moved by blocks.
func.func @matrix(%x: tensor<300x277xf16>) -> tensor<277x300xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<300x277xf16>) -> tensor<277x300xf16>
  return %0 : tensor<277x300xf16>
}

func.func @channels(%x: tensor<3x24x38x38xf32>) -> tensor<3x38x38x24xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 3, 1>} : (tensor<3x24x38x38xf32>) -> tensor<3x38x38x24xf32>
  return %0 : tensor<3x38x38x24xf32>
}

// Rows stay as they are.
func.func @swapped(%x: tensor<2x130x5x70xf16>) -> tensor<2x5x130x70xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 0, 2, 1, 3>} : (tensor<2x130x5x70xf16>) -> tensor<2x5x130x70xf16>
  return %0 : tensor<2x5x130x70xf16>
}

func.func @reversed(%x: tensor<7x30x50xf16>) -> tensor<50x30x7xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 2, 1, 0>} : (tensor<7x30x50xf16>) -> tensor<50x30x7xf16>
  return %0 : tensor<50x30x7xf16>
}

// More than a move.
func.func @added(%x: tensor<300x277xf16>, %y: tensor<277x300xf16>) -> tensor<277x300xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<300x277xf16>) -> tensor<277x300xf16>
  %1 = graph.add %0, %y : (tensor<277x300xf16>, tensor<277x300xf16>) -> tensor<277x300xf16>
  %2 = graph.relu %1 : (tensor<277x300xf16>) -> tensor<277x300xf16>
  return %2 : tensor<277x300xf16>
}

// A kernel reads what another one has stored.
func.func @relu(%x: tensor<128x128xf16>) -> tensor<128x128xf16> {
  %1 = graph.relu %x : (tensor<128x128xf16>) -> tensor<128x128xf16>
  %0 = graph.static_transpose %1 {order = array<i64: 1, 0>} : (tensor<128x128xf16>) -> tensor<128x128xf16>
  return %0 : tensor<128x128xf16>
}

func.func @symmetric(%x: tensor<128x128xf16>) -> tensor<128x128xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<128x128xf16>) -> tensor<128x128xf16>
  %1 = graph.add %x, %0 : (tensor<128x128xf16>, tensor<128x128xf16>) -> tensor<128x128xf16>
  return %1 : tensor<128x128xf16>
}

func.func @widened(%x: tensor<30x50x70xf16>) -> tensor<50x70x30xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 2, 0>} : (tensor<30x50x70xf16>) -> tensor<50x70x30xf16>
  %1 = graph.type_cast %0 : tensor<50x70x30xf16> -> tensor<50x70x30xf32>
  return %1 : tensor<50x70x30xf32>
}

func.func @integers(%x: tensor<300x277xi32>) -> tensor<277x300xi32> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<300x277xi32>) -> tensor<277x300xi32>
  return %0 : tensor<277x300xi32>
}

// Fewer rows than a fractal has.
func.func @digits(%x: tensor<2x9x3x30xf16>) -> tensor<3x30x9x2xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 2, 3, 1, 0>} : (tensor<2x9x3x30xf16>) -> tensor<3x30x9x2xf16>
  return %0 : tensor<3x30x9x2xf16>
}

// Rows of f32 that fill half of their place: only that half is moved.
func.func @narrow(%x: tensor<32x228x4xf32>) -> tensor<228x32x4xf32> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0, 2>} : (tensor<32x228x4xf32>) -> tensor<228x32x4xf32>
  %1 = graph.minimum %0, %0 : (tensor<228x32x4xf32>, tensor<228x32x4xf32>) -> tensor<228x32x4xf32>
  return %1 : tensor<228x32x4xf32>
}
