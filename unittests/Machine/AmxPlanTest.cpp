// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/AmxPlan.h"
#include "Machine/KernelChoice.h"
#include "Machine/KernelCost.h"
#include "Machine/MachineFile.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace gc;

namespace {

const Machine &getServer() { return *findPreset("server-avx512-64"); }

KernelSpec makeSpec(DataType a, DataType b, int64_t m, int64_t n, int64_t k) {
  KernelSpec spec = KernelSpec::getDense(a, m, n, k);
  spec.b = b;
  spec.packB = 32 / getBits(a);
  return spec;
}

TEST(AmxPlan, StepsAreAsFewAsPossible) {
  for (int64_t group : {2, 4})
    for (int64_t k = 1; k <= 400; ++k) {
      AmxSteps steps = getAmxSteps(k, group);
      EXPECT_EQ(steps.count * steps.groups * group + steps.rest, k);
      EXPECT_LE(steps.groups, kAmxGroups);
      EXPECT_LE(steps.rest, steps.groups * group);
      int64_t groups = (k + group - 1) / group;
      EXPECT_EQ(steps.getNumSteps(), (groups + kAmxGroups - 1) / kAmxGroups);
    }
}

TEST(AmxPlan, HeightsAreEven) {
  for (int64_t rows = 1; rows <= 64; ++rows) {
    auto heights = getAmxHeights(rows);
    EXPECT_EQ(std::accumulate(heights.begin(), heights.end(), int64_t(0)),
              rows);
    EXPECT_LE(heights.front(), kAmxRows);
    EXPECT_LE(heights.front() - heights.back(), 1);
  }
}

/// Every element of C is in a tile, and what a tile needs is in the registers.
TEST(AmxPlan, TilesCoverC) {
  for (int64_t m : {1, 15, 16, 17, 31, 33, 48, 64, 65, 100})
    for (int64_t n : {1, 8, 15, 16, 17, 32, 33, 48, 63, 80, 129}) {
      auto plan = planAmxKernel(getServer(),
                                makeSpec(DataType::u8, DataType::s8, m, n, 64));
      ASSERT_TRUE(plan);
      EXPECT_TRUE(plan->amx);
      EXPECT_EQ(plan->valid, std::min<int64_t>(n, kAmxColumns));
      // Sums are added to C, so that no other tile may have them.
      std::vector<int> tiles(m * n);
      for (const ColumnTiles &columns : plan->columns)
        for (const RowTiles &rows : columns.rows) {
          size_t height = getAmxHeights(rows.size).size(),
                 width = columns.vectors.size();
          EXPECT_LE(height * width + std::min(height, width) + 2, 8u);
          for (int64_t i = 0; i < rows.count * rows.size; ++i)
            for (int64_t tile = 0; tile < columns.count; ++tile)
              for (int64_t vector : columns.vectors)
                for (int64_t j = 0; j < plan->valid; ++j) {
                  int64_t column =
                      columns.start + tile * columns.step + vector + j;
                  ASSERT_LT(rows.start + i, m);
                  ASSERT_LT(column, n);
                  tiles[(rows.start + i) * n + column] |=
                      1 << (&columns - plan->columns.data()) << 3 * tile;
                }
        }
      for (int of : tiles)
        ASSERT_TRUE(of && !(of & (of - 1))) << m << " x " << n;
    }
}

TEST(AmxPlan, LargeKernelsAreAtTheRateOfTheMachine) {
  for (auto [a, b] : {std::pair(DataType::u8, DataType::s8),
                      std::pair(DataType::s8, DataType::s8),
                      std::pair(DataType::bf16, DataType::bf16)}) {
    KernelSpec spec = makeSpec(a, b, 64, 64, 1024);
    EXPECT_TRUE(planVectorKernel(getServer(), spec).amx);
    EXPECT_NEAR(getKernelEfficiency(getServer(), spec, KernelKind::vector), 1,
                0.01);
  }
}

TEST(AmxPlan, FewRowsAreLeftToVectors) {
  KernelSpec spec = makeSpec(DataType::u8, DataType::s8, 1, 64, 1024);
  EXPECT_FALSE(planVectorKernel(getServer(), spec).amx);
  // Five loads for four products of vectors, 256 multiply-adds, at two a cycle:
  // a tenth of what AMX does at best.
  EXPECT_NEAR(getKernelEfficiency(getServer(), spec, KernelKind::vector), 0.1,
              1e-9);
}

TEST(AmxPlan, WhatDoesNotSuit) {
  KernelSpec spec = makeSpec(DataType::bf16, DataType::bf16, 64, 64, 64);
  spec.packB = 1;
  EXPECT_FALSE(planAmxKernel(getServer(), spec)) << "B in groups";
  EXPECT_FALSE(planAmxKernel(getServer(),
                             KernelSpec::getDense(DataType::f32, 64, 64, 64)));
  spec = makeSpec(DataType::u8, DataType::s8, 64, 64, 64);
  Machine other = *findPreset("zen4-2");
  EXPECT_FALSE(planAmxKernel(other, spec));
  other = getServer();
  other.vectorBits = 256;
  EXPECT_FALSE(planAmxKernel(other, spec)) << "short vectors were asked for";
}

/// The cost models and the plan of a kernel agree.
TEST(AmxPlan, CostOfBlocks) {
  double perK =
      getVectorCyclesPerK(getServer(), 64, 64, KernelTypes::bf16, /*k=*/0);
  auto plan = planAmxKernel(
      getServer(), makeSpec(DataType::bf16, DataType::bf16, 64, 64, 1024));
  ASSERT_TRUE(plan);
  EXPECT_NEAR(2 * perK, plan->cyclesPerK, 1e-9);
}

} // namespace
