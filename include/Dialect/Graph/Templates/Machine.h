// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The facts about a machine that decisions depend on: cores, caches, vector
// units. They come from the host or from a target description in the module,
// never from constants inside a pass.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_MACHINE_H
#define GC_DIALECT_GRAPH_TEMPLATES_MACHINE_H

#include "mlir/IR/BuiltinOps.h"

namespace gc::graph {

/// Sizes in bytes; caches are what one core can use, L3 is shared by all.
struct Machine {
  int64_t cores = 1;
  int64_t l1Bytes = 32 * 1024;
  int64_t l2Bytes = 1024 * 1024;
  int64_t l3Bytes = 32 * 1024 * 1024;
  int64_t vectorBits = 128;
  int64_t vectorRegisters = 16;

  /// Lanes of a vector of elements of `bits` bits.
  int64_t getLanes(int64_t bits) const { return vectorBits / bits; }

  /// Facts of the machine the compiler runs on, read once per process.
  static const Machine &host();

  /// Host facts overridden by the module's DLTI target description, device
  /// "CPU": `num_threads`, `L1_cache_size_in_bytes`, `L2_cache_size_in_bytes`,
  /// `L3_cache_size_in_bytes`, `max_vector_op_width` (bits),
  /// `num_vector_registers`, all integers of 1 or more. Reports others at the
  /// module.
  static mlir::FailureOr<Machine> get(mlir::ModuleOp module);
};

/// What a caller may fix before a template is chosen.
struct TemplateOptions {
  /// Threads to divide the work among; 0 means as many as cores.
  int64_t threads = 0;
  /// Which kernels will run: their tile shapes and tails differ.
  bool vectorKernels = false;

  /// Ops behind it reduce rows of the result: a core has to have whole rows of
  /// it at a post-op anchor.
  bool wholeRows = false;
  /// Operand 0 is a row panel of the neighbour this op is merged with: one core
  /// reads whole rows that it has just written.
  bool readsPanel = false;
  /// What neighbouring ops have agreed on so that their loops can merge: parts
  /// and block of the rows, no parts of the columns. 0: free.
  int64_t rowParts = 0, rowBlock = 0;
  /// Bytes that the neighbours keep in the L2 cache while this op runs.
  int64_t neighbourBytes = 0;

  /// Where to leave the estimated cycles of the busiest core, or null.
  double *cycles = nullptr;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TEMPLATES_MACHINE_H
