// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Text that MLIR's parser crashes on, and text that only looks like it.

#include "Support/ParserLimits.h"
#include "gtest/gtest.h"

using namespace gc;

namespace {

std::string find(llvm::StringRef text) {
  auto limit = findParserLimit(text);
  return limit ? std::to_string(limit->line) + ": " + limit->message : "";
}

std::string nest(int64_t depth, llvm::StringRef open, llvm::StringRef close) {
  std::string text;
  for (int64_t i = 0; i < depth; ++i)
    text += open;
  for (int64_t i = 0; i < depth; ++i)
    text += close;
  return text;
}

const char *const kTooDeep = "1: nested more than 256 levels deep";
const char *const kIndex = "an array cannot have elements of type index";

TEST(ParserLimits, Depth) {
  for (auto [open, close] :
       {std::pair("(", ")"), {"[", "]"}, {"{", "}"}, {"tuple<", ">"}}) {
    EXPECT_EQ(find(nest(256, open, close)), "");
    EXPECT_EQ(find(nest(257, open, close)), kTooDeep);
  }
  // What is closed is not nested, and what was never opened does not count.
  EXPECT_EQ(find(nest(200, "()", "")), "");
  EXPECT_EQ(find(nest(300, ")", "") + nest(257, "(", "")), kTooDeep);
}

TEST(ParserLimits, WhatIsNoBracket) {
  EXPECT_EQ(find(nest(300, "->", "")), "");
  EXPECT_EQ(find(nest(300, "<=", "")), "");
  EXPECT_EQ(find(nest(300, "\"(\"", "")), "");
  EXPECT_EQ(find(nest(300, "\"\\\"(\"", "")), "");
  EXPECT_EQ(find(nest(300, "// (\n", "")), "");
  // A string ends with its line, a comment, too.
  EXPECT_EQ(find("\"\n" + nest(257, "(", "")), "2: nested more than 256 levels "
                                               "deep");
  EXPECT_EQ(find("// \"\n" + nest(257, "(", "")), "2: nested more than 256 "
                                                  "levels deep");
}

TEST(ParserLimits, ArrayOfIndex) {
  for (const char *text :
       {"array<index>", "array<index: 1>", "x = array < index : 1>",
        "array // comment\n<index>", "array<// comment\nindex>"})
    EXPECT_NE(find(text).find(kIndex), std::string::npos) << text;
  EXPECT_EQ(find("\n\narray<index>"), std::string("3: ") + kIndex);
  for (const char *text :
       {"array<i64: 1>", "my_array<index>", "array, <index>", "array<indexed>",
        "\"array<index>\"", "// array<index>", "tensor<index>"})
    EXPECT_EQ(find(text), "") << text;
}

TEST(ParserLimits, TextThatEndsEarly) {
  for (const char *text :
       {"", "\"", "\"\\", "/", "//", "array", "array<", "<", "-", "\"a\\\""})
    EXPECT_EQ(find(text), "") << text;
}

} // namespace
