// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/KernelCost.h"
#include "Machine/AmxPlan.h"
#include "Machine/KernelChoice.h"
#include "Machine/KernelSpec.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>

namespace gc {

/// The extra cost of vector kernels because they have to be compiled.
constexpr double kCompiled = 1.04;
/// The cost of kernels whose rows of B are apart: higher if tiles have few
/// rows, which load B more often.
constexpr int64_t kFewRows = 4;
constexpr double kStridedLoads = 1.01, kManyStridedLoads = 1.07;

/// Rows of the tiles of generated kernels where there are enough.
constexpr int64_t kVectorRows = 6;

/// `find` is the rate of the types themselves.
template <typename Find>
static const KernelRate *getRate(KernelTypes types, Find find) {
  const KernelRate *rate = find(types);
  // A is shifted to u8 where there is no instruction for two signed operands.
  if (!rate && types == KernelTypes::s8s8)
    rate = find(KernelTypes::u8s8);
  return rate ? rate : find(KernelTypes::f32);
}

const KernelRate *getRateOrF32(const Machine &machine, KernelTypes types) {
  return getRate(types,
                 [&](KernelTypes of) { return machine.getKernelRate(of); });
}

/// The same without AMX.
static const KernelRate *getVectorRateOrF32(const Machine &machine,
                                            KernelTypes types) {
  return getRate(types,
                 [&](KernelTypes of) { return getVectorRate(machine, of); });
}

bool splitsPairs(const Machine &machine, DataType type) {
  return type == DataType::f16 ||
         (type == DataType::bf16 && !machine.hasFeature("avx512bf16"));
}

bool convertsFactors(const Machine &machine, DataType type) {
  std::optional<KernelTypes> types = getRateTypes(type, type);
  return splitsPairs(machine, type) && !(types && getAmxRate(machine, *types));
}

DataType getTypeOfB(KernelTypes types) {
  switch (types) {
  case KernelTypes::f32:
    return DataType::f32;
  case KernelTypes::bf16:
    return DataType::bf16;
  case KernelTypes::f16:
    return DataType::f16;
  case KernelTypes::u8s8:
  case KernelTypes::s8s8:
    return DataType::s8;
  }
  return DataType::f32;
}

double getGainOfBytes(const Machine &machine) {
  // Without dot products of bytes: multiply-adds of 16 bits and their sums.
  // Measured on Zen 4 in AVX2 code.
  constexpr double kInHalves = 1.5;
  const KernelRate *bytes = machine.getKernelRate(KernelTypes::u8s8),
                   *floats = machine.getKernelRate(KernelTypes::f32);
  return bytes && floats ? bytes->macsPerCycle / floats->macsPerCycle
                         : kInHalves;
}

KernelModel KernelModel::get(const Machine &machine, bool vectorKernels,
                             KernelTypes types) {
  KernelModel model{
      3, 4, machine.getLanes(getBits(getAccumulatorType(getTypeOfB(types))))};
  if (const KernelRate *rate = getVectorRateOrF32(machine, types)) {
    model.rows = rate->tileRows;
    model.vectors = rate->tileVectors;
    model.sumsPerCycle = rate->macsPerCycle / model.lanes;
    model.loadsPerCycle = rate->loadsPerCycle;
    model.latency = rate->latencyCycles;
  }
  if (vectorKernels) {
    // Of the tiles that fit the registers, with a row of B and an element of A.
    model.rows = kVectorRows;
    model.vectors =
        std::max<int64_t>(1, (machine.vectorRegisters - 1) / (kVectorRows + 1));
  }
  model.stridedFactor =
      model.rows < kFewRows ? kManyStridedLoads : kStridedLoads;
  return model;
}

double KernelModel::getTileCycles(double tileRows, double tileVectors) const {
  return std::max({tileRows * tileVectors / sumsPerCycle, latency,
                   (tileRows + tileVectors) / loadsPerCycle});
}

double KernelModel::getCyclesPerK(int64_t m, int64_t n) const {
  // Rows are divided evenly among the fewest tiles.
  int64_t rowTiles = llvm::divideCeil(m, rows);
  double tileRows = static_cast<double>(m) / rowTiles;
  int64_t wholeTiles = n / getTileColumns(), rest = n % getTileColumns();
  double cycles = wholeTiles * getTileCycles(tileRows, vectors);
  if (rest)
    cycles += getTileCycles(tileRows, llvm::divideCeil(rest, lanes));
  return rowTiles * cycles;
}

/// Calls add(count, size) for the two sizes of tile that `total` is divided
/// into evenly, at most `most` in each.
template <typename Function>
static void forTiles(int64_t total, int64_t most, Function add) {
  int64_t count = llvm::divideCeil(total, most);
  int64_t size = total / count, larger = total % count;
  add(larger, size + 1);
  add(count - larger, size);
}

double getVectorCyclesPerK(const Machine &machine, int64_t m, int64_t n,
                           KernelTypes types, int64_t k) {
  KernelModel model = KernelModel::get(machine, /*vectorKernels=*/true, types);
  model.latency = 0;
  // A vector that is loaded serves a group of steps of k.
  model.loadsPerCycle *= getGroupSize(getTypeOfB(types));
  int64_t vectors = llvm::divideCeil(n, model.lanes);
  double best = 0;
  // Accumulators, the vectors of B, and one element of A.
  int64_t widest = std::min<int64_t>(vectors, machine.vectorRegisters / 2 - 1);
  for (int64_t most = 1; most <= widest; ++most) {
    double cycles = 0;
    forTiles(vectors, most, [&](int64_t columnTiles, int64_t width) {
      if (columnTiles == 0)
        return;
      int64_t highest =
          std::max<int64_t>(1, (machine.vectorRegisters - 1 - width) / width);
      forTiles(m, highest, [&](int64_t rowTiles, int64_t height) {
        cycles += columnTiles * rowTiles * model.getTileCycles(height, width);
      });
    });
    if (best == 0 || cycles < best)
      best = cycles;
  }
  if (const KernelRate *amx = getAmxRate(machine, types)) {
    int64_t group = getGroupSize(getTypeOfB(types));
    best = std::min(best, getAmxCyclesPerGroup(machine, *amx, m, n,
                                               llvm::divideCeil(k, group)) /
                              group);
  }
  return best;
}

double getBestCyclesPerK(const Machine &machine, int64_t m, int64_t n,
                         bool vectorKernels, KernelTypes types, int64_t k) {
  double vector = getVectorCyclesPerK(machine, m, n, types, k);
  if (vectorKernels)
    return vector;
  KernelModel library =
      KernelModel::get(machine, /*vectorKernels=*/false, types);
  return std::min(library.getCyclesPerK(m, n), vector * kCompiled);
}

} // namespace gc
