// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What lowering is told about each region, for two threads, vectors of 512 bits
// and small caches; the example of the pass's description first.

// RUN: gc-opt %s --split-input-file --graph-select-schedule | FileCheck %s
// What is there already stays.
// RUN: gc-opt %s --split-input-file --graph-select-schedule --graph-select-schedule="threads=7 vector-bytes=16 tasks=1000 stream=never" | FileCheck %s
// Each decision can be forced.
// RUN: gc-opt %s --split-input-file --graph-select-schedule="threads=4" | FileCheck %s --check-prefix=THREADS
// RUN: gc-opt %s --split-input-file --graph-select-schedule="tasks=2 vector-bytes=32 vector-dim=0 unroll=3 recompute=5" | FileCheck %s --check-prefix=FORCED
// RUN: gc-opt %s --split-input-file --graph-select-schedule="stream=always prefetch=always kernel=vector" | FileCheck %s --check-prefix=ALWAYS
// RUN: gc-opt %s --split-input-file --graph-select-schedule="stream=never prefetch=never kernel=libxsmm" | FileCheck %s --check-prefix=NEVER
// More registers hold more rows and positions.
// RUN: sed 's/"max_vector_op_width" = 512 : i64/&, "num_vector_registers" = 32 : i64/' %s | gc-opt --split-input-file --graph-select-schedule | FileCheck %s --check-prefix=MANY

#zen = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 512 : i64, "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64>>
module attributes {dlti.target_system_spec = #zen} {

// Some 16 tasks per thread, at most 64: pieces of 4 rows.
// CHECK-LABEL: func.func @rows
// CHECK: graph.fused_op attributes {graph.schedule = #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4], stream = [0]>}
// THREADS-LABEL: func.func @rows
// THREADS: graph.schedule = #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 2], stream = [0]>
// FORCED-LABEL: func.func @rows
// FORCED: graph.schedule = #graph.schedule<vector_bytes = 32, vector = 0, transposed = 1, partition = [0 : 256, 1 : 256]>
func.func @rows(%x: tensor<512x1024xf32>) -> tensor<512x1024xf32> {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %1 = graph.relu %x : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  return %0 : tensor<512x1024xf32>
}

// One row has to be cut along the vectors, in whole cache lines.
// CHECK-LABEL: func.func @one_row
// CHECK: #graph.schedule<vector_bytes = 64, vector = 0, partition = [0 : 3136], stream = [0]>
func.func @one_row(%x: tensor<100003xf32>) -> tensor<100003xf32> {
  %0 = graph.fused_op -> (tensor<100003xf32>) {
    %1 = graph.relu %x : (tensor<100003xf32>) -> tensor<100003xf32>
    graph.yield %1 : tensor<100003xf32>
  }
  return %0 : tensor<100003xf32>
}

// Few elements are one task; so is nothing but a scalar.
// CHECK-LABEL: func.func @little
// CHECK: #graph.schedule<vector_bytes = 64, vector = 0>
// CHECK: #graph.schedule<vector_bytes = 64>
func.func @little(%x: tensor<100xf32>, %s: tensor<f32>) -> (tensor<100xf32>, tensor<f32>) {
  %0 = graph.fused_op -> (tensor<100xf32>) {
    %1 = graph.relu %x : (tensor<100xf32>) -> tensor<100xf32>
    graph.yield %1 : tensor<100xf32>
  }
  %2 = graph.fused_op -> (tensor<f32>) {
    %3 = graph.relu %s : (tensor<f32>) -> tensor<f32>
    graph.yield %3 : tensor<f32>
  }
  return %0, %2 : tensor<100xf32>, tensor<f32>
}

// Only what nobody else in the function reads is streamed, and nothing little.
// CHECK-LABEL: func.func @read_again
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4]>
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4], unroll = 2>
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4], interleave = 12, stream = [0]>
// NEVER-LABEL: func.func @read_again
// NEVER-NOT: stream
// NEVER: return
func.func @read_again(%x: tensor<512x1024xf32>) -> (tensor<512x1024xf32>, tensor<512x1xf32>, tensor<512x1024xf32>) {
  %0 = graph.fused_op -> (tensor<512x1024xf32>) {
    %1 = graph.relu %x : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %1 : tensor<512x1024xf32>
  }
  %2 = graph.fused_op -> (tensor<512x1xf32>) {
    %3 = graph.reduce_sum %0 {axes = array<i64: 1>, keep_dims = true} : (tensor<512x1024xf32>) -> tensor<512x1xf32>
    graph.yield %3 : tensor<512x1xf32>
  }
  %4 = graph.fused_op -> (tensor<512x1024xf32>) {
    %5 = graph.exp %0 : (tensor<512x1024xf32>) -> tensor<512x1024xf32>
    graph.yield %5 : tensor<512x1024xf32>
  }
  return %0, %2, %4 : tensor<512x1024xf32>, tensor<512x1xf32>, tensor<512x1024xf32>
}

