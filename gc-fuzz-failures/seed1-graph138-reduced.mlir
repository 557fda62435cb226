// gc-runner --check --seed=139 --threads=1 --pipeline-options="kernel=auto machine=zen4-2"
module {
  func.func @main(%arg0: tensor<47x24xf32>, %arg1: tensor<47x24xf32, #graph.layout<strided, [1, 63]>>, %arg2: tensor<47xf32>, %arg3: tensor<24xf32>) -> tensor<24xf32> {
    %0 = graph.subtract %arg0, %arg1 : (tensor<47x24xf32>, tensor<47x24xf32, #graph.layout<strided, [1, 63]>>) -> tensor<47x24xf32>
    %1 = graph.matmul %arg2, %0, %arg3 : (tensor<47xf32>, tensor<47x24xf32>, tensor<24xf32>) -> tensor<24xf32>
    return %1 : tensor<24xf32>
  }
}
