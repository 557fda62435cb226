func.func @product(%x: tensor<64x48xf32> {graph.name = "x"},
                   %w: tensor<48x80xf32> {graph.const_arg, graph.name = "w"})
    -> (tensor<64x80xf32> {graph.name = "y"}) {
  %0 = graph.matmul %x, %w
      : (tensor<64x48xf32>, tensor<48x80xf32>) -> tensor<64x80xf32>
  %1 = graph.relu %0 : (tensor<64x80xf32>) -> tensor<64x80xf32>
  return %1 : tensor<64x80xf32>
}
