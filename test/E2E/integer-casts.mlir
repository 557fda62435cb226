// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Casts among integer types saturate: each type to each other one, from values
// over the whole range of the first, in whole vectors and the rest of one.
// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1 --pipeline-options=fine-grain=false

func.func @main(%x: tensor<61xsi32>)
    -> (tensor<61xsi32>, tensor<61xui8>, tensor<61xsi4>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xsi4>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xui8>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xui8>, tensor<61xsi4>, tensor<61xsi8>, tensor<61xui8>, tensor<61xsi4>, tensor<61xui4>) {
  // %0 is %c whatever the input is.
  %c = graph.constant dense<[1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, 1, 2, 3, 4, 5, 6, 7, -7, -6, -5, -4, -3, -2, -1, -7, -6, -5, -4, -3, -2, -1, 8, -8, -9, 15, 16, 127, 128, -129, 255, 256, 2147483647, -2147483648]>
      : tensor<61xsi32>
  %m = graph.maximum %x, %c : (tensor<61xsi32>, tensor<61xsi32>) -> tensor<61xsi32>
  %0 = graph.minimum %m, %c : (tensor<61xsi32>, tensor<61xsi32>) -> tensor<61xsi32>
  %1 = graph.type_cast %0 : tensor<61xsi32> -> tensor<61xsi8>
  %2 = graph.type_cast %0 : tensor<61xsi32> -> tensor<61xui8>
  %3 = graph.type_cast %0 : tensor<61xsi32> -> tensor<61xsi4>
  %4 = graph.type_cast %0 : tensor<61xsi32> -> tensor<61xui4>
  %5 = graph.type_cast %1 : tensor<61xsi8> -> tensor<61xsi32>
  %6 = graph.type_cast %1 : tensor<61xsi8> -> tensor<61xui8>
  %7 = graph.type_cast %1 : tensor<61xsi8> -> tensor<61xsi4>
  %8 = graph.type_cast %1 : tensor<61xsi8> -> tensor<61xui4>
  %9 = graph.type_cast %2 : tensor<61xui8> -> tensor<61xsi32>
  %10 = graph.type_cast %2 : tensor<61xui8> -> tensor<61xsi8>
  %11 = graph.type_cast %2 : tensor<61xui8> -> tensor<61xsi4>
  %12 = graph.type_cast %2 : tensor<61xui8> -> tensor<61xui4>
  %13 = graph.type_cast %3 : tensor<61xsi4> -> tensor<61xsi32>
  %14 = graph.type_cast %3 : tensor<61xsi4> -> tensor<61xsi8>
  %15 = graph.type_cast %3 : tensor<61xsi4> -> tensor<61xui8>
  %16 = graph.type_cast %3 : tensor<61xsi4> -> tensor<61xui4>
  %17 = graph.type_cast %4 : tensor<61xui4> -> tensor<61xsi32>
  %18 = graph.type_cast %4 : tensor<61xui4> -> tensor<61xsi8>
  %19 = graph.type_cast %4 : tensor<61xui4> -> tensor<61xui8>
  %20 = graph.type_cast %4 : tensor<61xui4> -> tensor<61xsi4>
  return %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %1, %2, %3, %4
    : tensor<61xsi32>, tensor<61xui8>, tensor<61xsi4>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xsi4>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xui8>, tensor<61xui4>, tensor<61xsi32>, tensor<61xsi8>, tensor<61xui8>, tensor<61xsi4>, tensor<61xsi8>, tensor<61xui8>, tensor<61xsi4>, tensor<61xui4>
}
