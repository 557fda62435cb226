// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Runtime/Runtime.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <string>

namespace {

uint64_t addressOf(void *Memory) { return reinterpret_cast<uint64_t>(Memory); }

// Small, below and above the size from which memory comes in huge pages; all of
// it can be written.
TEST(Memory, IsAligned) {
  for (uint64_t Bytes : {0, 1, 100, 524287, 524289, 5000000}) {
    for (uint64_t Alignment : {0, 1, 64, 4096, 1 << 22}) {
      void *Memory = gc_allocate(Bytes, Alignment);
      ASSERT_NE(Memory, nullptr);
      EXPECT_EQ(addressOf(Memory) % 64, 0u);
      if (Alignment) {
        EXPECT_EQ(addressOf(Memory) % Alignment, 0u);
      }
      std::memset(Memory, 1, Bytes);
      gc_deallocate(Memory);
    }
  }
  gc_deallocate(nullptr);
}

TEST(Memory, SaysWhyThereIsNone) {
  EXPECT_EQ(gc_allocate(1, 48), nullptr);
  EXPECT_NE(std::string(gc_last_error()).find("48 is not a power of two"),
            std::string::npos);
  EXPECT_EQ(gc_allocate(UINT64_MAX, 0), nullptr);
  EXPECT_NE(std::string(gc_last_error()).find("no memory"), std::string::npos);
}

} // namespace
