// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MachineScan.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

/// Bytes that are not printable as escapes.
static std::string escape(StringRef text) {
  std::string escaped;
  raw_string_ostream(escaped).write_escaped(text);
  return escaped;
}

std::string gc::scanMachineText(StringRef text) {
  // A description has three levels.
  constexpr size_t kDeepest = 8;
  // The keys of the objects (or arrays, which have none) that are open.
  SmallVector<StringSet<>> open;
  StringRef string;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"': {
      size_t begin = ++i;
      while (i < text.size() && text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
      string = text.slice(begin, i);
      break;
    }
    case ':':
      if (!open.empty() && !open.back().insert(string).second)
        return "the key '" + escape(string.take_front(40)) + "' appears twice";
      break;
    case '{':
    case '[':
      if (open.size() == kDeepest)
        return "objects and arrays are nested too deeply";
      open.emplace_back();
      break;
    case '}':
    case ']':
      if (!open.empty())
        open.pop_back();
      break;
    }
  }
  return "";
}
