// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The channel to global memory: packages, turns, profiles; by hand.

#include "TestProgram.h"

using namespace gc::npu;
using namespace gc::npu::test;

TEST(Channel, PackagesOfARun) {
  // Of 8 blocks each; for the rest one of 4, 2 or 1, or two.
  EXPECT_EQ(getPackages(1), 1);
  EXPECT_EQ(getPackages(256), 1);
  EXPECT_EQ(getPackages(257), 2);
  EXPECT_EQ(getPackages(8 * 256), 8);
  const int64_t rest[] = {0, 1, 1, 1, 1, 2, 2, 2};
  for (int64_t blocks = 0; blocks < 8; ++blocks)
    EXPECT_EQ(getPackages(512 + blocks * 32), 2 + rest[blocks]);
}

TEST(Channel, PackagesTakeAWholeSlot) {
  // 416 bytes are 8 + 4 + 1 blocks: three slots of 4 cycles from 1 on.
  Report report = time([](Builder &b) { b.move(ub(0), in(0), 416); });
  EXPECT_EQ(report.cycles, 1 + 12 + 200);
  EXPECT_EQ(report.total.packages, 3);
  EXPECT_EQ(report.total.gmBytesRead, 416);
  EXPECT_EQ(report.total.gmBytesWritten, 0);
  EXPECT_EQ(report.channelBusy, 12);
}

TEST(Channel, BurstsAreRunsUnlessTheyTouch) {
  auto packages = [](int64_t stride) {
    return time([=](Builder &b) {
             gc_npu_dma(b.core, 0, ub(0), in(0), 10, 96, 96, stride, -1);
           })
        .total.packages;
  };
  // One package each; 960 bytes in one run are 3 * 8 + 6 blocks.
  EXPECT_EQ(packages(128), 10);
  EXPECT_EQ(packages(96), 5);
}

TEST(Channel, BoxesCountTheirRows) {
  auto packages = [](int64_t pitch) {
    return time([=](Builder &b) {
             gc_npu_pack(b.core, 0, l1(0), in(0), GC_NPU_F16, 16, 160, pitch,
                         16, 16, 10, 0);
           })
        .total.packages;
  };
  // 320 bytes are 8 + 2 blocks; 5120 in one run are 20 * 8.
  EXPECT_EQ(packages(1000), 32);
  EXPECT_EQ(packages(160), 20);
}

TEST(Channel, AtomicAddTakesTwiceThePackages) {
  Report report = time([](Builder &b) { b.add(out(0), ub(0), 1024); });
  EXPECT_EQ(report.total.packages, 8);
  EXPECT_EQ(report.cycles, 1 + 32 + 200);
}

TEST(Channel, LatencyIsPipelined) {
  // Ten transfers of 4 packages one after the other, only the last one's
  // latency.
  Report report = time([](Builder &b) {
    for (int i = 0; i < 10; ++i)
      b.move(ub(i * 1024), in(i * 1024), 1024);
  });
  EXPECT_EQ(report.cycles, 1 + 10 * 16 + 200);
  EXPECT_EQ(getBusy(report, Pipe::mte2), 160);
}

TEST(Channel, TwoPipesAlternate) {
  // MTE2 arrives at 1, MTE3 at 2, four packages each. Slots: MTE2 1, 9, 17, 25;
  // MTE3 5, 13, 21, 29.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 1024);
    b.move(out(0), ub(4096), 1024);
  });
  EXPECT_EQ(getBusy(report, Pipe::mte2), 29 - 1);
  EXPECT_EQ(getBusy(report, Pipe::mte3), 33 - 2);
  EXPECT_EQ(report.cycles, 33 + 200);
  EXPECT_EQ(report.channelBusy, 32);
}

TEST(Channel, LongTransfersAlternateToo) {
  // The same with 64 and 16 packages: MTE3's last slot is 5 + 15 * 8 = 125;
  // MTE2 continues alone until all 80 slots from 1 on are used.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 64 * 256);
    b.move(out(0), ub(65536), 16 * 256);
  });
  EXPECT_EQ(getBusy(report, Pipe::mte3), 129 - 2);
  EXPECT_EQ(getBusy(report, Pipe::mte2), 80 * 4);
}

TEST(Channel, RequestAtAGrantWaitsForTheNext) {
  // MTE3 arrives at 5, when MTE2's second package is granted; so it gets the
  // slot at 9, and MTE2 those at 1, 5, 13, 17.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 1024);
    b.iteration();
    b.scalar();
    b.move(out(0), ub(4096), 256);
  });
  EXPECT_EQ(getBusy(report, Pipe::mte3), 13 - 5);
  EXPECT_EQ(getBusy(report, Pipe::mte2), 21 - 1);
}

