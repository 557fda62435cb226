// RUN: gc-opt %s --gc-memref-abi-calls --verify-diagnostics

func.func private @layer(%x: tensor<4xsi32>) -> tensor<4xsi32> {
  %0 = graph.add %x, %x : (tensor<4xsi32>, tensor<4xsi32>) -> tensor<4xsi32>
  return %0 : tensor<4xsi32>
}

func.func @program(%x: tensor<4xsi32>) -> tensor<4xsi32> {
  // expected-error @+1 {{passes 'tensor<4xsi32>', which has no plain memref}}
  %0 = call @layer(%x) : (tensor<4xsi32>) -> tensor<4xsi32>
  return %0 : tensor<4xsi32>
}
