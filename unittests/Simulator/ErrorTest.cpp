// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mistakes that only running a program shows: each kind, with its message, the
// instruction that is wrong (`location` counts calls) and the other one.

#include "TestProgram.h"

using namespace gc::npu;
using namespace gc::npu::test;

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

TEST(Race, ReadOfWhatAnotherPipeWrites) {
  Report report = run([](Builder &b) {
    b.move(ub(0), in(0), 512);
    b.vector(GC_NPU_RELU, ub(4096), ub(256), ub(0), 2);
  });
  // V reads 256 to 768; 256 to 512 are MTE2's.
  expectError(report, ErrorKind::race, 1,
              "race: vector relu on V reads bytes [256, 512) of ub, which dma "
              "on MTE2 writes; no flag from MTE2 to V orders them",
              0);
}

TEST(Race, WriteOfWhatAnotherPipeReads) {
  Report report = run([](Builder &b) {
    b.dup(ub(0), 2);
    b.sync(GC_NPU_V, GC_NPU_MTE3);
    b.move(out(0), ub(0), 512);
    b.barrier(GC_NPU_V);
    b.dup(ub(256));
  });
  expectError(report, ErrorKind::race, 5,
              "race: vector dup on V writes bytes [256, 512) of ub, which dma "
              "on MTE3 reads; no flag from MTE3 to V orders them",
              3);
}

TEST(Race, SamePipeNeedsABarrierToRead) {
  auto body = [](bool barrier) {
    return [=](Builder &b) {
      b.dup(ub(0));
      if (barrier)
        b.barrier(GC_NPU_V);
      b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
    };
  };
  expectNoError(body(true));
  expectError(run(body(false)), ErrorKind::race, 1,
              "race: vector relu on V reads bytes [0, 256) of ub, which vector "
              "dup on V writes before it; no barrier(V) makes that visible",
              0);
}

TEST(Race, SamePipeNeedsABarrierToOverwrite) {
  expectError(run([](Builder &b) {
                b.dup(ub(0));
                b.dup(ub(0));
              }),
              ErrorKind::race, 1,
              "race: vector dup on V writes bytes [0, 256) of ub, which vector "
              "dup on V writes before it; no barrier(V) makes that visible",
              0);
}

