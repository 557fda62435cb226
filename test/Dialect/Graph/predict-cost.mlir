// RUN: gc-opt %s --graph-predict-cost=threads=1 --split-input-file | FileCheck %s --check-prefixes=CHECK,ONE
// RUN: gc-opt %s --graph-predict-cost --split-input-file | FileCheck %s --check-prefixes=CHECK,TWO

// Zen 3, two cores: 16 multiply-adds a cycle, 64 bytes a cycle from L1 and 32
// from L2, 40 cycles for a call, 2000 for a barrier of two threads, 4000 and
// 5000 to start one and two threads. The numbers are computed by hand.

// Each of two tasks: kernels of 48 x 32 are whole tiles, 48 * 64 * 64 / 16 =
// 12288 cycles. Two calls, each with a tile of 6144 bytes: 2 * (40 + 96) = 272.
// L2 keeps all matrices: half of A and C and all of B take (12288 + 12288 +
// 16384) / 32 = 1280, of which a tenth shows. Together 12688.
// One thread does both: 25376, and 4000 for the start.
// Two threads meet: 12688 + 2000, and 5000.

#zen3 = #dlti.target_device_spec<"machine" = "zen3-2">
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 64, 1 : 32]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #zen3>} {

// CHECK-LABEL: func.func @matmul
// ONE-SAME: graph.cost = #graph.cost<cycles = 29376, flops = 786432, bytes = 65536, bound = compute>
// ONE: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 25376, flops = 786432, bytes = 65536, bound = compute>}
// TWO-SAME: graph.cost = #graph.cost<cycles = 19688, flops = 786432, bytes = 65536, bound = compute>
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 14688, flops = 786432, bytes = 65536, bound = compute>}
func.func @matmul(%x: tensor<96x64xf32>, %w: tensor<64x64xf32, #b>) -> tensor<96x64xf32> {
  %0 = graph.fused_op -> (tensor<96x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<96x64xf32>, tensor<64x64xf32, #b>) -> tensor<96x64xf32>
    graph.yield %1 : tensor<96x64xf32>
  }
  return %0 : tensor<96x64xf32>
}
}

// -----

// A post-op: a load, an instruction and a store for each vector, 6144 * 3 / 16 =
// 1152 cycles on one thread.
//   25376 + 1152 = 26528, and 14688 + 576 = 15264.

#zen3 = #dlti.target_device_spec<"machine" = "zen3-2">
#b = #graph.layout<blocked, outer = [1, 0], inner = [0 : 64, 1 : 32]>
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #zen3>} {

// CHECK-LABEL: func.func @post_op
// ONE: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 26528,
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 15264,
func.func @post_op(%x: tensor<96x64xf32>, %w: tensor<64x64xf32, #b>) -> tensor<96x64xf32> {
  %0 = graph.fused_op -> (tensor<96x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = true>} : (tensor<96x64xf32>, tensor<64x64xf32, #b>) -> tensor<96x64xf32>
    %2 = graph.relu %1 {graph.anchor = #graph.anchor<post, 1>} : (tensor<96x64xf32>) -> tensor<96x64xf32>
    graph.yield %2 : tensor<96x64xf32>
  }
  return %0 : tensor<96x64xf32>
}
}

// -----

// Without a tunable op: 64 MiB are read and written in memory, 5 bytes a cycle
// by one thread, 4 by each of two. Nothing else takes as long: three
// instructions for each vector are 3 / 16 of a cycle for each of the 16777216
// elements, 3145728, of which three quarters show.
//   2 * 67108864 / 5 = 26843545; + 0.75 * 3145728 = 29202841
//   2 * 33554432 / 4 = 16777216; + 0.75 * 1572864 + 2000 = 17958864

#zen3 = #dlti.target_device_spec<"machine" = "zen3-2">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #zen3>} {

// CHECK-LABEL: func.func @elementwise
// ONE: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 29202841, flops = 0, bytes = 134217728, bound = memory>}
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 17958864, flops = 0, bytes = 134217728, bound = memory>}
func.func @elementwise(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %0 = graph.fused_op -> (tensor<4096x4096xf32>) {
    %1 = graph.relu %x : (tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
    graph.yield %1 : tensor<4096x4096xf32>
  }
  return %0 : tensor<4096x4096xf32>
}
}

// -----

// A merge group has one barrier, after its last member: 12688 + 12688 + 2000,
// and 5000 for the start.

#zen3 = #dlti.target_device_spec<"machine" = "zen3-2">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #zen3>} {

// CHECK-LABEL: func.func @merged
// TWO-SAME: graph.cost = #graph.cost<cycles = 32376,
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 12688,
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 14688,
func.func @merged(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>) -> tensor<96x64xf32> {
  %0 = graph.fused_op attributes {graph.merge_group = 0 : i64} -> (tensor<96x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %1 : tensor<96x64xf32>
  }
  %2 = graph.fused_op attributes {graph.merge_group = 0 : i64} -> (tensor<96x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %3 : tensor<96x64xf32>
  }
  return %2 : tensor<96x64xf32>
}
}

// -----

// Cores that have written half of the columns each read half of the rows: half
// of their 12288 bytes pass from the other core, 8 bytes a cycle. They come from
// L3, 12 bytes a cycle: 1024 cycles instead of 384, of which a tenth shows.
//   12688 + 768 + 64 + 2000 = 15520

#zen3 = #dlti.target_device_spec<"machine" = "zen3-2">
module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #zen3>} {

// CHECK-LABEL: func.func @exchange
// TWO: graph.fused_op
// TWO: graph.fused_op attributes {graph.cost = #graph.cost<cycles = 15520, flops = 786432, bytes = 65536, bound = compute>}
func.func @exchange(%x: tensor<96x64xf32>, %w: tensor<64x64xf32>) -> tensor<96x64xf32> {
  %0 = graph.fused_op -> (tensor<96x64xf32>) {
    %1 = graph.matmul %x, %w {template_params = #graph.matmul_template<MPN = 1, NPN = 2, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %1 : tensor<96x64xf32>
  }
  %2 = graph.fused_op -> (tensor<96x64xf32>) {
    %3 = graph.matmul %0, %w {template_params = #graph.matmul_template<MPN = 2, NPN = 1, MB = 48, NB = 32, KB = 64, BS = 1, order = [m, n, k], packA = false, packB = false>} : (tensor<96x64xf32>, tensor<64x64xf32>) -> tensor<96x64xf32>
    graph.yield %3 : tensor<96x64xf32>
  }
  return %2 : tensor<96x64xf32>
}
}
