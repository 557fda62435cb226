// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Masks: booleans as operands and results, comparisons, indices, and conversions
// between integers and floats.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1

func.func @main(%x: tensor<3x19x21xf32>, %y: tensor<19x21xf32>, %m: tensor<3x1x21xi1>,
                %s: tensor<f32>)
  -> (tensor<3x19x21xf32>, tensor<19x21xi1>, tensor<3x19x21xf32>, tensor<19x21xsi32>,
      tensor<3x19x21xf32>, tensor<19x21xf32>, tensor<19x21xui8>, tensor<19x21xf32>,
      tensor<f32>) {
  %low = graph.constant dense<-1.0e+04> : tensor<f32>
  // A padding mask from outside.
  %0 = graph.select %m, %x, %low : (tensor<3x1x21xi1>, tensor<3x19x21xf32>, tensor<f32>) -> tensor<3x19x21xf32>
  %1 = graph.greater_equal %y, %s : (tensor<19x21xf32>, tensor<f32>) -> tensor<19x21xi1>
  %2 = graph.select %1, %x, %0 : (tensor<19x21xi1>, tensor<3x19x21xf32>, tensor<3x19x21xf32>) -> tensor<3x19x21xf32>
  // A causal mask from indices.
  %row = graph.gen_index %y {axis = 0} : (tensor<19x21xf32>) -> tensor<19x21xsi32>
  %column = graph.gen_index %y {axis = -1} : (tensor<19x21xf32>) -> tensor<19x21xsi32>
  %3 = graph.subtract %row, %column : (tensor<19x21xsi32>, tensor<19x21xsi32>) -> tensor<19x21xsi32>
  %causal = graph.greater_equal %row, %column : (tensor<19x21xsi32>, tensor<19x21xsi32>) -> tensor<19x21xi1>
  %4 = graph.select %causal, %x, %low : (tensor<19x21xi1>, tensor<3x19x21xf32>, tensor<f32>) -> tensor<3x19x21xf32>
  %5 = graph.type_cast %3 : tensor<19x21xsi32> -> tensor<19x21xf32>
  // Saturates at both ends.
  %c9 = graph.constant dense<1.4e+01> : tensor<f32>
  %wide = graph.multiply %5, %c9 : (tensor<19x21xf32>, tensor<f32>) -> tensor<19x21xf32>
  %c90 = graph.constant dense<9.05e+01> : tensor<f32>
  %scaled = graph.add %wide, %c90 : (tensor<19x21xf32>, tensor<f32>) -> tensor<19x21xf32>
  %6 = graph.type_cast %scaled : tensor<19x21xf32> -> tensor<19x21xui8>
  %signed = graph.type_cast %scaled : tensor<19x21xf32> -> tensor<19x21xsi8>
  %7 = graph.type_cast %signed : tensor<19x21xsi8> -> tensor<19x21xf32>
  // No dimension at all.
  %8 = graph.greater_equal %s, %low : (tensor<f32>, tensor<f32>) -> tensor<i1>
  %9 = graph.select %8, %s, %low : (tensor<i1>, tensor<f32>, tensor<f32>) -> tensor<f32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %9 :
    tensor<3x19x21xf32>, tensor<19x21xi1>, tensor<3x19x21xf32>, tensor<19x21xsi32>,
    tensor<3x19x21xf32>, tensor<19x21xf32>, tensor<19x21xui8>, tensor<19x21xf32>,
    tensor<f32>
}
