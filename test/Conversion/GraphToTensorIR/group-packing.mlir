// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Copies into groups that fill 32 bits: rows are interleaved, columns transposed as
// numbers of 32 bits; what is not whole groups is copied element by element.

// RUN: gc-opt %s --graph-select-schedule="vector-bytes=32 threads=1 tasks=1" --convert-graph-to-tir | FileCheck %s

// CHECK-LABEL: func.func @rows
// CHECK: %[[OUT:.*]] = memref.reinterpret_cast %{{.*}} to {{.*}} memref<1x1x4x16x2xbf16> to memref<1x1x4x32xbf16>
// CHECK: vector.load {{.*}} vector<8xbf16>
// CHECK-NEXT: %[[A:.*]] = vector.bitcast {{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: vector.load {{.*}} vector<8xbf16>
// CHECK-NEXT: %[[B:.*]] = vector.bitcast {{.*}} : vector<8xbf16> to vector<8xi16>
// CHECK: %[[BOTH:.*]] = vector.interleave %[[A]], %[[B]]
// CHECK: %[[ROW:.*]] = vector.bitcast %[[BOTH]] : vector<16xi16> to vector<16xbf16>
// CHECK: vector.store %[[ROW]], %[[OUT]]
func.func @rows(%x: tensor<8x16xbf16>) -> tensor<8x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>> {
  %0 = graph.fused_op -> (tensor<8x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>) {
    %1 = graph.reorder %x : tensor<8x16xbf16> -> tensor<8x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
    graph.yield %1 : tensor<8x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
  }
  return %0 : tensor<8x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
}

// CHECK-LABEL: func.func @columns
// CHECK-COUNT-8: vector.bitcast %{{.*}} : vector<32xi8> to vector<8xi32>
// CHECK: vector.shuffle {{.*}} : vector<8xi32>, vector<8xi32>
// CHECK: vector.bitcast %{{.*}} : vector<8xi32> to vector<32xi8>
// CHECK: vector.store
func.func @columns(%x: tensor<32x16xui8, #graph.layout<strided, [1, 32]>>) -> tensor<32x16xui8, #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16, 0 : 4]>> {
  %0 = graph.fused_op -> (tensor<32x16xui8, #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16, 0 : 4]>>) {
    %1 = graph.reorder %x : tensor<32x16xui8, #graph.layout<strided, [1, 32]>> -> tensor<32x16xui8, #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16, 0 : 4]>>
    graph.yield %1 : tensor<32x16xui8, #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16, 0 : 4]>>
  }
  return %0 : tensor<32x16xui8, #graph.layout<blocked, outer = [1, 0], inner = [0 : 8, 1 : 16, 0 : 4]>>
}

// CHECK-LABEL: func.func @rest
// CHECK-NOT: vector.interleave
// CHECK: return
func.func @rest(%x: tensor<7x16xbf16>) -> tensor<7x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>> {
  %0 = graph.fused_op -> (tensor<7x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>) {
    %1 = graph.reorder %x : tensor<7x16xbf16> -> tensor<7x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
    graph.yield %1 : tensor<7x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
  }
  return %0 : tensor<7x16xbf16, #graph.layout<blocked, outer = [1, 0], inner = [0 : 4, 1 : 16, 0 : 2]>>
}
