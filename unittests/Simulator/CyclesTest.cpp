// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Times of the front end, the queues and the pipes, worked out by hand from the
// cycle model. An op that is issued at cycle t starts at t + 1 at the earliest.

#include "TestProgram.h"

using namespace gc::npu;
using namespace gc::npu::test;

TEST(Cycles, EmptyProgram) {
  EXPECT_EQ(time([](Builder &) {}).cycles, 0);
}

TEST(Cycles, OneVectorOp) {
  // Issued at 0, starts at 1, head 11 + 1 repeat: ends at 13, tail 13.
  Report report = time([](Builder &b) { b.dup(ub(0)); });
  EXPECT_EQ(report.cycles, 26);
  EXPECT_EQ(getBusy(report, Pipe::v), 12);
  EXPECT_EQ(getBusy(report, Pipe::s), 1);
}

TEST(Cycles, BusyVectorPipePaysTwoOfTheHead) {
  // The second starts when the first ends, at 13: 2 + 1 cycles, then the tail.
  Report report = time([](Builder &b) {
    b.dup(ub(0));
    b.dup(ub(256));
  });
  EXPECT_EQ(report.cycles, 13 + 3 + 13);
  EXPECT_EQ(getBusy(report, Pipe::v), 15);
}

TEST(Cycles, IdleVectorPipePaysTheWholeHead) {
  // The first ends at 13. Issued at 1 + 12 = 13, the second starts at 14, one
  // cycle after the end; issued one cycle earlier it starts at the end.
  auto body = [](int scalars) {
    return [scalars](Builder &b) {
      b.dup(ub(0));
      for (int i = 0; i < scalars; ++i)
        b.scalar();
      b.dup(ub(256));
    };
  };
  EXPECT_EQ(time(body(11)).cycles, 13 + 3 + 13);
  EXPECT_EQ(time(body(12)).cycles, 14 + 12 + 13);
}

TEST(Cycles, BarrierOfAPipeWaitsForVisibility) {
  // The first is visible at 26; the pipe was idle then: whole head.
  Report report = time([](Builder &b) {
    b.dup(ub(0));
    b.barrier(GC_NPU_V);
    b.dup(ub(0));
  });
  EXPECT_EQ(report.cycles, 26 + 12 + 13);
  EXPECT_EQ(report.total.barriers, 1);
}

TEST(Cycles, BarrierAllHoldsTheFrontEnd) {
  // At cycle 1 the front end waits until 26, issues the barrier, and the second
  // op at 27, which starts at 28.
  Report report = time([](Builder &b) {
    b.dup(ub(0));
    b.barrierAll();
    b.dup(ub(0));
  });
  EXPECT_EQ(report.cycles, 28 + 12 + 13);
  EXPECT_EQ(getStall(report, Stall::barrierAll), 25);
  EXPECT_EQ(report.total.barriersAll, 1);
}

TEST(Cycles, CostsOfVectorOps) {
  auto getCycles = [](int32_t op, int64_t repeat, uint64_t mask) {
    return time([=](Builder &b) {
             b.vector(op, ub(0), ub(65536), ub(131072), repeat, mask);
           }).cycles -
           1;
  };
  // head + slope * repeats + tail.
  EXPECT_EQ(getCycles(GC_NPU_ADD, 3, kAll), 10 + 6 + 14);
  EXPECT_EQ(getCycles(GC_NPU_MUL, 3, kAll), 10 + 6 + 15);
  EXPECT_EQ(getCycles(GC_NPU_DIV, 3, kAll), 11 + 12 + 19);
  EXPECT_EQ(getCycles(GC_NPU_MAX, 3, kAll), 10 + 6 + 14);
  EXPECT_EQ(getCycles(GC_NPU_COMPARE_LT, 3, kAll), 10 + 6 + 14);
  EXPECT_EQ(getCycles(GC_NPU_ADDS, 3, kAll), 13 + 3 + 18);
  EXPECT_EQ(getCycles(GC_NPU_MULS, 3, kAll), 11 + 3 + 15);
  EXPECT_EQ(getCycles(GC_NPU_RELU, 3, kAll), 10 + 3 + 13);
  EXPECT_EQ(getCycles(GC_NPU_ABS, 3, kAll), 13 + 3 + 16);
  EXPECT_EQ(getCycles(GC_NPU_EXP, 3, kAll), 13 + 6 + 18);
  EXPECT_EQ(getCycles(GC_NPU_LOG, 3, kAll), 13 + 6 + 18);
  EXPECT_EQ(getCycles(GC_NPU_RECIPROCAL, 3, kAll), 13 + 6 + 18);
  EXPECT_EQ(getCycles(GC_NPU_SQRT, 3, kAll), 14 + 6 + 25);
  EXPECT_EQ(getCycles(GC_NPU_RSQRT, 3, kAll), 10 + 3 + 14);
  EXPECT_EQ(getCycles(GC_NPU_SELECT, 3, kAll), 13 + 6 + 14);
  EXPECT_EQ(getCycles(GC_NPU_COPY, 3, kAll), 11 + 3 + 13);
  EXPECT_EQ(getCycles(GC_NPU_TRANSPOSE, 3, kAll), 11 + 6 + 13);
  EXPECT_EQ(getCycles(GC_NPU_REDUCE_SUM, 3, kAll), 14 + 21 + 32);
  EXPECT_EQ(getCycles(GC_NPU_GROUP_MAX, 3, kAll), 14 + 3 + 24);
  // A partial mask costs binary ops 16 once, others nothing.
  EXPECT_EQ(getCycles(GC_NPU_ADD, 3, kAll >> 1), 10 + 6 + 16 + 14);
  EXPECT_EQ(getCycles(GC_NPU_COMPARE_LT, 3, kAll >> 1), 10 + 6 + 16 + 14);
  EXPECT_EQ(getCycles(GC_NPU_SELECT, 3, kAll >> 1), 13 + 6 + 14);
  EXPECT_EQ(getCycles(GC_NPU_RELU, 3, kAll >> 1), 10 + 3 + 13);
}

