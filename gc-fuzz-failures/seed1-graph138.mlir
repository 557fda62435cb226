// gc-runner --check --seed=139 --threads=1 --pipeline-options="kernel=auto machine=zen4-2"
module {
  func.func @main(%arg0: tensor<5x47xf32>, %arg1: tensor<47x24xf32>, %arg2: tensor<47x24xf32, #graph.layout<strided, [1, 63]>>, %arg3: tensor<47xf32>, %arg4: tensor<24xf32> {graph.const_arg}, %arg5: tensor<24x96xf32, #graph.layout<strided, [0, 1]>>, %arg6: tensor<96xf32> {graph.const_arg}, %arg7: tensor<96x1xf32> {graph.const_arg}, %arg8: tensor<96x16xf32> {graph.const_arg}) -> (tensor<24xf32>, tensor<96xf32>, tensor<5x24xf32>, tensor<16xf32>, tensor<47x24xbf16>, tensor<47x1xf32>) {
    %0 = graph.matmul %arg0, %arg1 : (tensor<5x47xf32>, tensor<47x24xf32>) -> tensor<5x24xf32>
    %1 = graph.reduce_sum %arg1 {axes = array<i64: 1>, keep_dims = true} : (tensor<47x24xf32>) -> tensor<47x1xf32>
    %2 = graph.subtract %arg1, %arg2 : (tensor<47x24xf32>, tensor<47x24xf32, #graph.layout<strided, [1, 63]>>) -> tensor<47x24xf32>
    %3 = graph.rms_norm %0 {begin_norm_axis = 1 : i64} : (tensor<5x24xf32>) -> tensor<5x24xf32>
    %4 = graph.matmul %arg3, %2, %arg4 : (tensor<47xf32>, tensor<47x24xf32>, tensor<24xf32>) -> tensor<24xf32>
    %5 = graph.matmul %arg4, %arg5, %arg6 : (tensor<24xf32>, tensor<24x96xf32, #graph.layout<strided, [0, 1]>>, tensor<96xf32>) -> tensor<96xf32>
    %6 = graph.abs %5 : (tensor<96xf32>) -> tensor<96xf32>
    %7 = graph.square %6 : (tensor<96xf32>) -> tensor<96xf32>
    %8 = graph.constant dense<1.6953125> : tensor<f32>
    %9 = graph.add %7, %8 : (tensor<96xf32>, tensor<f32>) -> tensor<96xf32, #graph.layout<blocked, outer = [0], inner = [0 : 4]>>
    %10 = graph.constant dense<6.250000e-02> : tensor<f32>
    %11 = graph.greater_equal %6, %10 : (tensor<96xf32>, tensor<f32>) -> tensor<96xi1>
    %12 = graph.select %11, %9, %6 : (tensor<96xi1>, tensor<96xf32, #graph.layout<blocked, outer = [0], inner = [0 : 4]>>, tensor<96xf32>) -> tensor<96xf32>
    %13 = graph.square %6 : (tensor<96xf32>) -> tensor<96xf32>
    %14 = graph.softmax %9 {axis = 0 : i64, mode = "inf_as_zero"} : (tensor<96xf32, #graph.layout<blocked, outer = [0], inner = [0 : 4]>>) -> tensor<96xf32>
    %15 = graph.matmul %12, %arg7 : (tensor<96xf32>, tensor<96x1xf32>) -> tensor<1xf32>
    %16 = graph.matmul %14, %arg8 {transpose_a = true} : (tensor<96xf32>, tensor<96x16xf32>) -> tensor<16xf32>
    %17 = graph.elu %1 {alpha = 5.000000e-01 : f32} : (tensor<47x1xf32>) -> tensor<47x1xf32>
    %18 = graph.subtract %arg2, %15 : (tensor<47x24xf32, #graph.layout<strided, [1, 63]>>, tensor<1xf32>) -> tensor<47x24xf32>
    %19 = graph.type_cast %18 : tensor<47x24xf32> -> tensor<47x24xbf16>
    %20 = graph.reorder %19 : tensor<47x24xbf16> -> tensor<47x24xbf16>
    return %4, %13, %3, %16, %20, %17 : tensor<24xf32>, tensor<96xf32>, tensor<5x24xf32>, tensor<16xf32>, tensor<47x24xbf16>, tensor<47x1xf32>
  }
}
