// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Compare.h"
#include "TestGraph.h"

#include <cmath>

using namespace gc::reference;

static const double kNan = std::nan("");

TEST(Compare, EqualTensorsPass) {
  Tensor a = makeTensor({2, 2}, {1, kNan, HUGE_VAL, -0.0});
  Tensor b = makeTensor({2, 2}, {1, kNan, HUGE_VAL, 0});
  Comparison report = compare(a, b, Tensor());
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.message, "");
  EXPECT_EQ(report.count, 4);
}

TEST(Compare, SaysWhereAndByHowMuch) {
  Tensor actual = makeTensor({2, 3}, {1, 2, 3, 4, 5.5, 8});
  Tensor expected = makeTensor({2, 3}, {1, 2, 3, 4, 5, 6});
  Comparison report =
      compare(actual, expected, makeTensor({2, 3}, {0, 0, 0, 0, 0.25, 4}));
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.mismatches, 1);
  EXPECT_EQ(report.maxAbsError, 2);
  EXPECT_NEAR(report.maxRelError, 1.0 / 3, 1e-15);
  EXPECT_EQ(report.firstMismatch, (llvm::SmallVector<int64_t>{1, 1}));
  EXPECT_EQ(report.message,
            "at [1, 1] is 5.5 instead of 5, error 0.5, allowed 0.25; 1 of 6 "
            "elements differ, largest error 2 (relative 0.333333333)");
}

TEST(Compare, NanAndInfinityMatchOnlyThemselves) {
  Tensor big = makeTensor({1}, {1e9});
  auto differ = [&](double actual, double expected) {
    return !compare(makeTensor({1}, {actual}), makeTensor({1}, {expected}), big)
                .passed;
  };
  EXPECT_TRUE(differ(kNan, 0));
  EXPECT_TRUE(differ(0, kNan));
  EXPECT_TRUE(differ(HUGE_VAL, 1));
  EXPECT_TRUE(differ(1, HUGE_VAL));
  EXPECT_TRUE(differ(-HUGE_VAL, HUGE_VAL));
  EXPECT_FALSE(differ(5, 1));
}

TEST(Compare, InfiniteBoundsAreCountedAsUnchecked) {
  Comparison report =
      compare(makeTensor({2}, {kNan, 1}), makeTensor({2}, {3, 1}),
              makeTensor({2}, {HUGE_VAL, 0}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.unchecked, 1);
}

TEST(Compare, BoundsAsWideAsTheTypeAreCountedAsUnchecked) {
  // From -100 the furthest number of 8 bits is 127, from 27 it is -128.
  Comparison report =
      compare(makeTensor(ElementType::S8, {3}, {127, 127, 5}),
              makeTensor(ElementType::S8, {3}, {-100, -100, 27}),
              makeTensor({3}, {227, 226, 155}));
  EXPECT_FALSE(report.passed);
  EXPECT_EQ(report.unchecked, 2);
  EXPECT_EQ(report.mismatches, 1);
}

TEST(Compare, TolerancesOverrideBounds) {
  Tensor actual = makeTensor({2}, {1.05, 0.001}),
         expected = makeTensor({2}, {1, 0});
  Tensor wide = makeTensor({2}, {9, 9});
  EXPECT_TRUE(compare(actual, expected, wide).passed);
  EXPECT_FALSE(compare(actual, expected, wide, Tolerance{0.01, 0.01}).passed);
  EXPECT_TRUE(compare(actual, expected, Tensor(), Tolerance{0.1, 0.01}).passed);
}

TEST(Compare, CountsTiesOfQuantisation) {
  Tensor actual = makeTensor(ElementType::S8, {3}, {1, 2, 3});
  Tensor expected = makeTensor(ElementType::S8, {3}, {1, 3, 3});
  EXPECT_FALSE(compare(actual, expected, Tensor()).passed);
  Comparison report = compare(actual, expected, Tensor(), Tolerance());
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.ties, 1);
  report = compare(actual, expected, makeTensor({3}, {0, 1, 0}));
  EXPECT_TRUE(report.passed);
  EXPECT_EQ(report.ties, 1);
}

TEST(Compare, OtherShapeOrTypeFails) {
  Tensor a = makeTensor({2}, {1, 2});
  EXPECT_EQ(compare(a, makeTensor({2, 1}, {1, 2}), Tensor()).message,
            "is a tensor f32[2] instead of f32[2, 1]");
  EXPECT_FALSE(
      compare(a, makeTensor(ElementType::BF16, {2}, {1, 2}), Tensor()).passed);
}

TEST(Compare, ReadsStridedTensors) {
  auto actual =
      Tensor::create(ElementType::F32, {2, 2}, llvm::ArrayRef<int64_t>{1, 3});
  ASSERT_TRUE(succeeded(actual));
  actual->setValues({1, 2, 3, 4});
  EXPECT_TRUE(
      compare(*actual, makeTensor({2, 2}, {1, 2, 3, 4}), Tensor()).passed);
}
