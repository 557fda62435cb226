// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Random graphs of the Graph dialect.

#ifndef GC_TOOLS_GC_FUZZ_GENERATOR_H
#define GC_TOOLS_GC_FUZZ_GENERATOR_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace gc::fuzz {

/// Families of ops that graphs may have.
struct GeneratorOptions {
  /// Matmuls of bf16 and f16.
  bool narrow = true;
  /// Softmax, norms, reductions, selection, attention.
  bool rows = true;
  /// Convolutions, pooling, interpolation, with their gradients.
  bool windows = true;
  /// Gradients.
  bool backward = true;
  /// Quantisation and back.
  bool quantized = true;
};

/// A module with one function @main of 3 to 20 graph ops or a few more, which
/// the CPU target compiles: tensors of rank 0 to 5 with sizes from sets that
/// hold 1, primes and the neighbours of block sizes; half of the graphs have
/// two or more matmuls. Values are kept in ranges where results are meaningful.
/// The same seed and index give the same module.
mlir::OwningOpRef<mlir::ModuleOp>
generateGraph(mlir::MLIRContext *context, uint64_t seed, uint64_t index,
              const GeneratorOptions &options = {});

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_GENERATOR_H
