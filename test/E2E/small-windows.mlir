// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Windows that are larger than the image, which is computed: most of their elements
// are pads, although the image has a single line or pixel.

// RUN: gc-runner %s --check --strict --threads=1
// RUN: gc-runner %s --check --strict --threads=2 --pipeline-options=fine-grain=false

func.func @main(%x: tensor<1x1x1x20xf32>, %y: tensor<20xf32>, %z: tensor<2x1x6x20xbf16>) -> (tensor<1x1x1x20xf32>, tensor<2x1x6x20xbf16>) {
  %0 = graph.add %x, %y : (tensor<1x1x1x20xf32>, tensor<20xf32>) -> tensor<1x1x1x20xf32>
  %1 = graph.avg_pool %0 {auto_pad = "same_lower", exclude_pad = true, kernel = array<i64: 3, 2>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 0>, strides = array<i64: 1, 2>} : (tensor<1x1x1x20xf32>) -> tensor<1x1x1x20xf32>
  %2 = graph.abs %z : (tensor<2x1x6x20xbf16>) -> tensor<2x1x6x20xbf16>
  %3 = graph.avg_pool %2 {exclude_pad = false, kernel = array<i64: 3, 1>, pads_begin = array<i64: 1, 0>, pads_end = array<i64: 1, 0>, strides = array<i64: 1, 1>} : (tensor<2x1x6x20xbf16>) -> tensor<2x1x6x20xbf16>
  return %1, %3 : tensor<1x1x1x20xf32>, tensor<2x1x6x20xbf16>
}