TEST(Race, SamePipeMayOverwriteWhatItRead) {
  expectNoError([](Builder &b) {
    b.dup(ub(0));
    b.barrier(GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
    b.dup(ub(0));
  });
}

TEST(Race, AnOpInPlaceIsNone) {
  expectNoError([](Builder &b) {
    b.dup(ub(0), 4);
    b.barrier(GC_NPU_V);
    b.vector(GC_NPU_ADD, ub(0), ub(0), ub(0), 4);
  });
}

TEST(Race, ABarrierIsNotAFlag) {
  // barrier(MTE2) orders MTE2's own ops; V does not know.
  Report report = run([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.barrier(GC_NPU_MTE2);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::race);
}

TEST(Race, AFlagOrdersThroughAThirdPipe) {
  // MTE2 -> V -> MTE3: MTE3 knows what V knew.
  expectNoError([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.sync(GC_NPU_V, GC_NPU_MTE3);
    b.move(out(0), ub(0), 256);
  });
}

TEST(Race, AFlagDoesNotCoverWhatComesAfterIt) {
  Report report = run([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.set(GC_NPU_MTE2, GC_NPU_V);
    b.move(ub(256), in(0), 256);
    b.wait(GC_NPU_MTE2, GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 2);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->otherLocation, 2);
}

TEST(Race, TimeIsNoOrder) {
  // The load is long complete when V reads, but nothing guarantees it.
  Report report = run([](Builder &b) {
    b.move(ub(0), in(0), 256);
    for (int i = 0; i < 10000; ++i)
      b.scalar();
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::race);
}

TEST(Race, WhatTheFrontEndKnowsItsOpsKnow) {
  // S waits for V; the transfer that it issues then is after V's op.
  expectNoError([](Builder &b) {
    b.dup(ub(0));
    b.sync(GC_NPU_V, GC_NPU_S);
    b.load(ub(0));
    b.move(out(0), ub(0), 256);
    b.dup(ub(256));
    b.barrierAll();
    b.move(out(512), ub(256), 256);
  });
}

TEST(Race, FrontEndReadsWithoutWaiting) {
  expectError(run([](Builder &b) {
                b.dup(ub(0));
                b.load(ub(128));
              }),
              ErrorKind::race, 1,
              "race: load_scalar on S reads bytes [128, 130) of ub, which "
              "vector dup on V writes; no flag from V to S orders them",
              0);
}

TEST(Race, MadsMayFollowEachOther) {
  auto body = [](bool second) {
    return [=](Builder &b) {
      b.move(l0a(0), in(0), 512);
      b.move(l0b(0), in(0), 512);
      b.sync(GC_NPU_MTE2, GC_NPU_M);
      b.mad(l0c(0), l0a(0), l0b(0), 16, true);
      b.mad(l0c(0), l0a(0), l0b(0), 16, second);
    };
  };
  expectNoError(body(false));
  // Starting anew is an overwrite like any other.
  Report report = run(body(true));
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::race);
  EXPECT_EQ(report.error->location, 5);
}

TEST(Race, AtomicAddsNeedNoOrder) {
  Body body = [](Builder &b) {
    b.dup(ub(0), 4);
    b.sync(GC_NPU_V, GC_NPU_MTE3);
    b.add(out(0), ub(0), 1024);
    b.add(out(0), ub(0), 1024);
  };
  EXPECT_FALSE(runAll({body, body}, getOptions(true)).error);
  // A plain store does.
  Report report = run([&](Builder &b) {
    body(b);
    b.move(out(1022), ub(0), 256);
  });
  expectError(
      report, ErrorKind::race, 5,
      "race: dma on MTE3 writes bytes [1022, 1024) of tensor 'out', which dma "
      "on MTE3 adds to before it; no barrier(MTE3) makes that visible",
      4);
}

TEST(Race, CoresAreNotOrdered) {
  auto store = [](int64_t begin) {
    return [=](Builder &b) {
      b.dup(ub(0), 4);
      b.sync(GC_NPU_V, GC_NPU_MTE3);
      b.move(out(begin), ub(0), 1024);
    };
  };
  EXPECT_FALSE(runAll({store(0), store(1024)}, getOptions(true)).error);
  Report report = runAll({store(0), store(1000)}, getOptions(true));
  expectError(report, ErrorKind::race, 3,
              "race: dma on MTE3 writes bytes [1000, 1024) of tensor 'out', "
              "which dma on MTE3 of core 0 writes; cores are not ordered",
              3);
  EXPECT_EQ(report.error->core, 1);
}

TEST(Race, ReadersOfTwoCoresAreBothRemembered) {
  Body read = [](Builder &b) { b.move(ub(0), out(0), 256); };
  Report report = runAll({read, read,
                          [](Builder &b) {
                            b.dup(ub(0));
                            b.sync(GC_NPU_V, GC_NPU_MTE3);
                            b.move(out(255), ub(0), 1);
                          }},
                         getOptions(true));
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::race);
  EXPECT_EQ(report.error->core, 2);
}

//===----------------------------------------------------------------------===//
// Poison
//===----------------------------------------------------------------------===//

TEST(Poison, BuffersHoldNothingAtFirst) {
  expectError(run([](Builder &b) {
                b.dup(ub(0));
                b.barrier(GC_NPU_V);
                b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 2);
              }),
              ErrorKind::poison, 2,
              "vector relu on V reads bytes [256, 512) of ub, which nothing "
              "has written since the buffer was allocated");
}

TEST(Poison, AllocationForgets) {
  expectError(run([](Builder &b) {
                b.dup(ub(0), 2);
                b.barrierAll();
                b.alloc(ub(320), 64);
                b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 2);
              }),
              ErrorKind::poison, 3,
              "vector relu on V reads bytes [320, 384) of ub, which nothing "
              "has written since the buffer was allocated");
}

TEST(Poison, AllocationCountsInProgramOrder) {
  // The allocation is issued long before V reads what was there: that read is
  // before it in the program. What the next buffer in its place writes is
  // valid.
  expectNoError([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
    b.alloc(ub(0), 256);
    b.sync(GC_NPU_V, GC_NPU_MTE2);
    b.move(ub(0), in(0), 256);
    b.sync(GC_NPU_MTE2, GC_NPU_V, 1);
    b.vector(GC_NPU_RELU, ub(8192), ub(0), ub(0), 1);
  });
}

