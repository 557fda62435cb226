// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gradients of softmax and norms, and batch norm for training, on odd sizes, of
// what the forward ops compute.

// RUN: gc-runner %s --entry=softmax --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow_softmax --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=layer --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow_layer --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=batch --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=narrow_batch --check --threads=2 | FileCheck %s
// RUN: gc-runner %s --entry=half_batch --check --threads=2 | FileCheck %s

// CHECK-NOT: weak

func.func @softmax(%x: tensor<7x131xf32>, %d: tensor<7x131xf32>, %z: tensor<5x13x9xf32>, %e: tensor<5x13x9xf32>) -> (tensor<7x131xf32>, tensor<7x131xf32>, tensor<5x13x9xf32>) {
  %0 = graph.softmax %x : (tensor<7x131xf32>) -> tensor<7x131xf32>
  %1 = graph.softmax_backward %d, %0 : (tensor<7x131xf32>, tensor<7x131xf32>) -> tensor<7x131xf32>
  %2 = graph.log_softmax %x : (tensor<7x131xf32>) -> tensor<7x131xf32>
  %3 = graph.log_softmax_backward %d, %2 : (tensor<7x131xf32>, tensor<7x131xf32>) -> tensor<7x131xf32>
  %4 = graph.softmax %z : (tensor<5x13x9xf32>) -> tensor<5x13x9xf32>
  %5 = graph.softmax_backward %e, %4 : (tensor<5x13x9xf32>, tensor<5x13x9xf32>) -> tensor<5x13x9xf32>
  return %1, %3, %5 : tensor<7x131xf32>, tensor<7x131xf32>, tensor<5x13x9xf32>
}

func.func @narrow_softmax(%x: tensor<7x131xbf16>, %d: tensor<7x131xbf16>, %z: tensor<5x13x9xbf16>, %e: tensor<5x13x9xbf16>) -> (tensor<7x131xbf16>, tensor<7x131xbf16>, tensor<5x13x9xbf16>) {
  %0 = graph.softmax %x : (tensor<7x131xbf16>) -> tensor<7x131xbf16>
  %1 = graph.softmax_backward %d, %0 : (tensor<7x131xbf16>, tensor<7x131xbf16>) -> tensor<7x131xbf16>
  %2 = graph.log_softmax %x : (tensor<7x131xbf16>) -> tensor<7x131xbf16>
  %3 = graph.log_softmax_backward %d, %2 : (tensor<7x131xbf16>, tensor<7x131xbf16>) -> tensor<7x131xbf16>
  %4 = graph.softmax %z : (tensor<5x13x9xbf16>) -> tensor<5x13x9xbf16>
  %5 = graph.softmax_backward %e, %4 : (tensor<5x13x9xbf16>, tensor<5x13x9xbf16>) -> tensor<5x13x9xbf16>
  return %1, %3, %5 : tensor<7x131xbf16>, tensor<7x131xbf16>, tensor<5x13x9xbf16>
}

