// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Data of large resources (dense_resource) that code owns together with the
// MLIR context, so that weights are not copied into the code.

#ifndef GC_DRIVER_SHAREDRESOURCES_H
#define GC_DRIVER_SHAREDRESOURCES_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace gc {

/// Resources of this many bytes or more are worth sharing.
inline constexpr int64_t kSharedResourceBytes = 64 * 1024;

/// Gives the data of the module's large resources owners that others can share:
/// it is freed when the context is destroyed, or gives it up, and no compiled
/// graph has it any more. The data stays where it is and must not be written
/// from now on. For whoever has just made the module: no other thread may use
/// its resources meanwhile. Resources that are shared already stay as they are.
void shareResources(mlir::ModuleOp module);

/// An owner of data that shareResources has seen; null for other data, which
/// lives only as long as its context. May be called from several threads.
std::shared_ptr<const void> findOwner(llvm::ArrayRef<char> data);

/// The context gives up the data of the module's shared resources, for a module
/// that will not be compiled, interpreted or printed any more.
void dropResources(mlir::ModuleOp module);

} // namespace gc

#endif // GC_DRIVER_SHAREDRESOURCES_H
