// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Compiles one graph, runs it and compares it with the reference.

#ifndef GC_TOOLS_GC_FUZZ_CHECK_H
#define GC_TOOLS_GC_FUZZ_CHECK_H

#include "Transforms/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <bitset>
#include <string>
#include <vector>

namespace gc::fuzz {

/// Options of the CPU pipeline, which have the threads in them, and the text
/// that the others came from.
struct Pipeline {
  std::string text;
  CpuPipelineOptions options;

  /// For messages.
  std::string describe() const;
};

struct CheckOptions {
  /// The graph is checked with each.
  std::vector<Pipeline> pipelines;
  /// Of the inputs.
  uint64_t seed = 0;
};

enum class Status {
  passed,
  /// Agrees, but the result proves nothing.
  weak,
  /// Differs from the reference, or from its own first run, or wrote where it
  /// must not.
  mismatch,
  /// The compiler or the run time reports an error.
  refused,
  /// The reference cannot evaluate it, or the text does not parse again.
  broken,
  crashed,
  hung
};

llvm::StringRef getName(Status status);

/// Rows of the table of operations.
using Operations = std::bitset<192>;
/// Those that a graph has.
Operations findOperations(mlir::func::FuncOp entry);

/// What a graph contains after the compiler's decisions.
struct Features {
  int64_t ops = 0, matmuls = 0;
  /// Matmuls whose last block in some dimension is smaller than the others.
  int64_t tails = 0;
  /// Regions of two or more ops, and those with a matmul among them.
  int64_t regions = 0, matmulRegions = 0;
  /// Regions that share a parallel loop with another one (first pipeline).
  int64_t merged = 0;
  int64_t preOps = 0;
  /// Values that the fold function computes.
  int64_t folded = 0;
  int64_t stridedArguments = 0, results = 0, maxRank = 0;
  Operations operations;
  /// Graphs whose check was weak and that this one replaces.
  int64_t replaced = 0;
};

struct Outcome {
  Status status = Status::passed;
  std::string message;
  Features features;
};

/// Runs the function on random inputs as each pipeline compiles it, twice each,
/// in buffers that are only aligned to their elements and end at pages that
/// must not be touched. Also checks that both runs give the same bits, that
/// inputs stay as they are and that gaps of strided results are left alone.
Outcome checkGraph(mlir::func::FuncOp entry, const CheckOptions &options);

} // namespace gc::fuzz

#endif // GC_TOOLS_GC_FUZZ_CHECK_H
