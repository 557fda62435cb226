// Softmax of a product, in TOSA.

func.func @attend(%x: tensor<1x16x32xf32>, %w: tensor<1x32x64xf32>) -> tensor<1x16x64xf32> {
  %zp = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %shift = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
  %0 = tosa.matmul %x, %w, %zp, %zp : (tensor<1x16x32xf32>, tensor<1x32x64xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x16x64xf32>
  %1 = tosa.reduce_max %0 {axis = 2 : i32} : (tensor<1x16x64xf32>) -> tensor<1x16x1xf32>
  %2 = tosa.sub %0, %1 : (tensor<1x16x64xf32>, tensor<1x16x1xf32>) -> tensor<1x16x64xf32>
  %3 = tosa.exp %2 : (tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
  %4 = tosa.reduce_sum %3 {axis = 2 : i32} : (tensor<1x16x64xf32>) -> tensor<1x16x1xf32>
  %5 = tosa.reciprocal %4 : (tensor<1x16x1xf32>) -> tensor<1x16x1xf32>
  %6 = tosa.mul %3, %5, %shift : (tensor<1x16x64xf32>, tensor<1x16x1xf32>, tensor<1xi8>) -> tensor<1x16x64xf32>
  %7 = tosa.sin %6 : (tensor<1x16x64xf32>) -> tensor<1x16x64xf32>
  return %7 : tensor<1x16x64xf32>
}