TEST(Poison, AnEarlierTenantsValueIsPoison) {
  // The write is before the allocation in the program, the read after it.
  Report report = run([](Builder &b) {
    b.move(ub(0), in(0), 256);
    b.alloc(ub(0), 256);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::poison);
  EXPECT_EQ(report.error->location, 4);
}

TEST(Poison, PaddingIsWritten) {
  // 40 bytes fill two blocks; the rest of them is zeros, not poison.
  expectNoError([](Builder &b) {
    b.move(ub(0), in(0), 40);
    b.sync(GC_NPU_MTE2, GC_NPU_V);
    b.vector(GC_NPU_RELU, ub(4096), ub(0), ub(0), 1, 0xffffffff, 0);
  });
}

TEST(Poison, AccumulatingIntoNothing) {
  Report report = run([](Builder &b) {
    b.move(l0a(0), in(0), 512);
    b.move(l0b(0), in(0), 512);
    b.sync(GC_NPU_MTE2, GC_NPU_M);
    b.mad(l0c(0), l0a(0), l0b(0), 16, false);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::poison);
}

//===----------------------------------------------------------------------===//
// Flags
//===----------------------------------------------------------------------===//

TEST(Flag, SetTwice) {
  expectError(run([](Builder &b) {
                b.set(GC_NPU_V, GC_NPU_M);
                b.set(GC_NPU_V, GC_NPU_M);
                b.wait(GC_NPU_V, GC_NPU_M);
              }),
              ErrorKind::flagSet, 1,
              "set_flag(V, M, 0) of a flag that is still set", 0);
}

TEST(Flag, SetAgainNeedsOrderAfterTheWait) {
  auto body = [](bool ordered) {
    return [=](Builder &b) {
      b.sync(GC_NPU_V, GC_NPU_M);
      if (ordered)
        b.sync(GC_NPU_M, GC_NPU_V);
      b.sync(GC_NPU_V, GC_NPU_M);
    };
  };
  expectNoError(body(true));
  Report report = run(body(false));
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::flagSet);
  EXPECT_EQ(report.error->location, 2);
}

TEST(Flag, SetAgainAfterBarrierAll) {
  expectNoError([](Builder &b) {
    b.sync(GC_NPU_V, GC_NPU_M);
    b.barrierAll();
    b.sync(GC_NPU_V, GC_NPU_M);
  });
}

TEST(Flag, FourForEachOrderedPair) {
  expectNoError([](Builder &b) {
    for (int event = 0; event < 4; ++event) {
      b.sync(GC_NPU_V, GC_NPU_M, event);
      b.sync(GC_NPU_M, GC_NPU_V, event);
    }
  });
}

TEST(Flag, LeftSet) {
  expectError(
      run([](Builder &b) {
        b.sync(GC_NPU_V, GC_NPU_M, 1);
        b.set(GC_NPU_V, GC_NPU_M, 2);
      }),
      ErrorKind::flagLeft, 2,
      "set_flag(V, M, 2) is never waited for: the flag is set at the end");
}

TEST(Flag, WaitForEver) {
  expectError(
      run([](Builder &b) {
        b.sync(GC_NPU_MTE2, GC_NPU_V);
        b.wait(GC_NPU_MTE2, GC_NPU_V);
      }),
      ErrorKind::waitForever, 2,
      "wait_flag(MTE2, V, 0) waits forever: no set_flag is left for it");
}

TEST(Flag, WaitForEverIsToBlameForOthersThatWait) {
  // V waits first, but only for MTE2, which waits for what never comes.
  Report report = run([](Builder &b) {
    b.wait(GC_NPU_MTE2, GC_NPU_V);
    b.wait(GC_NPU_M, GC_NPU_MTE2);
    b.set(GC_NPU_MTE2, GC_NPU_V);
  });
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->kind, ErrorKind::waitForever);
  EXPECT_EQ(report.error->location, 1);
}

TEST(Flag, Deadlock) {
  expectError(run([](Builder &b) {
                b.wait(GC_NPU_MTE2, GC_NPU_V);
                b.wait(GC_NPU_V, GC_NPU_MTE2);
                b.set(GC_NPU_MTE2, GC_NPU_V);
                b.set(GC_NPU_V, GC_NPU_MTE2);
              }),
              ErrorKind::deadlock, 0,
              "deadlock: wait_flag(MTE2, V, 0) waits for a set_flag that is "
              "stuck in the queue of MTE2",
              2);
}

