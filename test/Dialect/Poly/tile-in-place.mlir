// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))" | FileCheck %s

// The second result is computed in the buffer of the first one, which nobody
// reads any more. Loads have buffers of their own, so that they run ahead.

func.func private @graph(%x: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %0 = graph.exp %x : (tensor<40x64xf32>) -> tensor<40x64xf32>
  %1 = graph.abs %0 : (tensor<40x64xf32>) -> tensor<40x64xf32>
  return %1 : tensor<40x64xf32>
}

// CHECK-LABEL: poly.scop @chain
// CHECK: poly.buffer @I_ub of @I
// CHECK: poly.buffer @T_ub of @T
// CHECK-NOT: poly.buffer
// CHECK: poly.tile @S_tile
// CHECK-DAG: %[[I:.*]] = poly.ref @I_ub
// CHECK-DAG: %[[T:.*]] = poly.ref @T_ub
// CHECK: npu.unary exp %[[I]] to %[[T]]
// CHECK: poly.tile @R_tile
// CHECK-DAG: %[[A:.*]] = poly.ref @T_ub
// CHECK-DAG: %[[B:.*]] = poly.ref @T_ub
// CHECK: npu.unary abs %[[A]] to %[[B]]
poly.scop @chain reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 40 and 0 <= j < 64; R[i, j] : 0 <= i < 40 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/20))]; R[i, j] -> [(floor((i)/20))] }]",
      child: {
        sequence: [
          { filter: "{ S[i, j] }" },
          { filter: "{ R[i, j] }" }
        ]
      }
    }
  }
} {
  poly.array @I input 0 : tensor<40x64xf32>
  poly.array @T temporary : tensor<40x64xf32>
  poly.array @O output 0 : tensor<40x64xf32>
  poly.statement @S domain "{ S[i, j] : 0 <= i < 40 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @T "{ S[i, j] -> T[i, j] }" {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    poly.yield %y : f32
  }
  poly.statement @R domain "{ R[i, j] : 0 <= i < 40 and 0 <= j < 64 }"
      reads [@T "{ R[i, j] -> T[i, j] }"] writes @O "{ R[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    poly.yield %y : f32
  }
}

// -----

// A result of another element type is not.

func.func private @graph(%x: tensor<40x64xf32>) -> tensor<40x64xf16> {
  %0 = graph.exp %x : (tensor<40x64xf32>) -> tensor<40x64xf32>
  %1 = graph.type_cast %0 : tensor<40x64xf32> -> tensor<40x64xf16>
  return %1 : tensor<40x64xf16>
}

// CHECK-LABEL: poly.scop @widths
// CHECK: poly.buffer @T_ub of @T
// CHECK: poly.buffer @O_ub of @O
poly.scop @widths reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 40 and 0 <= j < 64; R[i, j] : 0 <= i < 40 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/20))]; R[i, j] -> [(floor((i)/20))] }]",
      child: {
        sequence: [
          { filter: "{ S[i, j] }" },
          { filter: "{ R[i, j] }" }
        ]
      }
    }
  }
} {
  poly.array @I input 0 : tensor<40x64xf32>
  poly.array @T temporary : tensor<40x64xf32>
  poly.array @O output 0 : tensor<40x64xf16>
  poly.statement @S domain "{ S[i, j] : 0 <= i < 40 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @T "{ S[i, j] -> T[i, j] }" {
  ^bb0(%x: f32):
    %y = math.exp %x : f32
    poly.yield %y : f32
  }
  poly.statement @R domain "{ R[i, j] : 0 <= i < 40 and 0 <= j < 64 }"
      reads [@T "{ R[i, j] -> T[i, j] }"] writes @O "{ R[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %y = arith.truncf %x : f32 to f16
    poly.yield %y : f16
  }
}
