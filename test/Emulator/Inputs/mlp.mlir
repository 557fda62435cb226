// Two layers with tails in every dimension.
func.func @mlp(%x: tensor<9x21xf32>, %w0: tensor<21x37xf32> {graph.const_arg},
               %b0: tensor<37xf32> {graph.const_arg},
               %w1: tensor<37x19xf32> {graph.const_arg}) -> tensor<9x19xf32> {
  %0 = graph.matmul %x, %w0, %b0 : (tensor<9x21xf32>, tensor<21x37xf32>, tensor<37xf32>) -> tensor<9x37xf32>
  %1 = graph.relu %0 : (tensor<9x37xf32>) -> tensor<9x37xf32>
  %2 = graph.matmul %1, %w1 : (tensor<9x37xf32>, tensor<37x19xf32>) -> tensor<9x19xf32>
  %3 = graph.sigmoid %2 : (tensor<9x19xf32>) -> tensor<9x19xf32>
  return %3 : tensor<9x19xf32>
}
