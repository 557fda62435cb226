// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A transpose, a norm of rows, and a batch of products whose results are
// transposed: three kinds of schedules (docs/schedule.md), for the machine that
// the module describes.
//
//   gc-runner examples/schedule.mlir --check

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
  "CPU" = #dlti.target_device_spec<
    "num_threads" = 2 : i64, "max_vector_op_width" = 512 : i64,
    "num_vector_registers" = 32 : i64, "L1_cache_size_in_bytes" = 32768 : i64,
    "L2_cache_size_in_bytes" = 1048576 : i64,
    "L3_cache_size_in_bytes" = 4194304 : i64>>} {
  func.func @main(%x: tensor<960x1024xf32>, %y: tensor<512x768xf32>,
                  %a: tensor<64x64x128xf32>, %b: tensor<64x128x64xf32>)
      -> (tensor<1024x960xf32>, tensor<512x768xf32>, tensor<64x64x64xf32>) {
    %0 = graph.static_transpose %x {order = array<i64: 1, 0>}
       : (tensor<960x1024xf32>) -> tensor<1024x960xf32>
    %1 = graph.softmax %y {axis = 1 : i64}
       : (tensor<512x768xf32>) -> tensor<512x768xf32>
    %2 = graph.matmul %a, %b
       : (tensor<64x64x128xf32>, tensor<64x128x64xf32>) -> tensor<64x64x64xf32>
    %3 = graph.static_transpose %2 {order = array<i64: 1, 0, 2>}
       : (tensor<64x64x64xf32>) -> tensor<64x64x64xf32>
    return %0, %1, %3
       : tensor<1024x960xf32>, tensor<512x768xf32>, tensor<64x64x64xf32>
  }
}
