// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vectors of 4, 8 and 16 floats: tails, transposes in registers and reductions
// across lanes of each size. LLVM splits vectors that the processor lacks.

// RUN: sed 's/WIDTH/128/' %s > %t.128.mlir
// RUN: sed 's/WIDTH/256/' %s > %t.256.mlir
// RUN: sed 's/WIDTH/512/' %s > %t.512.mlir
// RUN: gc-runner %t.128.mlir --check --threads=2
// RUN: gc-runner %t.256.mlir --check --threads=2
// RUN: gc-runner %t.512.mlir --check --threads=2

#columns = #graph.layout<strided, [1, 44]>
#packed = #graph.layout<blocked, outer = [1, 0], inner = [0 : 16, 1 : 32]>

module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"max_vector_op_width" = WIDTH : i64>>} {

func.func @main(%x: tensor<37x53xf32>, %y: tensor<3x20x37xf32>,
                %c: tensor<40x70xf32, #columns>, %g: tensor<53xf32>)
  -> (tensor<53x37xf32>, tensor<37x20x3xf32>, tensor<40x70xf32>, tensor<37x53xf32>,
      tensor<1x53xf32>, tensor<37x1xf32>, tensor<37x53xf32>) {
  %0 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<37x53xf32>) -> tensor<53x37xf32>
  %1 = graph.static_transpose %y {order = array<i64: 2, 1, 0>} : (tensor<3x20x37xf32>) -> tensor<37x20x3xf32>
  %2 = graph.reorder %c : tensor<40x70xf32, #columns> -> tensor<40x70xf32, #packed>
  %3 = graph.reorder %2 : tensor<40x70xf32, #packed> -> tensor<40x70xf32>
  %4 = graph.softmax %x {axis = 1} : (tensor<37x53xf32>) -> tensor<37x53xf32>
  %5 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true} : (tensor<37x53xf32>) -> tensor<1x53xf32>
  %6 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<37x53xf32>) -> tensor<37x1xf32>
  %7 = graph.layer_norm %x, %g, %g {keep_stats = false} : (tensor<37x53xf32>, tensor<53xf32>, tensor<53xf32>) -> tensor<37x53xf32>
  return %0, %1, %3, %4, %5, %6, %7 :
    tensor<53x37xf32>, tensor<37x20x3xf32>, tensor<40x70xf32>, tensor<37x53xf32>,
    tensor<1x53xf32>, tensor<37x1xf32>, tensor<37x53xf32>
}

}
