// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(poly.scop(poly-map-units))" | FileCheck %s
// RUN: gc-opt %s --split-input-file --pass-pipeline="builtin.module(poly.scop(poly-map-units))" --remarks-filter=poly-map-units --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Sums over rows go to the unit that takes fewer cycles.

// CHECK: mark: "cube"
// CHECK-NOT: local_UB
// REMARK: [Passed] ColumnSums {{.*}}Reason="{{[0-9]+}} cycles instead of {{[0-9]+}} of the vector unit", Remark="sums of the columns of @X are products of the cube unit"
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
        schedule: "[{ I[j] -> [(j)]; S[i, j] -> [(j)] }]",
        child: {
          sequence: [
            { filter: "{ I[j] }" },
            { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [(i)] }]" } }
          ]
        }
      }
    }
  }
} attributes {policy = "S : 1000 @ UB, 64 @ UB"} {
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

// -----

// CHECK: mark: "local_UB"
// REMARK: [Missed] ColumnSums {{.*}}Reason="{{[0-9]+}} cycles instead of {{[0-9]+}} of the cube unit", Remark="sums of the columns of @X stay on the vector unit"
func.func private @graph(%x: tensor<10x64xf16>) -> tensor<64xf32> {
  %0 = graph.type_cast %x : tensor<10x64xf16> -> tensor<10x64xf32>
  %1 = graph.multiply %0, %0 : (tensor<10x64xf32>, tensor<10x64xf32>) -> tensor<10x64xf32>
  %2 = graph.reduce_sum %1 {axes = array<i64: 0>, keep_dims = false} : (tensor<10x64xf32>) -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
poly.scop @sums reference @graph schedule {
  domain: "{ I[j] : 0 <= j < 64; S[i, j] : 0 <= i < 10 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ I[j] -> [(floor((j)/64))]; S[i, j] -> [(floor((j)/64))] }]",
      child: {
        schedule: "[{ I[j] -> [(j)]; S[i, j] -> [(j)] }]",
        child: {
          sequence: [
            { filter: "{ I[j] }" },
            { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [(i)] }]" } }
          ]
        }
      }
    }
  }
} attributes {policy = "S : 10 @ UB, 64 @ UB"} {
  poly.array @X input 0 : tensor<10x64xf16>
  poly.array @O output 0 : tensor<64xf32>
  poly.statement @I domain "{ I[j] : 0 <= j < 64 }" writes @O "{ I[j] -> O[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S domain "{ S[i, j] : 0 <= i < 10 and 0 <= j < 64 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %wide = arith.extf %x : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %y = arith.addf %sum, %square : f32
    poly.yield %y : f32
  }
}

// -----

// CHECK: mark: "local_UB"
// REMARK: [Missed] ColumnSums {{.*}}Reason="tiles do not have all rows of a block of columns"
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
        schedule: "[{ I[j] -> [(j)]; S[i, j] -> [(j)] }]",
        child: {
          sequence: [
            { filter: "{ I[j] }" },
            { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [(i)] }]" } }
          ]
        }
      }
    }
  }
} attributes {policy = "S : 1000 @ UB, 32 @ UB"} {
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

// -----

// Squares that were rounded to f16 are not those of the cube unit.

// CHECK: mark: "local_UB"
// REMARK-NOT: ColumnSums
func.func private @graph(%x: tensor<1000x64xf16>) -> tensor<64xf32> {
  %0 = graph.multiply %x, %x : (tensor<1000x64xf16>, tensor<1000x64xf16>) -> tensor<1000x64xf16>
  %1 = graph.type_cast %0 : tensor<1000x64xf16> -> tensor<1000x64xf32>
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
        schedule: "[{ I[j] -> [(j)]; S[i, j] -> [(j)] }]",
        child: {
          sequence: [
            { filter: "{ I[j] }" },
            { filter: "{ S[i, j] }", child: { schedule: "[{ S[i, j] -> [(i)] }]" } }
          ]
        }
      }
    }
  }
} attributes {policy = "S : 1000 @ UB, 64 @ UB"} {
  poly.array @X input 0 : tensor<1000x64xf16>
  poly.array @O output 0 : tensor<64xf32>
  poly.statement @I domain "{ I[j] : 0 <= j < 64 }" writes @O "{ I[j] -> O[j] }" {
    %zero = arith.constant 0.0 : f32
    poly.yield %zero : f32
  }
  poly.statement @S domain "{ S[i, j] : 0 <= i < 1000 and 0 <= j < 64 }"
      reads [@O "{ S[i, j] -> O[j] }", @X "{ S[i, j] -> X[i, j] }"] writes @O "{ S[i, j] -> O[j] }" {
  ^bb0(%sum: f32, %x: f16):
    %product = arith.mulf %x, %x : f16
    %square = arith.extf %product : f16 to f32
    %y = arith.addf %sum, %square : f32
    poly.yield %y : f32
  }
}
