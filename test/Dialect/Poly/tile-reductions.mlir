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

// -----

// Columns: an instruction takes a group of rows at a time, here half of all 37.
// The one that is left is added to the first ones of the group, which is halved
// until one row is left: 18, 9, 5, 3, 2, 1.

// CHECK-LABEL: poly.scop @columns
// CHECK: poly.tile @S_tile
// CHECK: %[[ALL:.*]] = memref.subview %{{.*}}[0, 0] [37, 20]
// CHECK: %[[OUT:.*]] = poly.ref @O_ub
// CHECK: npu.alloc : memref<18x32xf32, #npu.space<ub>>
// CHECK-NEXT: %[[SUMS:.*]] = memref.subview %{{.*}}[0, 0] [18, 20]
// CHECK-NEXT: %[[A:.*]] = memref.subview %[[ALL]][0, 0] [18, 20]
// CHECK-NEXT: %[[B:.*]] = memref.subview %[[ALL]][18, 0] [18, 20]
// CHECK-NEXT: npu.binary add %[[A]], %[[B]] to %[[SUMS]]
// CHECK-NOT: scf.for
// CHECK: %[[A:.*]] = memref.subview %[[SUMS]][0, 0] [1, 20]
// CHECK-NEXT: %[[B:.*]] = memref.subview %[[ALL]][36, 0] [1, 20]
// CHECK-NEXT: npu.binary add %[[A]], %[[B]] to %[[A]]
// CHECK-NEXT: %[[A:.*]] = memref.subview %[[SUMS]][0, 0] [9, 20]
// CHECK-NEXT: %[[B:.*]] = memref.subview %[[SUMS]][9, 0] [9, 20]
// CHECK-NEXT: npu.binary add %[[A]], %[[B]] to %[[A]]
// CHECK-NEXT: memref.subview %[[SUMS]][0, 0] [4, 20]
// CHECK-NEXT: memref.subview %[[SUMS]][5, 0] [4, 20]
// CHECK-NEXT: npu.binary add
// CHECK-NEXT: memref.subview %[[SUMS]][0, 0] [2, 20]
// CHECK-NEXT: memref.subview %[[SUMS]][3, 0] [2, 20]
// CHECK-NEXT: npu.binary add
// CHECK-NEXT: memref.subview %[[SUMS]][0, 0] [1, 20]
// CHECK-NEXT: memref.subview %[[SUMS]][2, 0] [1, 20]
// CHECK-NEXT: npu.binary add
// CHECK-NEXT: memref.subview %[[SUMS]][0, 0] [1, 20]
// CHECK-NEXT: memref.subview %[[SUMS]][1, 0] [1, 20]
// CHECK-NEXT: npu.binary add
// CHECK-NEXT: %[[LAST:.*]] = memref.subview %[[SUMS]][0, 0] [1, 20]
// CHECK-NEXT: npu.binary add %[[OUT]], %[[LAST]] to %[[OUT]]
// CHECK-NOT: npu.binary
// CHECK: poly.tile @store_O
func.func private @graph(%x: tensor<37x20xf32>) -> tensor<20xf32> {
  %0 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = false} : (tensor<37x20xf32>) -> tensor<20xf32>
  return %0 : tensor<20xf32>
}
poly.scop @columns reference @graph schedule {
  domain: "{ I[j] : 0 <= j < 20; S[i, j] : 0 <= i < 37 and 0 <= j < 20 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[j] -> [(floor((j)/20))]; S[i, j] -> [(floor((j)/20))] }]",
      child: {
        mark: "local_UB",
        child: {
          sequence: [
            { filter: "{ I[j] }" },
            { filter: "{ S[i, j] }" }
          ]
        }
      }
    }
  }
} {
  poly.array @X input 0 : tensor<37x20xf32>
  poly.array @O output 0 : tensor<20xf32>
  poly.statement @I domain "{ I[j] : 0 <= j < 20 }" writes @O "{ I[j] -> O[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S domain "{ S[i, j] : 0 <= i < 37 and 0 <= j < 20 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f32):
    %y = arith.addf %sum, %x : f32
    poly.yield %y : f32
  }
}

