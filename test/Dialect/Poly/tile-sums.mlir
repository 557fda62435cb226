// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))" | FileCheck %s

// The squares of a column are on the diagonal of the matrix's product with its
// own transpose.

// CHECK: poly.scop @sums
// CHECK: mark: "pipeline:4"
// CHECK: filter: "{ pack_X[i0, i1] }"
// CHECK: mark: "pipeline:2"
// CHECK: poly.buffer @X_l1 of @X : memref<4x{{.*}}x16xf16, #npu.space<l1>>
// CHECK: poly.buffer @X_l0c of @O : memref<4x1x16x16xf32, #npu.space<l0c>>
// CHECK: poly.tile @ones
// CHECK: npu.transpose
// CHECK: npu.compare eq
// CHECK: poly.tile @pack_X
// CHECK: npu.pack %{{.*}} to %{{.*}} up_to
// CHECK: poly.tile @fractals_X
// CHECK-COUNT-2: npu.load_fractals %{{.*}} transposed
// CHECK: poly.tile @S_tile
// CHECK-COUNT-4: npu.matmul %{{.*}} : memref<1x{{.*}}x16x16xf16, {{.*}}>, memref<{{.*}}x1x16x16xf16, {{.*}}> into memref<1x1x16x16xf32
// CHECK-NOT: npu.matmul
// CHECK: poly.tile @store_O
// CHECK: npu.drain
// CHECK-COUNT-4: npu.select
// CHECK: npu.reduce sum
// CHECK: npu.unpack
func.func private @graph(%x: tensor<1000x64xf16>) -> tensor<64xf32> {
  %0 = graph.type_cast %x : tensor<1000x64xf16> -> tensor<1000x64xf32>
  %1 = graph.multiply %0, %0 : (tensor<1000x64xf32>, tensor<1000x64xf32>) -> tensor<1000x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>, keep_dims = false} : (tensor<1000x64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
poly.scop @sums reference @graph schedule {
  domain: "{ I[j] : 0 <= j < 64; S[i, j] : 0 <= i < 1000 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[j] -> [(floor((j)/64))]; S[i, j] -> [(floor((j)/64))] }]",
      child: {
        mark: "cube",
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
  poly.array @X input 0 : tensor<1000x64xf16>
  poly.array @O output 0 : tensor<64xf32>
  poly.statement @I domain "{ I[j] : 0 <= j < 64 }" writes @O "{ I[j] -> O[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S domain "{ S[i, j] : 0 <= i < 1000 and 0 <= j < 64 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %y = arith.addf %sum, %square : f32
    poly.yield %y : f32
  }
}
