// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops that leave their region, the regions that graph-fuse then makes of them,
// with its limits, and the remarks that say why.

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-anchors{threads=32},graph-fuse{threads=32}))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-anchors{threads=32},graph-fuse{threads=32 max-ops=1}))" | FileCheck %s --check-prefix=OPS
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(func.func(graph-select-anchors{threads=32}))" --remarks-filter-missed=graph-select-anchors --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The columns are divided among threads: a reduction over them and what depends
// on it form a separate region after the matmul, which keeps its bias.
// REMARK: remark: [Missed] NotFused | Category:graph-select-anchors | Remark="'graph.reduce_max' leaves its region: the template has no post-op anchor with whole rows", Suggestion="template_params with NPN = 1 and n inside of k"
// CHECK-LABEL: func.func @no_rows
// CHECK: %[[A:.*]] = graph.fused_op attributes {name = "matmul+add"}
// CHECK: graph.matmul
// CHECK: graph.add {{.*}}graph.anchor
// CHECK: graph.fused_op attributes {name = "reduce_max+subtract"}
// OPS-LABEL: func.func @no_rows
// OPS: graph.fused_op attributes {name = "reduce_max"}
// OPS: graph.fused_op attributes {name = "subtract"}
// CHECK: graph.reduce_max %[[A]]
// CHECK-NOT: graph.anchor
func.func @no_rows(%x: tensor<64x8xf32>, %w: tensor<8x64xf32>, %b: tensor<64xf32>) -> tensor<64x64xf32> {
  %0 = graph.fused_op -> (tensor<64x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 4, NPN = 2, MB = 16, NB = 32, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<64x8xf32>, tensor<8x64xf32>) -> tensor<64x64xf32>
    %2 = graph.add %1, %b : (tensor<64x64xf32>, tensor<64xf32>) -> tensor<64x64xf32>
    %3 = graph.reduce_max %2 {axes = array<i64: 1>, keep_dims = true} : (tensor<64x64xf32>) -> tensor<64x1xf32>
    %4 = graph.subtract %2, %3 : (tensor<64x64xf32>, tensor<64x1xf32>) -> tensor<64x64xf32>
    graph.yield %4 : tensor<64x64xf32>
  }
  return %0 : tensor<64x64xf32>
}

// -----

#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 64, 1 : 64]>

