// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs inside the programs of other compilers.

#ifndef GC_TRANSFORMS_OUTLINE_H
#define GC_TRANSFORMS_OUTLINE_H

namespace gc {

// clang-format off: IR is in lines of its own
/// Registers `gc-outline`: moves what can be compiled as graphs to private
/// functions of the Graph dialect, and calls these.
///
/// Ops of tosa, linalg, tensor, arith and math with static shapes are convertible
/// if `convert-tosa-to-graph` or `convert-linalg-to-graph` converts them to ops
/// that the target runs. In each block of a function, convertible ops that read
/// each other form sets that are as large as possible without depending on each
/// other in cycles. A set becomes a function if it has a contraction, or else at
/// least `min-ops` ops that compute something, which compute at least
/// `min-elements` elements together. Everything else stays as it is, and where
/// nothing is outlined, so does the whole function.
///
/// Constants go along. An argument of an outlined function has
/// `graph.const_arg` where what is passed is an argument that has it.
///
/// Calls pass tensors. Run `gc-cpu-pipeline{abi=memref}` afterwards: it compiles
/// the functions and makes the calls take memrefs. Then bufferize the rest.
///
/// ```mlir
/// // before
/// func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
///   %0 = linalg.matmul ins(%x, %w : tensor<4x8xf32>, tensor<8x16xf32>) outs(%y : tensor<4x16xf32>) -> tensor<4x16xf32>
///   return %0 : tensor<4x16xf32>
/// }
/// // after
/// func.func private @main_graph_0(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
///   %0 = graph.matmul %x, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
///   %1 = graph.add %0, %y : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
///   return %1 : tensor<4x16xf32>
/// }
/// func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x16xf32>, %y: tensor<4x16xf32>) -> tensor<4x16xf32> {
///   %0 = call @main_graph_0(%x, %w, %y) : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
///   return %0 : tensor<4x16xf32>
/// }
/// ```
void registerOutlinePass();
// clang-format on

} // namespace gc

#endif // GC_TRANSFORMS_OUTLINE_H
