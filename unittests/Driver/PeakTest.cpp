// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/Peak.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

TEST(Peak, KernelsOfTheHost) {
  auto times = measureKernels(Machine::host(), KernelTypes::f32);
  ASSERT_TRUE(bool(times)) << llvm::toString(times.takeError());
  EXPECT_GT(times->macsPerSecond, 0);
  EXPECT_EQ(times->latency, 0) << "that of vectors is not measured";
}

TEST(Peak, KernelsThatTheHostCannotRun) {
  Machine machine = Machine::host();
  machine.features.push_back("no-such-instructions");
  auto times = measureKernels(machine, KernelTypes::f32);
  ASSERT_FALSE(bool(times));
  EXPECT_EQ(llvm::toString(times.takeError()),
            "the host does not execute no-such-instructions");
}

} // namespace
