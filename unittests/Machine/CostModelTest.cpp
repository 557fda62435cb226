// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Costs on a machine of round numbers, against numbers computed by hand.

#include "Machine/CostModel.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

Machine makeMachine() {
  Machine machine;
  machine.clockGHz = 2;
  machine.cores = 2;
  machine.l1Bytes = 1000;
  machine.l2Bytes = 10000;
  machine.l3Bytes = 100000;
  machine.l1BytesPerCycle = 64;
  machine.l2BytesPerCycle = 32;
  machine.l3BytesPerCycle = 16;
  machine.l3SharedBytesPerCycle = 24;
  machine.memoryBytesPerCycle = 8;
  machine.memorySharedBytesPerCycle = 10;
  machine.barrierCycles = 1000;
  machine.barrierCyclesPerThread = 500;
  machine.exchangeBytesPerCycle = 0.5;
  machine.forkCycles = 300;
  machine.forkCyclesPerThread = 100;
  machine.callCycles = 20;
  machine.packCyclesPerByte = 0.25;
  KernelRate rate;
  rate.macsPerCycle = 16;
  machine.kernels.push_back(rate);
  return machine;
}

const Machine machine = makeMachine();

TEST(CostModel, Team) {
  EXPECT_EQ(CostModel(machine).getThreads(), 2);
  EXPECT_EQ(CostModel(machine, 3).getThreads(), 3);
  EXPECT_EQ(CostModel(machine, 1).getBarrierCycles(), 0);
  EXPECT_EQ(CostModel(machine, 2).getBarrierCycles(), 2000);
  EXPECT_EQ(CostModel(machine, 4).getBarrierCycles(), 3000);
  EXPECT_EQ(CostModel(machine, 1).getForkCycles(), 400);
  EXPECT_EQ(CostModel(machine, 4).getForkCycles(), 700);
  // One core has no other core to exchange data with.
  EXPECT_EQ(CostModel(machine, 1).getExchangeCycles(64), 0);
  EXPECT_EQ(CostModel(machine, 2).getExchangeCycles(64), 128);
  // 2 GHz: a million cycles are half a millisecond.
  EXPECT_DOUBLE_EQ(CostModel(machine).getMs(1e6), 0.5);
}

// Nine tenths of a cache keep what is used again.
TEST(CostModel, Levels) {
  CostModel model(machine);
  EXPECT_EQ(model.getLevel(900), MemoryLevel::l1);
  EXPECT_EQ(model.getLevel(901), MemoryLevel::l2);
  EXPECT_EQ(model.getLevel(9000), MemoryLevel::l2);
  EXPECT_EQ(model.getLevel(9001), MemoryLevel::l3);
  // L3 holds the data of both cores.
  EXPECT_EQ(model.getLevel(45000), MemoryLevel::l3);
  EXPECT_EQ(model.getLevel(45001), MemoryLevel::memory);
  // Unless it is the same data.
  EXPECT_EQ(model.getLevel(45001, 45001), MemoryLevel::l3);
  EXPECT_EQ(model.getLevel(90001, 90001), MemoryLevel::memory);
  EXPECT_EQ(CostModel(machine, 1).getLevel(90000), MemoryLevel::l3);
}

// Two threads share 24 bytes a cycle of L3 and 10 of memory.
// A place of L1 is one of those that a line may go to in a way of 4096 bytes.
TEST(CostModel, RowsThatEvictEachOther) {
  CostModel model(machine);
  EXPECT_TRUE(model.sharesCacheSets(4096));
  EXPECT_TRUE(model.sharesCacheSets(2048));
  EXPECT_TRUE(model.sharesCacheSets(6144));
  EXPECT_FALSE(model.sharesCacheSets(1024));
  EXPECT_FALSE(model.sharesCacheSets(4096 + 64));
  EXPECT_EQ(model.getCachePlaces(8192), 1);
  EXPECT_EQ(model.getCachePlaces(6144), 2);
  EXPECT_EQ(model.getCachePlaces(4096 + 64), 64);
  Machine other = machine;
  other.l1WayBytes = 8192;
  EXPECT_FALSE(CostModel(other).sharesCacheSets(2048));
  EXPECT_TRUE(CostModel(other).sharesCacheSets(4096));
}

TEST(CostModel, Pages) {
  CostModel model(machine);
  EXPECT_EQ(model.getPageWalkCycles(2048), 0);
  EXPECT_EQ(model.getPageWalkCycles(3000), 3000 * 60);
}