TEST(Cycles, CubePaysItsHeadOnlyWhenIdle) {
  // Starts at 1; 6 + 4 fractals. The second follows at once, without a head.
  Report report = time([](Builder &b) {
    b.mad(l0c(0), l0a(0), l0b(0), 64, true);
    b.mad(l0c(0), l0a(0), l0b(0), 64, false);
  });
  EXPECT_EQ(report.cycles, 1 + 10 + 4);
  EXPECT_EQ(getBusy(report, Pipe::m), 14);
}

TEST(Cycles, CubeUnitsRoundUp) {
  // ceil(17 / 16) * ceil(33 / 16) * ceil(40 / 32) fractals of s8.
  Report report = time([](Builder &b) {
    gc_npu_mad(b.core, 0, l0c(0), l0a(0), l0b(0), GC_NPU_S8, 17, 40, 33, 2, 3,
               2, 1);
  });
  EXPECT_EQ(report.cycles, 1 + 6 + 2 * 3 * 2);
}

TEST(Cycles, LocalMovesHaveNoHeadAndNoTail) {
  // 2048 bytes: at 512 bytes a cycle, at 256, at 128.
  EXPECT_EQ(time([](Builder &b) { b.load2d(l0a(0), l1(0), 4); }).cycles, 5);
  EXPECT_EQ(time([](Builder &b) { b.load2d(l0b(0), l1(0), 4); }).cycles, 9);
  EXPECT_EQ(time([](Builder &b) { b.move(ub(0), l1(0), 2048); }).cycles, 17);
  EXPECT_EQ(time([](Builder &b) { b.move(l1(0), ub(0), 2048); }).cycles, 17);
  // A fractal of accumulators at 256 bytes a cycle.
  EXPECT_EQ(time([](Builder &b) { b.drain(ub(0), l0c(0)); }).cycles, 5);
}

TEST(Cycles, Img2colAtTheRateOfL0a) {
  // 32 x 288 elements of two bytes at 512 bytes a cycle.
  Report report = time([](Builder &b) {
    gc_npu_load3d(b.core, 0, l0a(0), l1(0), GC_NPU_F16, 14, 14, 3, 3, 1, 1, 1,
                  1, 14, 0, 32, 0, 288);
  });
  EXPECT_EQ(report.cycles, 1 + 36);
}

TEST(Cycles, ScalarWork) {
  // Two of the iteration, one of the compare: issued at 3, starts at 4.
  Report report = time([](Builder &b) {
    b.iteration();
    b.scalar();
    b.dup(ub(0));
    b.iteration();
  });
  EXPECT_EQ(report.cycles, 4 + 12 + 13);
  EXPECT_EQ(getBusy(report, Pipe::s), 2 + 1 + 1 + 2);
  EXPECT_EQ(report.total.iterations, 2);
}

TEST(Cycles, RegisterLoadTakesFour) {
  // The load is over at 4, the op issued then starts at 5.
  Report report = time([](Builder &b) {
    EXPECT_EQ(b.load(ub(0)), 0);
    b.dup(ub(0));
  });
  EXPECT_EQ(report.cycles, 5 + 12 + 13);
  EXPECT_EQ(getBusy(report, Pipe::s), 5);
}

