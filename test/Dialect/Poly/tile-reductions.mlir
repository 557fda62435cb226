// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))" | FileCheck %s

// Rows and the dimension outside of them are reduced, but not the outermost
// one: the results of all rows together would have those of one index apart, so
// each index has an instruction.

// CHECK-LABEL: poly.scop @inner
// CHECK: poly.tile @S_tile
// CHECK: %[[PART:.*]] = npu.alloc : memref<16xf32, #npu.space<ub>>
// CHECK: %[[END:.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for %[[I:.*]] = %{{.*}} to %[[END]]
// CHECK-NEXT: %[[ROWS:.*]] = memref.subview %{{.*}}[0, %[[I]], 0] [16, 1, 40] [1, 1, 1]
// CHECK-NEXT: npu.reduce max %[[ROWS]] to %[[PART]] : memref<16x40xf32, strided<[144, 1], offset: ?>
// CHECK-NEXT: npu.binary max %[[OUT:.*]], %[[PART]] to %[[OUT]]
// CHECK-NEXT: }
func.func private @graph(%x: tensor<16x3x40xf32>) -> tensor<16xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 1, 2>, keep_dims = false} : (tensor<16x3x40xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
poly.scop @inner reference @graph schedule {
  domain: "{ I[i] : 0 <= i < 16; S[i, j, k] : 0 <= i < 16 and 0 <= j < 3 and 0 <= k < 40 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[i] -> [(floor((i)/16))]; S[i, j, k] -> [(floor((i)/16))] }]",
      child: {
        mark: "local_UB",
        child: {
          sequence: [
            { filter: "{ I[i] }" },
            { filter: "{ S[i, j, k] }" }
          ]
        }
      }
    }
  }
} {
  poly.array @X input 0 : tensor<16x3x40xf32>
  poly.array @O output 0 : tensor<16xf32>
  poly.statement @I domain "{ I[i] : 0 <= i < 16 }" writes @O "{ I[i] -> O[i] }" {
    %least = arith.constant 0xFF800000 : f32
    poly.yield %least : f32
  }
  poly.statement @S domain "{ S[i, j, k] : 0 <= i < 16 and 0 <= j < 3 and 0 <= k < 40 }"
      reads [@O "{ S[i, j, k] -> O[i] }", @X "{ S[i, j, k] -> X[i, j, k] }"] writes @O "{ S[i, j, k] -> O[i] }" {
  ^bb0(%most: f32, %x: f32):
    %y = arith.maximumf %most, %x : f32
    poly.yield %y : f32
  }
}

// -----

// Where the reduced dimension is the outermost one, all rows are reduced at
// once, and the parts of this dimension are combined.

// CHECK-LABEL: poly.scop @outer
// CHECK: poly.tile @S_tile
// CHECK: %[[PARTS:.*]] = npu.alloc : memref<3x16xf32, #npu.space<ub>>
// CHECK-NEXT: npu.reduce max %{{.*}} to %[[PARTS]] : memref<3x16x40xf32
// CHECK: scf.for %[[I:.*]] =
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[PARTS]][%[[I]], 0] [1, 16] [1, 1]
// CHECK-NEXT: npu.binary max %[[OUT:.*]], %[[PART]] to %[[OUT]]
func.func private @graph(%x: tensor<3x16x40xf32>) -> tensor<16xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 0, 2>, keep_dims = false} : (tensor<3x16x40xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}
poly.scop @outer reference @graph schedule {
  domain: "{ I[i] : 0 <= i < 16; S[j, i, k] : 0 <= i < 16 and 0 <= j < 3 and 0 <= k < 40 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[i] -> [(floor((i)/16))]; S[j, i, k] -> [(floor((i)/16))] }]",
      child: {
        mark: "local_UB",
        child: {
          sequence: [
            { filter: "{ I[i] }" },
            { filter: "{ S[j, i, k] }" }
          ]
        }
      }
    }
  }
} {
  poly.array @X input 0 : tensor<3x16x40xf32>
  poly.array @O output 0 : tensor<16xf32>
  poly.statement @I domain "{ I[i] : 0 <= i < 16 }" writes @O "{ I[i] -> O[i] }" {
    %least = arith.constant 0xFF800000 : f32
    poly.yield %least : f32
  }
  poly.statement @S domain "{ S[j, i, k] : 0 <= i < 16 and 0 <= j < 3 and 0 <= k < 40 }"
      reads [@O "{ S[j, i, k] -> O[i] }", @X "{ S[j, i, k] -> X[j, i, k] }"] writes @O "{ S[j, i, k] -> O[i] }" {
  ^bb0(%most: f32, %x: f32):
    %y = arith.maximumf %most, %x : f32
    poly.yield %y : f32
  }
}
