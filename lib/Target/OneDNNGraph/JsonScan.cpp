// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JsonScan.h"

using namespace llvm;
using namespace gc::onednn;

/// Files may be one line of megabytes, which a diagnostic must not print.
static constexpr size_t kLongestLine = 256;

/// The position of `offset` in a line that starts at `lineStart`.
static TextPosition makePosition(StringRef text, size_t offset, unsigned line,
                                 size_t lineStart) {
  size_t column = offset - lineStart;
  bool isLong = column >= kLongestLine ||
                text.substr(lineStart, kLongestLine + 1)
                        .take_until([](char c) { return c == '\n'; })
                        .size() > kLongestLine;
  return {line, isLong ? 0 : static_cast<unsigned>(column + 1)};
}

TextPosition gc::onednn::getPosition(StringRef text, size_t offset) {
  StringRef before = text.take_front(offset);
  size_t lineStart = before.rfind('\n') + 1;
  return makePosition(text, before.size(), before.count('\n') + 1, lineStart);
}

JsonScan gc::onednn::scanJson(StringRef text) {
  JsonScan scan;
  unsigned depth = 0, line = 1;
  size_t lineStart = 0, stringStart = 0;
  bool inString = false;
  StringRef string, key;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\n') {
      ++line;
      lineStart = i + 1;
    } else if (inString) {
      if (c == '\\') {
        ++i;
      } else if (c == '"') {
        inString = false;
        string = text.slice(stringStart, i);
      }
    } else if (c == '"') {
      inString = true;
      stringStart = i + 1;
    } else if (c == ':' && depth == 1) {
      key = string;
      // Of a repeated key the parser keeps the last value.
      if (key == "graph")
        scan.ops.clear();
    } else if (c == '{' || c == '[') {
      if (depth == 2 && c == '{' && key == "graph")
        scan.ops.push_back(makePosition(text, i, line, lineStart));
      if (++depth > kMaxJsonDepth) {
        scan.tooDeep = makePosition(text, i, line, lineStart);
        return scan;
      }
    } else if (c == '}' || c == ']') {
      depth -= depth > 0;
    }
  }
  return scan;
}
