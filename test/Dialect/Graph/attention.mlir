// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// graph.attention: its textual form, its types, its template, its meaning.

// RUN: gc-opt %s | gc-opt | FileCheck %s
// RUN: gc-opt %s --mlir-print-op-generic | gc-opt | FileCheck %s
// RUN: gc-opt %s --emit-bytecode | gc-opt | FileCheck %s
// RUN: gc-opt %s --graph-decompose | FileCheck %s --check-prefix=BASIC
// RUN: gc-opt %s --pass-pipeline="builtin.module(graph-decompose,func.func(graph-select-template{threads=4}))" | FileCheck %s --check-prefix=TEMPLATE

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "L1_cache_size_in_bytes" = 32768 : i64, "L2_cache_size_in_bytes" = 524288 : i64, "max_vector_op_width" = 256 : i64, "num_vector_registers" = 16 : i64>>} {

// The region may use values from outside, as the mask here.
// CHECK-LABEL: func.func @masked
// CHECK: %{{.*}} = graph.attention %{{.*}}, %{{.*}}, %{{.*}} {transpose_key = true} : (tensor<2x3x4x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x5xf32>) -> tensor<2x3x4x5xf32> {
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<2x3x4x6xf32>):
// CHECK-NEXT: %[[X:.*]] = graph.add %[[S]], %{{.*}} : (tensor<2x3x4x6xf32>, tensor<2x1x1x6xf32>) -> tensor<2x3x4x6xf32>
// CHECK-NEXT: graph.yield %[[X]] : tensor<2x3x4x6xf32>
func.func @masked(%q: tensor<2x3x4x8xf32>, %k: tensor<2x3x6x8xf32>, %v: tensor<2x3x6x5xf32>, %mask: tensor<2x1x1x6xf32>) -> tensor<2x3x4x5xf32> {
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<2x3x4x8xf32>, tensor<2x3x6x8xf32>, tensor<2x3x6x5xf32>) -> tensor<2x3x4x5xf32> {
  ^bb0(%s: tensor<2x3x4x6xf32>):
    %1 = graph.add %s, %mask : (tensor<2x3x4x6xf32>, tensor<2x1x1x6xf32>) -> tensor<2x3x4x6xf32>
    graph.yield %1 : tensor<2x3x4x6xf32>
  }
  return %0 : tensor<2x3x4x5xf32>
}

// Leading dimensions broadcast (all queries share keys and values); the template
// can be spelt out; the region can be empty.
// CHECK-LABEL: func.func @shared
// CHECK: graph.attention {{.*}} {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 16, NB = 16, KB = 8>} : (tensor<2x3x4x8xf32>, tensor<8x6xf32>, tensor<1x6x5xf32>) -> tensor<2x3x4x5xf32> {
// CHECK-NEXT: ^bb0(%[[S:.*]]: tensor<2x3x4x6xf32>):
// CHECK-NEXT: graph.yield %[[S]] : tensor<2x3x4x6xf32>
func.func @shared(%q: tensor<2x3x4x8xf32>, %k: tensor<8x6xf32>, %v: tensor<1x6x5xf32>) -> tensor<2x3x4x5xf32> {
  %0 = graph.attention %q, %k, %v {template_params = #graph.attention_template<MPN = 1, MB = 4, RB = 2, SB = 16, NB = 16, KB = 8>} : (tensor<2x3x4x8xf32>, tensor<8x6xf32>, tensor<1x6x5xf32>) -> tensor<2x3x4x5xf32> {
  ^bb0(%s: tensor<2x3x4x6xf32>):
    graph.yield %s : tensor<2x3x4x6xf32>
  }
  return %0 : tensor<2x3x4x5xf32>
}

// Kernels read pairs of bf16: an odd number of columns is decomposed, which also
// says what an attention means.
// CHECK-LABEL: func.func @narrow
// BASIC-LABEL: func.func @narrow
// BASIC-SAME: (%[[Q:.*]]: tensor<4x7xbf16>, %[[K:.*]]: tensor<6x7xbf16>, %[[V:.*]]: tensor<6x5xbf16>)
// BASIC: %[[S:.*]] = graph.matmul %[[Q]], %[[K]] {transpose_b = true}
// BASIC: %[[X:.*]] = graph.abs %[[S]]
// BASIC: %[[F:.*]] = graph.type_cast %[[X]]
// BASIC: %[[M:.*]] = graph.reduce_max %[[F]] {any_if_nan, axes = array<i64: 1>, keep_dims = true}
// BASIC: %[[D:.*]] = graph.subtract %[[F]], %[[M]]
// BASIC: %[[E:.*]] = graph.exp %[[D]] {at_most_one = true}
// BASIC: %[[T:.*]] = graph.reduce_sum %[[E]] {axes = array<i64: 1>, keep_dims = true}
// BASIC: %[[P:.*]] = graph.divide %[[E]], %[[T]]
// BASIC: %[[W:.*]] = graph.type_cast %[[P]]
// BASIC: %[[O:.*]] = graph.matmul %[[W]], %[[V]]
// BASIC: return %[[O]]
func.func @narrow(%q: tensor<4x7xbf16>, %k: tensor<6x7xbf16>, %v: tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<4x7xbf16>, tensor<6x7xbf16>, tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  ^bb0(%s: tensor<4x6xbf16>):
    %1 = graph.abs %s : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
    graph.yield %1 : tensor<4x6xbf16>
  }
  return %0 : tensor<4x5xbf16>
}

// With an even number it stays; the logits may be f32.
// BASIC-LABEL: func.func @pairs
// BASIC: graph.attention
// BASIC: graph.yield %{{.*}} : tensor<4x6xf32>
func.func @pairs(%q: tensor<4x8xbf16>, %k: tensor<6x8xbf16>, %v: tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  %0 = graph.attention %q, %k, %v {transpose_key = true} : (tensor<4x8xbf16>, tensor<6x8xbf16>, tensor<6x5xbf16>) -> tensor<4x5xbf16> {
  ^bb0(%s: tensor<4x6xbf16>):
    %1 = graph.type_cast %s : tensor<4x6xbf16> -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x5xbf16>
}

// Four threads share the rows of one matrix; with 32 heads they do not have to.
// TEMPLATE-LABEL: func.func @one
// TEMPLATE: #graph.attention_template<MPN = 4, MB =
// TEMPLATE-LABEL: func.func @heads
// TEMPLATE: #graph.attention_template<MPN = 1, MB =
func.func @one(%q: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = graph.attention %q, %q, %q {transpose_key = true} : (tensor<4096x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  ^bb0(%s: tensor<4096x4096xf32>):
    graph.yield %s : tensor<4096x4096xf32>
  }
  return %0 : tensor<4096x64xf32>
}

func.func @heads(%q: tensor<32x4096x64xf32>) -> tensor<32x4096x64xf32> {
  %0 = graph.attention %q, %q, %q {transpose_key = true} : (tensor<32x4096x64xf32>, tensor<32x4096x64xf32>, tensor<32x4096x64xf32>) -> tensor<32x4096x64xf32> {
  ^bb0(%s: tensor<32x4096x4096xf32>):
    graph.yield %s : tensor<32x4096x4096xf32>
  }
  return %0 : tensor<32x4096x64xf32>
}

}
