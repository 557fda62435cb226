// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which functions are graphs, for passes over modules of several dialects.

#ifndef GC_LIB_TRANSFORMS_HASGRAPHOPS_H
#define GC_LIB_TRANSFORMS_HASGRAPHOPS_H

#include "Dialect/Graph/IR/GraphDialect.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace gc {

inline bool hasGraphOps(mlir::func::FuncOp function) {
  return function
      .walk([](mlir::Operation *op) {
        return llvm::isa_and_nonnull<graph::GraphDialect>(op->getDialect())
                   ? mlir::WalkResult::interrupt()
                   : mlir::WalkResult::advance();
      })
      .wasInterrupted();
}

} // namespace gc

#endif // GC_LIB_TRANSFORMS_HASGRAPHOPS_H
