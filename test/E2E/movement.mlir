// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reshapes, transposes, reorders and casts.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3

#columns = #graph.layout<strided, [1, 20]>
#blocked = #graph.layout<blocked, outer = [0, 1], inner = [0 : 8, 1 : 16]>
#twice = #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 3, 0 : 2]>
#any = #graph.layout<any>

func.func @main(%a: tensor<19x37xf32>, %t: tensor<3x4x5x6x7xf32>,
                %s: tensor<19x37xf32, #columns>)
  -> (tensor<37x19xf32>, tensor<7x5x3x6x4xf32>, tensor<3x20x42xf32>,
      tensor<37x19xf32>, tensor<703xf32>, tensor<19x37xf32>, tensor<19x37xf32>,
      tensor<19x37xbf16>, tensor<19x37xf32>, tensor<19x37xf16>,
      tensor<19x37xf32>) {
  // Two dimensions, and five in an order without any of them in its place.
  %0 = graph.static_transpose %a {order = array<i64: 1, 0>} : (tensor<19x37xf32>) -> tensor<37x19xf32>
  %1 = graph.static_transpose %t {order = array<i64: 4, 2, 0, -2, 1>} : (tensor<3x4x5x6x7xf32>) -> tensor<7x5x3x6x4xf32>
  // A size that is copied, one that is computed.
  %2 = graph.static_reshape %t {shape = array<i64: 0, -1, 42>, special_zero = true} : (tensor<3x4x5x6x7xf32>) -> tensor<3x20x42xf32>
  // Row-major order is the order of the logical elements, whatever strides the
  // source has.
  %3 = graph.static_reshape %s {shape = array<i64: 37, 19>} : (tensor<19x37xf32, #columns>) -> tensor<37x19xf32>
  // Through blocks, whose padding must not come back.
  %4 = graph.reorder %a : tensor<19x37xf32> -> tensor<19x37xf32, #blocked>
  %5 = graph.static_reshape %4 {shape = array<i64: 703>} : (tensor<19x37xf32, #blocked>) -> tensor<703xf32>
  %6 = graph.reorder %4 : tensor<19x37xf32, #blocked> -> tensor<19x37xf32, #twice>
  %7 = graph.exp %6 : (tensor<19x37xf32, #twice>) -> tensor<19x37xf32, #any>
  %8 = graph.reorder %7 : tensor<19x37xf32, #any> -> tensor<19x37xf32>
  %9 = graph.add %6, %s : (tensor<19x37xf32, #twice>, tensor<19x37xf32, #columns>) -> tensor<19x37xf32>
  // Down and up again.
  %10 = graph.type_cast %a : tensor<19x37xf32> -> tensor<19x37xbf16>
  %11 = graph.multiply %10, %10 : (tensor<19x37xbf16>, tensor<19x37xbf16>) -> tensor<19x37xbf16>
  %12 = graph.add %11, %a : (tensor<19x37xbf16>, tensor<19x37xf32>) -> tensor<19x37xf32>
  %13 = graph.type_cast %a : tensor<19x37xf32> -> tensor<19x37xf16>
  %14 = graph.type_cast %13 : tensor<19x37xf16> -> tensor<19x37xf32>
  return %0, %1, %2, %3, %5, %8, %9, %11, %12, %13, %14 :
    tensor<37x19xf32>, tensor<7x5x3x6x4xf32>, tensor<3x20x42xf32>,
    tensor<37x19xf32>, tensor<703xf32>, tensor<19x37xf32>, tensor<19x37xf32>,
    tensor<19x37xbf16>, tensor<19x37xf32>, tensor<19x37xf16>, tensor<19x37xf32>
}
