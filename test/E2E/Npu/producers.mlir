// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-runner --target=npu %s --entry=bias --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=beyond --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=both --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=transposed --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=values --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=batch --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=functions --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=vector --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=moved --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=padded --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=figure3 --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=channels --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=strided --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=images --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=wide --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=image_values --check --strict --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=bias --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=both --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=values --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=batch --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=padded --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=images --check --strict --pipeline-options='producers=always auto-tiling=false promote=false double-buffer=false'
// RUN: gc-runner --target=npu %s --entry=bias --check --strict --cores=2 --pipeline-options='producers=always'
// RUN: gc-runner --target=npu %s --entry=figure3 --mode=cycles | FileCheck %s

// Factors of contractions that are computed in the tiles that multiply them,
// with tails in each dimension.

func.func @bias(%x: tensor<300x200xf16>, %b: tensor<200xf16>, %w: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.add %x, %b : (tensor<300x200xf16>, tensor<200xf16>) -> tensor<300x200xf16>
  %1 = graph.matmul %0, %w : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  %2 = graph.relu %1 : (tensor<300x270xf16>) -> tensor<300x270xf16>
  return %2 : tensor<300x270xf16>
}

// What lies beyond the terms is not zero any more, and is not multiplied.
func.func @beyond(%x: tensor<100x100xf16>, %w: tensor<100x100xf16>) -> tensor<100x100xf16> {
  %0 = graph.reciprocal %x : (tensor<100x100xf16>) -> tensor<100x100xf16>
  %1 = graph.exp %w : (tensor<100x100xf16>) -> tensor<100x100xf16>
  %2 = graph.matmul %0, %1 : (tensor<100x100xf16>, tensor<100x100xf16>) -> tensor<100x100xf16>
  return %2 : tensor<100x100xf16>
}

func.func @both(%x: tensor<300x410xf16>, %w: tensor<410x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.exp %x : (tensor<300x410xf16>) -> tensor<300x410xf16>
  %1 = graph.abs %w : (tensor<410x270xf16>) -> tensor<410x270xf16>
  %2 = graph.matmul %0, %1 : (tensor<300x410xf16>, tensor<410x270xf16>) -> tensor<300x270xf16>
  return %2 : tensor<300x270xf16>
}

func.func @transposed(%x: tensor<200x300xf16>, %w: tensor<270x200xf16>) -> tensor<300x270xf16> {
  %0 = graph.relu %x : (tensor<200x300xf16>) -> tensor<200x300xf16>
  %1 = graph.abs %w : (tensor<270x200xf16>) -> tensor<270x200xf16>
  %2 = graph.matmul %0, %1 {transpose_a = true, transpose_b = true} : (tensor<200x300xf16>, tensor<270x200xf16>) -> tensor<300x270xf16>
  return %2 : tensor<300x270xf16>
}

// Several tiles, of which each takes a factor of rows, values of rows and of
// terms, and a number.
func.func @values(%x: tensor<600x200xf16>, %y: tensor<600x200xf16>, %r: tensor<600x1xf16>, %c: tensor<1x200xf16>, %s: tensor<1xf16>, %w: tensor<200x530xf16>) -> tensor<600x530xf16> {
  %0 = graph.add %x, %y : (tensor<600x200xf16>, tensor<600x200xf16>) -> tensor<600x200xf16>
  %1 = graph.multiply %0, %r : (tensor<600x200xf16>, tensor<600x1xf16>) -> tensor<600x200xf16>
  %2 = graph.maximum %1, %c : (tensor<600x200xf16>, tensor<1x200xf16>) -> tensor<600x200xf16>
  %3 = graph.multiply %2, %s : (tensor<600x200xf16>, tensor<1xf16>) -> tensor<600x200xf16>
  %4 = graph.matmul %3, %w : (tensor<600x200xf16>, tensor<200x530xf16>) -> tensor<600x530xf16>
  return %4 : tensor<600x530xf16>
}

func.func @batch(%x: tensor<5x70x50xf16>, %b: tensor<70x50xf16>, %w: tensor<5x50x90xf16>) -> tensor<5x70x90xf16> {
  %0 = graph.add %x, %b : (tensor<5x70x50xf16>, tensor<70x50xf16>) -> tensor<5x70x50xf16>
  %1 = graph.exp %w : (tensor<5x50x90xf16>) -> tensor<5x50x90xf16>
  %2 = graph.matmul %0, %1 : (tensor<5x70x50xf16>, tensor<5x50x90xf16>) -> tensor<5x70x90xf16>
  return %2 : tensor<5x70x90xf16>
}

// Between a factor of f16 and what it is computed from there may be f32.
func.func @wide(%x: tensor<300x200xf16>, %r: tensor<300x1xf32>, %c: tensor<200xf32>, %s: tensor<1xf32>, %w: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.type_cast %x : tensor<300x200xf16> -> tensor<300x200xf32>
  %1 = graph.multiply %0, %r : (tensor<300x200xf32>, tensor<300x1xf32>) -> tensor<300x200xf32>
  %2 = graph.add %1, %c : (tensor<300x200xf32>, tensor<200xf32>) -> tensor<300x200xf32>
  %3 = graph.multiply %2, %s : (tensor<300x200xf32>, tensor<1xf32>) -> tensor<300x200xf32>
  %4 = graph.type_cast %3 : tensor<300x200xf32> -> tensor<300x200xf16>
  %5 = graph.matmul %4, %w : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  return %5 : tensor<300x270xf16>
}