func.func @layer(%x: tensor<3x11x67xf32>, %d: tensor<3x11x67xf32>, %g: tensor<67xf32>, %b: tensor<67xf32>, %q: tensor<11x67xf32>, %p: tensor<11x67xf32>, %m: tensor<3x11xf32>, %v: tensor<3x11xf32>) -> (tensor<3x11x67xf32>, tensor<67xf32>, tensor<67xf32>, tensor<3x11x67xf32>, tensor<11x67xf32>, tensor<11x67xf32>, tensor<3x11x67xf32>) {
  %y, %mean, %variance = graph.layer_norm %x, %g, %b : (tensor<3x11x67xf32>, tensor<67xf32>, tensor<67xf32>) -> (tensor<3x11x67xf32>, tensor<3x11xf32>, tensor<3x11xf32>)
  %0:3 = graph.layer_norm_backward %x, %d, %mean, %variance, %g, %b : (tensor<3x11x67xf32>, tensor<3x11x67xf32>, tensor<3x11xf32>, tensor<3x11xf32>, tensor<67xf32>, tensor<67xf32>) -> (tensor<3x11x67xf32>, tensor<67xf32>, tensor<67xf32>)
  %z, %mean2, %variance2 = graph.layer_norm %x {begin_norm_axis = 1, use_affine = false} : (tensor<3x11x67xf32>) -> (tensor<3x11x67xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = graph.layer_norm_backward %x, %d, %mean2, %variance2, %q, %p {begin_norm_axis = 1} : (tensor<3x11x67xf32>, tensor<3x11x67xf32>, tensor<3xf32>, tensor<3xf32>, tensor<11x67xf32>, tensor<11x67xf32>) -> (tensor<3x11x67xf32>, tensor<11x67xf32>, tensor<11x67xf32>)
  // Statistics of other data.
  %2 = graph.layer_norm_backward %x, %d, %m, %v {use_affine = false, epsilon = 0.01 : f32} : (tensor<3x11x67xf32>, tensor<3x11x67xf32>, tensor<3x11xf32>, tensor<3x11xf32>) -> tensor<3x11x67xf32>
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2, %2 : tensor<3x11x67xf32>, tensor<67xf32>, tensor<67xf32>, tensor<3x11x67xf32>, tensor<11x67xf32>, tensor<11x67xf32>, tensor<3x11x67xf32>
}

func.func @narrow_layer(%x: tensor<3x11x67xbf16>, %d: tensor<3x11x67xbf16>, %g: tensor<67xf32>, %b: tensor<67xf32>, %q: tensor<11x67xf32>, %p: tensor<11x67xf32>, %m: tensor<3x11xf32>, %v: tensor<3x11xf32>) -> (tensor<3x11x67xbf16>, tensor<67xf32>, tensor<67xf32>, tensor<3x11x67xbf16>, tensor<11x67xf32>, tensor<11x67xf32>, tensor<3x11x67xbf16>) {
  %y, %mean, %variance = graph.layer_norm %x, %g, %b : (tensor<3x11x67xbf16>, tensor<67xf32>, tensor<67xf32>) -> (tensor<3x11x67xbf16>, tensor<3x11xf32>, tensor<3x11xf32>)
  %0:3 = graph.layer_norm_backward %x, %d, %mean, %variance, %g, %b : (tensor<3x11x67xbf16>, tensor<3x11x67xbf16>, tensor<3x11xf32>, tensor<3x11xf32>, tensor<67xf32>, tensor<67xf32>) -> (tensor<3x11x67xbf16>, tensor<67xf32>, tensor<67xf32>)
  %z, %mean2, %variance2 = graph.layer_norm %x {begin_norm_axis = 1, use_affine = false} : (tensor<3x11x67xbf16>) -> (tensor<3x11x67xbf16>, tensor<3xf32>, tensor<3xf32>)
  %1:3 = graph.layer_norm_backward %x, %d, %mean2, %variance2, %q, %p {begin_norm_axis = 1} : (tensor<3x11x67xbf16>, tensor<3x11x67xbf16>, tensor<3xf32>, tensor<3xf32>, tensor<11x67xf32>, tensor<11x67xf32>) -> (tensor<3x11x67xbf16>, tensor<11x67xf32>, tensor<11x67xf32>)
  // Statistics of other data.
  %2 = graph.layer_norm_backward %x, %d, %m, %v {use_affine = false, epsilon = 0.01 : f32} : (tensor<3x11x67xbf16>, tensor<3x11x67xbf16>, tensor<3x11xf32>, tensor<3x11xf32>) -> tensor<3x11x67xbf16>
  return %0#0, %0#1, %0#2, %1#0, %1#1, %1#2, %2 : tensor<3x11x67xbf16>, tensor<67xf32>, tensor<67xf32>, tensor<3x11x67xbf16>, tensor<11x67xf32>, tensor<11x67xf32>, tensor<3x11x67xbf16>
}

func.func @batch(%x: tensor<3x7x5x13xf32>, %d: tensor<3x7x5x13xf32>, %m: tensor<13xf32>, %v: tensor<13xf32>, %g: tensor<13xf32>, %b: tensor<13xf32>, %n: tensor<7xf32>, %w: tensor<7xf32>, %h: tensor<7xf32>, %c: tensor<7xf32>) -> (tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf32>) {
  %0:5 = graph.batch_norm_forward_training %x, %m, %v, %g, %b {epsilon = 0.001 : f32, momentum = 0.9 : f32} : (tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) -> (tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>)
  %1:3 = graph.batch_norm_training_backward %x, %d, %0#3, %0#4, %g {epsilon = 0.001 : f32} : (tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) -> (tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>)
  %2 = graph.batch_norm_training_backward %x, %d, %m, %v {epsilon = 0.001 : f32} : (tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>) -> tensor<3x7x5x13xf32>
  %3:5 = graph.batch_norm_forward_training %x, %n, %w {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>)
  %4:3 = graph.batch_norm_training_backward %x, %d, %3#3, %3#4, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>)
  %5 = graph.batch_norm_training_backward %x, %d, %n, %w, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<3x7x5x13xf32>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %1#0, %1#1, %1#2, %2, %3#0, %3#1, %3#2, %3#3, %3#4, %4#0, %4#1, %4#2, %5 :
    tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf32>
}

func.func @narrow_batch(%x: tensor<3x7x5x13xbf16>, %d: tensor<3x7x5x13xbf16>, %m: tensor<13xbf16>, %v: tensor<13xbf16>, %g: tensor<13xbf16>, %b: tensor<13xbf16>, %n: tensor<7xbf16>, %w: tensor<7xbf16>, %h: tensor<7xbf16>, %c: tensor<7xbf16>) -> (tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<3x7x5x13xbf16>) {
  %0:5 = graph.batch_norm_forward_training %x, %m, %v, %g, %b {epsilon = 0.001 : f32, momentum = 0.9 : f32} : (tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>) -> (tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>)
  %1:3 = graph.batch_norm_training_backward %x, %d, %0#3, %0#4, %g {epsilon = 0.001 : f32} : (tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>) -> (tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>)
  %2 = graph.batch_norm_training_backward %x, %d, %m, %v {epsilon = 0.001 : f32} : (tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>) -> tensor<3x7x5x13xbf16>
  %3:5 = graph.batch_norm_forward_training %x, %n, %w {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>) -> (tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>)
  %4:3 = graph.batch_norm_training_backward %x, %d, %3#3, %3#4, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>) -> (tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>)
  %5 = graph.batch_norm_training_backward %x, %d, %n, %w, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>) -> tensor<3x7x5x13xbf16>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %1#0, %1#1, %1#2, %2, %3#0, %3#1, %3#2, %3#3, %3#4, %4#0, %4#1, %4#2, %5 :
    tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<3x7x5x13xbf16>, tensor<13xbf16>, tensor<13xbf16>, tensor<3x7x5x13xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<3x7x5x13xbf16>, tensor<7xbf16>, tensor<7xbf16>, tensor<3x7x5x13xbf16>
}

