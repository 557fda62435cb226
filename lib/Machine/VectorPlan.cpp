// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/VectorPlan.h"
#include "Machine/AmxPlan.h"
#include "Machine/KernelChoice.h"
#include "Machine/KernelCost.h"
#include "TileDivision.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

namespace gc {

namespace {

/// What a tile of rows x vectors costs per step of k: the ports for
/// multiply-adds and for loads each serve two per cycle.
double getTileCycles(int64_t rows, int64_t vectors) {
  double flops = rows * vectors / 2.0;
  double loads = (rows + vectors) / 2.0;
  return std::max(flops, loads);
}

/// The same where every vector of B is converted: two ops that isolate elements
/// and a conversion, which share the four ports of vectors with multiply-adds.
double getWideningTileCycles(int64_t rows, int64_t vectors) {
  double ops = (rows * vectors + 3 * vectors) / 4.0;
  return std::max(getTileCycles(rows, vectors), ops);
}

/// The same where elements of a lane are taken apart before they are
/// multiplied: of each pair of steps of k, three ops for an element of A and
/// two for a vector of B.
double getSplittingTileCycles(int64_t rows, int64_t vectors) {
  double ops = (2 * rows * vectors + 3 * rows + 2 * vectors) / 4.0;
  return std::max(getTileCycles(rows, vectors), ops / 2);
}

/// The same in fixed point, where a group of eight steps of k has two dot
/// products for each digit of each sum, and three ops take a vector of B apart.
/// A row of a block is converted before and its sums are joined afterwards, at
/// the latency of that.
double getFixedPointTileCycles(int64_t rows, int64_t vectors, int64_t k) {
  constexpr double kGroup = 8, kCyclesPerRow = 75;
  double dots = 2.0 * kDigits * rows * vectors;
  double ops = dots + 3 * vectors;
  return std::max(dots / 2, ops / 4) / kGroup + kCyclesPerRow * rows / k;
}

/// What happens to operands on their way to the multiply-adds.
enum class Operands { plain, widened, fixedPoint, split };

/// Whether a kernel can convert A to fixed point. It has to lose less that way
/// than by rounding sums in f32: that takes some terms. At most so many that
/// sums of a digit are exact in f32, too; digits of a row are on the stack.
bool takesFixedPoint(const Machine &machine, const KernelSpec &spec) {
  constexpr int64_t kLeastTerms = 32, kMostTerms = 1024;
  int64_t lanes = machine.getLanes(getBits(spec.accumulator));
  bool isOfVectors =
      (lanes == 8 || lanes == 16) && spec.n > lanes / 2 && spec.k % lanes == 0;
  return spec.widensB() && getBits(spec.b) == 4 && isOfVectors &&
         spec.k >= kLeastTerms && spec.k <= kMostTerms &&
         hasByteDots(machine, getBits(spec.accumulator) * lanes);
}

Operands getOperands(const Machine &machine, const KernelSpec &spec) {
  if (spec.widensB())
    return Operands::widened;
  // Without dot products of bytes, integers are multiplied in 16 bits, which
  // also takes extra ops; larger tiles were still faster.
  return splitsPairs(machine, spec.a) ? Operands::split : Operands::plain;
}

double getTileCycles(const KernelSpec &spec, Operands operands, int64_t rows,
                     int64_t vectors) {
  switch (operands) {
  case Operands::plain:
    return getTileCycles(rows, vectors);
  case Operands::widened:
    return getWideningTileCycles(rows, vectors);
  case Operands::fixedPoint:
    return getFixedPointTileCycles(rows, vectors, spec.k);
  case Operands::split:
    return getSplittingTileCycles(rows, vectors);
  }
  return 0;
}

/// Registers besides the accumulators.
int64_t getScratch(Operands operands, int64_t rows, int64_t vectors) {
  switch (operands) {
  case Operands::plain:
    // The vectors of B or the broadcast elements of A, whichever are fewer, and
    // one more for the other of them.
    return std::min(rows, vectors) + 1;
  case Operands::widened:
    // The groups of B, an element of A for each row, and a converted vector.
    return vectors + rows + 1;
  case Operands::fixedPoint:
    // A group of B, its halves; digits are broadcast from memory.
    return 3;
  case Operands::split:
    // Both halves of each vector of B, and of one element of A.
    return 2 * vectors + 2;
  }
  return 0;
}

/// The maximum number of rows of a tile with the given number of vectors.
int64_t getMaxRows(int64_t registers, int64_t vectors, Operands operands) {
  int64_t rows = 1, sums = operands == Operands::fixedPoint ? kDigits : 1;
  while ((rows + 1) * vectors * sums +
             getScratch(operands, rows + 1, vectors) <=
         registers)
    ++rows;
  return rows;
}

} // namespace

bool hasByteDots(const Machine &machine, int64_t bits) {
  // Vectors that are shorter than 512 bits need the extension VL.
  bool isExtended = machine.hasFeature("avx512vnni") &&
                    (bits == 512 || machine.hasFeature("avx512vl"));
  return (bits == 128 || bits == 256 || bits == 512) &&
         (isExtended || (bits < 512 && machine.hasFeature("avxvnni")));
}

/// Tiles of dot products: vectors run along k, one accumulator for each element
/// of C. Every accumulator is added up at the end.
static VectorPlan planDotKernel(const KernelSpec &spec, int64_t lanes,
                                int64_t registers) {
  constexpr int64_t kMostSums = 16, kStoredAtOnce = 4;
  // Lanes of four sums are added together, and stored at once where they are
  // neighbours. Sums of groups have few steps along k to hide that. Measured on
  // Zen 4.
  Operands operands = spec.widensB() ? Operands::widened : Operands::plain;
  constexpr double kCyclesPerStore = 1;
  const double cyclesPerSum = getGroupSize(spec.a) > 1 ? 3 : 2;
  VectorPlan plan;
  plan.dot = true;
  int64_t group = getGroupSize(spec.a), groups = spec.k / group;
  plan.lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(groups));
  plan.valid = std::min(plan.lanes, groups);
  double best = std::numeric_limits<double>::max();
  for (int64_t width : {1, 2, 4, 8}) {
    if (width > spec.n)
      continue;
    int64_t most = 1;
    // Of integers, the sums of columns may be needed, too.
    int64_t besides = 1 + (isInteger(spec.a) ? width : 0);
    while ((most + 1) * width + std::min(most + 1, width) + besides <=
               registers &&
           (most + 1) * width <= kMostSums && (width > 1 || most < 8))
      ++most;
    if (width + 1 + besides > registers)
      continue;
    llvm::SmallVector<ColumnTiles, 3> columns;
    auto add = [&](int64_t start, int64_t count, int64_t size) {
      ColumnTiles tiles{start, count, size, {}, divideRows(spec.m, most)};
      for (int64_t i = 0; i < size; ++i)
        tiles.vectors.push_back(i);
      columns.push_back(std::move(tiles));
    };
    add(0, spec.n / width, width);
    if (int64_t rest = spec.n % width)
      add(spec.n - rest, 1, rest);
    // Along k, a step is an element of a lane, or the group that fills it.
    double cycles = 0;
    for (const ColumnTiles &tiles : columns) {
      int64_t size = tiles.vectors.size();
      bool isStoredAtOnce =
          size % kStoredAtOnce == 0 || (size == 1 && spec.ldc == 1);
      double perSum = cyclesPerSum + (isStoredAtOnce ? 0 : kCyclesPerStore);
      for (const RowTiles &rows : tiles.rows)
        cycles += tiles.count * rows.count *
                  (getTileCycles(spec, operands, rows.size, size) / plan.lanes +
                   perSum * rows.size * size / groups);
    }
    if (cycles >= best)
      continue;
    best = cycles;
    plan.columns = std::move(columns);
  }
  plan.cyclesPerK = best;
  return plan;
}

