// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a core finds the operands of a matmul.

#include "MatmulCost.h"

using namespace mlir;

namespace gc::graph {

/// Where an operand is found when the loops begin: its producer has left it in
/// L3 at best.
MemoryLevel MatmulCostModel::getOrigin(double matrixBytes) const {
  double bytes = matrixBytes * batch;
  return std::max(MemoryLevel::l3, model.getLevel(bytes / threads, bytes));
}

/// B, if constant, is where the last execution of the graph has left it.
MemoryLevel MatmulCostModel::getOriginOfB(double bytes) const {
  bool isClose = b.isConstant && options.graphBytes > 0 &&
                 options.graphBytes <= model.getCapacity(MemoryLevel::l2);
  return isClose ? MemoryLevel::l2 : getOrigin(bytes);
}

/// Where a core finds what its loops read repeatedly, if `sharers` of the tasks
/// that run at the same time read the same data.
MemoryLevel MatmulCostModel::getReuse(const MatmulParameters &p, double bytes,
                                      int64_t sharers) const {
  bytes += options.neighbourBytes;
  int64_t running = std::min(threads, batch * p.mpn * p.npn * p.kpn);
  return model.getLevel(bytes, bytes * llvm::divideCeil(running, sharers));
}

} // namespace gc::graph
