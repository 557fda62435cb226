// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dependences between instructions, and how far flags lag.

#include "SyncPlan.h"
#include "gtest/gtest.h"

#include <numeric>
#include <set>

using namespace gc::npu;
using namespace gc::npu::sync;

namespace {

/// An op that touches one range of UB, `slots` of 64 bytes in turn.
Op makeAccess(Pipe pipe, Access access, int slots = 1, int loop = -1) {
  Op op;
  op.pipe = pipe;
  op.cost.busy = 100;
  op.ranges = [=](const Env &env, std::vector<Range> &ranges) {
    int64_t slot = loop < 0 ? 0 : env.iteration[loop] % slots;
    uint64_t begin = Address(Space::ub, 64 * slot).bits;
    ranges.push_back({begin, begin + 64, access});
  };
  return op;
}

/// Whether the second op needs the first at all.
bool needs(Pipe first, Access one, Pipe second, Access other) {
  Program program;
  program.addOp(0, makeAccess(first, one));
  program.addOp(0, makeAccess(second, other));
  program.finish();
  Trace trace = *Trace::make(program, {1000});
  return trace.instances[1].needs[static_cast<size_t>(first)] == 1;
}

TEST(SyncTraceTest, WhatNeedsWhat) {
  EXPECT_TRUE(needs(Pipe::v, Access::write, Pipe::mte3, Access::read));
  EXPECT_TRUE(needs(Pipe::mte3, Access::read, Pipe::v, Access::write));
  EXPECT_TRUE(needs(Pipe::v, Access::write, Pipe::mte2, Access::write));
  EXPECT_FALSE(needs(Pipe::v, Access::read, Pipe::mte3, Access::read));
  // Within a pipe reading and then overwriting is in order.
  EXPECT_TRUE(needs(Pipe::v, Access::write, Pipe::v, Access::read));
  EXPECT_TRUE(needs(Pipe::v, Access::write, Pipe::v, Access::write));
  EXPECT_FALSE(needs(Pipe::v, Access::read, Pipe::v, Access::write));
  // Sums.
  EXPECT_FALSE(needs(Pipe::m, Access::write, Pipe::m, Access::accumulate));
  EXPECT_TRUE(needs(Pipe::m, Access::accumulate, Pipe::m, Access::write));
  EXPECT_FALSE(
      needs(Pipe::mte3, Access::accumulate, Pipe::mte3, Access::accumulate));
  EXPECT_TRUE(needs(Pipe::mte3, Access::write, Pipe::mte3, Access::accumulate));
}

/// Load into slot i mod slots, use it; each plan's flag back from V to MTE2.
std::optional<Flag> getFlagBack(int slots, int64_t outer, int64_t inner) {
  Program program;
  int block = outer > 1 ? program.addLoop(0, outer) : 0;
  int loop = static_cast<int>(program.loops.size());
  int body = program.addLoop(block, inner);
  program.addOp(body, makeAccess(Pipe::mte2, Access::write, slots, loop));
  program.addOp(body, makeAccess(Pipe::v, Access::read, slots, loop));
  program.finish();
  Result result = insertSync(program, Machine());
  EXPECT_TRUE(result.remarks.empty());
  for (const Flag &flag : result.plan.flags)
    if (flag.from == Pipe::v)
      return flag;
  return std::nullopt;
}

TEST(SyncTraceTest, FlagsLagByTheSlots) {
  for (int slots : {1, 2, 3, 4}) {
    std::optional<Flag> flag = getFlagBack(slots, 1, 12);
    ASSERT_TRUE(flag);
    EXPECT_EQ(flag->primes, slots);
    EXPECT_EQ(flag->drains, slots);
    EXPECT_EQ(flag->events, slots);
  }
}

TEST(SyncTraceTest, FlagsLagThroughTwoLoops) {
  // Slots alternate from one inner loop to the next if its length is even.
  EXPECT_EQ(getFlagBack(2, 3, 6)->primes, 2);
  EXPECT_EQ(getFlagBack(2, 3, 5)->primes, 1);
}

TEST(SyncTraceTest, ASectionNeedsNothingOfWhatIsBeforeIt) {
  Program program;
  program.addOp(0, makeAccess(Pipe::mte2, Access::write));
  program.addOp(0, makeAccess(Pipe::v, Access::write));
  program.addOp(0, makeAccess(Pipe::mte3, Access::read));
  program.finish();
  Trace trace = *Trace::make(program, Trace::Section{1, 3}, {1000});
  ASSERT_EQ(trace.instances.size(), 2u);
  EXPECT_EQ(trace.instances[0].needs, Counts());
  EXPECT_EQ(trace.instances[1].needs[static_cast<size_t>(Pipe::v)], 1);
  // Points: in front of each of the two, and at the end.
  EXPECT_TRUE(trace.passes[program.getPoint(0, 0)].empty());
  EXPECT_EQ(trace.passes[program.getPoint(0, 3)].size(), 1u);
}

TEST(SyncTraceTest, FewFlagsForManyStatements) {
  // Six loads into buffers of their own, then six uses: one flag there, set
  // after the last load, and one back.
  Program program;
  int body = program.addLoop(0, int64_t(10));
  for (Pipe pipe : {Pipe::mte2, Pipe::v})
    for (int i = 0; i < 6; ++i) {
      Op op = makeAccess(pipe, pipe == Pipe::v ? Access::read : Access::write);
      op.ranges = [i, pipe](const Env &, std::vector<Range> &ranges) {
        uint64_t begin = Address(Space::ub, 64 * i).bits;
        ranges.push_back({begin, begin + 64,
                          pipe == Pipe::v ? Access::read : Access::write});
      };
      program.addOp(body, op);
    }
  program.finish();
  Trace trace = *Trace::make(program, {1000});
  Plan plan = makeCoarsePlan(program, trace);
  EXPECT_TRUE(plan.barriers.empty());
  ASSERT_EQ(plan.flags.size(), 2u);
  for (const Flag &flag : plan.flags)
    EXPECT_EQ(flag.primes, flag.from == Pipe::v ? 1 : 0);
  EXPECT_TRUE(isOrdered(program, trace, plan));
}

TEST(SyncTraceTest, RarelyExecutedPointsOfABranch) {
  Program program;
  int body = program.addLoop(0, int64_t(12));
  auto [taken, other] = program.addBranch(
      body, [](const Env &env) { return env.iteration[0] % 3 == 0; });
  program.addOp(taken, makeAccess(Pipe::mte2, Access::write));
  program.addOp(taken, makeAccess(Pipe::v, Access::read));
  program.finish();
  Result result = insertSync(program, Machine());
  // Four times there, and four times back.
  EXPECT_EQ(result.executed, 4 + 4);
}

TEST(SyncTraceTest, ASketchLeavesRepetitionsOut) {
  // Two variants of rows of tiles; a tile has a first and a last step, and the
  // first tile of a row something more.
  std::vector<uint64_t> signatures;
  for (uint64_t row = 0; row < 30; ++row)
    for (uint64_t tile = 0; tile < 29; ++tile)
      for (uint64_t step = 0; step < 58; ++step)
        signatures.push_back(1000 * (row >= 22) + 100 * (tile == 0) +
                             10 * (step == 0) + (step == 57));
  std::vector<int64_t> kept = getDistinct(signatures);
  EXPECT_LT(kept.size() * 20, signatures.size());
  EXPECT_EQ(kept.front(), 0);
  EXPECT_EQ(kept.back(), static_cast<int64_t>(signatures.size()) - 1);
  // Slots go on: what is left out is a multiple of 12. What follows each other
  // is nothing new.
  std::set<std::pair<uint64_t, uint64_t>> pairs;
  for (size_t i = 1; i < signatures.size(); ++i)
    pairs.emplace(signatures[i - 1], signatures[i]);
  for (size_t i = 1; i < kept.size(); ++i) {
    EXPECT_EQ((kept[i] - kept[i - 1]) % 12, 1);
    EXPECT_EQ(pairs.count({signatures[kept[i - 1]], signatures[kept[i]]}), 1u);
  }
}

TEST(SyncTraceTest, ASketchOfWhatNeverRepeatsIsAllOfIt) {
  std::vector<uint64_t> signatures(500);
  std::iota(signatures.begin(), signatures.end(), 0);
  EXPECT_EQ(getDistinct(signatures).size(), signatures.size());
  EXPECT_TRUE(getDistinct({}).empty());
  EXPECT_EQ(getDistinct(std::vector<uint64_t>(500, 7)).size(), 8u);
}

} // namespace
