func.func @layer(%x: tensor<24x40xf32> {graph.name = "x"},
                 %w: tensor<40x72xf32> {graph.const_arg, graph.name = "w"},
                 %b: tensor<72xf32> {graph.const_arg, graph.name = "b"})
    -> (tensor<24x72xf32> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w, %b
      : (tensor<24x40xf32>, tensor<40x72xf32>, tensor<72xf32>) -> tensor<24x72xf32>
  %1 = graph.softmax %0 {axis = 1} : (tensor<24x72xf32>) -> tensor<24x72xf32>
  return %1 : tensor<24x72xf32>
}