// 900 bytes of L1 are usable, of which a panel may take 225.
TEST(CostModel, PanelsThatLeaveL1) {
  CostModel model(machine);
  EXPECT_EQ(model.getEvictedCycles(225, 3200), 0);
  EXPECT_DOUBLE_EQ(model.getEvictedCycles(675, 3200), 0.5 * 4 * 100);
  EXPECT_DOUBLE_EQ(model.getEvictedCycles(9000, 3200), 4 * 100);
}

TEST(CostModel, Bandwidth) {
  CostModel one(machine, 1), two(machine, 2);
  EXPECT_EQ(one.getReadCycles(64, MemoryLevel::l1), 1);
  EXPECT_EQ(two.getReadCycles(64, MemoryLevel::l2), 2);
  EXPECT_EQ(one.getReadCycles(48, MemoryLevel::l3), 3);
  EXPECT_EQ(two.getReadCycles(48, MemoryLevel::l3), 4);
  EXPECT_EQ(one.getReadCycles(40, MemoryLevel::memory), 5);
  EXPECT_EQ(two.getReadCycles(40, MemoryLevel::memory), 8);
  EXPECT_EQ(two.getWriteCycles(40, MemoryLevel::memory), 8);
  EXPECT_EQ(two.getWriteCycles(64, MemoryLevel::l2), 2);
}

TEST(CostModel, TransfersByLevel) {
  CostModel model(machine);
  EXPECT_EQ(model.getRead(64, MemoryLevel::l1).getCycles(), 0);
  EXPECT_EQ(model.getRead(64, MemoryLevel::l2).cache, 2);
  EXPECT_EQ(model.getWrite(48, MemoryLevel::l3).cache, 4);
  EXPECT_EQ(model.getRead(40, MemoryLevel::memory).memory, 8);
  EXPECT_EQ(model.getRead(40, MemoryLevel::memory).cache, 0);
}

// Vector code has the rate of the 16 multiply-adds a cycle.
TEST(CostModel, Instructions) {
  CostModel model(machine);
  EXPECT_EQ(model.getVectorCycles(800, 3), 150);
  EXPECT_EQ(model.getVectorCycles(800, 3, /*bits=*/16), 75);
  // A load, two instructions, a store.
  EXPECT_EQ(model.getPassCycles(800, 2), 200);
  EXPECT_EQ(model.getPackCycles(400), 100);
  EXPECT_EQ(model.getCallCycles(640, /*accumulates=*/false), 30);
  EXPECT_EQ(model.getCallCycles(640, /*accumulates=*/true), 35);
  // 2000 cycles of a barrier and 500 of a start, against half of 3/16 cycles
  // for each element.
  EXPECT_NEAR(model.getElementsWorthThreads(), 26667, 1);
  EXPECT_EQ(CostModel(machine, /*threads=*/1).getElementsWorthThreads(),
            std::numeric_limits<double>::infinity());
}

// A tenth of what comes from caches shows next to longer arithmetic, three
// quarters of what comes from memory.
TEST(CostModel, Overlap) {
  Cost cost;
  cost.compute = 60;
  cost.vector = 30;
  cost.calls = 10;
  EXPECT_EQ(cost.getCycles(), 100);
  cost.cache = 50;
  EXPECT_DOUBLE_EQ(cost.getCycles(), 105);
  cost.cache = 200;
  EXPECT_DOUBLE_EQ(cost.getCycles(), 210);
  cost.cache = 0;
  cost.memory = 40;
  EXPECT_DOUBLE_EQ(cost.getCycles(), 130);
  EXPECT_DOUBLE_EQ(cost.getVisibleCycles(), 30);
  cost.memory = 400;
  EXPECT_DOUBLE_EQ(cost.getCycles(), 475);
  cost.barrier = 1000;
  EXPECT_DOUBLE_EQ(cost.getCycles(), 1475);
}

TEST(CostModel, Bound) {
  Cost cost;
  EXPECT_EQ(cost.getBound(), CostBound::compute);
  cost.calls = 1;
  EXPECT_EQ(cost.getBound(), CostBound::calls);
  cost.cache = 2;
  EXPECT_EQ(cost.getBound(), CostBound::cache);
  cost.barrier = 3;
  EXPECT_EQ(cost.getBound(), CostBound::barrier);
  cost.memory = 4;
  EXPECT_EQ(cost.getBound(), CostBound::memory);
  cost.vector = 5;
  EXPECT_EQ(cost.getBound(), CostBound::vector);
  cost.compute = 6;
  EXPECT_EQ(cost.getBound(), CostBound::compute);
}

TEST(CostModel, Arithmetic) {
  Cost cost;
  cost.compute = 1;
  cost.memory = 2;
  Cost twice = (cost + cost) * 3;
  EXPECT_EQ(twice.compute, 6);
  EXPECT_EQ(twice.memory, 12);
  EXPECT_EQ(twice.barrier, 0);
}

} // namespace
