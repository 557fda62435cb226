// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a caller of the template choice may fix.

#ifndef GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H
#define GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H

#include "Machine/CostModel.h"
#include "Machine/KernelChoice.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <string>

namespace gc::graph {

/// How a matrix was divided among the cores that wrote it.
struct Partition {
  int64_t rowParts = 1, columnParts = 1;

  /// The fraction of it that other cores wrote, for a core that reads one of
  /// the given numbers of parts of the rows and of the columns.
  double getForeignPart(int64_t rows, int64_t columns) const {
    if (rowParts == rows && (columnParts == 1 || columnParts == columns))
      return 0;
    int64_t parts = rowParts * columnParts;
    return parts == 1 ? 1 : 1 - 1.0 / parts;
  }
};

/// What a caller may fix before a template is chosen.
struct TemplateOptions {
  /// Threads to divide the work among; 0 means as many as cores.
  int64_t threads = 0;
  /// Which kernels will run: their tile shapes and tails differ. If automatic,
  /// templates assume those of the library.
  KernelPreference kernels = KernelPreference::automatic;
  /// Kernels may compute in fixed point.
  bool fixedPoint = true;

  bool usesVectorKernels() const { return kernels == KernelPreference::vector; }

  /// Ops after it reduce rows of the result: a core must have whole rows of it
  /// at a post-op anchor.
  bool wholeRows = false;
  /// Operand 0 is a row panel of the neighbour this op is merged with: one core
  /// reads whole rows that it has just written.
  bool readsPanel = false;
  /// What neighbouring ops have agreed on so that their loops can merge: parts
  /// and block of the rows, no parts of the columns. 0: free.
  int64_t rowParts = 0, rowBlock = 0;
  /// Maximum rows of a block, if more would not stay in the cache; 0: no limit.
  int64_t maxRowBlock = 0;
  /// Their loops over blocks of rows are merged, too.
  bool mergeRows = false;
  /// Bytes that the neighbours keep in the L2 cache while this op runs.
  int64_t neighbourBytes = 0;

  /// Bytes that an execution of the whole graph touches; 0: unknown. If they
  /// fit the L2 cache of a core, it still has its constants from the last
  /// execution.
  double graphBytes = 0;

  /// How operand 0 was written, if by an op of this graph whose loops do not
  /// merge with this one's: data written by other cores takes longer to read.
  std::optional<Partition> source;
  /// Where the operands are when the op begins, and where the result goes; if
  /// empty, where their sizes suggest.
  llvm::SmallVector<MemoryLevel, 4> operandLevels;
  std::optional<MemoryLevel> resultLevel;

  /// Names of templates that an op must use if they are registered for it.
  llvm::ArrayRef<std::string> forced;
  /// How many candidates are wanted besides the best one of a template.
  int64_t alternatives = 0;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_TEMPLATES_TEMPLATEOPTIONS_H