// Values of the channels of each image, and of positions.
func.func @image_values(%x: tensor<3x18x18x64xf16>, %s: tensor<3x1x1x64xf16>, %p: tensor<18x18x1xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<3x18x18x64xf16> {
  %0 = graph.multiply %x, %s : (tensor<3x18x18x64xf16>, tensor<3x1x1x64xf16>) -> tensor<3x18x18x64xf16>
  %1 = graph.add %0, %p : (tensor<3x18x18x64xf16>, tensor<18x18x1xf16>) -> tensor<3x18x18x64xf16>
  %2 = graph.convolution %1, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<3x18x18x64xf16>, tensor<3x3x64x64xf16>) -> tensor<3x18x18x64xf16>
  return %2 : tensor<3x18x18x64xf16>
}

// Functions in f32, and a selection.
func.func @functions(%x: tensor<300x200xf16>, %w: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.tanh %x : (tensor<300x200xf16>) -> tensor<300x200xf16>
  %1 = graph.leaky_relu %0 {alpha = 0.25 : f32} : (tensor<300x200xf16>) -> tensor<300x200xf16>
  %2 = graph.matmul %1, %w : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  return %2 : tensor<300x270xf16>
}

func.func @vector(%x: tensor<1x400xf16>, %w: tensor<400x270xf16>) -> tensor<1x270xf16> {
  %0 = graph.exp %x : (tensor<1x400xf16>) -> tensor<1x400xf16>
  %1 = graph.matmul %0, %w : (tensor<1x400xf16>, tensor<400x270xf16>) -> tensor<1x270xf16>
  return %1 : tensor<1x270xf16>
}

func.func @moved(%x: tensor<200x300xf16>, %w: tensor<200x270xf16>) -> tensor<300x270xf16> {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<200x300xf16>) -> tensor<300x200xf16>
  %1 = graph.matmul %0, %w : (tensor<300x200xf16>, tensor<200x270xf16>) -> tensor<300x270xf16>
  return %1 : tensor<300x270xf16>
}

// Pads are zeros, not exp(0).
func.func @padded(%x: tensor<2x20x20x64xf16>, %w: tensor<3x3x64x64xf16>, %b: tensor<64xf16>) -> tensor<2x20x20x64xf16> {
  %0 = graph.exp %x : (tensor<2x20x20x64xf16>) -> tensor<2x20x20x64xf16>
  %1 = graph.convolution %0, %w, %b {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x20x20x64xf16>, tensor<3x3x64x64xf16>, tensor<64xf16>) -> tensor<2x20x20x64xf16>
  %2 = graph.relu %1 : (tensor<2x20x20x64xf16>) -> tensor<2x20x20x64xf16>
  return %2 : tensor<2x20x20x64xf16>
}

// Figure 3 of the AKG paper, in several tiles of positions, is one kernel.

// CHECK: producers on npu
// CHECK-NOT: kernel
func.func @figure3(%x: tensor<1x42x42x32xf16>, %c: tensor<32xf16>, %w: tensor<3x3x32x48xf16>) -> tensor<1x40x40x48xf16> {
  %0 = graph.add %x, %c : (tensor<1x42x42x32xf16>, tensor<32xf16>) -> tensor<1x42x42x32xf16>
  %1 = graph.convolution %0, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<1x42x42x32xf16>, tensor<3x3x32x48xf16>) -> tensor<1x40x40x48xf16>
  %2 = graph.abs %1 : (tensor<1x40x40x48xf16>) -> tensor<1x40x40x48xf16>
  %3 = graph.relu %2 : (tensor<1x40x40x48xf16>) -> tensor<1x40x40x48xf16>
  return %3 : tensor<1x40x40x48xf16>
}

// Channels that do not fill blocks of 16, of which zeros stay zero: 1 / 0 would
// be multiplied by 0.
func.func @channels(%x: tensor<2x17x19x20xf16>, %w: tensor<3x3x20x33xf16>) -> tensor<2x9x10x33xf16> {
  %0 = graph.reciprocal %x : (tensor<2x17x19x20xf16>) -> tensor<2x17x19x20xf16>
  %1 = graph.convolution %0, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<2x17x19x20xf16>, tensor<3x3x20x33xf16>) -> tensor<2x9x10x33xf16>
  return %1 : tensor<2x9x10x33xf16>
}

// A kernel of one element with a stride: only what is read is computed.
func.func @strided(%x: tensor<2x18x18x64xf16>, %s: tensor<64xf16>, %b: tensor<64xf16>, %w: tensor<1x1x64x128xf16>) -> tensor<2x9x9x128xf16> {
  %0 = graph.multiply %x, %s : (tensor<2x18x18x64xf16>, tensor<64xf16>) -> tensor<2x18x18x64xf16>
  %1 = graph.add %0, %b : (tensor<2x18x18x64xf16>, tensor<64xf16>) -> tensor<2x18x18x64xf16>
  %2 = graph.convolution %1, %w {strides = array<i64: 2, 2>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>, dilations = array<i64: 1, 1>} : (tensor<2x18x18x64xf16>, tensor<1x1x64x128xf16>) -> tensor<2x9x9x128xf16>
  return %2 : tensor<2x9x9x128xf16>
}

// Several images in a tile.
func.func @images(%x: tensor<8x7x7x64xf16>, %y: tensor<8x7x7x64xf16>, %w: tensor<3x3x64x64xf16>) -> tensor<8x7x7x64xf16> {
  %0 = graph.add %x, %y : (tensor<8x7x7x64xf16>, tensor<8x7x7x64xf16>) -> tensor<8x7x7x64xf16>
  %1 = graph.relu %0 : (tensor<8x7x7x64xf16>) -> tensor<8x7x7x64xf16>
  %2 = graph.convolution %1, %w {strides = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>, dilations = array<i64: 1, 1>} : (tensor<8x7x7x64xf16>, tensor<3x3x64x64xf16>) -> tensor<8x7x7x64xf16>
  return %2 : tensor<8x7x7x64xf16>
}
