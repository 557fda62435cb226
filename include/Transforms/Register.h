// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Registers what GC adds to a compiler; every tool, and every other compiler
// that builds on GC, goes through these two functions.

#ifndef GC_TRANSFORMS_REGISTER_H
#define GC_TRANSFORMS_REGISTER_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace gc {

/// Adds GC's dialects, the upstream dialects that its pipelines use, and the
/// external interface models and LLVM IR translations that they need.
void registerAllGraphCompilerDialects(mlir::DialectRegistry &registry);

/// Registers GC's passes and pipelines under their command-line names. May be
/// called once per process.
void registerAllGraphCompilerPasses();

} // namespace gc

#endif // GC_TRANSFORMS_REGISTER_H