/// Lanes of the rows of C that an exchanged kernel computes at once; 0: there
/// is no such kernel of the spec.
static int64_t getExchangedLanes(const Machine &machine,
                                 const KernelSpec &spec) {
  constexpr int64_t kLeastLanes = 4, kMostScratchBytes = 16 * 1024;
  // In f32, where memory is the bound, it gained nothing on Zen 4.
  bool isOfGroups = getGroupSize(spec.a) > 1;
  if (!spec.transposeB || !isOfGroups || spec.batch != BatchForm::stride ||
      getOperands(machine, spec) != Operands::plain)
    return 0;
  int64_t lanes = std::min<int64_t>(machine.getLanes(getBits(spec.accumulator)),
                                    llvm::PowerOf2Ceil(spec.m));
  int64_t bits = lanes * getBits(spec.accumulator);
  bool isOfBytes = isInteger(spec.a);
  if (lanes < kLeastLanes || (isOfBytes && !hasByteDots(machine, bits)))
    return 0;
  // Dot products of shorter vectors than the machine's.
  if (spec.a == DataType::bf16 && bits < 512 && !machine.hasFeature("avx512vl"))
    return 0;
  int64_t scratch = llvm::alignTo(spec.m, lanes) * spec.k * getBytes(spec.a);
  return scratch <= kMostScratchBytes ? lanes : 0;
}

