// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a caller of the template choice may fix.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H
#define GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H

#include <cstdint>

namespace gc::graph {

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

#endif // GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H