func.func @half_batch(%x: tensor<3x7x5x13xf16>, %d: tensor<3x7x5x13xf16>, %m: tensor<13xf32>, %v: tensor<13xf32>, %g: tensor<13xf32>, %b: tensor<13xf32>, %n: tensor<7xf32>, %w: tensor<7xf32>, %h: tensor<7xf32>, %c: tensor<7xf32>) -> (tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf16>) {
  %0:5 = graph.batch_norm_forward_training %x, %m, %v, %g, %b {epsilon = 0.001 : f32, momentum = 0.9 : f32} : (tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) -> (tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>)
  %1:3 = graph.batch_norm_training_backward %x, %d, %0#3, %0#4, %g {epsilon = 0.001 : f32} : (tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>) -> (tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>)
  %2 = graph.batch_norm_training_backward %x, %d, %m, %v {epsilon = 0.001 : f32} : (tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>) -> tensor<3x7x5x13xf16>
  %3:5 = graph.batch_norm_forward_training %x, %n, %w {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>) -> (tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>)
  %4:3 = graph.batch_norm_training_backward %x, %d, %3#3, %3#4, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> (tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>)
  %5 = graph.batch_norm_training_backward %x, %d, %n, %w, %h {epsilon = 0.001 : f32, data_format = "NCX"} : (tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>) -> tensor<3x7x5x13xf16>
  return %0#0, %0#1, %0#2, %0#3, %0#4, %1#0, %1#1, %1#2, %2, %3#0, %3#1, %3#2, %3#3, %3#4, %4#0, %4#1, %4#2, %5 :
    tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf16>, tensor<13xf32>, tensor<13xf32>, tensor<3x7x5x13xf16>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf16>, tensor<7xf32>, tensor<7xf32>, tensor<3x7x5x13xf16>
}
