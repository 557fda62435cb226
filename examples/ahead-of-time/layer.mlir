// A layer of a perceptron for CMakeLists.txt to compile: 2 x 3 inputs, 2 outputs.

func.func @layer(%x: tensor<2x3xf32> {graph.name = "x"},
                 %w: tensor<3x2xf32> {graph.const_arg, graph.name = "w"})
    -> (tensor<2x2xf32> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w
      : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = graph.relu %0 : (tensor<2x2xf32>) -> tensor<2x2xf32>
  return %1 : tensor<2x2xf32>
}
