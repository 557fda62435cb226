// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline="builtin.module(poly.scop(poly-promote,poly-tile-statements))"

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
  // expected-error @+1 {{writes @O with its dimensions in another order than its iterations}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @O "{ S[i, j] -> O[j, i] }" {
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

// -----

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    schedule: "[{ S[i, j] -> [(i)] }]"
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  // expected-error @+1 {{uses @I with its dimensions in another order than a use before it}}
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[j, i] }", @I "{ S[i, j] -> I[i, j] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: f32, %t: f32):
    %y = arith.addf %x, %t : f32
    poly.yield %y : f32
  }
}

// -----

func.func private @graph(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = graph.abs %x : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64; R[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    mark: "tile:UB",
    child: {
      schedule: "[{ S[i, j] -> [(floor((i)/64))]; R[i, j] -> [(floor((i)/64))] }]",
      child: {
        sequence: [
          { filter: "{ S[i, j] }" },
          { filter: "{ R[i, j] }" }
        ]
      }
    }
  }
} {
  poly.array @I input 0 : tensor<64x64xf32>
  poly.array @T temporary : tensor<64x64xf32>
  poly.array @O output 0 : tensor<64x64xf32>
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[i, j] }"] writes @T "{ S[i, j] -> T[i, j] }" {
  ^bb0(%x: f32):
    %y = math.absf %x : f32
    poly.yield %y : f32
  }
  // expected-error @+1 {{uses @T with its dimensions in another order than a use before it}}
  poly.statement @R domain "{ R[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@T "{ R[i, j] -> T[j, i] }"] writes @O "{ R[i, j] -> O[i, j] }" {
  ^bb0(%x: f32):
    poly.yield %x : f32
  }
}

// -----

func.func private @graph(%x: tensor<64x64xi8>) -> tensor<64x64xi8> {
  return %x : tensor<64x64xi8>
}
poly.scop @f reference @graph schedule {
  domain: "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }",
  child: {
    schedule: "[{ S[i, j] -> [(i)] }]"
  }
} {
  // expected-error @+1 {{has elements of i8 in another order than the iterations that read them; the vector unit moves elements of 16 and 32 bits}}
  poly.array @I input 0 : tensor<64x64xi8>
  poly.array @O output 0 : tensor<64x64xi8>
  poly.statement @S domain "{ S[i, j] : 0 <= i < 64 and 0 <= j < 64 }"
      reads [@I "{ S[i, j] -> I[j, i] }"] writes @O "{ S[i, j] -> O[i, j] }" {
  ^bb0(%x: i8):
    poly.yield %x : i8
  }
}
