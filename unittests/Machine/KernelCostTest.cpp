// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The model of register tiles, against cycles counted by hand: per step of k a
// tile of r rows and v vectors takes r * v multiply-adds, two of which start
// per cycle, r + v loads, two of which start per cycle, and at least the four
// cycles until an accumulator can be used again.

#include "Machine/KernelCost.h"
#include "Machine/MachineFile.h"
#include "Machine/VectorPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

/// Two multiply-adds of vectors and two loads a cycle, tiles of `rows` rows and
/// four vectors.
Machine makeMachine(int64_t bits, int64_t registers, int64_t rows) {
  Machine machine;
  machine.vectorBits = bits;
  machine.vectorRegisters = registers;
  KernelRate rate;
  rate.macsPerCycle = 2 * bits / 32;
  rate.latencyCycles = 4;
  rate.loadsPerCycle = 2;
  rate.tileRows = rows;
  rate.tileVectors = 4;
  machine.kernels.push_back(rate);
  return machine;
}

const Machine avx2 = makeMachine(256, 16, 3);
const Machine avx512 = makeMachine(512, 32, 6);

TEST(KernelCost, TilesFitTheRegisters) {
  for (const Machine &machine : {avx2, avx512, makeMachine(128, 16, 3)})
    for (bool vectorKernels : {false, true}) {
      KernelModel model = KernelModel::get(machine, vectorKernels);
      EXPECT_EQ(model.lanes, machine.vectorBits / 32);
      // Accumulators, one row of B, and one element of A.
      EXPECT_LE(model.rows * model.vectors + model.vectors,
                machine.vectorRegisters);
    }
}

TEST(KernelCost, WholeTiles) {
  KernelModel model = KernelModel::get(avx2, /*vectorKernels=*/false);
  // 3 rows of 4 vectors of 8 columns: 12 multiply-adds.
  EXPECT_EQ(model.getTileColumns(), 32);
  EXPECT_EQ(model.getCyclesPerK(3, 32), 6);
  // Two by two of them.
  EXPECT_EQ(model.getCyclesPerK(6, 64), 24);
  // 6 rows of 4 vectors of 16 columns: 24 multiply-adds.
  EXPECT_EQ(KernelModel::get(avx512, false).getCyclesPerK(6, 64), 12);
  // 6 rows of 2 vectors of 8 columns.
  EXPECT_EQ(KernelModel::get(avx2, true).getCyclesPerK(6, 16), 6);
}

TEST(KernelCost, NarrowTypesWithoutInstructionsRunAsF32) {
  EXPECT_EQ(getRateOrF32(avx2, KernelTypes::bf16), &avx2.kernels[0]);
  EXPECT_EQ(KernelModel::get(avx2, true, KernelTypes::u8s8).sumsPerCycle,
            KernelModel::get(avx2, true, KernelTypes::f32).sumsPerCycle);
  Machine vnni = avx512;
  KernelRate rate = vnni.kernels[0];
  rate.types = KernelTypes::u8s8;
  rate.macsPerCycle *= 4;
  vnni.kernels.push_back(rate);
  EXPECT_EQ(getRateOrF32(vnni, KernelTypes::u8s8), &vnni.kernels[1]);
  EXPECT_EQ(getRateOrF32(vnni, KernelTypes::bf16), &vnni.kernels[0]);
  EXPECT_EQ(getRateOrF32(Machine(), KernelTypes::bf16), nullptr);
}

TEST(KernelCost, HalvesOfOperandsHaveRegisters) {
  // Pairs of bf16 or f16 are multiplied as halves: both of all of B and of an
  // element of A are there beside the sums.
  for (DataType type : {DataType::bf16, DataType::f16})
    for (int64_t m : {1, 8, 12, 16, 64})
      for (int64_t n : {8, 16, 32, 64}) {
        VectorPlan plan =
            planVectorKernel(avx2, KernelSpec::getDense(type, m, n, 64));
        for (const ColumnTiles &columns : plan.columns)
          for (const RowTiles &rows : columns.rows) {
            int64_t vectors = columns.vectors.size();
            EXPECT_LE(rows.size * vectors + 2 * vectors + 2,
                      avx2.vectorRegisters);
          }
      }
}

TEST(KernelCost, LatencyBound) {
  KernelModel model = KernelModel::get(avx2, false);
  // Three accumulators cannot keep two units busy, one even less.
  EXPECT_EQ(model.getCyclesPerK(3, 8), 4);
  EXPECT_EQ(model.getCyclesPerK(1, 32), 4);
  EXPECT_EQ(model.getCyclesPerK(1, 1), 4);
}

TEST(KernelCost, LoadBound) {
  // One row of 12 vectors: 12 multiply-adds take 6 cycles, 13 loads 6.5.
  KernelModel model{1, 12, 8};
  EXPECT_EQ(model.getCyclesPerK(1, 96), 6.5);
}

