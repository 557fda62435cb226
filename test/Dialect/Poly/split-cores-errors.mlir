// RUN: gc-opt %s --split-input-file --verify-diagnostics
// RUN: echo "module {}" | not gc-opt --poly-split-cores=cores=65 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: echo "module {}" | not gc-opt --poly-split-cores=cores=0 2>&1 | FileCheck %s --check-prefix=NONE

// MANY: 'cores' must be from 1 to 64, not 65
// NONE: 'cores' must be from 1 to 64, not 0

// No cores.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C7) is for 0 cores from number 0 on}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } attributes {cores = 0 : i64} {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Beside nothing.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C7) is beside @t, which is not a scop of @f of its own}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } attributes {beside = @t} {
  poly.array @X input 0 : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A number that another core has, and one that none has.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 4 }" } attributes {all_cores = 2 : i64} {
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 4 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}
// expected-error@+1 {{(C7) begins with core 0, but core 1 is the next one}}
poly.scop @t reference @f schedule { domain: "{ S0[i] : 0 <= i < 4 }" } attributes {all_cores = 2 : i64, beside = @s} {
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (4)>> : tensor<4xf16>
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (4)>> : tensor<4xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 4 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// More than there are.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
// expected-error@+1 {{(C7) shares the memory with 2 other cores, but with the scops beside it there are 2 cores}}
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 4 }" } attributes {all_cores = 3 : i64, cores = 2 : i64} {
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 4 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Two cores write the same.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 4 }" } attributes {cores = 2 : i64} {
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  // expected-error@+1 {{(C8) cores 0 and 1 write the same elements}}
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (d0 * 3)>> : tensor<4xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 4 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// All of them write everything.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } attributes {cores = 2 : i64} {
  poly.array @X input 0 : tensor<8xf16>
  // expected-error@+1 {{(C8) cores 0 and 1 write the same elements}}
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Some elements are written by none.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 3 }" } attributes {cores = 2 : i64} {
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (d0 * 3)>> : tensor<3xf16>
  // expected-error@+1 {{(C8) no core writes 2 elements of output 0}}
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (d0 * 3)>> : tensor<3xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 3 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A part that ends after the array.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 4 }" } attributes {cores = 2 : i64} {
  // expected-error@+1 {{(C8) core 1 sees [5, 9) of 8 elements}}
  poly.array @X input 0 part <[8] at affine_map<(d0) -> (d0 * 5)>> : tensor<4xf16>
  poly.array @Y output 0 part <[8] at affine_map<(d0) -> (d0 * 4)>> : tensor<4xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 4 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// A part of a temporary.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8; S1[i] : 0 <= i < 8 }" } {
  poly.array @X input 0 : tensor<8xf16>
  // expected-error@+1 {{(C3) is temporary, so it has no part}}
  poly.array @T temporary part <[16] at affine_map<(d0) -> (d0 * 8)>> : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @T "{ S0[i] -> T[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
  poly.statement @S1 domain "{ S1[i] : 0 <= i < 8 }" reads [@T "{ S1[i] -> T[i] }"] writes @Y "{ S1[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

// Another rank.
func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C3) has 1 dimensions, but is a part of an array of 2}}
  poly.array @X input 0 part <[1, 8] at affine_map<(d0) -> (0, d0)>> : tensor<8xf16>
  poly.array @Y output 0 : tensor<8xf16>
  poly.statement @S0 domain "{ S0[i] : 0 <= i < 8 }" reads [@X "{ S0[i] -> X[i] }"] writes @Y "{ S0[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

func.func private @f(tensor<8xf16>) -> tensor<8xf16>
poly.scop @s reference @f schedule { domain: "{ S0[i] : 0 <= i < 8 }" } {
  // expected-error@+1 {{(C1) needs a map of the core's number to 1 offsets}}
  poly.array @X input 0 part <[8] at affine_map<(d0, d1) -> (d0)>> : tensor<8xf16>
}
