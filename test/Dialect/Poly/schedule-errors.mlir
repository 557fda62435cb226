// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A statement reads what a later one writes: statements are in the order of the
// operator.

// RUN: gc-opt %s --pass-pipeline='builtin.module(poly.scop(poly-schedule))' -verify-diagnostics

func.func private @swapped_graph(tensor<64xf16>) -> tensor<64xf16>
// expected-error@+1 {{statement @S_0 reads what @S_1 writes later}}
poly.scop @swapped reference @swapped_graph schedule {
  domain: "{ S_0[i] : 0 <= i < 64; S_1[i] : 0 <= i < 64 }",
  child: {
    sequence: [
      { filter: "{ S_0[i] }", child: { schedule: "[{ S_0[i] -> [(i)] }]" } },
      { filter: "{ S_1[i] }", child: { schedule: "[{ S_1[i] -> [(i)] }]" } }
    ]
  }
} {
  poly.array @X input 0 : tensor<64xf16>
  poly.array @T temporary : tensor<64xf16>
  poly.array @Y output 0 : tensor<64xf16>
  poly.statement @S_0 domain "{ S_0[i] : 0 <= i < 64 }" reads [@T "{ S_0[i] -> T[i] }"] writes @Y "{ S_0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  poly.statement @S_1 domain "{ S_1[i] : 0 <= i < 64 }" reads [@X "{ S_1[i] -> X[i] }"] writes @T "{ S_1[i] -> T[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}
