// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// MLP-2 of Table I of the oneDNN Graph Compiler paper, batch 512, compiled for
// the machine that the module describes, so that every host takes the same
// decisions. docs/matmul-template.md reads them one by one.
//
//   gc-opt examples/mlp2.mlir --gc-cpu-pipeline=stop-after=fusion

module attributes {dlti.target_system_spec = #dlti.target_system_spec<
    "CPU" = #dlti.target_device_spec<
        "machine" = "zen3-2",
        "num_threads" = 2 : i64,
        "L1_cache_size_in_bytes" = 32768 : i64,
        "L2_cache_size_in_bytes" = 524288 : i64,
        "L3_cache_size_in_bytes" = 33554432 : i64,
        "max_vector_op_width" = 256 : i64,
        "num_vector_registers" = 16 : i64>>} {
  func.func @mlp2(%x: tensor<512x479xf32> {graph.name = "x"},
      %w0: tensor<479x1024xf32> {graph.const_arg, graph.name = "w0"},
      %b0: tensor<1024xf32> {graph.const_arg, graph.name = "b0"},
      %w1: tensor<1024x1024xf32> {graph.const_arg, graph.name = "w1"},
      %b1: tensor<1024xf32> {graph.const_arg, graph.name = "b1"},
      %w2: tensor<1024x512xf32> {graph.const_arg, graph.name = "w2"},
      %b2: tensor<512xf32> {graph.const_arg, graph.name = "b2"},
      %w3: tensor<512x256xf32> {graph.const_arg, graph.name = "w3"},
      %b3: tensor<256xf32> {graph.const_arg, graph.name = "b3"},
      %w4: tensor<256x1xf32> {graph.const_arg, graph.name = "w4"},
      %b4: tensor<1xf32> {graph.const_arg, graph.name = "b4"})
      -> tensor<512x1xf32> {
    %0 = graph.matmul %x, %w0, %b0
        : (tensor<512x479xf32>, tensor<479x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %1 = graph.relu %0 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    %2 = graph.matmul %1, %w1, %b1
        : (tensor<512x1024xf32>, tensor<1024x1024xf32>, tensor<1024xf32>) -> tensor<512x1024xf32>
    %3 = graph.relu %2 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    %4 = graph.matmul %3, %w2, %b2
        : (tensor<512x1024xf32>, tensor<1024x512xf32>, tensor<512xf32>) -> tensor<512x512xf32>
    %5 = graph.relu %4 : (tensor<512x512xf32>) -> tensor<512x512xf32>
    %6 = graph.matmul %5, %w3, %b3
        : (tensor<512x512xf32>, tensor<512x256xf32>, tensor<256xf32>) -> tensor<512x256xf32>
    %7 = graph.relu %6 : (tensor<512x256xf32>) -> tensor<512x256xf32>
    %8 = graph.matmul %7, %w4, %b4
        : (tensor<512x256xf32>, tensor<256x1xf32>, tensor<1xf32>) -> tensor<512x1xf32>
    %9 = graph.sigmoid %8 : (tensor<512x1xf32>) -> tensor<512x1xf32>
    return %9 : tensor<512x1xf32>
  }
}
