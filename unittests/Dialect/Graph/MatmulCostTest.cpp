// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Parts of the cost of the matmul template that its choices show only together.

#include "Templates/Matmul/MatmulCost.h"
#include "Machine/MachineFile.h"
#include "gtest/gtest.h"

using namespace gc;
using namespace gc::graph;

namespace {

// Slices are whole blocks of KB; the last one has what remains.
TEST(MatmulCost, LongestSliceOfK) {
  MatmulParameters p;
  p.kb = 10;
  p.kpn = 1;
  EXPECT_EQ(p.getLongestSlice(100), 100);
  EXPECT_EQ(p.getLongestSlice(105), 105);
  p.kpn = 3; // 40, 40, 20
  EXPECT_EQ(p.getLongestSlice(100), 40);
  p.kpn = 2; // 50, 55
  EXPECT_EQ(p.getLongestSlice(105), 55);
  p.kpn = 3; // 10, 10, 15
  EXPECT_EQ(p.getLongestSlice(35), 15);
}

// A tile of 64 columns and 64 steps of k has 4 lines in each set of the L1
// cache, which has 8. Six rows that begin at one place of a way take 6 more and
// evict it; three and three at two places do not.
TEST(MatmulCost, RowsThatShareCacheSetsEvictB) {
  Machine machine = llvm::cantFail(readMachine("zen4-2"));
  ASSERT_EQ(machine.l1Bytes, 8 * machine.l1WayBytes);
  MatmulSizes sizes;
  sizes.m = 96;
  sizes.n = 512;
  sizes.k = 64;
  TemplateOptions options;
  auto getCalls = [&](int64_t places) {
    OperandUse a;
    a.sharedPlaces = places;
    MatmulCostModel model(sizes, machine, options, MatmulElements(), a,
                          OperandUse{/*isPacked=*/true});
    MatmulParameters p;
    p.mb = 96;
    p.nb = 64;
    p.kb = 64;
    return model.getCost(p).calls;
  };
  EXPECT_GT(getCalls(1), getCalls(2));
  EXPECT_GT(getCalls(2), getCalls(0));
}

} // namespace