TEST(KernelCost, Tails) {
  KernelModel model = KernelModel::get(avx2, false);
  // 4 rows are two tiles of 2, which the latency bounds: 2 * 4.
  EXPECT_EQ(model.getCyclesPerK(4, 32), 8);
  // 40 columns are a whole tile and one vector: 6 + 4.
  EXPECT_EQ(model.getCyclesPerK(3, 40), 10);
  // 17 columns need three vectors: 9 multiply-adds.
  EXPECT_EQ(model.getCyclesPerK(3, 17), 4.5);
  // 5 rows are two tiles of 2.5: 2 * 5.
  EXPECT_EQ(model.getCyclesPerK(5, 32), 10);
}

// Kernels of vectors have tiles that fit their shape.
TEST(KernelCost, VectorKernels) {
  // 6 rows of 2 vectors: 12 multiply-adds.
  EXPECT_EQ(getVectorCyclesPerK(avx2, 6, 16), 6);
  // 4 rows of 3 vectors twice, rather than tiles of 6 and 2 rows.
  EXPECT_EQ(getVectorCyclesPerK(avx2, 8, 24), 12);
  // One row of 3 vectors: 4 loads.
  EXPECT_EQ(getVectorCyclesPerK(avx2, 1, 24), 2);
  // 17 columns are 3 vectors as well.
  EXPECT_EQ(getVectorCyclesPerK(avx2, 8, 17), 12);
}

// A machine of half the rates takes twice as long, with types that multiply
// four times as many elements a quarter.
TEST(KernelCost, RatesOfTheMachine) {
  Machine slow = avx512;
  slow.kernels[0].macsPerCycle = 16;
  slow.kernels[0].loadsPerCycle = 1;
  EXPECT_EQ(KernelModel::get(slow, false).getCyclesPerK(6, 64), 24);
  // One row of 4 vectors: 5 loads.
  EXPECT_EQ(KernelModel::get(slow, false).getCyclesPerK(1, 64), 5);
  EXPECT_EQ(getVectorCyclesPerK(slow, 6, 64), 24);
  KernelRate bytes = slow.kernels[0];
  bytes.types = KernelTypes::u8s8;
  bytes.macsPerCycle = 64;
  bytes.latencyCycles = 1;
  bytes.loadsPerCycle = 4;
  slow.kernels.push_back(bytes);
  EXPECT_EQ(
      KernelModel::get(slow, false, KernelTypes::u8s8).getCyclesPerK(6, 64), 6);
}

// The library's kernel unless vectors are 4% better.
TEST(KernelCost, BestKernel) {
  // 3 rows of 4 vectors: 6 cycles in both.
  EXPECT_EQ(getBestCyclesPerK(avx2, 3, 32, false), 6);
  // One row of 3 vectors: the library waits 4 cycles for its sums, split sums
  // only the 2 of four loads.
  EXPECT_DOUBLE_EQ(getBestCyclesPerK(avx2, 1, 24, false), 2 * 1.04);
  EXPECT_EQ(getBestCyclesPerK(avx2, 1, 24, true), 2);
}

/// Dense operands of one type, B transposed.
static KernelSpec makeTransposed(DataType type, int64_t m, int64_t n,
                                 int64_t k) {
  KernelSpec spec = KernelSpec::getDense(type, m, n, k);
  spec.ldb = k;
  spec.transposeB = true;
  return spec;
}

/// Sums of dot products are stored four at a time where as many columns are
/// neighbours, whatever the rows and types are.
TEST(VectorPlan, DotsOfNeighbours) {
  const Machine &zen4 = *findPreset("zen4-2");
  for (DataType type : {DataType::f32, DataType::bf16, DataType::u8})
    for (int64_t m : {1, 2, 4, 8, 16, 24}) {
      VectorPlan plan = planVectorKernel(zen4, makeTransposed(type, m, 64, 64));
      if (plan.exchanged)
        continue;
      EXPECT_TRUE(plan.dot);
      ASSERT_EQ(plan.columns.size(), 1u);
      EXPECT_EQ(plan.columns[0].vectors.size() % 4, 0u) << m;
    }
}

