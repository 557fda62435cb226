// Scores, softmax and values of two heads.
func.func @attention(%q: tensor<2x20x16xf32>, %k: tensor<2x24x16xf32>,
                     %v: tensor<2x24x16xf32>) -> tensor<2x20x16xf32> {
  %0 = graph.matmul %q, %k {transpose_b = true} : (tensor<2x20x16xf32>, tensor<2x24x16xf32>) -> tensor<2x20x24xf32>
  %1 = graph.softmax %0 {axis = 2 : i64} : (tensor<2x20x24xf32>) -> tensor<2x20x24xf32>
  %2 = graph.matmul %1, %v : (tensor<2x20x24xf32>, tensor<2x24x16xf32>) -> tensor<2x20x16xf32>
  return %2 : tensor<2x20x16xf32>
}