TEST(Channel, IdleChannelServesAtOnce) {
  // The first ends at 5; the second arrives just then: nothing else waits.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.iteration();
    b.scalar();
    b.move(out(0), ub(4096), 256);
  });
  EXPECT_EQ(getBusy(report, Pipe::mte3), 4);
}

TEST(Channel, CoresShareIt) {
  // Both arrive at 1: core 0 has the slots 1, 9, 17, 25, core 1 the others.
  Body body = [](Builder &b) { b.move(ub(0), in(0), 1024); };
  Report report = runAll({body, body}, getOptions(true));
  ASSERT_FALSE(report.error);
  EXPECT_EQ(report.cores[0].cycles, 29 + 200);
  EXPECT_EQ(report.cores[1].cycles, 33 + 200);
  EXPECT_EQ(report.cycles, 233);
  EXPECT_EQ(report.total.gmBytesRead, 2048);
}

TEST(Channel, ManyCoresTakeTurns) {
  // 16 cores, 10 packages each: core c has the slots c + 16 i, so it ends at
  // 1 + 4 * (c + 1 + 16 * 9).
  std::vector<Body> bodies(16, [](Builder &b) { b.move(ub(0), in(0), 2560); });
  Report report = runAll(bodies, getOptions(true));
  for (int core = 0; core < 16; ++core)
    EXPECT_EQ(report.cores[core].cycles, 1 + 4 * (core + 1 + 144) + 200);
}

TEST(Channel, ProfileGm32HasHalfTheRate) {
  Report report = time([](Builder &b) { b.move(ub(0), in(0), 4096); },
                       Machine(Profile::gm32));
  EXPECT_EQ(report.cycles, 1 + 16 * 8 + 200);
}

TEST(Channel, ProfileL2Misses) {
  // A line of 512 bytes, two packages of 256 / 37.5 cycles from 1 on: 14.65.
  // The first brings the line in: visible at 7.83 + 350, which is later than
  // the end.
  Report report =
      time([](Builder &b) { b.move(ub(0), in(0), 512); }, Machine(Profile::l2));
  EXPECT_EQ(getBusy(report, Pipe::mte2), 15 - 1);
  EXPECT_EQ(report.cycles, 358);
  EXPECT_EQ(report.l2Misses, 1);
  EXPECT_EQ(report.l2Hits, 1);
}

TEST(Channel, ProfileL2Hits) {
  // The first transfer holds the pipe until 15; the second, of the same bytes,
  // has two packages of 256 / 110 cycles: until 19.65.
  Report report = time(
      [](Builder &b) {
        b.move(ub(0), in(0), 512);
        b.move(ub(0), in(0), 512);
      },
      Machine(Profile::l2));
  EXPECT_EQ(getBusy(report, Pipe::mte2), 14 + 5);
  EXPECT_EQ(report.l2Misses, 1);
  EXPECT_EQ(report.l2Hits, 3);
}

TEST(Channel, ProfileL2Writes) {
  // Of what was just read: two packages of 256 / 86 cycles = 5.95. MTE2 reads
  // lines of "out" that MTE3 writes once that is visible, at 358.
  Report report = time(
      [](Builder &b) {
        b.move(ub(0), out(0), 512);
        b.sync(GC_NPU_MTE2, GC_NPU_MTE3);
        b.move(out(0), ub(0), 512);
      },
      Machine(Profile::l2));
  EXPECT_EQ(getBusy(report, Pipe::mte3), 6);
  EXPECT_EQ(report.cycles, 364 + 200);
}

TEST(Channel, ProfileL2EvictsTheLeastRecent) {
  // One set of two ways: lines 0, 1, 0, 2 leave 0 and 2 in the cache.
  Machine machine(Profile::l2);
  machine.l2Bytes = 1024;
  machine.l2Ways = 2;
  auto misses = [&](std::vector<int> lines) {
    return time(
               [=](Builder &b) {
                 for (int line : lines)
                   b.move(ub(0), in(line * 512), 256);
               },
               machine)
        .l2Misses;
  };
  EXPECT_EQ(misses({0, 1, 0, 2}), 3);
  EXPECT_EQ(misses({0, 1, 0, 2, 0}), 3);
  EXPECT_EQ(misses({0, 1, 0, 2, 1}), 4);
}

TEST(Channel, FractionsOfACycleAddUp) {
  // 55 packages that hit take 55 * 128 / 55 = 128 cycles, without rounding
  // each.
  Report report = time(
      [](Builder &b) {
        for (int i = 0; i < 2; ++i) {
          b.move(ub(0), in(0), 55 * 256);
          b.barrier(GC_NPU_MTE2);
        }
      },
      Machine(Profile::l2));
  // All slow the first time: 55 * 512 / 75 = 375.47; then 128.
  EXPECT_EQ(getBusy(report, Pipe::mte2), 376 + 128);
}
