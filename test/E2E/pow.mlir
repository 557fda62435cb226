// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Powers against the reference: whole exponents up to 8 are products, and numbers
// of any sign and size have them.

// RUN: gc-runner %s --check --strict --threads=1 --entry=random
// RUN: gc-runner %s --check --strict --threads=1 --entry=random --pipeline-options=vector-bytes=4
// RUN: gc-runner %s --check --strict=false --threads=1 --entry=special
// RUN: gc-opt %s --gc-cpu-pipeline="stop-after=tensor" | FileCheck %s

// CHECK-LABEL: func.func @cube
// CHECK-COUNT-2: arith.mulf
// CHECK-NOT: math.powf
// CHECK: return
func.func @cube(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.pow %x {beta = 3.0 : f32} : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

// CHECK-LABEL: func.func @ninth
// CHECK: math.powf
func.func @ninth(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = graph.pow %x {beta = 9.0 : f32} : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func @random(%x: tensor<5x33xf32>) -> (tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>) {
  %0 = graph.pow %x {beta = 1.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %1 = graph.pow %x {beta = 2.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %2 = graph.pow %x {beta = 3.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %3 = graph.pow %x {beta = 4.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %4 = graph.pow %x {beta = 5.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %5 = graph.pow %x {beta = 6.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %6 = graph.pow %x {beta = 7.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %7 = graph.pow %x {beta = 8.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %8 = graph.pow %x {beta = 9.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %9 = graph.pow %x {beta = -2.0 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %10 = graph.pow %x {beta = 0.5 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  %11 = graph.pow %x {beta = 1.5 : f32} : (tensor<5x33xf32>) -> tensor<5x33xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11 : tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>, tensor<5x33xf32>
}

func.func @special(%y: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) {
  %x = graph.constant dense<[0.0, -0.0, 0x7F800000, 0xFF800000, 0x7FC00000, 1.0e-44, -1.0e-40, 1.0e+38, -1.0e+38, 3.4e+38, 1.5, -1.5, -1.0, 1.0e-15, 7.0e+12, -1.0e+19]> : tensor<16xf32>
  %0 = graph.pow %x {beta = 1.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = graph.pow %x {beta = 2.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %2 = graph.pow %x {beta = 3.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %3 = graph.pow %x {beta = 4.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %4 = graph.pow %x {beta = 5.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %5 = graph.pow %x {beta = 6.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %6 = graph.pow %x {beta = 7.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %7 = graph.pow %x {beta = 8.0 : f32} : (tensor<16xf32>) -> tensor<16xf32>
  %s0 = graph.add %0, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s1 = graph.add %1, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s2 = graph.add %2, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s3 = graph.add %3, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s4 = graph.add %4, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s5 = graph.add %5, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s6 = graph.add %6, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %s7 = graph.add %7, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  return %s0, %s1, %s2, %s3, %s4, %s5, %s6, %s7 : tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>
}
