// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the extraction of scops adds to the graph dialect.

#ifndef GC_CONVERSION_GRAPHTOPOLY_GRAPHTOPOLY_H
#define GC_CONVERSION_GRAPHTOPOLY_GRAPHTOPOLY_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gc {

/// Lets the graph dialect know target 'npu': which ops its pipeline compiles.
void registerNpuSupport(mlir::DialectRegistry &registry);

} // namespace gc

#endif // GC_CONVERSION_GRAPHTOPOLY_GRAPHTOPOLY_H
