// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Support/ParserLimits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace gc {

/// MLIR's parser recurses for each bracket.
constexpr int64_t kMaxDepth = 256;

static bool isInWord(char c) {
  return isAlnum(c) || c == '_' || c == '$' || c == '.';
}

/// Whether the bracket at `at` opens an array of elements of type index.
static bool opensIndexArray(StringRef text, size_t at) {
  StringRef before = text.take_front(at).rtrim();
  if (!before.consume_back("array") ||
      (!before.empty() && isInWord(before.back())))
    return false;
  StringRef after = text.drop_front(at + 1).ltrim();
  return after.consume_front("index") && (after.empty() || !isInWord(after[0]));
}

/// Angle brackets nest too, since types nest in them; those of arrows and
/// comparisons do not.
std::optional<ParserLimit> findParserLimit(StringRef text) {
  int64_t depth = 0, line = 1;
  for (size_t i = 0; i < text.size(); ++i) {
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    switch (text[i]) {
    case '\n':
      ++line;
      break;
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
      // A newline ends a string that lacks its closing quote.
      line += i < text.size() && text[i] == '\n';
      break;
    case '/':
      if (next == '/') {
        i = std::min(text.find('\n', i), text.size());
        ++line;
      }
      break;
    case '-':
      i += next == '>';
      break;
    case '<':
      if (next == '=')
        break;
      if (opensIndexArray(text, i))
        return ParserLimit{line, "an array cannot have elements of type index"};
      [[fallthrough]];
    case '(':
    case '[':
    case '{':
      if (++depth > kMaxDepth)
        return ParserLimit{
            line,
            ("nested more than " + Twine(kMaxDepth) + " levels deep").str()};
      break;
    case '>':
      if (next == '=')
        break;
      [[fallthrough]];
    case ')':
    case ']':
    case '}':
      depth = std::max<int64_t>(depth - 1, 0);
      break;
    default:
      break;
    }
  }
  return std::nullopt;
}

} // namespace gc
