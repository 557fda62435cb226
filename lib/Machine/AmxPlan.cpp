// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/AmxPlan.h"
#include "Machine/CostModel.h"
#include "Machine/KernelChoice.h"
#include "Machine/KernelCost.h"
#include "TileDivision.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace gc {

namespace {

/// Registers of C: rows by columns of them. Those of A or of B, whichever are
/// fewer, are held, the others pass through two registers.
struct Grid {
  int64_t rows, columns;
};
constexpr Grid kGrids[] = {{2, 2}, {4, 1}, {1, 4}};

/// What limits the tiles of a kernel.
class TileCost {
public:
  /// C[m, n] with `groups` groups along k.
  TileCost(const Machine &machine, const KernelRate &rate, int64_t m, int64_t n,
           int64_t groups)
      : rate(rate), m(m), n(n), bytes(kGroupBytes * groups),
        l1Bytes(CostModel(machine).getCapacity(MemoryLevel::l1)),
        l2LinesPerCycle(machine.l2BytesPerCycle / kLineBytes) {}

  /// Cycles per group of one division of C; infinite if the last register would
  /// overlap one of another tile, whose sums it would add to again.
  double getCycles(const Grid &grid) const {
    int64_t columns = llvm::divideCeil(n, kAmxColumns);
    if (grid.columns == 1 && columns > 1 && n % kAmxColumns != 0)
      return std::numeric_limits<double>::infinity();
    double cycles = 0;
    for (const RowTiles &width : divideRows(columns, grid.columns))
      for (const RowTiles &height : divideRows(m, grid.rows * kAmxRows))
        cycles +=
            width.count * height.count * getStepCycles(height.size, width.size);
    return cycles / kAmxGroups;
  }

private:
  static constexpr double kGroupBytes = 4, kLineBytes = 64;

  /// What a step of `kAmxGroups` groups takes: the rows of A that are
  /// multiplied, one in a cycle or as the rate says, the lines that are loaded,
  /// or the time until a product can be added to again.
  double getStepCycles(int64_t rows, int64_t columns) const {
    double perRow = static_cast<double>(kAmxColumns * kAmxGroups) *
                    getGroupSize(getTypeOfB(rate.types)) / rate.macsPerCycle;
    double tileColumns = static_cast<double>(columns * kAmxColumns);
    // Tiles of the same columns follow each other: they find those of B in the
    // L1 cache if it keeps them and the rows of A, and all rows of A if it
    // keeps these and the columns of B.
    bool areNear = bytes == 0;
    bool keepsB =
        areNear || (m > rows && (rows + tileColumns) * bytes <= l1Bytes);
    bool keepsA =
        areNear || (n > tileColumns && (m + tileColumns) * bytes <= l1Bytes);
    double loads = getLoads(static_cast<double>(rows), keepsA) +
                   getLoads(static_cast<double>(kAmxGroups * columns), keepsB);
    return std::max({perRow * rows * columns, loads, rate.latencyCycles});
  }
  double getLoads(double lines, bool isInL1) const {
    return lines / (isInL1 ? rate.loadsPerCycle
                           : std::min(rate.loadsPerCycle, l2LinesPerCycle));
  }

  const KernelRate &rate;
  int64_t m, n;
  /// Of a row of A or a column of B, and what L1 holds of them.
  double bytes, l1Bytes, l2LinesPerCycle;
};

} // namespace

bool isAmx(const KernelRate &rate) {
  return llvm::StringRef(rate.isa).starts_with("amx");
}

const KernelRate *getAmxRate(const Machine &machine, KernelTypes types) {
  const KernelRate *rate = machine.getKernelRate(types);
  return rate && isAmx(*rate) ? rate : nullptr;
}

const KernelRate *getVectorRate(const Machine &machine, KernelTypes types) {
  const KernelRate *best = machine.getKernelRate(types);
  if (!best || !isAmx(*best))
    return best;
  best = nullptr;
  // A machine with AMX has the longest vectors: those of all rates fit.
  for (const KernelRate &rate : machine.kernels)
    if (rate.types == types && !isAmx(rate) && machine.hasFeature(rate.isa) &&
        (!best || rate.macsPerCycle >= best->macsPerCycle))
      best = &rate;
  return best;
}

AmxSteps getAmxSteps(int64_t k, int64_t group) {
  int64_t groups = llvm::divideCeil(k, group),
          steps = llvm::divideCeil(groups, kAmxGroups);
  if (k % (steps * group) == 0)
    return {steps, groups / steps, 0};
  if (steps == 1)
    return {0, groups, k};
  int64_t whole = kAmxGroups * group;
  return {k / whole, kAmxGroups, k % whole};
}

llvm::SmallVector<int64_t, 4> getAmxHeights(int64_t rows) {
  llvm::SmallVector<int64_t, 4> heights;
  for (const RowTiles &tiles : divideRows(rows, kAmxRows))
    heights.append(tiles.count, tiles.size);
  return heights;
}

double getAmxCyclesPerGroup(const Machine &machine, const KernelRate &rate,
                            int64_t m, int64_t n, int64_t groups) {
  TileCost cost(machine, rate, m, n, groups);
  double best = std::numeric_limits<double>::max();
  for (const Grid &grid : kGrids)
    best = std::min(best, cost.getCycles(grid));
  return best;
}

std::optional<VectorPlan> planAmxKernel(const Machine &machine,
                                        const KernelSpec &spec) {
  int64_t group = getGroupSize(spec.a);
  std::optional<KernelTypes> types = getRateTypes(spec.a, spec.b);
  const KernelRate *rate = types ? getAmxRate(machine, *types) : nullptr;
  // Sums of bytes, for zero points, are those of VNNI.
  if (isInteger(spec.a) && !machine.hasFeature("avx512vnni"))
    return std::nullopt;
  if (!rate || spec.packB != group)
    return std::nullopt;
  VectorPlan plan;
  plan.amx = true;
  plan.lanes = kAmxColumns;
  plan.valid = std::min(plan.lanes, spec.n);
  TileCost cost(machine, *rate, spec.m, spec.n, /*groups=*/0);
  double best = std::numeric_limits<double>::max();
  for (const Grid &grid : kGrids) {
    double cycles = cost.getCycles(grid);
    if (cycles >= best)
      continue;
    best = cycles;
    plan.columns = tileColumns(spec.n, plan.lanes, grid.columns);
    for (ColumnTiles &tiles : plan.columns)
      tiles.rows = divideRows(spec.m, grid.rows * kAmxRows);
  }
  // Copying a rest takes about as long as a step.
  AmxSteps steps = getAmxSteps(spec.k, group);
  int64_t taken = steps.getNumSteps() + (steps.rest != 0);
  plan.cyclesPerK = best * taken * kAmxGroups /
                    static_cast<double>(llvm::divideCeil(spec.k, group));
  return plan;
}

} // namespace gc
