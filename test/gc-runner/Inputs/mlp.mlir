// A layer with constant weights: fold function, prepacked weights, one region.
func.func @mlp(%x: tensor<33x13xf32> {graph.name = "x"},
               %w: tensor<13x70xf32> {graph.const_arg, graph.name = "w"},
               %b: tensor<70xf32> {graph.const_arg}) -> tensor<33x70xf32> {
  %0 = graph.matmul %x, %w, %b : (tensor<33x13xf32>, tensor<13x70xf32>, tensor<70xf32>) -> tensor<33x70xf32>
  %1 = graph.relu %0 : (tensor<33x70xf32>) -> tensor<33x70xf32>
  return %1 : tensor<33x70xf32>
}
