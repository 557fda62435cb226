// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Schedules that mean nothing, by the labels of #graph.schedule. What depends on
// the region's space (C7, C8) is checked where it is needed:
// Conversion/GraphToTensorIR/schedule-errors.mlir.

// RUN: gc-opt %s --split-input-file --verify-diagnostics --allow-unregistered-dialect

// expected-error @below {{(C1) vector_bytes = 48 is not a power of two from 4 to 64}}
"test.c1"() {s = #graph.schedule<vector_bytes = 48>} : () -> ()

// -----

// expected-error @below {{(C1) vector_bytes = 128 is not a power of two from 4 to 64}}
"test.c1_wide"() {s = #graph.schedule<vector_bytes = 128>} : () -> ()

// -----

// expected-error @below {{(C1) vector_bytes = 2 is not a power of two from 4 to 64}}
"test.c1_narrow"() {s = #graph.schedule<vector_bytes = 2>} : () -> ()

// -----

// expected-error @below {{a schedule has no 'lanes'}}
"test.lanes"() {s = #graph.schedule<lanes = 8>} : () -> ()

// -----

// expected-error @below {{a schedule needs 'vector_bytes'}}
"test.c1_missing"() {s = #graph.schedule<vector = 0>} : () -> ()

// -----

// expected-error @below {{(C2) a dimension of the partition is given twice, or in pieces of less than 1}}
"test.c2_twice"() {s = #graph.schedule<vector_bytes = 32, vector = 0, partition = [1 : 4, 1 : 2]>} : () -> ()

// -----

// expected-error @below {{(C2) a dimension of the partition is given twice, or in pieces of less than 1}}
"test.c2_piece"() {s = #graph.schedule<vector_bytes = 32, vector = 0, partition = [1 : 0]>} : () -> ()

// -----

// expected-error @below {{(C3) transposed = 1 needs another dimension that vectors of at least 16 bytes lie along}}
"test.c3_same"() {s = #graph.schedule<vector_bytes = 32, vector = 1, transposed = 1>} : () -> ()

// -----

// expected-error @below {{(C3) transposed = 1 needs another dimension}}
"test.c3_alone"() {s = #graph.schedule<vector_bytes = 32, transposed = 1>} : () -> ()

// -----

// expected-error @below {{(C3) transposed = 1 needs another dimension}}
"test.c3_narrow"() {s = #graph.schedule<vector_bytes = 8, vector = 0, transposed = 1>} : () -> ()

// -----

// expected-error @below {{(C5) vector_kernels are exceptions to kernel = library, of sizes of at least 1}}
"test.c5_of_vectors"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, vector_kernels = [1x2x3]>} : () -> ()

// -----

// expected-error @below {{(C5) vector_kernels are exceptions to kernel = library, of sizes of at least 1}}
"test.c5_size"() {s = #graph.schedule<vector_bytes = 32, kernel = library, vector_kernels = [1x0x3]>} : () -> ()

// -----

// expected-error @below {{(C11) block = [1, 1] has a dimension twice}}
"test.c11_twice"() {s = #graph.schedule<vector_bytes = 32, vector = 0, block = [1 : 4, 1 : 2]>} : () -> ()

// -----

// expected-error @below {{(C11) block = [1] has a dimension twice, or that of vectors or of a transpose, or not 1 to 16 neighbours}}
"test.c11_vectors"() {s = #graph.schedule<vector_bytes = 32, vector = 1, block = [1 : 4]>} : () -> ()

// -----

// expected-error @below {{(C11) block = [2] has}}
"test.c11_size"() {s = #graph.schedule<vector_bytes = 32, vector = 1, block = [2 : 17]>} : () -> ()

// -----

// expected-error @below {{(C11) pieces of 6 along dimension 2 are not blocks of 4}}
"test.c11_pieces"() {s = #graph.schedule<vector_bytes = 32, vector = 1, partition = [2 : 6], block = [2 : 4]>} : () -> ()

// -----

// expected-error @below {{(C12) ahead = 17 is not 1 to 16 rows}}
"test.c12"() {s = #graph.schedule<vector_bytes = 32, vector = 1, ahead = 17>} : () -> ()

// -----

// expected-error @below {{expected a kernel as m x n x k}}
"test.kernel_size"() {s = #graph.schedule<vector_bytes = 32, kernel = library, vector_kernels = [1x3]>} : () -> ()

// -----

// expected-error @below {{kernel is library or vector, not 'fast'}}
"test.kernel_name"() {s = #graph.schedule<vector_bytes = 32, kernel = fast>} : () -> ()

// -----

// expected-error @below {{a schedule has no 'colour'}}
"test.no_field"() {s = #graph.schedule<vector_bytes = 32, colour = 1>} : () -> ()

// -----

// expected-error @below {{'vector_bytes' is given twice}}
"test.twice"() {s = #graph.schedule<vector_bytes = 32, vector_bytes = 32>} : () -> ()

// -----

// expected-error @below {{expected a dimension}}
"test.dim"() {s = #graph.schedule<vector_bytes = 32, vector = -1>} : () -> ()

// -----

// expected-error @below {{expected 'pre' or 'post', not 'row'}}
"test.pass"() {s = #graph.schedule<vector_bytes = 32, passes = [row 1 : 0]>} : () -> ()

// -----

// expected-error @below {{expected a dimension}}
"test.pass"() {s = #graph.schedule<vector_bytes = 32, passes = [pre 1 : -2]>} : () -> ()

// -----

// expected-error @below {{(C13) the vectors of a pass and what is transposed lie along the same dimension, or a number is negative}}
"test.c13"() {s = #graph.schedule<vector_bytes = 32, passes = [post 1 : 0 transposed 0]>} : () -> ()

// -----

// expected-error @below {{(C13) a pass is transposed with vectors of less than 16 bytes}}
"test.c13"() {s = #graph.schedule<vector_bytes = 8, passes = [post 1 : 0 transposed 1]>} : () -> ()

// -----

// expected-error @below {{(C13) passes has an anchor or an operand twice}}
"test.c13"() {s = #graph.schedule<vector_bytes = 32, passes = [pre 1 : 0, pre 1 : 1]>} : () -> ()

// -----

// expected-error @below {{(C14) fetch_ahead is for vector kernels, with 1 to 1073741824 bytes}}
"test.c14"() {s = #graph.schedule<vector_bytes = 32, vector_kernels = [4x8x8], fetch_ahead = [2x8x8 : 64]>} : () -> ()

// -----

// expected-error @below {{(C14) fetch_ahead is for vector kernels, with 1 to 1073741824 bytes}}
"test.c14"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, fetch_ahead = [2x8x8 : 0]>} : () -> ()

// -----

// expected-error @below {{(C13) the vectors of a pass and what is transposed lie along the same dimension, or a number is negative}}
"test.c13"() {s = #graph.schedule<vector_bytes = 32, passes = [post -1 : 0]>} : () -> ()

// -----

// expected-error @below {{(C14) fetch_ahead is for vector kernels, with 1 to 1073741824 bytes}}
"test.c14"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, fetch_ahead = [0x8x8 : 64]>} : () -> ()

// -----

// expected-error @below {{(C14) fetch_ahead has a kernel twice}}
"test.c14"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, fetch_ahead = [2x8x8 : 64, 2x8x8 : 128]>} : () -> ()

// -----

// expected-error @below {{(C16) forms is for generated kernels, each once, with another form than vector}}
"test.c16"() {s = #graph.schedule<vector_bytes = 32, forms = [1x64x128 : fixed_point]>} : () -> ()

// -----

// expected-error @below {{(C16) forms is for generated kernels, each once, with another form than vector}}
"test.c16"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, forms = [1x64x128 : amx, 1x64x128 : fixed_point]>} : () -> ()

// -----

// expected-error @below {{(C16) forms is for generated kernels, each once, with another form than vector}}
"test.c16"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, forms = [1x64x128 : vector]>} : () -> ()

// -----

// expected-error @below {{expected fixed_point or amx, not 'library'}}
"test.c16"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, forms = [1x64x128 : library]>} : () -> ()

// -----

// expected-error @below {{(C15) unroll = 17 is not 1 to 16}}
"test.c15"() {s = #graph.schedule<vector_bytes = 32, vector = 0, unroll = 17>} : () -> ()

// -----

// expected-error @below {{(C15) unroll = 0 is not 1 to 16}}
"test.c15"() {s = #graph.schedule<vector_bytes = 32, vector = 0, unroll = 0>} : () -> ()

// -----

// expected-error @below {{(C15) recompute = -1 is not 0 to 1000 instructions}}
"test.c15"() {s = #graph.schedule<vector_bytes = 32, vector = 0, recompute = -1>} : () -> ()

// -----

// expected-error @below {{(C15) interleave = 1001 is not 1 to 1000 instructions}}
"test.c15"() {s = #graph.schedule<vector_bytes = 32, vector = 0, interleave = 1001>} : () -> ()

// -----

// expected-error @below {{(C18) registers = 3 is not 4 to 1024}}
"test.c18"() {s = #graph.schedule<vector_bytes = 32, registers = 3, vector = 0>} : () -> ()

// -----

// expected-error @below {{(C18) registers = 1025 is not 4 to 1024}}
"test.c18"() {s = #graph.schedule<vector_bytes = 32, registers = 1025, vector = 0>} : () -> ()

// -----

// expected-error @below {{(C17) row_bytes = 16384 is given without max_row_bytes}}
"test.c17_alone"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = 16384>} : () -> ()

// -----

// expected-error @below {{(C17) max_row_bytes = 16384 is given without row_bytes}}
"test.c17_alone"() {s = #graph.schedule<vector_bytes = 32, vector = 0, max_row_bytes = 16384>} : () -> ()

// -----

// expected-error @below {{(C17) row_bytes = 32 is larger than max_row_bytes = 16}}
"test.c17_order"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = 32, max_row_bytes = 16>} : () -> ()

// -----

// expected-error @below {{'row_bytes' must be positive, not -1}}
"test.c17_negative"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = -1, max_row_bytes = 16>} : () -> ()

// -----

// expected-error @below {{(C17) max_row_bytes = 1073741825 is not 1 to 1073741824 bytes}}
"test.c17_large"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = 1, max_row_bytes = 1073741825>} : () -> ()

// -----

// expected-error @below {{'row_bytes' must be positive, not 0}}
"test.c17_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = 0>} : () -> ()

// -----

// expected-error @below {{'row_bytes' must be positive, not 0}}
"test.c17_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 0, row_bytes = 0, max_row_bytes = 0>} : () -> ()

// -----

// expected-error @below {{'max_row_bytes' must be positive, not 0}}
"test.c17_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 0, max_row_bytes = 0>} : () -> ()

// -----

// expected-error @below {{'ahead' must be positive, not 0}}
"test.c12_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 1, ahead = 0>} : () -> ()

// -----

// expected-error @below {{'ahead' must be positive, not -1}}
"test.c12_negative"() {s = #graph.schedule<vector_bytes = 32, vector = 1, ahead = -1>} : () -> ()

// -----

// expected-error @below {{'interleave' must be positive, not 0}}
"test.c15_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 0, interleave = 0>} : () -> ()

// -----

// expected-error @below {{(C1) vector_bytes = 0 is not a power of two from 4 to 64}}
"test.c1_zero"() {s = #graph.schedule<vector_bytes = 0>} : () -> ()

// -----

// expected-error @below {{(C1) vector_bytes = -32 is not a power of two from 4 to 64}}
"test.c1_negative"() {s = #graph.schedule<vector_bytes = -32>} : () -> ()

// -----

// expected-error @below {{(C2) a dimension of the partition is given twice, or in pieces of less than 1}}
"test.c2_negative"() {s = #graph.schedule<vector_bytes = 32, vector = 0, partition = [1 : -4]>} : () -> ()

// -----

// expected-error @below {{(C11) block = [1] has}}
"test.c11_zero"() {s = #graph.schedule<vector_bytes = 32, vector = 0, block = [1 : 0]>} : () -> ()

// -----

// expected-error @below {{(C14) fetch_ahead is for vector kernels, with 1 to 1073741824 bytes}}
"test.c14_negative"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, fetch_ahead = [2x8x8 : -64]>} : () -> ()

// -----

// expected-error @below {{(C16) forms is for generated kernels}}
"test.c16_zero"() {s = #graph.schedule<vector_bytes = 32, kernel = vector, forms = [1x0x128 : amx]>} : () -> ()

// -----

// expected-error @below {{(C18) registers = 0 is not 4 to 1024}}
"test.c18_zero"() {s = #graph.schedule<vector_bytes = 32, registers = 0, vector = 0>} : () -> ()

// -----

// expected-error @below {{expected a dimension}}
"test.partition_dim"() {s = #graph.schedule<vector_bytes = 32, vector = 0, partition = [-1 : 4]>} : () -> ()

// -----

func.func @c13_operand(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C13) passes = [pre 2] does not number operands of the tunable op, of which there are 2}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, passes = [pre 2 : 0]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c4_passes(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{(C5) has a schedule: (C4) the schedule is for a region with a tunable op}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, passes = [post 1 : 0]>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c4_plain(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{(C5) has a schedule: (C4) the schedule is for a region with a tunable op}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1, prefetch = [0]>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c4_kernel(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // expected-error @below {{(C5) has a schedule: (C4) the schedule is for a region with a tunable op}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, kernel = vector>} -> (tensor<4x8xf32>) {
    %1 = graph.relu %x : (tensor<4x8xf32>) -> tensor<4x8xf32>
    graph.yield %1 : tensor<4x8xf32>
  }
  return %0 : tensor<4x8xf32>
}

// -----

func.func @c4_template(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C4) the schedule is for a region without a tunable op}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, vector = 1>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c6_stream(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C6) stream = [1] does not number results, of which there are 1}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, stream = [1]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c6_prefetch(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C6) prefetch = [0, 0] does not number operands of the tunable op, of which there are 2}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, prefetch = [0, 0]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c9_lines(%x: tensor<4x8xf32>, %y: tensor<8x6xf32>) -> tensor<4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C9) result 0 of type 'tensor<4x6xf32>' has no rows of whole cache lines}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, stream = [0]>} -> (tensor<4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    graph.yield %1 : tensor<4x6xf32>
  }
  return %0 : tensor<4x6xf32>
}

// -----

func.func @c10_shared(%x: tensor<2x4x8xf32>, %y: tensor<8x6xf32>) -> tensor<2x4x6xf32> {
  // expected-error @below {{(C5) has a schedule: (C10) operand 1 is read from 'tensor<8x6xf32>', which has no matrix of its own per batch item of 'tensor<2x4x6xf32>'}}
  %0 = graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 32, prefetch = [1]>} -> (tensor<2x4x6xf32>) {
    %1 = graph.matmul %x, %y : (tensor<2x4x8xf32>, tensor<8x6xf32>) -> tensor<2x4x6xf32>
    graph.yield %1 : tensor<2x4x6xf32>
  }
  return %0 : tensor<2x4x6xf32>
}

// -----

// expected-error @below {{'graph.schedule' is a #graph.schedule of a graph.fused_op}}
func.func private @elsewhere() attributes {graph.schedule = #graph.schedule<vector_bytes = 32>}