// Rows that are read again when they have been reduced are fetched ahead, unless
// the caches hold few of them. Several are worked on together; what takes few
// instructions is computed again, below more of them where rows are long.
// CHECK-LABEL: func.func @rows_again
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 8], ahead = 2, unroll = 2, recompute = 3, stream = [0]>
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 4], unroll = 2, recompute = 3, stream = [0]>
// FORCED-LABEL: func.func @rows_again
// FORCED: unroll = 3, recompute = 5
// MANY-LABEL: func.func @rows_again
// MANY: #graph.schedule<vector_bytes = 64, registers = 32, vector = 1, {{.*}}unroll = 4, recompute = 3
// NEVER-LABEL: func.func @rows_again
// NEVER-NOT: ahead
// NEVER: return
func.func @rows_again(%x: tensor<1024x256xf32>, %y: tensor<512x1024xf32>) -> (tensor<1024x256xf32>, tensor<512x1024xf32>) {
  %0 = graph.fused_op -> (tensor<1024x256xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 1>, keep_dims = true} : (tensor<1024x256xf32>) -> tensor<1024x1xf32>
    %2 = graph.subtract %x, %1 : (tensor<1024x256xf32>, tensor<1024x1xf32>) -> tensor<1024x256xf32>
    graph.yield %2 : tensor<1024x256xf32>
  }
  %3 = graph.fused_op -> (tensor<512x1024xf32>) {
    %4 = graph.reduce_max %y {axes = array<i64: 1>, keep_dims = true} : (tensor<512x1024xf32>) -> tensor<512x1xf32>
    %5 = graph.subtract %y, %4 : (tensor<512x1024xf32>, tensor<512x1xf32>) -> tensor<512x1024xf32>
    graph.yield %5 : tensor<512x1024xf32>
  }
  return %0, %3 : tensor<1024x256xf32>, tensor<512x1024xf32>
}

// Neighbouring windows share elements: blocks of as many as fit the registers and
// repeat little. Rows of positions are not cut, and what the next ones see is
// fetched ahead where images come from memory.
// CHECK-LABEL: func.func @windows
// CHECK: #graph.schedule<vector_bytes = 64, vector = 5, partition = [0 : 1, 1 : 2], block = [1 : 2, 2 : 1], ahead = 1, unroll = 2>
// MANY-LABEL: func.func @windows
// MANY: #graph.schedule<vector_bytes = 64, registers = 32, vector = 5, partition = [0 : 1, 1 : 2], block = [1 : 2, 2 : 7], ahead = 1, unroll = 2>
// NEVER-LABEL: func.func @windows
// NEVER-NOT: ahead
// NEVER: return
// With gaps between the elements, whole periods, and nothing ahead.
// CHECK: #graph.schedule<vector_bytes = 64, vector = 5, partition = [0 : 1, 1 : 2], block = [1 : 2, 2 : 3], unroll = 2, stream = [0]>
func.func @windows(%x: tensor<2x8x9x32xf32>) -> (tensor<2x6x7x32xf32>, tensor<2x16x27x32xf32>) {
  %0 = graph.fused_op -> (tensor<2x6x7x32xf32>) {
    %1 = graph.windows %x {kernel = array<i64: 3, 3>, positions = array<i64: 6, 7>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 1, 1>} : (tensor<2x8x9x32xf32>) -> tensor<2x6x7x3x3x32xf32>
    %2 = graph.reduce_max %1 {axes = array<i64: 3, 4>} : (tensor<2x6x7x3x3x32xf32>) -> tensor<2x6x7x32xf32>
    graph.yield %2 : tensor<2x6x7x32xf32>
  }
  %3 = graph.fused_op -> (tensor<2x16x27x32xf32>) {
    %4 = graph.windows %x {kernel = array<i64: 2, 3>, positions = array<i64: 16, 27>, strides = array<i64: 1, 1>, dilations = array<i64: 1, 1>, offsets = array<i64: 0, 0>, spacing = array<i64: 2, 3>} : (tensor<2x8x9x32xf32>) -> tensor<2x16x27x2x3x32xf32>
    %5 = graph.reduce_sum %4 {axes = array<i64: 3, 4>} : (tensor<2x16x27x2x3x32xf32>) -> tensor<2x16x27x32xf32>
    graph.yield %5 : tensor<2x16x27x32xf32>
  }
  return %0, %3 : tensor<2x6x7x32xf32>, tensor<2x16x27x32xf32>
}