TEST(Cycles, FullQueueStallsTheFrontEnd) {
  // Op 1 starts at 1, op i > 1 at 13 + 3 (i - 2). Op i is issued at i - 1 if op
  // i - 16 has started by then: op 20 at 19, when op 4 starts; op 21 has to
  // wait from 20 to 22 for op 5. The transfer after it is issued at 23.
  Report report = time([](Builder &b) {
    for (int i = 0; i < 21; ++i)
      b.dup(ub(i * 256));
    b.move(l1(0), in(0), 256);
  });
  EXPECT_EQ(getStall(report, Stall::fifoV), 2);
  EXPECT_EQ(getStall(report, Stall::fifoMte2), 0);
  // Package from 24 to 28, then the latency; V is done at 13 + 57 + 3 + 13.
  EXPECT_EQ(report.cycles, 228);
  EXPECT_EQ(getBusy(report, Pipe::v), 12 + 20 * 3);
}

TEST(Cycles, FlagWaitsForVisibility) {
  // The transfer is visible at 1 + 16 * 4 + 200 = 265; V starts then.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 4096);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.dup(ub(0));
  });
  EXPECT_EQ(report.cycles, 265 + 12 + 13);
  EXPECT_EQ(report.total.flags, 1);
}

TEST(Cycles, FlagDoesNotBlockItsPipe) {
  // The second transfer starts when the first ends, at 65, flag or not.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 4096);
    b.set(GC_NPU_MTE2, GC_NPU_V);
    b.move(ub(4096), in(4096), 4096);
    b.wait(GC_NPU_MTE2, GC_NPU_V);
  });
  EXPECT_EQ(report.cycles, 65 + 64 + 200);
}

TEST(Cycles, FlagThatIsSetCostsNothing) {
  // V's wait is issued at 30, long after the flag is set at 5: no pipe time.
  Report report = time([](Builder &b) {
    b.load2d(l0a(0), l1(0), 4);
    b.set(GC_NPU_MTE1, GC_NPU_V);
    for (int i = 0; i < 28; ++i)
      b.scalar();
    b.wait(GC_NPU_MTE1, GC_NPU_V);
    b.dup(ub(0));
  });
  EXPECT_EQ(report.cycles, 32 + 12 + 13);
}

TEST(Cycles, FlagOnTheFrontEnd) {
  // The op is visible at 26; the front end is at the wait at 2 and continues at
  // 27.
  Report report = time([](Builder &b) {
    b.dup(ub(0));
    b.sync(GC_NPU_V, GC_NPU_S);
    b.mad(l0c(0), l0a(0), l0b(0), 16, true);
  });
  EXPECT_EQ(getStall(report, Stall::waitFlag), 24);
  EXPECT_EQ(report.cycles, 28 + 7);
}

TEST(Cycles, FlagFromTheFrontEnd) {
  // M waits for a flag that S sets at 1 + 10; the mad starts when it is set.
  Report report = time([](Builder &b) {
    b.wait(GC_NPU_S, GC_NPU_M);
    b.mad(l0c(0), l0a(0), l0b(0), 16, true);
    for (int i = 0; i < 10; ++i)
      b.scalar();
    b.set(GC_NPU_S, GC_NPU_M);
  });
  EXPECT_EQ(report.cycles, 12 + 7);
}

TEST(Cycles, QueueHeldByAFlagFills) {
  // V's queue holds the wait and 15 ops; the next one has to wait for the flag,
  // which the transfer sets at 1 + 4 + 200. 15 ops after it start 205 + 12 +
  // 3i.
  Report report = time([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.set(GC_NPU_MTE2, GC_NPU_V);
    b.wait(GC_NPU_MTE2, GC_NPU_V);
    for (int i = 0; i < 16; ++i)
      b.dup(ub(256 * i));
  });
  // At its turn at 3 + 15 = 18 the 17th entry of V waits until 205.
  EXPECT_EQ(getStall(report, Stall::fifoV), 205 - 18);
  EXPECT_EQ(report.cycles, 205 + 12 + 15 * 3 + 13);
}

