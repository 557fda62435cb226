// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How operands of a matmul may be laid out and broadcast.

// RUN: gc-runner %s --check --threads=2
// RUN: gc-runner %s --check --threads=1
// RUN: gc-runner %s --check --threads=3
// RUN: gc-runner %s --check --threads=2 --pipeline-options=kernel=vector

#columns = #graph.layout<strided, [1, 40]>
#pitched = #graph.layout<strided, [80, 1]>
#gaps = #graph.layout<strided, [150, 2]>
#repeated = #graph.layout<strided, [0, 1]>

func.func @main(
    %a: tensor<33x70xf32>, %at: tensor<70x33xf32>, %b: tensor<70x65xf32>,
    %bt: tensor<65x70xf32>, %v: tensor<70xf32>,
    %batch: tensor<2x3x33x70xf32>, %batch1: tensor<3x70x9xf32>,
    %batch2: tensor<2x1x70x9xf32>, %one: tensor<1x1x33x70xf32>,
    %bias: tensor<65xf32>, %bias2: tensor<33x1xf32>, %bias0: tensor<f32>,
    %columns: tensor<33x70xf32, #columns>, %pitched: tensor<33x70xf32, #pitched>,
    %gaps: tensor<33x70xf32, #gaps>, %repeated: tensor<33x70xf32, #repeated>,
    %weights: tensor<70x65xf32, #pitched> {graph.const_arg},
    %x1: tensor<31x24xf32>)
  -> (tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
      tensor<2x3x33x9xf32>, tensor<2x3x33x9xf32>, tensor<2x3x33x9xf32>,
      tensor<65xf32>, tensor<33xf32>, tensor<f32>, tensor<2x3x33xf32>,
      tensor<3x9xf32>, tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
      tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
      tensor<33x65xf32>, tensor<33x65xf32>, tensor<31x31xf32>,
      tensor<24x24xf32>) {
  // Transposes, with sizes that all differ: a mix-up reads beyond a row.
  %tn = graph.matmul %at, %b {transpose_a = true} : (tensor<70x33xf32>, tensor<70x65xf32>) -> tensor<33x65xf32>
  %nt = graph.matmul %a, %bt {transpose_b = true} : (tensor<33x70xf32>, tensor<65x70xf32>) -> tensor<33x65xf32>
  %tt = graph.matmul %at, %bt {transpose_a = true, transpose_b = true} : (tensor<70x33xf32>, tensor<65x70xf32>) -> tensor<33x65xf32>

  // Leading dimensions: one operand lacks some, has ones where the other has
  // more, or both give one to the result.
  %b0 = graph.matmul %batch, %batch1 : (tensor<2x3x33x70xf32>, tensor<3x70x9xf32>) -> tensor<2x3x33x9xf32>
  %b1 = graph.matmul %batch, %batch2 : (tensor<2x3x33x70xf32>, tensor<2x1x70x9xf32>) -> tensor<2x3x33x9xf32>
  %sum = graph.add %batch1, %batch2 : (tensor<3x70x9xf32>, tensor<2x1x70x9xf32>) -> tensor<2x3x70x9xf32>
  %b2 = graph.matmul %one, %sum : (tensor<1x1x33x70xf32>, tensor<2x3x70x9xf32>) -> tensor<2x3x33x9xf32>

  // Vectors: a row, a column, both, and with leading dimensions.
  %v0 = graph.matmul %v, %b : (tensor<70xf32>, tensor<70x65xf32>) -> tensor<65xf32>
  %v1 = graph.matmul %a, %v : (tensor<33x70xf32>, tensor<70xf32>) -> tensor<33xf32>
  %v2 = graph.matmul %v, %v : (tensor<70xf32>, tensor<70xf32>) -> tensor<f32>
  %v3 = graph.matmul %batch, %v : (tensor<2x3x33x70xf32>, tensor<70xf32>) -> tensor<2x3x33xf32>
  %v4 = graph.matmul %v, %batch1 : (tensor<70xf32>, tensor<3x70x9xf32>) -> tensor<3x9xf32>

  // Bias per column, per row, and one for all.
  %c0 = graph.matmul %a, %b, %bias : (tensor<33x70xf32>, tensor<70x65xf32>, tensor<65xf32>) -> tensor<33x65xf32>
  %c1 = graph.matmul %a, %b, %bias2 : (tensor<33x70xf32>, tensor<70x65xf32>, tensor<33x1xf32>) -> tensor<33x65xf32>
  %c2 = graph.matmul %a, %b, %bias0 : (tensor<33x70xf32>, tensor<70x65xf32>, tensor<f32>) -> tensor<33x65xf32>

  // Strided sources: by columns, with a gap after each row, with a gap after
  // each element, the same row again and again; and weights with gaps.
  %s0 = graph.matmul %columns, %b : (tensor<33x70xf32, #columns>, tensor<70x65xf32>) -> tensor<33x65xf32>
  %s1 = graph.matmul %pitched, %b : (tensor<33x70xf32, #pitched>, tensor<70x65xf32>) -> tensor<33x65xf32>
  %s2 = graph.matmul %gaps, %weights : (tensor<33x70xf32, #gaps>, tensor<70x65xf32, #pitched>) -> tensor<33x65xf32>
  %s3 = graph.matmul %repeated, %b : (tensor<33x70xf32, #repeated>, tensor<70x65xf32>) -> tensor<33x65xf32>
  %s4 = graph.matmul %a, %weights : (tensor<33x70xf32>, tensor<70x65xf32, #pitched>) -> tensor<33x65xf32>

  // One value as both operands.
  %x0 = graph.matmul %x1, %x1 {transpose_b = true} : (tensor<31x24xf32>, tensor<31x24xf32>) -> tensor<31x31xf32>
  %x2 = graph.matmul %x1, %x1 {transpose_a = true} : (tensor<31x24xf32>, tensor<31x24xf32>) -> tensor<24x24xf32>
  return %tn, %nt, %tt, %b0, %b1, %b2, %v0, %v1, %v2, %v3, %v4, %c0, %c1, %c2,
    %s0, %s1, %s2, %s3, %s4, %x0, %x2 :
    tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
    tensor<2x3x33x9xf32>, tensor<2x3x33x9xf32>, tensor<2x3x33x9xf32>,
    tensor<65xf32>, tensor<33xf32>, tensor<f32>, tensor<2x3x33xf32>,
    tensor<3x9xf32>, tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
    tensor<33x65xf32>, tensor<33x65xf32>, tensor<33x65xf32>,
    tensor<33x65xf32>, tensor<33x65xf32>, tensor<31x31xf32>, tensor<24x24xf32>
}
