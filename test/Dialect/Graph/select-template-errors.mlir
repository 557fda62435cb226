// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(func.func(graph-select-template))" --split-input-file --verify-diagnostics
// RUN: not gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{threads=-1}))" 2>&1 | FileCheck %s --check-prefix=THREADS
// RUN: not gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{kernel=mkl}))" 2>&1 | FileCheck %s --check-prefix=KERNEL
// RUN: not gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{force=conv_template}))" 2>&1 | FileCheck %s --check-prefix=FORCE
// A number of threads that no machine has is not a reason to search for long.
// RUN: not gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-template{threads=9223372036854775807}))" 2>&1 | FileCheck %s --check-prefix=MANY

// THREADS: error: option 'threads' must be from 0 to 4096, not -1
// FORCE: error: cannot force 'conv_template', which is not a valid template; there are attention_panel_template, attention_template, gather_template, matmul_template
// KERNEL: for the --kernel option: Cannot find option named 'mkl'!
// MANY: error: option 'threads' must be from 0 to 4096

func.func @dynamic(%a: tensor<?x4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'graph.matmul' op has no template: there is one for matrices of static shape that are not empty, without bias}}
  %0 = graph.matmul %a, %b : (tensor<?x4xf32>, tensor<4x4xf32>) -> tensor<?x4xf32>
  return
}

// -----

func.func @empty(%a: tensor<4x0xf32>, %b: tensor<0x4xf32>) {
  // expected-error @below {{'graph.matmul' op has no template}}
  %0 = graph.matmul %a, %b : (tensor<4x0xf32>, tensor<0x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// Both are for graph-decompose.
func.func @vector(%a: tensor<4xf32>, %b: tensor<4x4xf32>) {
  // expected-error @below {{'graph.matmul' op has no template}}
  %0 = graph.matmul %a, %b {transpose_a = true} : (tensor<4xf32>, tensor<4x4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @bias(%a: tensor<4x4xf32>, %b: tensor<4x4xf32>, %c: tensor<4xf32>) {
  // expected-error @below {{'graph.matmul' op has no template}}
  %0 = graph.matmul %a, %b, %c : (tensor<4x4xf32>, tensor<4x4xf32>, tensor<4xf32>) -> tensor<4x4xf32>
  return
}

// -----

// expected-error @below {{target description: 'num_threads' is not an integer from 1 to 4096}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 0 : i64>>} {
func.func @f() {
  return
}
}

// -----

// expected-error @below {{target description: 'L2_cache_size_in_bytes' is not an integer from 64 to 1099511627776}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L2_cache_size_in_bytes" = "1M">>} {
func.func @f() {
  return
}
}

// -----

// expected-error @below {{target description: 'L1_cache_size_in_bytes' is not an integer from 64 to 1099511627776}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "L1_cache_size_in_bytes" = -1 : i64>>} {
func.func @f() {
  return
}
}

// -----

// expected-error @below {{target description: 'max_vector_op_width' is not an integer from 128 to 65536}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 64 : i64>>} {
func.func @f() {
  return
}
}

// -----

// expected-error @below {{target description: 'max_vector_op_width' is not a power of two}}
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "max_vector_op_width" = 384 : i64>>} {
func.func @f() {
  return
}
}
