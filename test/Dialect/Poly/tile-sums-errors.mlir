// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))"

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
      schedule: "[{ I[j] -> [(floor((j)/32))]; S[i, j] -> [(floor((j)/32))] }]",
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
  // expected-error @+1 {{has sums as products in tiles of 32 iterations in dimension 1; 64 are needed}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 1000 and 0 <= j < 64 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %y = arith.addf %sum, %square : f32
    poly.yield %y : f32
  }
}

// -----

func.func private @graph(%x: tensor<1000x64xf16>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = graph.type_cast %x : tensor<1000x64xf16> -> tensor<1000x64xf32>
  %1 = graph.reduce_sum %0 {axes = array<i64: 0>, keep_dims = false} : (tensor<1000x64xf32>) -> tensor<64xf32>
  return %1, %1 : tensor<64xf32>, tensor<64xf32>
}
// expected-error @+1 {{has sums as products in one of 2 nests; they have to be all that it computes}}
poly.scop @sums reference @graph schedule {
  domain: "{ I[j] : 0 <= j < 64; S[i, j] : 0 <= i < 1000 and 0 <= j < 64; J[j] : 0 <= j < 64; R[i, j] : 0 <= i < 1000 and 0 <= j < 64 }",
  child: {
    sequence: [
      { filter: "{ I[j]; S[i, j] }",
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
        } },
      { filter: "{ J[j]; R[i, j] }",
        child: {
          mark: "tile:UB",
          child: {
            schedule: "[{ J[j] -> [(floor((j)/64))]; R[i, j] -> [(floor((j)/64))] }]",
            child: {
              mark: "cube",
              child: {
                sequence: [
                  { filter: "{ J[j] }" },
                  { filter: "{ R[i, j] }" }
                ]
              }
            }
          }
        } }
    ]
  }
} {
  poly.array @X input 0 : tensor<1000x64xf16>
  poly.array @O output 0 : tensor<64xf32>
  poly.array @P output 1 : tensor<64xf32>
  poly.statement @I domain "{ I[j] : 0 <= j < 64 }" writes @O "{ I[j] -> O[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S domain "{ S[i, j] : 0 <= i < 1000 and 0 <= j < 64 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %wide = arith.extf %x : f16 to f32
    %y = arith.addf %sum, %wide : f32
    poly.yield %y : f32
  }
  poly.statement @J domain "{ J[j] : 0 <= j < 64 }" writes @P "{ J[j] -> P[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @R domain "{ R[i, j] : 0 <= i < 1000 and 0 <= j < 64 }"
      reads [@P "{ R[i, j] -> P[j] }", @X "{ R[i, j] -> X[i, j] }"] writes @P "{ R[i, j] -> P[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %wide = arith.extf %x : f16 to f32
    %y = arith.addf %sum, %wide : f32
    poly.yield %y : f32
  }
}
