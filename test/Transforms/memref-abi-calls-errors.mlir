// RUN: gc-opt %s --split-input-file --gc-memref-abi-calls --verify-diagnostics

// A boolean is a byte in a graph and a bit in a memref.

func.func private @layer(%x: tensor<4xf32>) -> tensor<4xi1> {
  %0 = graph.greater_equal %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

func.func @program(%x: tensor<4xf32>) -> tensor<4xi1> {
  // expected-error @+1 {{passes 'tensor<4xi1>', which has no plain memref}}
  %0 = call @layer(%x) : (tensor<4xf32>) -> tensor<4xi1>
  return %0 : tensor<4xi1>
}

// -----

func.func private @layer__memref(i32)

func.func private @layer(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = graph.exp %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

func.func @program(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{needs the name @layer__memref, which is that of something else}}
  %0 = call @layer(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