/// Tiles of columns of C by one vector of its rows.
static VectorPlan planExchangedKernel(const Machine &machine,
                                      const KernelSpec &spec, int64_t lanes) {
  constexpr int64_t kManyRegisters = 32, kMostColumns = 16;
  // Per column of a tile: what the sum of its elements takes.
  constexpr double kCyclesPerColumn = 2.5;
  VectorPlan plan;
  plan.exchanged = true;
  plan.lanes = plan.valid = lanes;
  int64_t columns =
      machine.vectorRegisters >= kManyRegisters ? kMostColumns : lanes;
  int64_t vectors = llvm::divideCeil(spec.m, lanes),
          group = getGroupSize(spec.a), groups = spec.k / group;
  // Of a vector that is transposed: shuffles, half of which multiply-adds hide,
  // and a store. Measured on Zen 4.
  double moves = (llvm::Log2_64(lanes) + 1) / 2.0;
  // Where one long vector is multiplied per cycle, two of half the length are.
  KernelModel model =
      KernelModel::get(machine, /*vectorKernels=*/true,
                       getRateTypes(spec.a, spec.b).value_or(KernelTypes::f32));
  double share = std::max(model.sumsPerCycle / group / 2,
                          static_cast<double>(lanes) / model.lanes);
  auto add = [&](int64_t start, int64_t count, int64_t size) {
    plan.columns.push_back({start, count, size, {}, {}});
    plan.cyclesPerK += count * vectors * share *
                       (getTileCycles(size, 1) + moves * columns / groups);
    if (isInteger(spec.a))
      plan.cyclesPerK += count * kCyclesPerColumn * size / groups;
  };
  if (spec.n >= columns)
    add(0, spec.n / columns, columns);
  if (int64_t rest = spec.n % columns)
    add(spec.n - rest, 1, rest);
  // Of every square of A loads, shuffles and stores.
  plan.cyclesPerK += share * vectors * (moves + 1);
  return plan;
}

/// Tiles of rows and vectors of columns.
static VectorPlan planMatrixKernel(const KernelSpec &spec, int64_t lanes,
                                   int64_t registers, Operands operands) {
  VectorPlan plan;
  plan.fixedPoint = operands == Operands::fixedPoint;
  plan.lanes = std::min<int64_t>(lanes, llvm::PowerOf2Ceil(spec.n));
  plan.valid = std::min(plan.lanes, spec.n);
  int64_t vectors = llvm::divideCeil(spec.n, plan.lanes);
  double best = std::numeric_limits<double>::max();
  int64_t fitting = operands == Operands::plain ? registers - 2
                    : plan.fixedPoint           ? (registers - 3) / kDigits
                                                : (registers - 2) / 2;
  int64_t limit = std::min(vectors, std::max<int64_t>(2, fitting));
  for (int64_t most = 1; most <= limit; ++most) {
    // One vector alone cannot overlap anything.
    if (most == 1 && vectors > 1 && spec.n % plan.lanes != 0)
      continue;
    llvm::SmallVector<ColumnTiles, 3> columns =
        tileColumns(spec.n, plan.lanes, most);
    double cycles = 0, loads = 0;
    int64_t bodies = 0;
    for (ColumnTiles &tiles : columns) {
      int64_t size = tiles.vectors.size();
      tiles.rows = divideRows(spec.m, getMaxRows(registers, size, operands));
      bodies += tiles.rows.size();
      for (const RowTiles &rows : tiles.rows) {
        int64_t count = tiles.count * rows.count;
        cycles += count * getTileCycles(spec, operands, rows.size, size);
        loads += count * (0.1 * rows.size + 0.3 * size);
      }
    }
    // Loads that multiply-adds hide still contend for the cache, those of B,
    // which is read again for every tile of rows, more than those of A; and
    // every body has to be compiled and fetched.
    double cost = cycles + loads + 0.02 * cycles * bodies;
    if (cost >= best)
      continue;
    best = cost;
    plan.cyclesPerK = cycles;
    plan.columns = std::move(columns);
  }
  return plan;
}

