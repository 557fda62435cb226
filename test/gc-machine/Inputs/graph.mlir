func.func @graph(%x: tensor<512x64xf32>, %w: tensor<64x64xf32> {graph.const_arg}) -> tensor<512x64xf32> {
  %0 = graph.matmul %x, %w : (tensor<512x64xf32>, tensor<64x64xf32>) -> tensor<512x64xf32>
  return %0 : tensor<512x64xf32>
}