// Rows of many columns that come from memory are summed a few at a time, with all
// sums in memory. Columns of registers' width are not, nor rows that are read again.
// CHECK-LABEL: func.func @column_sums
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 64, 1 : 160], block = [0 : 8], unroll = 8, stream = [0]>
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 64]
// CHECK-NOT: block
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [1 : 64], unroll = 8, recompute = 8, stream = [0]>
// CHECK-NOT: block
// CHECK: return
func.func @column_sums(%x: tensor<512x640xf32>, %y: tensor<2048x128xf32>, %z: tensor<64x1024xf32>) -> (tensor<8x640xf32>, tensor<32x128xf32>, tensor<64x1024xf32>) {
  %0 = graph.fused_op -> (tensor<8x640xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true, part_size = 64 : i64} : (tensor<512x640xf32>) -> tensor<8x640xf32>
    graph.yield %1 : tensor<8x640xf32>
  }
  %2 = graph.fused_op -> (tensor<32x128xf32>) {
    %3 = graph.reduce_sum %y {axes = array<i64: 0>, keep_dims = true, part_size = 64 : i64} : (tensor<2048x128xf32>) -> tensor<32x128xf32>
    graph.yield %3 : tensor<32x128xf32>
  }
  %4 = graph.fused_op -> (tensor<64x1024xf32>) {
    %5 = graph.reduce_max %z {axes = array<i64: 0>, keep_dims = true} : (tensor<64x1024xf32>) -> tensor<1x1024xf32>
    %6 = graph.subtract %z, %5 : (tensor<64x1024xf32>, tensor<1x1024xf32>) -> tensor<64x1024xf32>
    graph.yield %6 : tensor<64x1024xf32>
  }
  return %0, %2, %4 : tensor<8x640xf32>, tensor<32x128xf32>, tensor<64x1024xf32>
}

// What is reduced stays whole; columns that are not go together, whole cache
// lines of them.
// CHECK-LABEL: func.func @reductions
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [0 : 3], unroll = 2>
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, partition = [1 : 64], unroll = 8>
func.func @reductions(%x: tensor<384x640xf32>) -> (tensor<384x1xf32>, tensor<1x640xf32>) {
  %0 = graph.fused_op -> (tensor<384x1xf32>) {
    %1 = graph.reduce_sum %x {axes = array<i64: 1>, keep_dims = true} : (tensor<384x640xf32>) -> tensor<384x1xf32>
    graph.yield %1 : tensor<384x1xf32>
  }
  %2 = graph.fused_op -> (tensor<1x640xf32>) {
    %3 = graph.reduce_sum %x {axes = array<i64: 0>, keep_dims = true} : (tensor<384x640xf32>) -> tensor<1x640xf32>
    graph.yield %3 : tensor<1x640xf32>
  }
  return %0, %2 : tensor<384x1xf32>, tensor<1x640xf32>
}

// Parts of a reduction are the pieces.
// CHECK-LABEL: func.func @parts
// CHECK: #graph.schedule<vector_bytes = 64, vector = 0, partition = [0 : 3136]>
func.func @parts(%x: tensor<100003xf32>) -> tensor<32xf32> {
  %0 = graph.fused_op -> (tensor<32xf32>) {
    %1 = graph.reduce_max %x {axes = array<i64: 0>, keep_dims = true, part_size = 3136 : i64} : (tensor<100003xf32>) -> tensor<32xf32>
    graph.yield %1 : tensor<32xf32>
  }
  return %0 : tensor<32xf32>
}

// A transpose stores along the vectors and loads along the other dimension:
// squares, in registers and in pieces.
// CHECK-LABEL: func.func @transpose
// CHECK: #graph.schedule<vector_bytes = 64, vector = 1, transposed = 0, partition = [1 : 160, 0 : 176], stream = [0]>
func.func @transpose(%x: tensor<960x1024xf32>) -> tensor<1024x960xf32> {
  %0 = graph.fused_op -> (tensor<1024x960xf32>) {
    %1 = graph.static_transpose %x {order = array<i64: 1, 0>} : (tensor<960x1024xf32>) -> tensor<1024x960xf32>
    graph.yield %1 : tensor<1024x960xf32>
  }
  return %0 : tensor<1024x960xf32>
}
}