// Each of 32 parts of rows would pack all of B separately; a separate loop
// packs a part of it per thread.
// REMARK: "'graph.reorder' leaves its region: a loop of its own costs {{[0-9]+}}, the best anchor {{[0-9]+}}", Suggestion="template_params with fewer parts that need the same operand"
// CHECK-LABEL: func.func @redundant
// CHECK: %[[P:.*]] = graph.fused_op attributes {name = "reorder"}
// CHECK: graph.fused_op attributes {name = "matmul"}
// CHECK: graph.matmul %{{.*}}, %[[P]]
func.func @redundant(%x: tensor<512x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %p = graph.reorder %w : tensor<1024x1024xf32> -> tensor<1024x1024xf32, #b>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 32, NPN = 1, MB = 16, NB = 64, KB = 64, BS = 16, order = [m, n, k], packA = false, packB = true>} : (tensor<512x1024xf32>, tensor<1024x1024xf32, #b>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// -----

#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 64, 1 : 64]>

// An op that computes an operand leaves with the op that packs it.
// CHECK-LABEL: func.func @redundant_chain
// CHECK: %[[P:.*]] = graph.fused_op attributes {name = "exp+reorder"}
// CHECK: graph.fused_op attributes {name = "matmul"}
// CHECK: graph.matmul %{{.*}}, %[[P]]
func.func @redundant_chain(%x: tensor<512x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %e = graph.exp %w : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    %p = graph.reorder %e : tensor<1024x1024xf32> -> tensor<1024x1024xf32, #b>
    %1 = graph.matmul %x, %p {template_params = #graph.matmul_template<MPN = 32, NPN = 1, MB = 16, NB = 64, KB = 64, BS = 16, order = [m, n, k], packA = false, packB = true>} : (tensor<512x1024xf32>, tensor<1024x1024xf32, #b>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// -----

// One thread of eight has all of the product; the others would be idle while it
// computes the exponential, whereas a separate loop uses them all.
// REMARK: "'graph.exp' leaves its region: a loop of its own costs {{[0-9]+}}, the best anchor {{[0-9]+}}", Suggestion="template_params with more parallel parts"
// CHECK-LABEL: func.func @idle_threads
// CHECK: graph.fused_op attributes {name = "matmul"}
// CHECK: graph.fused_op attributes {name = "exp"}
func.func @idle_threads(%x: tensor<1024x4xf32>, %w: tensor<4x1024xf32>) -> tensor<1024x1024xf32> {
  %0 = graph.fused_op -> (tensor<1024x1024xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 1024, NB = 1024, KB = 4, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<1024x4xf32>, tensor<4x1024xf32>) -> tensor<1024x1024xf32>
    %2 = graph.exp %1 : (tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
    graph.yield %2 : tensor<1024x1024xf32>
  }
  return %0 : tensor<1024x1024xf32>
}

// -----

// Nothing can follow an op at an anchor that the template does not offer.
// REMARK: "'graph.relu' leaves its region: the template has no post-op anchor for it from 3 on"
// CHECK-LABEL: func.func @after_anchor_3
// CHECK: graph.exp {{.*}} {graph.anchor = #graph.anchor<post, 3>}
// CHECK: graph.fused_op attributes {name = "relu"}
func.func @after_anchor_3(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = graph.fused_op -> (tensor<8x8xf32>) {
    %1 = graph.matmul %x, %x {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 8, NB = 8, KB = 8, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %2 = graph.exp %1 {graph.anchor = #graph.anchor<post, 3>} : (tensor<8x8xf32>) -> tensor<8x8xf32>
    %3 = graph.relu %2 : (tensor<8x8xf32>) -> tensor<8x8xf32>
    graph.yield %3 : tensor<8x8xf32>
  }
  return %0 : tensor<8x8xf32>
}

// -----

// Many panels of rows: each dequantizes all keys, which takes a little longer than
// a loop of its own, but needs no memory for them in f32. Values that are as wide
// as what they are computed from leave.
// REMARK-NOT: 'graph.type_cast' leaves its region
// REMARK: "'graph.exp' leaves its region: a loop of its own costs {{[0-9]+}}, the best anchor {{[0-9]+}}"
// CHECK-LABEL: func.func @panels
// CHECK: graph.fused_op
// CHECK-NEXT: graph.exp
// CHECK: graph.fused_op
// CHECK-NEXT: graph.type_cast %{{.*}} {graph.anchor = #graph.anchor<pre, 2>}
// CHECK-NEXT: graph.attention
func.func @panels(%q: tensor<4096x64xf32>, %k: tensor<4096x64xsi8>, %v: tensor<4096x64xf32>) -> tensor<4096x64xf32> {
  %0 = graph.fused_op -> (tensor<4096x64xf32>) {
    %1 = graph.type_cast %k : tensor<4096x64xsi8> -> tensor<4096x64xf32>
    %2 = graph.exp %v : (tensor<4096x64xf32>) -> tensor<4096x64xf32>
    %3 = graph.attention %q, %1, %2 {transpose_key = true, template_params = #graph.attention_template<MPN = 32, MB = 128, RB = 32, SB = 64, NB = 64, KB = 64>} : (tensor<4096x64xf32>, tensor<4096x64xf32>, tensor<4096x64xf32>) -> tensor<4096x64xf32> {
    ^bb0(%s: tensor<4096x4096xf32>):
      graph.yield %s : tensor<4096x4096xf32>
    }
    graph.yield %3 : tensor<4096x64xf32>
  }
  return %0 : tensor<4096x64xf32>
}
