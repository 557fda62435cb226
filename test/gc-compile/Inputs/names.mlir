// Names that C has other uses for, and types that C has no names for.
func.func @names(%a: tensor<4x6xbf16> {graph.name = "int"},
                 %b: tensor<4x6xf16> {graph.name = "a*/b\22\\"},
                 %c: tensor<4x6xui8> {graph.name = "7"},
                 %d: tensor<4x6xi1> {graph.name = "arena"},
                 %e: tensor<f32> {graph.name = "E"},
                 %f: tensor<4x6xf32, #graph.layout<strided, [1, 5]>> {graph.name = "e"},
                 %g: tensor<f32> {graph.name = "INT8_MAX"},
                 %h: tensor<f32> {graph.name = "constant"})
    -> (tensor<4x6xf32>, tensor<4x6xbf16> {graph.name = "int"},
        tensor<4x6xf16>, tensor<4x6xui8>) {
  %0 = graph.add %f, %e
      : (tensor<4x6xf32, #graph.layout<strided, [1, 5]>>, tensor<f32>) -> tensor<4x6xf32>
  %gh = graph.add %g, %h : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %1 = graph.select %d, %0, %gh
      : (tensor<4x6xi1>, tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
  %2 = graph.relu %a : (tensor<4x6xbf16>) -> tensor<4x6xbf16>
  %3 = graph.relu %b : (tensor<4x6xf16>) -> tensor<4x6xf16>
  %4 = graph.dequantize %c {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x6xui8>) -> tensor<4x6xf32>
  %5 = graph.relu %4 : (tensor<4x6xf32>) -> tensor<4x6xf32>
  %6 = graph.quantize %5 {scales = array<f32: 0.5>, zps = array<i64: 3>} : (tensor<4x6xf32>) -> tensor<4x6xui8>
  return %1, %2, %3, %6 : tensor<4x6xf32>, tensor<4x6xbf16>, tensor<4x6xf16>, tensor<4x6xui8>
}