// -----

// Groups of 16 KB are 8 rows of 512 f32. With another reduced dimension, which
// has a loop of its own, the result begins as the neutral element. 20 rows are two
// groups and the rest of 4 rows.

// CHECK-LABEL: poly.scop @dimensions
// CHECK: poly.tile @S_tile
// CHECK: poly.ref @X_ub
// CHECK: %[[OUT:.*]] = poly.ref @O_ub
// CHECK: %[[GROUP:.*]] = npu.alloc : memref<8x512xf32, #npu.space<ub>>
// CHECK-NEXT: %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-NEXT: npu.fill %[[LEAST]] to %[[GROUP]]
// CHECK: %[[END:.*]] = arith.constant 3 : index
// CHECK-NEXT: scf.for %[[J:.*]] = %{{.*}} to %[[END]]
// CHECK-NEXT: %[[OWN:.*]] = memref.subview %{{.*}}[%[[J]], 0, 0] [1, 20, 512]
// CHECK: %[[COUNT:.*]] = arith.constant 2 : index
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]]
// CHECK-NEXT: %[[BEGIN:.*]] = affine.apply {{.*}}(%[[I]])
// CHECK-NEXT: %[[PART:.*]] = memref.subview %[[OWN]][%[[BEGIN]], 0] [8, 512]
// CHECK-NEXT: npu.binary max %[[GROUP]], %[[PART]] to %[[GROUP]]
// CHECK-NEXT: }
// CHECK-NEXT: %[[LOW:.*]] = memref.subview %[[GROUP]][0, 0] [4, 512]
// CHECK-NEXT: %[[REST:.*]] = memref.subview %[[OWN]][16, 0] [4, 512]
// CHECK-NEXT: npu.binary max %[[LOW]], %[[REST]] to %[[LOW]]
// CHECK-NEXT: }
// CHECK-COUNT-3: npu.binary max
// CHECK: %[[LAST:.*]] = memref.subview %[[GROUP]][0, 0] [1, 512]
// CHECK-NEXT: npu.binary max %[[OUT]], %[[LAST]] to %[[OUT]]
// CHECK-NOT: npu.binary
// CHECK: poly.tile @store_O
func.func private @graph(%x: tensor<3x20x512xf32>) -> tensor<512xf32> {
  %0 = graph.reduce_max %x {axes = array<i64: 0, 1>, keep_dims = false} : (tensor<3x20x512xf32>) -> tensor<512xf32>
  return %0 : tensor<512xf32>
}
poly.scop @dimensions reference @graph schedule {
  domain: "{ I[k] : 0 <= k < 512; S[j, i, k] : 0 <= i < 20 and 0 <= j < 3 and 0 <= k < 512 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[k] -> [(floor((k)/512))]; S[j, i, k] -> [(floor((k)/512))] }]",
      child: {
        mark: "local_UB",
        child: {
          sequence: [
            { filter: "{ I[k] }" },
            { filter: "{ S[j, i, k] }" }
          ]
        }
      }
    }
  }
} {
  poly.array @X input 0 : tensor<3x20x512xf32>
  poly.array @O output 0 : tensor<512xf32>
  poly.statement @I domain "{ I[k] : 0 <= k < 512 }" writes @O "{ I[k] -> O[k] }" {
    %least = arith.constant 0xFF800000 : f32
    poly.yield %least : f32
  }
  poly.statement @S domain "{ S[j, i, k] : 0 <= i < 20 and 0 <= j < 3 and 0 <= k < 512 }"
      reads [@O "{ S[j, i, k] -> O[k] }", @X "{ S[j, i, k] -> X[j, i, k] }"] writes @O "{ S[j, i, k] -> O[k] }" {
  ^bb0(%most: f32, %x: f32):
    %y = arith.maximumf %most, %x : f32
    poly.yield %y : f32
  }
}
