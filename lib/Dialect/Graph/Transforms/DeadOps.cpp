// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "DeadOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

llvm::DenseSet<Operation *> gc::graph::findDeadOps(Operation *root) {
  llvm::DenseSet<Operation *> dead;
  root->walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    if (wouldOpBeTriviallyDead(op) &&
        llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return dead.contains(user); }))
      dead.insert(op);
  });
  return dead;
}
