// RUN: gc-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(poly.scop(poly-map-units))'

// A tree without loops: poly-extract gives every statement one.

func.func private @graph(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}
// expected-error @+1 {{has no loop over tiles; kernels of a single element are not supported}}
poly.scop @f reference @graph schedule {
  domain: "{ S[] }"
} {
  poly.array @I input 0 : tensor<f32>
  poly.array @O output 0 : tensor<f32>
  poly.statement @S domain "{ S[] }" reads [@I "{ S[] -> I[] }"] writes @O "{ S[] -> O[] }" {
  ^bb0(%x: f32):
    poly.yield %x : f32
  }
}