// -----

// Heads of attention: 8 KiB per matrix, 256 KiB of each, an L2 cache of 16 KiB. A
// result of 512 KiB leaves the L3 cache of 64 KiB; that of the second region is
// the accumulator, which kernels write.
#zen = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 512 : i64, "L2_cache_size_in_bytes" = 16384 : i64, "L3_cache_size_in_bytes" = 65536 : i64>>
module attributes {dlti.target_system_spec = #zen} {
// CHECK-LABEL: func.func @heads
// CHECK: #graph.schedule<vector_bytes = 64, {{.*}}stream = [0], prefetch = [0, 1]>
// CHECK: #graph.schedule<vector_bytes = 64, {{.*}}prefetch = [0, 1]>
// ALWAYS-LABEL: func.func @heads
// ALWAYS: #graph.schedule<vector_bytes = 64, kernel = vector, stream = [0], prefetch = [0, 1]>
// NEVER-LABEL: func.func @heads
// NEVER: #graph.schedule<vector_bytes = 64>
// NEVER: #graph.schedule<vector_bytes = 64>
func.func @heads(%x: tensor<8x4x32x16xf32>, %y: tensor<8x4x16x32xf32>, %s: tensor<1xf32>) -> (tensor<8x32x4x32xf32>, tensor<8x4x32x32xf32>) {
  %0 = graph.fused_op -> (tensor<8x32x4x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
    %2 = graph.multiply %1, %s {graph.anchor = #graph.anchor<post, 1>} : (tensor<8x4x32x32xf32>, tensor<1xf32>) -> tensor<8x4x32x32xf32>
    %3 = graph.static_transpose %2 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 0, 2, 1, 3>} : (tensor<8x4x32x32xf32>) -> tensor<8x32x4x32xf32>
    graph.yield %3 : tensor<8x32x4x32xf32>
  }
  %4 = graph.fused_op -> (tensor<8x4x32x32xf32>) {
    %5 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
    graph.yield %5 : tensor<8x4x32x32xf32>
  }
  return %0, %4 : tensor<8x32x4x32xf32>, tensor<8x4x32x32xf32>
}
}

// -----

// Caches that hold everything: nothing is streamed, and nothing fetched ahead,
// unless somebody says so. A temporary is not the caller's.
#big = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"machine" = "zen3-2", "num_threads" = 2 : i64, "max_vector_op_width" = 256 : i64, "L2_cache_size_in_bytes" = 16777216 : i64, "L3_cache_size_in_bytes" = 67108864 : i64>>
module attributes {dlti.target_system_spec = #big} {
// CHECK-LABEL: func.func @cached
// CHECK-NOT: stream
// CHECK-NOT: prefetch
// CHECK: return
// ALWAYS-LABEL: func.func @cached
// ALWAYS: #graph.schedule<vector_bytes = 32, kernel = vector, prefetch = [0, 1]>
// ALWAYS: #graph.schedule<vector_bytes = 32, vector = 3, partition
func.func @cached(%x: tensor<8x4x32x16xf32>, %y: tensor<8x4x16x32xf32>) -> tensor<8x32x4x32xf32> {
  %0 = graph.fused_op -> (tensor<8x32x4x32xf32>) {
    %1 = graph.matmul %x, %y {template_params = #graph.matmul_template<MPN = 1, NPN = 1, MB = 32, NB = 32, KB = 16, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<8x4x32x16xf32>, tensor<8x4x16x32xf32>) -> tensor<8x4x32x32xf32>
    %3 = graph.static_transpose %1 {graph.anchor = #graph.anchor<post, 1>, order = array<i64: 0, 2, 1, 3>} : (tensor<8x4x32x32xf32>) -> tensor<8x32x4x32xf32>
    graph.yield %3 : tensor<8x32x4x32xf32>
  }
  %4 = graph.fused_op -> (tensor<8x32x4x32xf32>) {
    %5 = graph.relu %0 : (tensor<8x32x4x32xf32>) -> tensor<8x32x4x32xf32>
    graph.yield %5 : tensor<8x32x4x32xf32>
  }
  return %4 : tensor<8x32x4x32xf32>
}
}
