// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes as sums of products of named dimensions.

#include "Dialect/Graph/IR/NamedDims.h"

#include <gtest/gtest.h>

using gc::graph::SizeExpr;

namespace {

SizeExpr parse(llvm::StringRef text) {
  auto size = SizeExpr::parse(text);
  EXPECT_TRUE(size) << text.str();
  return size.value_or(SizeExpr(-1));
}

TEST(SizeExprTest, EqualSizesAreEqual) {
  EXPECT_EQ(parse("a * b + 1"), parse("1 + b*a"));
  EXPECT_EQ(parse("a + a"), parse("2 * a"));
  EXPECT_NE(parse("a"), parse("b"));
  EXPECT_EQ(parse("3 * 4"), SizeExpr(12));
  EXPECT_EQ(parse("a") - parse("a"), SizeExpr(0));
  EXPECT_EQ((parse("a + 1") * parse("a + 2")).str(), "3 * a + a * a + 2");
}

TEST(SizeExprTest, WhatIsPrintedIsRead) {
  for (llvm::StringRef text :
       {"batch", "past + 1", "12 * batch * time", "a * b + 2 * c + 7"})
    EXPECT_EQ(parse(text).str(), text);
}

TEST(SizeExprTest, OtherTextIsRefused) {
  for (llvm::StringRef text : {"", "a b", "a - 1", "a +", "* a", "-1", "a/2",
                               "(a)", "1x", "a + 99999999999999999999"})
    EXPECT_FALSE(SizeExpr::parse(text)) << text.str();
  EXPECT_FALSE(SizeExpr::parse(std::string(5000, 'a')));
}

TEST(SizeExprTest, Divides) {
  EXPECT_EQ(*parse("12 * a * b + 4 * b").divide(parse("4 * b")),
            parse("3 * a + 1"));
  EXPECT_FALSE(parse("12 * a").divide(parse("8")));
  EXPECT_FALSE(parse("a + b").divide(parse("a")));
  EXPECT_FALSE(parse("a * a + a").divide(parse("a + 1")));
  EXPECT_FALSE(parse("a").divide(SizeExpr(0)));
  EXPECT_EQ(*SizeExpr(0).divide(parse("a")), SizeExpr(0));
}

TEST(SizeExprTest, SolvesForOneName) {
  EXPECT_EQ(parse("2 * past + 1").solve("past", 9), 4);
  EXPECT_FALSE(parse("2 * past + 1").solve("past", 8));
  EXPECT_FALSE(parse("past + 1").solve("past", 0));
  EXPECT_FALSE(parse("past + 1").solve("batch", 4));
  EXPECT_FALSE(parse("past * past").getSolvedName());
  EXPECT_FALSE(parse("past + batch").getSolvedName());
  EXPECT_FALSE(SizeExpr(4).getSolvedName());
}

TEST(SizeExprTest, SubstitutesWhatIsKnown) {
  auto getSize = [](llvm::StringRef name) {
    return name == "a" ? std::optional<int64_t>(3) : std::nullopt;
  };
  EXPECT_EQ(parse("a * b + a").substitute(getSize), parse("3 * b + 3"));
  EXPECT_EQ(parse("a * a").substitute(getSize), SizeExpr(9));
}

TEST(SizeExprTest, WhatIsTooLargeIsANumber) {
  SizeExpr size = parse("a + b");
  for (int i = 0; i < 100; ++i)
    size = size * size;
  ASSERT_TRUE(size.isConstant());
  EXPECT_GE(*size.getConstant(), int64_t(1) << 60);
  SizeExpr most = parse("4611686018427387904 * a");
  EXPECT_EQ(most + most, most);
  EXPECT_EQ(most * SizeExpr(-2), SizeExpr(0) - most);
}

} // namespace
