// A residual block of ResNet-50 at 28 x 28 pixels: 1x1, 3x3 and 1x1 convolutions,
// each with a bias, and the block's input added at the end. Channels are last.
//
//   gc-runner examples/bottleneck.mlir --check
//   gc-opt examples/bottleneck.mlir --gc-cpu-pipeline=stop-after=graph

func.func @main(%x: tensor<1x28x28x512xf32>,
                %w0: tensor<1x1x512x128xf32> {graph.const_arg}, %b0: tensor<128xf32> {graph.const_arg},
                %w1: tensor<3x3x128x128xf32> {graph.const_arg}, %b1: tensor<128xf32> {graph.const_arg},
                %w2: tensor<1x1x128x512xf32> {graph.const_arg}, %b2: tensor<512xf32> {graph.const_arg})
    -> tensor<1x28x28x512xf32> {
  %0 = graph.convolution %x, %w0, %b0 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>}
      : (tensor<1x28x28x512xf32>, tensor<1x1x512x128xf32>, tensor<128xf32>) -> tensor<1x28x28x128xf32>
  %1 = graph.relu %0 : (tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32>
  %2 = graph.convolution %1, %w1, %b1 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 1, 1>, pads_end = array<i64: 1, 1>}
      : (tensor<1x28x28x128xf32>, tensor<3x3x128x128xf32>, tensor<128xf32>) -> tensor<1x28x28x128xf32>
  %3 = graph.relu %2 : (tensor<1x28x28x128xf32>) -> tensor<1x28x28x128xf32>
  %4 = graph.convolution %3, %w2, %b2 {strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, pads_begin = array<i64: 0, 0>, pads_end = array<i64: 0, 0>}
      : (tensor<1x28x28x128xf32>, tensor<1x1x128x512xf32>, tensor<512xf32>) -> tensor<1x28x28x512xf32>
  %5 = graph.add %4, %x : (tensor<1x28x28x512xf32>, tensor<1x28x28x512xf32>) -> tensor<1x28x28x512xf32>
  %6 = graph.relu %5 : (tensor<1x28x28x512xf32>) -> tensor<1x28x28x512xf32>
  return %6 : tensor<1x28x28x512xf32>
}
