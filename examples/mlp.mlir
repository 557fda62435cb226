// A perceptron of three layers. The weights do not change between calls, so that
// they are repacked once, when they arrive.
//
//   gc-runner mlp.mlir --check --bench         compile, run, compare, measure
//   gc-opt mlp.mlir --gc-cpu-pipeline=stop-after=fusion
//                                              what the compiler decided
//   gc-runner mlp.mlir --emit=asm              what it made

func.func @mlp(%x: tensor<128x479xf32> {graph.name = "x"},
               %w0: tensor<479x1024xf32> {graph.const_arg, graph.name = "w0"},
               %b0: tensor<1024xf32> {graph.const_arg, graph.name = "b0"},
               %w1: tensor<1024x256xf32> {graph.const_arg, graph.name = "w1"},
               %b1: tensor<256xf32> {graph.const_arg, graph.name = "b1"},
               %w2: tensor<256x1xf32> {graph.const_arg, graph.name = "w2"},
               %b2: tensor<1xf32> {graph.const_arg, graph.name = "b2"})
    -> tensor<128x1xf32> {
  %0 = graph.matmul %x, %w0, %b0
      : (tensor<128x479xf32>, tensor<479x1024xf32>, tensor<1024xf32>) -> tensor<128x1024xf32>
  %1 = graph.relu %0 : (tensor<128x1024xf32>) -> tensor<128x1024xf32>
  %2 = graph.matmul %1, %w1, %b1
      : (tensor<128x1024xf32>, tensor<1024x256xf32>, tensor<256xf32>) -> tensor<128x256xf32>
  %3 = graph.relu %2 : (tensor<128x256xf32>) -> tensor<128x256xf32>
  %4 = graph.matmul %3, %w2, %b2
      : (tensor<128x256xf32>, tensor<256x1xf32>, tensor<1xf32>) -> tensor<128x1xf32>
  %5 = graph.sigmoid %4 : (tensor<128x1xf32>) -> tensor<128x1xf32>
  return %5 : tensor<128x1xf32>
}
