// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/DeadOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

/// Looks at readers until one is kept. Graphs are deep, so no recursion.
bool gc::graph::DeadOps::contains(Operation *op) {
  SmallVector<std::pair<Operation *, Operation::user_iterator>> path;
  auto enter = [&](Operation *entered) {
    bool mayBeDead = wouldOpBeTriviallyDead(entered);
    known[entered] = mayBeDead;
    if (mayBeDead)
      path.push_back({entered, entered->user_begin()});
  };
  if (!known.contains(op))
    enter(op);
  while (!path.empty()) {
    auto &[current, reader] = path.back();
    if (reader == current->user_end()) {
      path.pop_back();
      continue;
    }
    auto entry = known.find(*reader);
    if (entry == known.end()) {
      // Its answer is met when the path is back here.
      enter(*reader);
      continue;
    }
    ++reader;
    if (entry->second)
      continue;
    known[current] = false;
    path.pop_back();
  }
  return known.lookup(op);
}
