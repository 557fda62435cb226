// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the kernels of a matmul compute per step of k, operands in the cache.

#include "Machine/VectorPlan.h"
#include "MatmulCost.h"

using namespace mlir;

namespace gc::graph {

bool MatmulCostModel::isPanel() const {
  return options.wholeRows || options.readsPanel ||
         (!options.operandLevels.empty() &&
          options.operandLevels[0] == MemoryLevel::l1);
}

double MatmulCostModel::getKernelCycles(int64_t m, int64_t n) const {
  auto [it, isNew] = kernelCycles.try_emplace({m, n}, 0.0);
  double &cycles = it->second;
  if (!isNew)
    return cycles;
  if (b.isAlongK)
    return cycles = getDotCycles(m, n);
  if (elements.widened)
    return cycles = getWideningCycles(m, n);
  cycles = getBestCyclesPerK(machine, m, n,
                             options.usesVectorKernels() || elements.group > 1,
                             elements.kernel, isPanel() ? 0 : sizes.k);
  // Rows of B are interleaved in registers: an extension for each, shifts, ors.
  if (elements.group > 1 && !b.isPacked)
    cycles += kInterleaveCycles * llvm::divideCeil(n, kernel.lanes);
  return cycles;
}

/// Of the generated kernel. Each of its tiles of columns reads a part of every
/// row of a panel of B; one tile reads the panel from its begin to its end.
double MatmulCostModel::getWideningCycles(int64_t m, int64_t n) const {
  KernelSpec spec;
  spec.b = *elements.widened;
  spec.packB = b.isPacked ? elements.group : 1;
  spec.m = m;
  spec.n = spec.ldb = spec.ldc = n;
  // Of a block, on whose length the form of the kernel depends.
  constexpr int64_t kLongBlock = 256;
  spec.k = elements.scaled
               ? elements.scaled
               : llvm::alignTo(std::min(sizes.k, kLongBlock), elements.group);
  spec.lda = spec.k;
  KernelForm form = chooseKernelForm(machine, spec, options.fixedPoint);
  VectorPlan plan = planVectorKernel(machine, spec, form);
  bool isOneTile = plan.columns.size() == 1 && plan.columns[0].count == 1;
  return plan.cyclesPerK * (isOneTile ? 1 : kPartialRowsFactor);
}

/// Of the generated kernel that reads B along k.
double MatmulCostModel::getDotCycles(int64_t m, int64_t n) const {
  KernelSpec spec;
  std::tie(spec.a, spec.b) = *elements.dots;
  spec.c = spec.accumulator = getAccumulatorType(spec.a);
  spec.transposeB = true;
  spec.m = m;
  spec.n = n;
  spec.ldc = n;
  spec.k = spec.lda = spec.ldb = sizes.k;
  double cycles = planVectorKernel(machine, spec).cyclesPerK;
  // In f32 memory is the bound. Else a step of the plan is a group of A, and it
  // counts on two vectors a cycle.
  return spec.a == DataType::f32 ? cycles : cycles * 2 / kernel.sumsPerCycle;
}

double MatmulCostModel::getCyclesPerK(const MatmulParameters &p, int64_t rows,
                                      int64_t columns) const {
  double cycles = columns / p.nb * getKernelCycles(rows, p.nb);
  if (columns % p.nb)
    cycles += getKernelCycles(rows, columns % p.nb);
  return cycles * (p.nb > kernel.getTileColumns() ? kernel.stridedFactor : 1);
}

/// Every tile of columns but the first finds the rows in L2 at best. A tile of
/// B that would stay in L1 loses its lines in the same sets to each tile of
/// rows, which has `taken` lines in each of them.
double MatmulCostModel::getScatteredCycles(const MatmulParameters &p,
                                           double bytes,
                                           int64_t columns) const {
  int64_t tileColumns = std::min(kernel.getTileColumns(), columns),
          tiles = llvm::divideCeil(columns, tileColumns),
          reduced = std::min(p.kb * p.bs, sizes.k);
  double again = bytes * (tiles - 1);
  double ways = static_cast<double>(machine.l1Bytes) / machine.l1WayBytes,
         waysOfB = tileColumns * reduced * elements.b / machine.l1WayBytes,
         taken = llvm::divideCeil(kernel.rows, a.sharedPlaces);
  if (waysOfB <= ways && waysOfB + taken > ways)
    again += bytes * tiles * waysOfB / taken;
  return model.getKernelWaitCycles(again, MemoryLevel::l2);
}

} // namespace gc::graph
