// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))" | FileCheck %s

// Rows become columns: the load makes fractals of them, whose blocks of 16
// columns move to the rows of the result.

func.func private @graph(%x: tensor<100x64xf16>) -> tensor<64x100xf16> {
  %y = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<100x64xf16>) -> tensor<64x100xf16>
  return %y : tensor<64x100xf16>
}

// CHECK-LABEL: poly.scop @columns
// CHECK: poly.buffer @I_ub of @I : memref<7x32x16xf16, #npu.space<ub>>
// CHECK: poly.buffer @O_ub of @O : memref<32x112xf16, #npu.space<ub>>
// CHECK: poly.tile @S_tile
// CHECK: scf.for %[[BLOCK:.*]] = %{{.*}} to %c7
// CHECK: %[[COLUMN:.*]] = affine.apply #{{.*}}(%[[BLOCK]])
// CHECK: %[[FROM:.*]] = memref.subview %{{.*}}[%[[BLOCK]], 0, 0] [1, 32, 16]
// CHECK: %[[TO:.*]] = memref.subview %{{.*}}[0, %[[COLUMN]]] [32, 16]
// CHECK: npu.copy %[[FROM]] to %[[TO]]
// CHECK: poly.tile @load_I
// CHECK: npu.pack %{{.*}} to %{{.*}} transposed : memref<100x32xf16, {{.*}}> to memref<7x32x16xf16
poly.scop @columns reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 100 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/32))] }]"
    }
  }
} {
  poly.array @I input 0 : tensor<100x64xf16>
  poly.array @O output 0 : tensor<64x100xf16>
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 100 }"
      reads [@I "{ S[i, j] -> I[j, i] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Rows stay rows: their blocks move from one buffer to the other.

func.func private @graph(%x: tensor<8x40x48xf32>) -> tensor<40x8x48xf32> {
  %y = graph.static_transpose %x {order = array<i64: 1, 0, 2>} : (tensor<8x40x48xf32>) -> tensor<40x8x48xf32>
  return %y : tensor<40x8x48xf32>
}

// CHECK-LABEL: poly.scop @rows
// CHECK: poly.buffer @I_ub of @I : memref<8x40x48xf32, #npu.space<ub>>
// CHECK: poly.tile @S_tile
// CHECK: %[[MOVED:.*]] = npu.alloc : memref<40x8x48xf32, #npu.space<ub>>
// CHECK: scf.for %[[ROW:.*]] = %{{.*}} to %c8
// CHECK: %[[FROM:.*]] = memref.subview %{{.*}}[%[[ROW]], 0, 0] [1, 40, 48]
// CHECK: %[[TO:.*]] = memref.subview %[[MOVED]][0, %[[ROW]], 0] [40, 1, 48]
// CHECK: npu.copy %[[FROM]] to %[[TO]]
// CHECK: npu.unary abs %[[MOVED]]
// CHECK: poly.tile @load_I
// CHECK-NOT: npu.pack
// CHECK: npu.copy
poly.scop @rows reference @graph schedule {
  domain: "{ S[i, j, k] : 0 <= i < 40 and 0 <= j < 8 and 0 <= k < 48 }",
  child: {
    schedule: "[{ S[i, j, k] -> [(i)] }]"
  }
} {
  poly.array @I input 0 : tensor<8x40x48xf32>
  poly.array @O output 0 : tensor<40x8x48xf32>
  poly.statement @S domain "{ S[i, j, k] : 0 <= i < 40 and 0 <= j < 8 and 0 <= k < 48 }"
      reads [@I "{ S[i, j, k] -> I[j, i, k] }"] writes @O "{ S[i, j, k] -> O[i, j, k] }" {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    poly.yield %y : f32
  }
}
