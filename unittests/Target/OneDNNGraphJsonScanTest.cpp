// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JsonScan.h"

#include "gtest/gtest.h"

using namespace gc::onednn;

namespace {

TEST(JsonScan, FindsOps) {
  JsonScan scan = scanJson("{\"version\": [{}],\n"
                           " \"graph\": [\n"
                           "  {\"id\": [{}]}, {},\n"
                           "{}]}");
  EXPECT_FALSE(scan.tooDeep);
  ASSERT_EQ(scan.ops.size(), 3u);
  EXPECT_EQ(scan.ops[0].line, 3u);
  EXPECT_EQ(scan.ops[0].column, 3u);
  EXPECT_EQ(scan.ops[1].line, 3u);
  EXPECT_EQ(scan.ops[1].column, 17u);
  EXPECT_EQ(scan.ops[2].line, 4u);
  EXPECT_EQ(scan.ops[2].column, 1u);
}

TEST(JsonScan, StringsAreNotStructure) {
  // A quote and a backslash that are escaped, brackets, and a key in a value.
  JsonScan scan = scanJson(R"({"a": "{[\"\\", "b": "graph", "graph": [{}]})");
  ASSERT_EQ(scan.ops.size(), 1u);
  EXPECT_EQ(scan.ops[0].column, 41u);
}

TEST(JsonScan, LastKeyCounts) {
  JsonScan scan = scanJson(R"({"graph": [{}, {}], "graph": [{}]})");
  EXPECT_EQ(scan.ops.size(), 1u);
}

TEST(JsonScan, Depth) {
  EXPECT_FALSE(scanJson(std::string(kMaxJsonDepth, '[')).tooDeep);
  JsonScan scan = scanJson(std::string(kMaxJsonDepth + 1, '['));
  ASSERT_TRUE(scan.tooDeep);
  EXPECT_EQ(scan.tooDeep->column, kMaxJsonDepth + 1);
  // Brackets that close give the level back; too many of them do not count.
  std::string flat = "]]]}";
  for (int i = 0; i < 1000; ++i)
    flat += "[]{}";
  EXPECT_FALSE(scanJson(flat).tooDeep);
}

TEST(JsonScan, LongLinesHaveNoColumn) {
  std::string text = std::string(1000, ' ') + "\n  x";
  EXPECT_EQ(getPosition(text, 3).line, 1u);
  EXPECT_EQ(getPosition(text, 3).column, 0u);
  EXPECT_EQ(getPosition(text, 1003).line, 2u);
  EXPECT_EQ(getPosition(text, 1003).column, 3u);
  // Beyond the end is the end.
  EXPECT_EQ(getPosition(text, 99999).column, 4u);
  EXPECT_EQ(getPosition("", 0).line, 1u);
  EXPECT_EQ(getPosition("", 0).column, 1u);
}

TEST(JsonScan, NotJson) {
  EXPECT_TRUE(scanJson("").ops.empty());
  EXPECT_TRUE(scanJson("\"graph\\").ops.empty());
  EXPECT_TRUE(scanJson("}}:{{").ops.empty());
}

} // namespace
