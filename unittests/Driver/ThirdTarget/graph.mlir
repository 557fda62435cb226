func.func @layer(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>)
    -> tensor<8x16xf32> {
  %0 = graph.add %x, %y : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
  %1 = graph.relu %0 : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

func.func @other(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %0 = graph.exp %x : (tensor<8x16xf32>) -> tensor<8x16xf32>
  return %0 : tensor<8x16xf32>
}
