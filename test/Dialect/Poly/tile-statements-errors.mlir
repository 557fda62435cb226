// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(poly.scop(poly-tile-statements))"

// What has no form in tiles of the vector unit is an error at the statement.

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/16))] }]"
    }
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  // expected-error @+1 {{has 'math.sin', which the vector unit cannot compute}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %y = math.sin %x : f32
    poly.yield %y : f32
  }
}

// -----

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/16))] }]"
    }
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  // expected-error @+1 {{has @I with its dimensions in another order than its iterations; transposes within a tile are not supported}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[j, i] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    poly.yield %y : f32
  }
}

// -----

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/16))] }]"
    }
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  // expected-error @+1 {{which is not one iteration dimension}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, 63 - j] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    poly.yield %y : f32
  }
}

// -----

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/16))] }]"
    }
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  // expected-error @+1 {{compares with 'ult', which the vector unit cannot}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    %zero = arith.constant 0.0 : f32
    %c = arith.cmpf ult, %x, %zero : f32
    %y = arith.select %c, %zero, %x : f32
    poly.yield %y : f32
  }
}