TEST(Cycles, ModesAgree) {
  auto body = [](Builder &b) {
    b.move(ub(0), in(0), 4096);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 16);
    b.sync(GC_NPU_V, GC_NPU_MTE3);
    b.move(out(0), ub(4096), 4096);
  };
  std::vector<std::byte> data(2 << 20);
  Simulator simulator{Machine()};
  simulator.addTensor("in", data.data(), 1 << 20, false);
  simulator.addTensor("out", data.data() + (1 << 20), 1 << 20, true);
  Report values = simulator.run({[&](gc_npu_core *core) {
    Builder builder(core);
    body(builder);
  }});
  ASSERT_FALSE(values.error) << values.error->message;
  EXPECT_EQ(values.cycles, time(body).cycles);
  // Load 1 to 65, visible 265; V 10 + 16, tail 13; store 64, latency 200.
  EXPECT_EQ(values.cycles, 265 + 26 + 13 + 64 + 200);
}

TEST(Cycles, TraceSaysWhatRanWhen) {
  Options options = getOptions(true);
  options.trace = true;
  Report report = runAll({[](Builder &b) {
                           b.dup(ub(0));
                           b.barrierAll();
                           b.move(out(0), ub(0), 256);
                         }},
                         options);
  ASSERT_FALSE(report.error);
  ASSERT_EQ(report.trace.size(), 3u);
  EXPECT_EQ(report.trace[0].pipe, Pipe::s);
  EXPECT_EQ(report.trace[0].stall, static_cast<int>(Stall::barrierAll));
  EXPECT_EQ(report.trace[0].start, 1);
  EXPECT_EQ(report.trace[0].end, 26);
  EXPECT_EQ(report.trace[1].pipe, Pipe::v);
  EXPECT_EQ(report.trace[1].vectorOp, VectorOp::dup);
  EXPECT_EQ(report.trace[1].start, 1);
  EXPECT_EQ(report.trace[1].end, 13);
  EXPECT_EQ(report.trace[1].visible, 26);
  EXPECT_EQ(report.trace[2].pipe, Pipe::mte3);
  EXPECT_EQ(report.trace[2].location, 2);
  EXPECT_EQ(report.trace[2].start, 28);
  EXPECT_EQ(report.trace[2].end, 32);
  EXPECT_EQ(report.trace[2].visible, 232);
}

//===----------------------------------------------------------------------===//
// Work without order
//===----------------------------------------------------------------------===//

/// Of programs that wait for nothing.
static Report count(const std::vector<Body> &bodies,
                    int64_t maxCycles = INT64_MAX) {
  Options options = getOptions(false);
  options.waits = false;
  options.maxCycles = maxCycles;
  return runAll(bodies, options);
}

TEST(Work, OfThePipeWithMost) {
  // V: twice 2 + 100; S: an iteration of 2 cycles and seven issues.
  Body body = [](Builder &b) {
    b.dup(ub(0), 100);
    b.sync(GC_NPU_V, GC_NPU_MTE3);
    b.iteration();
    b.barrier(GC_NPU_V);
    b.dup(ub(0), 100);
    b.barrierAll();
    b.load2d(l0a(0), l1(0), 4);
  };
  Report report = count({body});
  ASSERT_FALSE(report.error) << report.error->message;
  EXPECT_EQ(report.cycles, 204);
  EXPECT_EQ(getBusy(report, Pipe::v), 204);
  EXPECT_EQ(getBusy(report, Pipe::mte1), 4);
  EXPECT_EQ(getBusy(report, Pipe::s), 9);
  EXPECT_LT(report.cycles, time(body).cycles);
}

TEST(Work, OfTheFrontEnd) {
  // 100 issues, and 4 cycles of a load, which gets an answer.
  double loaded = 1;
  Report report = count({[&](Builder &b) {
    for (int i = 0; i < 100; ++i)
      b.barrier(GC_NPU_V);
    loaded = b.load(ub(0));
  }});
  EXPECT_EQ(report.cycles, 104);
  EXPECT_EQ(loaded, 0);
}

TEST(Work, OfTheChannelThatCoresShare) {
  // 32 packages of 4 cycles a core; both directions take turns.
  Body body = [](Builder &b) {
    b.move(ub(0), in(0), 4096);
    b.move(out(0), ub(0), 4096);
  };
  EXPECT_EQ(count({body}).cycles, 128);
  EXPECT_EQ(count({body, body, body}).cycles, 384);
}

TEST(Work, MoreThanTheLimitIsAnError) {
  Body body = [](Builder &b) { b.dup(ub(0), 100); };
  EXPECT_FALSE(count({body}, 102).error);
  EXPECT_EQ(count({body}, 101).error.value().message,
            "the program is cut off after 101 cycles");
}

TEST(Work, FlagsMayBeLeft) {
  EXPECT_FALSE(count({[](Builder &b) {
                 b.set(GC_NPU_V, GC_NPU_M);
                 b.wait(GC_NPU_M, GC_NPU_V);
               }}).error);
}
