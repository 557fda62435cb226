// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/AmxPlan.h"
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

/// What the tiles of a step of `kAmxGroups` groups take: the rows of A that are
/// multiplied, one in a cycle or as the rate says, the lines that are loaded,
/// from L2 if k is long, or the time until a product can be added to again.
double getStepCycles(const Machine &machine, const KernelRate &rate,
                     int64_t rows, int64_t columns) {
  constexpr double kLineBytes = 64;
  double perRow = static_cast<double>(kAmxColumns * kAmxGroups) *
                  getGroupSize(getTypeOfB(rate.types)) / rate.macsPerCycle;
  double products = perRow * rows * columns;
  double loads =
      (rows + kAmxGroups * columns) /
      std::min(rate.loadsPerCycle, machine.l2BytesPerCycle / kLineBytes);
  return std::max({products, loads, rate.latencyCycles});
}

/// Cycles per group of one division of C[m, n]; infinite if the last register
/// would overlap one of another tile, whose sums it would add to again.
double getCycles(const Machine &machine, const KernelRate &rate, int64_t m,
                 int64_t n, const Grid &grid) {
  int64_t columns = llvm::divideCeil(n, kAmxColumns);
  if (grid.columns == 1 && columns > 1 && n % kAmxColumns != 0)
    return std::numeric_limits<double>::infinity();
  double cycles = 0;
  for (const RowTiles &width : divideRows(columns, grid.columns))
    for (const RowTiles &height : divideRows(m, grid.rows * kAmxRows))
      cycles += width.count * height.count *
                getStepCycles(machine, rate, height.size, width.size);
  return cycles / kAmxGroups;
}

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
                            int64_t m, int64_t n) {
  double best = std::numeric_limits<double>::max();
  for (const Grid &grid : kGrids)
    best = std::min(best, getCycles(machine, rate, m, n, grid));
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
  double best = std::numeric_limits<double>::max();
  for (const Grid &grid : kGrids) {
    double cycles = getCycles(machine, *rate, spec.m, spec.n, grid);
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
