// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Callers of graph functions, in programs that contain more than graphs.

#ifndef GC_TRANSFORMS_MEMREFABICALLS_H
#define GC_TRANSFORMS_MEMREFABICALLS_H

#include <memory>

namespace mlir {
class Pass;
} // namespace mlir

namespace gc {

// clang-format off: IR is in lines of its own
/// `gc-memref-abi-calls`: turns calls of graph functions in functions without
/// graph ops into calls of `@<name>__memref`, declared from memrefs to memrefs,
/// with bufferization.to_buffer and to_tensor around them; convert-tir-to-llvm
/// with abi=memref resolves the declarations.
///
/// ```mlir
/// // before
/// %0 = call @mlp(%x) : (tensor<4xf32>) -> tensor<4xf32>
/// // after
/// %b = bufferization.to_buffer %x read_only {call_operand = 0} : tensor<4xf32> to memref<4xf32>
/// %r = call @mlp__memref(%b) : (memref<4xf32>) -> memref<4xf32>
/// %0 = bufferization.to_tensor %r restrict : memref<4xf32> to tensor<4xf32>
/// ```
std::unique_ptr<mlir::Pass> createMemrefAbiCallsPass();
// clang-format on

/// `gc-sink-call-operands`: moves each of these to_buffer back in front of its
/// call. They are pure, so that upstream passes move them, but what they read
/// may be written in place until the call.
std::unique_ptr<mlir::Pass> createSinkCallOperandsPass();

/// Registers both.
void registerMemrefAbiCallsPass();

} // namespace gc

#endif // GC_TRANSFORMS_MEMREFABICALLS_H