/// Rows that fill a good part of a vector have a lane each, if the machine
/// multiplies elements of the type as they are.
TEST(VectorPlan, ExchangedOperands) {
  const Machine &zen4 = *findPreset("zen4-2"), &zen3 = *findPreset("zen3-2");
  auto isExchanged = [](const Machine &machine, const KernelSpec &spec) {
    VectorPlan plan = planVectorKernel(machine, spec);
    EXPECT_NE(plan.dot, plan.exchanged);
    return plan.exchanged;
  };
  for (DataType type : {DataType::bf16, DataType::u8})
    for (int64_t m : {8, 16, 32})
      EXPECT_TRUE(isExchanged(zen4, makeTransposed(type, m, 256, 64)));
  EXPECT_TRUE(isExchanged(zen4, makeTransposed(DataType::u8, 4, 256, 80)));
  for (DataType type : {DataType::f32, DataType::bf16, DataType::u8})
    EXPECT_FALSE(isExchanged(zen4, makeTransposed(type, 1, 256, 64)));
  // Memory is the bound, or there are no dot products of that type.
  EXPECT_FALSE(isExchanged(zen4, makeTransposed(DataType::f32, 16, 256, 64)));
  EXPECT_FALSE(isExchanged(zen4, makeTransposed(DataType::f16, 16, 256, 64)));
  EXPECT_FALSE(isExchanged(zen3, makeTransposed(DataType::bf16, 16, 256, 64)));
  EXPECT_FALSE(isExchanged(zen3, makeTransposed(DataType::u8, 16, 256, 64)));
  // The packed rows would not stay in the L1 cache.
  EXPECT_FALSE(isExchanged(zen4, makeTransposed(DataType::u8, 64, 64, 1024)));

  // 37 columns: two tiles of 16 and one of 5, by two vectors of 20 rows.
  VectorPlan plan =
      planVectorKernel(zen4, makeTransposed(DataType::u8, 20, 37, 64));
  ASSERT_TRUE(plan.exchanged);
  EXPECT_EQ(plan.lanes, 16);
  ASSERT_EQ(plan.columns.size(), 2u);
  EXPECT_EQ(plan.columns[0].count, 2);
  EXPECT_EQ(plan.columns[0].step, 16);
  EXPECT_EQ(plan.columns[1].start, 32);
  EXPECT_EQ(plan.columns[1].step, 5);
  // Four rows have vectors of their own length.
  EXPECT_EQ(
      planVectorKernel(zen4, makeTransposed(DataType::u8, 4, 256, 80)).lanes,
      4);
}

/// Rows of f32 by weights of 4 bits.
static KernelSpec makeSpec(DataType b, int64_t m, int64_t k) {
  KernelSpec spec = KernelSpec::getDense(DataType::f32, m, 64, k);
  spec.b = b;
  spec.packB = 32 / getBits(b);
  return spec;
}

/// Where there are dot products of bytes, blocks are long and rows few.
TEST(VectorPlan, FixedPoint) {
  const Machine &zen4 = *findPreset("zen4-2");
  for (DataType type : {DataType::s4, DataType::u4})
    for (int64_t m : {1, 2}) {
      KernelSpec spec = makeSpec(type, m, 128);
      VectorPlan plan = planVectorKernel(zen4, spec);
      EXPECT_TRUE(plan.fixedPoint);
      // Three accumulators for each sum, and three other registers.
      for (const ColumnTiles &columns : plan.columns)
        for (const RowTiles &rows : columns.rows)
          EXPECT_LE(kDigits * rows.size * columns.vectors.size() + 3, 32u);
      // In f32 the plan of a machine without dot products takes longer.
      Machine plain = zen4;
      llvm::erase(plain.features, "avx512vnni");
      VectorPlan other = planVectorKernel(plain, spec);
      EXPECT_FALSE(other.fixedPoint);
      EXPECT_GT(other.cyclesPerK, plan.cyclesPerK);
    }
  EXPECT_FALSE(
      planVectorKernel(zen4, makeSpec(DataType::s4, 1, 24)).fixedPoint);
  EXPECT_FALSE(
      planVectorKernel(zen4, makeSpec(DataType::s4, 1, 136)).fixedPoint);
  EXPECT_FALSE(
      planVectorKernel(zen4, makeSpec(DataType::s4, 1, 2048)).fixedPoint);
  EXPECT_FALSE(
      planVectorKernel(zen4, makeSpec(DataType::s4, 16, 128)).fixedPoint);
  EXPECT_FALSE(
      planVectorKernel(zen4, makeSpec(DataType::s8, 1, 128)).fixedPoint);
  EXPECT_FALSE(
      planVectorKernel(*findPreset("zen3-2"), makeSpec(DataType::s4, 1, 128))
          .fixedPoint);
}

TEST(VectorPlan, FormsAreChosenOrGiven) {
  const Machine zen4 = *findPreset("zen4-2"), zen3 = *findPreset("zen3-2");
  KernelSpec spec = makeSpec(DataType::s4, 1, 128);
  EXPECT_EQ(chooseKernelForm(zen4, spec), KernelForm::fixedPoint);
  EXPECT_EQ(chooseKernelForm(zen4, spec, /*fixedPoint=*/false),
            KernelForm::vector);
  EXPECT_TRUE(planVectorKernel(zen4, spec, KernelForm::fixedPoint).fixedPoint);
  EXPECT_FALSE(planVectorKernel(zen4, spec, KernelForm::vector).fixedPoint);
  EXPECT_EQ(chooseKernelForm(zen3, spec), KernelForm::vector);
  EXPECT_TRUE(hasKernelForm(zen3, spec, KernelForm::vector));
  EXPECT_FALSE(hasKernelForm(zen3, spec, KernelForm::fixedPoint));
  EXPECT_FALSE(hasKernelForm(zen4, spec, KernelForm::amx));
  for (KernelForm form :
       {KernelForm::vector, KernelForm::fixedPoint, KernelForm::amx})
    EXPECT_EQ(findKernelForm(getName(form)), form);
  EXPECT_EQ(findKernelForm("library"), std::nullopt);
}

} // namespace
