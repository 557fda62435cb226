// RUN: gc-opt %s --split-input-file --verify-diagnostics --convert-poly-to-npu

func.func private @graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
// expected-error @+1 {{has the mark 'buffer:C', but no buffer of this name}}
poly.scop @f reference @graph schedule {
  domain: "{ T[0] }",
  child: {
    mark: "buffer:C",
    child: {
      schedule: "[{ T[t] -> [(t)] }]"
    }
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.buffer @B of @X : memref<128xf16, #npu.space<ub>>
  poly.tile @T domain "{ T[0] }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
}

// -----

func.func private @graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
// expected-error @+1 {{has the mark 'pipeline:0'; a number of at least 1 is needed}}
poly.scop @f reference @graph schedule {
  domain: "{ T[0] }",
  child: {
    mark: "pipeline:0",
    child: {
      schedule: "[{ T[t] -> [(t)] }]"
    }
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.buffer @B of @X : memref<128xf16, #npu.space<ub>>
  poly.tile @T domain "{ T[0] }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
}

// -----

func.func private @graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
poly.scop @f reference @graph schedule {
  domain: "{ T[0] }",
  child: {
    mark: "cube",
    child: {
      schedule: "[{ T[t] -> [(t)] }]"
    }
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.buffer @B of @X : memref<128xf16, #npu.space<ub>>
  poly.tile @T domain "{ T[0] }" {
  ^bb0(%t: index):
    // expected-error @+1 {{is used where @B is not: a temporary array without a buffer, or outside of the mark of the buffer}}
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
}

// -----

func.func private @graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
// expected-error @+1 {{executes @S, which is not a tile; run poly-tile-statements first}}
poly.scop @f reference @graph schedule {
  domain: "{ S[i] : 0 <= i < 128 }",
  child: {
    schedule: "[{ S[i] -> [(i)] }]"
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.statement @S domain "{ S[i] : 0 <= i < 128 }"
      reads [@X "{ S[i] -> X[i] }"] writes @Y "{ S[i] -> Y[i] }" {
  ^bb0(%x: f16):
    poly.yield %x : f16
  }
}

// -----

func.func private @graph(%x: tensor<128xf16>) -> tensor<128xf16> {
  %y = graph.relu %x : (tensor<128xf16>) -> tensor<128xf16>
  return %y : tensor<128xf16>
}
// expected-error @+1 {{has the mark 'stage:0'; a number of at least 1 is needed}}
poly.scop @f reference @graph schedule {
  domain: "{ T[0] }",
  child: {
    mark: "stage:0",
    child: {
      schedule: "[{ T[t] -> [(t)] }]"
    }
  }
} {
  poly.array @X input 0 : tensor<128xf16>
  poly.array @Y output 0 : tensor<128xf16>
  poly.buffer @B of @X : memref<128xf16, #npu.space<ub>>
  poly.tile @T domain "{ T[0] }" {
  ^bb0(%t: index):
    %b = poly.ref @B : memref<128xf16, #npu.space<ub>>
    npu.unary relu %b to %b : memref<128xf16, #npu.space<ub>> to memref<128xf16, #npu.space<ub>>
  }
}
