// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dequantized images that a convolution and something else read.

// RUN: gc-runner %s --check --strict --entry=residual
// RUN: gc-runner %s --check --strict --entry=residual --pipeline-options=low-precision=false
// RUN: gc-runner %s --emit=mlir --entry=residual --machine=zen4-2 --pipeline-options=stop-after=graph -o - | FileCheck %s
// RUN: gc-runner %s --check --entry=outside

// Both products are of integers.
// CHECK-COUNT-2: graph.matmul {{.*}} : (tensor<{{.*}}xui8>, tensor<{{.*}}xsi8>) -> tensor<{{.*}}xsi32>
func.func @residual(%x: tensor<1x8x6x7xui8>, %w: tensor<8x8x1x1xsi8> {graph.const_arg}, %v: tensor<8x8x3x3xsi8> {graph.const_arg}) -> tensor<1x8x6x7xui8> {
  %0 = graph.dequantize %x {scales = array<f32: 0.05>, zps = array<i64: 3>} : (tensor<1x8x6x7xui8>) -> tensor<1x8x6x7xf32>
  %1 = graph.dequantize %w {scales = array<f32: 0.02>} : (tensor<8x8x1x1xsi8>) -> tensor<8x8x1x1xf32>
  %2 = graph.convolution %0, %1 {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x6x7xf32>, tensor<8x8x1x1xf32>) -> tensor<1x8x6x7xf32>
  %3 = graph.quantize %2 {scales = array<f32: 0.2>, zps = array<i64: 120>} : (tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xui8>
  %4 = graph.dequantize %3 {scales = array<f32: 0.2>, zps = array<i64: 120>} : (tensor<1x8x6x7xui8>) -> tensor<1x8x6x7xf32>
  %5 = graph.dequantize %v {scales = array<f32: 0.02>} : (tensor<8x8x3x3xsi8>) -> tensor<8x8x3x3xf32>
  %6 = graph.convolution %4, %5 {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x8x6x7xf32>, tensor<8x8x3x3xf32>) -> tensor<1x8x6x7xf32>
  %7 = graph.add %6, %0 : (tensor<1x8x6x7xf32>, tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32>
  %8 = graph.add %7, %4 : (tensor<1x8x6x7xf32>, tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xf32>
  %9 = graph.quantize %8 {scales = array<f32: 0.3>, zps = array<i64: 110>} : (tensor<1x8x6x7xf32>) -> tensor<1x8x6x7xui8>
  return %9 : tensor<1x8x6x7xui8>
}

// A zero point that is not a number of the type: windows are of the floats.
func.func @outside(%x: tensor<1x1x5x5xui8>, %w: tensor<1x1x1x1xf32>) -> (tensor<1x1x5x5xf32>, tensor<1x1x5x5xf32>) {
  %0 = graph.dequantize %x {scales = array<f32: 0.36>, zps = array<i64: -4>} : (tensor<1x1x5x5xui8>) -> tensor<1x1x5x5xf32>
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>, data_format = "NCX", weights_format = "OIX"} : (tensor<1x1x5x5xf32>, tensor<1x1x1x1xf32>) -> tensor<1x1x5x5xf32>
  return %1, %0 : tensor<1x1x5x5xf32>, tensor<1x1x5x5xf32>
}