llvm::StringRef getName(KernelForm form) {
  switch (form) {
  case KernelForm::vector:
    return "vector";
  case KernelForm::fixedPoint:
    return "fixed_point";
  case KernelForm::amx:
    return "amx";
  }
  llvm_unreachable("all forms are above");
}

std::optional<KernelForm> findKernelForm(llvm::StringRef name) {
  for (KernelForm form :
       {KernelForm::vector, KernelForm::fixedPoint, KernelForm::amx})
    if (getName(form) == name)
      return form;
  return std::nullopt;
}

/// Whether vectors run along k.
static bool isDot(const KernelSpec &spec) {
  // Dot products take whole groups only.
  bool isColumn = spec.n == 1 && spec.ldb == 1 && spec.packB == 1 &&
                  spec.ldScaleB == 0 && spec.k % getGroupSize(spec.a) == 0;
  return spec.transposeB || isColumn;
}

/// Nothing if there is no kernel of the form.
static std::optional<VectorPlan>
planForm(const Machine &machine, const KernelSpec &spec, KernelForm form) {
  int64_t lanes = machine.getLanes(getBits(spec.accumulator)),
          registers = machine.vectorRegisters;
  switch (form) {
  case KernelForm::vector: {
    if (!isDot(spec))
      return planMatrixKernel(spec, lanes, registers,
                              getOperands(machine, spec));
    VectorPlan plan = planDotKernel(spec, lanes, registers);
    if (int64_t exchanged = getExchangedLanes(machine, spec)) {
      VectorPlan other = planExchangedKernel(machine, spec, exchanged);
      if (other.cyclesPerK < plan.cyclesPerK)
        return other;
    }
    return plan;
  }
  case KernelForm::fixedPoint:
    if (isDot(spec) || !takesFixedPoint(machine, spec))
      return std::nullopt;
    return planMatrixKernel(spec, lanes, registers, Operands::fixedPoint);
  case KernelForm::amx:
    return isDot(spec) ? std::nullopt : planAmxKernel(machine, spec);
  }
  llvm_unreachable("all forms are above");
}

/// The fastest form.
static std::pair<KernelForm, VectorPlan>
planFastest(const Machine &machine, const KernelSpec &spec, bool fixedPoint) {
  std::pair<KernelForm, VectorPlan> best{
      KernelForm::vector, *planForm(machine, spec, KernelForm::vector)};
  for (KernelForm form : {KernelForm::fixedPoint, KernelForm::amx}) {
    if (form == KernelForm::fixedPoint && !fixedPoint)
      continue;
    std::optional<VectorPlan> plan = planForm(machine, spec, form);
    if (plan && plan->cyclesPerK < best.second.cyclesPerK)
      best = {form, std::move(*plan)};
  }
  return best;
}

KernelForm chooseKernelForm(const Machine &machine, const KernelSpec &spec,
                            bool fixedPoint) {
  return planFastest(machine, spec, fixedPoint).first;
}

bool hasKernelForm(const Machine &machine, const KernelSpec &spec,
                   KernelForm form) {
  return planForm(machine, spec, form).has_value();
}

VectorPlan planVectorKernel(const Machine &machine, const KernelSpec &spec) {
  return planFastest(machine, spec, /*fixedPoint=*/true).second;
}

VectorPlan planVectorKernel(const Machine &machine, const KernelSpec &spec,
                            KernelForm form) {
  return *planForm(machine, spec, form);
}

} // namespace gc
