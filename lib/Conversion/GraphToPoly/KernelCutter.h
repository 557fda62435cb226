// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How a graph is divided into kernels of the NPU.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELCUTTER_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELCUTTER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace gc::graph {

/// Ops that become one kernel, in their order.
using Kernel = llvm::SmallSetVector<mlir::Operation *, 8>;

/// The kernels of a function.
class Cutter {
public:
  /// Without `fuses` only operands of one bit join what reads them.
  Cutter(mlir::func::FuncOp function, bool fuses)
      : function(function), fuses(fuses) {}

  void cut();
  /// In an order in which each can run.
  llvm::SmallVector<Kernel> takeKernels();

private:
  std::optional<llvm::StringRef> findObstacle(const Kernel &kernel);
  std::optional<llvm::StringRef>
  findContractionObstacle(const Kernel &kernel, mlir::Operation *contraction);
  std::optional<llvm::StringRef> findLoopObstacle(const Kernel &kernel);
  bool isCyclic(unsigned first, unsigned second);
  llvm::SmallVector<unsigned> getProducers(unsigned kernel);
  void join(mlir::Operation *op);
  // What readers compute themselves (RecomputeOps.cpp).
  void recompute();
  bool recompute(mlir::Operation *op, unsigned home);

  mlir::func::FuncOp function;
  bool fuses;
  llvm::SmallVector<Kernel> kernels;
  llvm::DenseMap<mlir::Operation *, unsigned> owner;
};

} // namespace gc::graph

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_KERNELCUTTER_H
