// RUN: gc-runner %s --check | FileCheck %s

// The only public function runs; functions whose ops all fold away still copy
// what they return, as often as they return it.

// CHECK: check     passed
func.func @both(%x: tensor<4x3xf32>) -> (tensor<12xf32>, tensor<4x3xf32>, tensor<4x3xf32>) {
  %0 = graph.static_reshape %x {shape = array<i64: 12>} : (tensor<4x3xf32>) -> tensor<12xf32>
  graph.end %x : tensor<4x3xf32>
  return %0, %x, %x : tensor<12xf32>, tensor<4x3xf32>, tensor<4x3xf32>
}

func.func private @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
