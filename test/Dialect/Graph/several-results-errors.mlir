// RUN: gc-test-opt %s -split-input-file -verify-diagnostics

func.func @reduction(%x: tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>) {
  %f:2 = graph.fused_op -> (tensor<8x1xf32>, tensor<8x1xf32>) {
    // expected-error @+1 {{(C2) is a reduction with 2 results}}
    %0, %1 = test_graph.reduce_twice %x : (tensor<8x64xf32>) -> (tensor<8x1xf32>, tensor<8x1xf32>)
    graph.yield %0, %1 : tensor<8x1xf32>, tensor<8x1xf32>
  }
  return %f#0, %f#1 : tensor<8x1xf32>, tensor<8x1xf32>
}
