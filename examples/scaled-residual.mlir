// Matmuls are not all there is: a batched product without constants, a scale
// and a residual with numpy's broadcasting, and a clamp.
//
//   gc-runner scaled-residual.mlir --check

func.func @scaled_residual(%a: tensor<4x30x64xf32> {graph.name = "a"},
                           %b: tensor<4x50x64xf32> {graph.name = "b"},
                           %scale: tensor<4x1x50xf32> {graph.name = "scale"},
                           %rest: tensor<30x50xf32> {graph.name = "rest"})
    -> tensor<4x30x50xf32> {
  %0 = graph.matmul %a, %b {transpose_b = true}
      : (tensor<4x30x64xf32>, tensor<4x50x64xf32>) -> tensor<4x30x50xf32>
  %1 = graph.multiply %0, %scale
      : (tensor<4x30x50xf32>, tensor<4x1x50xf32>) -> tensor<4x30x50xf32>
  %2 = graph.add %1, %rest
      : (tensor<4x30x50xf32>, tensor<30x50xf32>) -> tensor<4x30x50xf32>
  %3 = graph.clamp %2 {min = -4.0 : f32, max = 4.0 : f32}
      : (tensor<4x30x50xf32>) -> tensor<4x30x50xf32>
  return %3 : tensor<4x30x50xf32>
}
