// Many rows, so that each thread gets some.
func.func @layer(%x: tensor<6144x64xf32>, %w: tensor<64x64xf32>) -> tensor<6144x64xf32> {
  %0 = graph.matmul %x, %w : (tensor<6144x64xf32>, tensor<64x64xf32>) -> tensor<6144x64xf32>
  return %0 : tensor<6144x64xf32>
}
