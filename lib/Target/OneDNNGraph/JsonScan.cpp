// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "JsonScan.h"

using namespace llvm;
using namespace gc::onednn;

/// The offset of the quote that closes the string opened at `open`, or the end.
static size_t findStringEnd(StringRef text, size_t open) {
  size_t i = open + 1;
  while (i < text.size() && text[i] != '"')
    i += text[i] == '\\' ? 2 : 1;
  return std::min(i, text.size());
}

JsonScan gc::onednn::scanJson(StringRef text) {
  JsonScan scan;
  unsigned depth = 0;
  StringRef string, key;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"': {
      size_t end = findStringEnd(text, i);
      string = text.slice(i + 1, end);
      i = end;
      break;
    }
    case ':':
      if (depth == 1) {
        key = string;
        // Of a repeated key the parser keeps the last value.
        if (key == "graph")
          scan.ops.clear();
      }
      break;
    case '{':
    case '[':
      if (depth == 2 && text[i] == '{' && key == "graph")
        scan.ops.push_back(i);
      if (++depth > kMaxJsonDepth) {
        scan.tooDeep = i;
        return scan;
      }
      break;
    case '}':
    case ']':
      depth -= depth > 0;
      break;
    default:
      break;
    }
  }
  return scan;
}
