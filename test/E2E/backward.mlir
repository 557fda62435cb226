// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of elementwise functions, on odd sizes. What takes the result of
// the forward op gets it: limits and zeros are there exactly.

// RUN: gc-runner %s --entry=plain --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=half --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=slopes --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow_slopes --check --threads=1 | FileCheck %s
// RUN: gc-runner %s --entry=sums --check --threads=3 | FileCheck %s
// RUN: gc-runner %s --entry=chain --check --threads=2 | FileCheck %s

// CHECK-NOT: weak

func.func @plain(%x: tensor<7x33xf32>, %d: tensor<7x33xf32>, %p: tensor<7x33xf32>) -> (tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>) {
  %five = graph.constant dense<5.0> : tensor<f32>
  %wide = graph.multiply %x, %five : (tensor<7x33xf32>, tensor<f32>) -> tensor<7x33xf32>
  %0 = graph.abs_backward %wide, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %1 = graph.clamp_backward %wide, %d {min = -0.5 : f32, max = 0.25 : f32, use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %2 = graph.clamp %wide {min = -0.5 : f32, max = 0.25 : f32} : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %3 = graph.clamp_backward %2, %d {min = -0.5 : f32, max = 0.25 : f32} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %4 = graph.elu_backward %wide, %d {alpha = 0.75 : f32, use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %5 = graph.elu %wide {alpha = 0.75 : f32} : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %6 = graph.elu_backward %5, %d {alpha = 0.75 : f32} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %7 = graph.gelu_backward %wide, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %8 = graph.gelu_backward %wide, %d {mode = "gelu_tanh"} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %9 = graph.hard_sigmoid_backward %wide, %d {alpha = 0.75 : f32, beta = 0.5 : f32} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %10 = graph.hard_swish_backward %wide, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %11 = graph.mish_backward %wide, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %12 = graph.relu_backward %wide, %d {use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %13 = graph.relu %wide : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %14 = graph.relu_backward %13, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %15 = graph.sigmoid_backward %wide, %d {use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %16 = graph.sigmoid %wide : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %17 = graph.sigmoid_backward %16, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %18 = graph.soft_plus_backward %wide, %d {beta = -1.5 : f32} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %19 = graph.tanh_backward %wide, %d {use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %20 = graph.tanh %wide : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %21 = graph.tanh_backward %20, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %22 = graph.sqrt_backward %p, %d {use_dst = false} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  %23 = graph.sqrt %p : (tensor<7x33xf32>) -> tensor<7x33xf32>
  %24 = graph.sqrt_backward %23, %d : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %0, %1, %3, %4, %6, %7, %8, %9, %10, %11, %12, %14, %15, %17, %18, %19, %21, %22, %24 :
    tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>
}

func.func @narrow(%x: tensor<5x37xbf16>, %d: tensor<5x37xbf16>, %p: tensor<5x37xbf16>) -> (tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>) {
  %five = graph.constant dense<5.0> : tensor<bf16>
  %wide = graph.multiply %x, %five : (tensor<5x37xbf16>, tensor<bf16>) -> tensor<5x37xbf16>
  %0 = graph.abs_backward %wide, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %1 = graph.clamp_backward %wide, %d {min = -0.5 : f32, max = 0.25 : f32, use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %2 = graph.clamp %wide {min = -0.5 : f32, max = 0.25 : f32} : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %3 = graph.clamp_backward %2, %d {min = -0.5 : f32, max = 0.25 : f32} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %4 = graph.elu_backward %wide, %d {alpha = 0.75 : f32, use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %5 = graph.elu %wide {alpha = 0.75 : f32} : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %6 = graph.elu_backward %5, %d {alpha = 0.75 : f32} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %7 = graph.gelu_backward %wide, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %8 = graph.gelu_backward %wide, %d {mode = "gelu_tanh"} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %9 = graph.hard_sigmoid_backward %wide, %d {alpha = 0.75 : f32, beta = 0.5 : f32} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %10 = graph.hard_swish_backward %wide, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %11 = graph.mish_backward %wide, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %12 = graph.relu_backward %wide, %d {use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %13 = graph.relu %wide : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %14 = graph.relu_backward %13, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %15 = graph.sigmoid_backward %wide, %d {use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %16 = graph.sigmoid %wide : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %17 = graph.sigmoid_backward %16, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %18 = graph.soft_plus_backward %wide, %d {beta = -1.5 : f32} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %19 = graph.tanh_backward %wide, %d {use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %20 = graph.tanh %wide : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %21 = graph.tanh_backward %20, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %22 = graph.sqrt_backward %p, %d {use_dst = false} : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %23 = graph.sqrt %p : (tensor<5x37xbf16>) -> tensor<5x37xbf16>
  %24 = graph.sqrt_backward %23, %d : (tensor<5x37xbf16>, tensor<5x37xbf16>) -> tensor<5x37xbf16>
  return %0, %1, %3, %4, %6, %7, %8, %9, %10, %11, %12, %14, %15, %17, %18, %19, %21, %22, %24 :
    tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>, tensor<5x37xbf16>
}

func.func @half(%x: tensor<3x19xf16>, %d: tensor<3x19xf16>, %p: tensor<3x19xf16>) -> (tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>) {
  %five = graph.constant dense<5.0> : tensor<f16>
  %wide = graph.multiply %x, %five : (tensor<3x19xf16>, tensor<f16>) -> tensor<3x19xf16>
  %0 = graph.abs_backward %wide, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %1 = graph.clamp_backward %wide, %d {min = -0.5 : f32, max = 0.25 : f32, use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %2 = graph.clamp %wide {min = -0.5 : f32, max = 0.25 : f32} : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %3 = graph.clamp_backward %2, %d {min = -0.5 : f32, max = 0.25 : f32} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %4 = graph.elu_backward %wide, %d {alpha = 0.75 : f32, use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %5 = graph.elu %wide {alpha = 0.75 : f32} : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %6 = graph.elu_backward %5, %d {alpha = 0.75 : f32} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %7 = graph.gelu_backward %wide, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %8 = graph.gelu_backward %wide, %d {mode = "gelu_tanh"} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %9 = graph.hard_sigmoid_backward %wide, %d {alpha = 0.75 : f32, beta = 0.5 : f32} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %10 = graph.hard_swish_backward %wide, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %11 = graph.mish_backward %wide, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %12 = graph.relu_backward %wide, %d {use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %13 = graph.relu %wide : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %14 = graph.relu_backward %13, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %15 = graph.sigmoid_backward %wide, %d {use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %16 = graph.sigmoid %wide : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %17 = graph.sigmoid_backward %16, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %18 = graph.soft_plus_backward %wide, %d {beta = -1.5 : f32} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %19 = graph.tanh_backward %wide, %d {use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %20 = graph.tanh %wide : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %21 = graph.tanh_backward %20, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %22 = graph.sqrt_backward %p, %d {use_dst = false} : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  %23 = graph.sqrt %p : (tensor<3x19xf16>) -> tensor<3x19xf16>
  %24 = graph.sqrt_backward %23, %d : (tensor<3x19xf16>, tensor<3x19xf16>) -> tensor<3x19xf16>
  return %0, %1, %3, %4, %6, %7, %8, %9, %10, %11, %12, %14, %15, %17, %18, %19, %21, %22, %24 :
    tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>, tensor<3x19xf16>
}

func.func @slopes(%x: tensor<3x5x4x7xf32>, %d: tensor<3x5x4x7xf32>, %l: tensor<7xf32>, %s: tensor<5xf32>, %one: tensor<1xf32>, %b: tensor<4x1xf32>)
    -> (tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<7xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<5xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<1xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<4x1xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>) {
  %f0 = graph.prelu %x, %l : (tensor<3x5x4x7xf32>, tensor<7xf32>) -> tensor<3x5x4x7xf32>
  %g0:2 = graph.prelu_backward %x, %l, %d : (tensor<3x5x4x7xf32>, tensor<7xf32>, tensor<3x5x4x7xf32>) -> (tensor<3x5x4x7xf32>, tensor<7xf32>)
  %f1 = graph.prelu %x, %s {data_format = "NCX"} : (tensor<3x5x4x7xf32>, tensor<5xf32>) -> tensor<3x5x4x7xf32>
  %g1:2 = graph.prelu_backward %x, %s, %d {data_format = "NCX"} : (tensor<3x5x4x7xf32>, tensor<5xf32>, tensor<3x5x4x7xf32>) -> (tensor<3x5x4x7xf32>, tensor<5xf32>)
  %f2 = graph.prelu %x, %one : (tensor<3x5x4x7xf32>, tensor<1xf32>) -> tensor<3x5x4x7xf32>
  %g2:2 = graph.prelu_backward %x, %one, %d : (tensor<3x5x4x7xf32>, tensor<1xf32>, tensor<3x5x4x7xf32>) -> (tensor<3x5x4x7xf32>, tensor<1xf32>)
  %f3 = graph.prelu %x, %b : (tensor<3x5x4x7xf32>, tensor<4x1xf32>) -> tensor<3x5x4x7xf32>
  %g3:2 = graph.prelu_backward %x, %b, %d : (tensor<3x5x4x7xf32>, tensor<4x1xf32>, tensor<3x5x4x7xf32>) -> (tensor<3x5x4x7xf32>, tensor<4x1xf32>)
  %f4 = graph.prelu %x, %x : (tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>) -> tensor<3x5x4x7xf32>
  %g4:2 = graph.prelu_backward %x, %x, %d : (tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>) -> (tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>)
  return %f0, %g0#0, %g0#1, %f1, %g1#0, %g1#1, %f2, %g2#0, %g2#1, %f3, %g3#0, %g3#1, %f4, %g4#0, %g4#1 :
    tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<7xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<5xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<1xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<4x1xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>, tensor<3x5x4x7xf32>
}

func.func @narrow_slopes(%x: tensor<3x5x4x7xbf16>, %d: tensor<3x5x4x7xbf16>, %l: tensor<7xbf16>, %s: tensor<5xbf16>, %one: tensor<1xbf16>, %b: tensor<4x1xbf16>)
    -> (tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<7xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<5xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<1xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<4x1xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>) {
  %f0 = graph.prelu %x, %l : (tensor<3x5x4x7xbf16>, tensor<7xbf16>) -> tensor<3x5x4x7xbf16>
  %g0:2 = graph.prelu_backward %x, %l, %d : (tensor<3x5x4x7xbf16>, tensor<7xbf16>, tensor<3x5x4x7xbf16>) -> (tensor<3x5x4x7xbf16>, tensor<7xbf16>)
  %f1 = graph.prelu %x, %s {data_format = "NCX"} : (tensor<3x5x4x7xbf16>, tensor<5xbf16>) -> tensor<3x5x4x7xbf16>
  %g1:2 = graph.prelu_backward %x, %s, %d {data_format = "NCX"} : (tensor<3x5x4x7xbf16>, tensor<5xbf16>, tensor<3x5x4x7xbf16>) -> (tensor<3x5x4x7xbf16>, tensor<5xbf16>)
  %f2 = graph.prelu %x, %one : (tensor<3x5x4x7xbf16>, tensor<1xbf16>) -> tensor<3x5x4x7xbf16>
  %g2:2 = graph.prelu_backward %x, %one, %d : (tensor<3x5x4x7xbf16>, tensor<1xbf16>, tensor<3x5x4x7xbf16>) -> (tensor<3x5x4x7xbf16>, tensor<1xbf16>)
  %f3 = graph.prelu %x, %b : (tensor<3x5x4x7xbf16>, tensor<4x1xbf16>) -> tensor<3x5x4x7xbf16>
  %g3:2 = graph.prelu_backward %x, %b, %d : (tensor<3x5x4x7xbf16>, tensor<4x1xbf16>, tensor<3x5x4x7xbf16>) -> (tensor<3x5x4x7xbf16>, tensor<4x1xbf16>)
  %f4 = graph.prelu %x, %x : (tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>) -> tensor<3x5x4x7xbf16>
  %g4:2 = graph.prelu_backward %x, %x, %d : (tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>) -> (tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>)
  return %f0, %g0#0, %g0#1, %f1, %g1#0, %g1#1, %f2, %g2#0, %g2#1, %f3, %g3#0, %g3#1, %f4, %g4#0, %g4#1 :
    tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<7xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<5xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<1xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<4x1xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>, tensor<3x5x4x7xbf16>
}

func.func @sums(%x: tensor<3x5x7x9xf32>, %h: tensor<131x67xbf16>, %v: tensor<13xf32>) -> (tensor<9xf32>, tensor<5xf32>, tensor<67xbf16>, tensor<13xf32>) {
  %0 = graph.bias_add_backward %x : (tensor<3x5x7x9xf32>) -> tensor<9xf32>
  %1 = graph.bias_add_backward %x {data_format = "NCX"} : (tensor<3x5x7x9xf32>) -> tensor<5xf32>
  %2 = graph.bias_add_backward %h : (tensor<131x67xbf16>) -> tensor<67xbf16>
  %3 = graph.bias_add_backward %v : (tensor<13xf32>) -> tensor<13xf32>
  return %0, %1, %2, %3 : tensor<9xf32>, tensor<5xf32>, tensor<67xbf16>, tensor<13xf32>
}

// The gradients of a layer: relu, bias, weights and data.
func.func @chain(%x: tensor<37x50xf32>, %w: tensor<50x29xf32>, %b: tensor<29xf32>, %d: tensor<37x29xf32>) -> (tensor<37x50xf32>, tensor<50x29xf32>, tensor<29xf32>) {
  %m = graph.matmul %x, %w, %b : (tensor<37x50xf32>, tensor<50x29xf32>, tensor<29xf32>) -> tensor<37x29xf32>
  %y = graph.relu %m : (tensor<37x29xf32>) -> tensor<37x29xf32>
  %dm = graph.relu_backward %y, %d : (tensor<37x29xf32>, tensor<37x29xf32>) -> tensor<37x29xf32>
  %db = graph.bias_add_backward %dm : (tensor<37x29xf32>) -> tensor<29xf32>
  %dw = graph.matmul %x, %dm {transpose_a = true} : (tensor<37x50xf32>, tensor<37x29xf32>) -> tensor<50x29xf32>
  %dx = graph.matmul %dm, %w {transpose_b = true} : (tensor<37x29xf32>, tensor<50x29xf32>) -> tensor<37x50xf32>
  return %dx, %dw, %db : tensor<37x50xf32>, tensor<50x29xf32>, tensor<29xf32>
}
