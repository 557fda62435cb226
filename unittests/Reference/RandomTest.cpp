// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Dropout: the generator against the numbers that its authors published, and
// the reference's use of it.

#include "../../lib/Reference/Philox.h"
#include "TestGraph.h"

#include <cmath>

using namespace gc::reference;

// The known answers that come with Random123.
TEST(Philox, KnownAnswers) {
  using Counter = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}),
            (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kAll = 0xffffffff;
  EXPECT_EQ(philox({kAll, kAll, kAll, kAll}, {kAll, kAll}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                   {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// The offset is the lower half of the counter, groups of four indices the upper
// one.
TEST(Philox, IndexIsAWordOfACounter) {
  uint64_t seed = 0x299f31d0a4093822, offset = 0x85a308d3243f6a88;
  auto words = philox({0x243f6a88, 0x85a308d3, 8, 0}, {0xa4093822, 0x299f31d0});
  for (uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(philox(seed, offset, 8 + i), words[i]);
}

/// Dropout of `count` ones, with bounds if the probability has one.
static std::vector<double> drop(int64_t count, const std::string &seed,
                                const std::string &offset,
                                const std::string &probability) {
  std::string type = "tensor<" + std::to_string(count) + "xf32>";
  TestGraph graph(
      "func.func @main(%x: " + type + ") -> " + type +
      " {\n%s = graph.constant dense<" + seed +
      "> : tensor<1xui64>\n%o = graph.constant dense<" + offset +
      "> : tensor<1xui64>\n%p = graph.constant dense<" + probability +
      "> : tensor<1xf32>\n%y = graph.dropout %x, %s, %o, %p : (" + type +
      ", tensor<1xui64>, tensor<1xui64>, tensor<1xf32>) -> " + type +
      "\nreturn %y : " + type + "}");
  std::vector<double> result =
      graph.evaluate({makeTensor({count}, std::vector<double>(count, 1))});
  EXPECT_EQ(graph.errors, "");
  return result;
}

TEST(Dropout, KeepsWhatExceedsTheProbability) {
  // The seed does not fit in a double.
  std::string seed = "2945182322382062114", offset = "9630066747093281416";
  std::vector<double> result = drop(64, seed, offset, "0.25");
  for (uint64_t i = 0; i < 64; ++i) {
    bool isKept = philox(2945182322382062114u, 9630066747093281416u, i) >
                  0.25 * 4294967295.0;
    EXPECT_EQ(result[i], isKept ? 1 / 0.75f : 0) << i;
  }
}

TEST(Dropout, LimitsOfTheProbability) {
  for (const char *all : {"0.0", "-1.0"})
    for (double value : drop(50, "1", "2", all))
      EXPECT_EQ(value, 1) << all;
  for (const char *none : {"1.0", "2.0", "0x7FC00000"})
    for (double value : drop(50, "1", "2", none))
      EXPECT_EQ(value, 0) << none;
}

TEST(Dropout, ShareOfZeros) {
  constexpr int64_t kCount = 20000;
  int64_t zeros = 0;
  for (double value : drop(kCount, "7", "0", "0.3"))
    zeros += value == 0;
  // Five standard deviations.
  EXPECT_NEAR(double(zeros), 0.3 * kCount, 5 * std::sqrt(0.21 * kCount));
}

TEST(Dropout, DependsOnSeedAndOffset) {
  std::vector<double> result = drop(100, "1", "2", "0.5");
  EXPECT_EQ(drop(100, "1", "2", "0.5"), result);
  EXPECT_NE(drop(100, "2", "2", "0.5"), result);
  EXPECT_NE(drop(100, "1", "3", "0.5"), result);
  // Bits above the 32nd.
  EXPECT_NE(drop(100, "4294967297", "2", "0.5"), result);
  EXPECT_NE(drop(100, "1", "4294967298", "0.5"), result);
}