TEST(Flag, DeadlockOfTheFrontEnd) {
  // The set comes after barrier(all), which waits for the wait.
  expectError(run([](Builder &b) {
                b.wait(GC_NPU_MTE2, GC_NPU_V);
                b.barrierAll();
                b.set(GC_NPU_MTE2, GC_NPU_V);
              }),
              ErrorKind::deadlock, 0,
              "deadlock: wait_flag(MTE2, V, 0) waits, no set_flag for it has "
              "been issued, and the front end is stuck in barrier(all)");
  // The queue is full before the set is issued.
  expectError(run([](Builder &b) {
                b.wait(GC_NPU_MTE2, GC_NPU_V);
                for (int i = 0; i < 16; ++i)
                  b.dup(ub(i * 256));
                b.set(GC_NPU_MTE2, GC_NPU_V);
              }),
              ErrorKind::deadlock, 0,
              "deadlock: wait_flag(MTE2, V, 0) waits, no set_flag for it has "
              "been issued, and the front end is stuck at a full queue");
  expectError(run([](Builder &b) {
                b.wait(GC_NPU_V, GC_NPU_S);
                b.set(GC_NPU_V, GC_NPU_S);
              }),
              ErrorKind::deadlock, 0,
              "deadlock: wait_flag(V, S, 0) waits, no set_flag for it has been "
              "issued, and the front end is stuck at a wait_flag on S");
}

//===----------------------------------------------------------------------===//
// Tensors, limits
//===----------------------------------------------------------------------===//

TEST(Bounds, PastTheEndOfATensor) {
  expectError(
      run([](Builder &b) { b.move(ub(0), in((1 << 20) - 31), 32); }),
      ErrorKind::bounds, 0,
      "dma reads bytes [1048545, 1048577) of tensor 'in', which has 1048576");
  expectNoError([](Builder &b) { b.move(ub(0), in((1 << 20) - 32), 32); });
  expectError(
      run([](Builder &b) {
        gc_npu_unpack(b.core, 0, out(0), ub(0), GC_NPU_F16, 3, 16, 262144, 3,
                      16, 0);
      }),
      ErrorKind::bounds, 0,
      "unpack writes bytes [0, 1048608) of tensor 'out', which has 1048576");
}

TEST(Bounds, NoSuchTensor) {
  expectError(run([](Builder &b) {
                b.move(ub(0), Simulator::getTensorAddress(2), 32);
              }),
              ErrorKind::bounds, 0, "dma: there is no tensor 2");
}

TEST(Bounds, InputsAreReadOnly) {
  expectError(run([](Builder &b) {
                b.dup(ub(0));
                b.sync(GC_NPU_V, GC_NPU_MTE3);
                b.move(in(0), ub(0), 32);
              }),
              ErrorKind::readOnly, 3,
              "dma writes tensor 'in', which is an input");
}

TEST(Limit, AProgramThatNeverEndsIsCutOff) {
  Options options = getOptions(true);
  options.maxInstructions = 1000000;
  for (bool idle : {false, true}) {
    Report report = runAll({[idle](Builder &b) {
                             while (true)
                               idle ? b.iteration() : b.barrier(GC_NPU_V);
                           }},
                           options);
    ASSERT_TRUE(report.error);
    EXPECT_EQ(report.error->kind, ErrorKind::limitReached);
    EXPECT_EQ(report.error->message, "the program is cut off after 1000000 "
                                     "instructions and loop iterations");
  }
}

TEST(Limit, AProgramThatTakesTooLongIsCutOff) {
  Options options = getOptions(true);
  auto runBarriers = [&](int count) {
    return runAll({[count](Builder &b) {
                    for (int i = 0; i < count; ++i)
                      b.barrier(GC_NPU_V);
                  }},
                  options);
  };
  options.maxCycles = 1000;
  EXPECT_FALSE(runBarriers(500).error);
  EXPECT_EQ(runBarriers(2000).error.value().message,
            "the program is cut off after 1000 cycles");
}

TEST(Limit, AfterAnErrorCallsDoNothing) {
  // The program ends on its own, and its loads give 0.
  int after = 0;
  Report report = run([&](Builder &b) {
    b.move(ub(1), in(0), 32);
    for (int i = 0; i < 1000; ++i)
      b.move(ub(0), in(0), 32);
    after += b.load(ub(0)) == 0;
  });
  EXPECT_EQ(after, 1);
  ASSERT_TRUE(report.error);
  EXPECT_EQ(report.error->location, 0);
}
