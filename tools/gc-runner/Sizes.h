// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Graphs with sizes that vary: which sizes are run.

#ifndef GC_TOOLS_GC_RUNNER_SIZES_H
#define GC_TOOLS_GC_RUNNER_SIZES_H

#include "Dialect/Graph/IR/NamedDims.h"
#include "Options.h"

namespace gc::runner {

/// All combinations of the sizes that the options list, the last dimension
/// being the fastest; one without sizes if there are none. An error if there
/// are sizes for a graph of fixed ones, none for a dimension that varies, too
/// many combinations, or several where the options allow only one.
llvm::Expected<std::vector<graph::NamedSizes>>
listSizes(mlir::func::FuncOp graph, const Options &options);

/// "batch = 16, past = 3", and for the name of a folder "batch-16_past-3".
std::string printSizes(const graph::NamedSizes &sizes);
std::string getFolderName(const graph::NamedSizes &sizes);

} // namespace gc::runner

#endif // GC_TOOLS_GC_RUNNER_SIZES_H
