// A chain with transcendental functions and a reduction; 67 columns are four
// vectors of 16 and a tail.
func.func @elementwise(%x: tensor<13x67xf32>, %y: tensor<67xf32>) -> tensor<13x1xf32> {
  %0 = graph.add %x, %y : (tensor<13x67xf32>, tensor<67xf32>) -> tensor<13x67xf32>
  %1 = graph.tanh %0 : (tensor<13x67xf32>) -> tensor<13x67xf32>
  %2 = graph.exp %1 : (tensor<13x67xf32>) -> tensor<13x67xf32>
  %3 = graph.multiply %2, %x : (tensor<13x67xf32>, tensor<13x67xf32>) -> tensor<13x67xf32>
  %4 = graph.reduce_sum %3 {axes = array<i64: 1>, keep_dims = true} : (tensor<13x67xf32>) -> tensor<13x1xf32>
  return %4 : tensor<13x1xf32>
}
