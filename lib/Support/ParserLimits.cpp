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

namespace {

/// Reads MLIR text token by token. Angle brackets nest too, since types nest in
/// them; those of arrows and comparisons do not.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  std::optional<ParserLimit> scan() {
    while (!text.empty()) {
      char c = text.front();
      if (isSpace(c) || text.starts_with("//")) {
        skipSpace();
        continue;
      }
      StringRef word = text.take_while(isInWord);
      if (!word.empty()) {
        if (opensArray && word == "index")
          return ParserLimit{line,
                             "an array cannot have elements of type index"};
        isArray = word == "array";
        opensArray = false;
        text = text.drop_front(word.size());
        continue;
      }
      opensArray = isArray && c == '<';
      isArray = false;
      if (c == '"') {
        skipString();
        continue;
      }
      if (text.consume_front("->") || text.consume_front("<=") ||
          text.consume_front(">="))
        continue;
      if (StringRef("<([{").contains(c) && ++depth > kMaxDepth)
        return ParserLimit{
            line,
            ("nested more than " + Twine(kMaxDepth) + " levels deep").str()};
      if (StringRef(">)]}").contains(c))
        depth = std::max<int64_t>(depth - 1, 0);
      text = text.drop_front();
    }
    return std::nullopt;
  }

private:
  /// A character of white space, or a comment up to its end of line.
  void skipSpace() {
    if (text.front() == '/')
      text = text.drop_until([](char c) { return c == '\n'; });
    if (text.empty())
      return;
    line += text.front() == '\n';
    text = text.drop_front();
  }

  /// A newline ends a string that lacks its closing quote.
  void skipString() {
    size_t end = 1;
    while (end < text.size() && text[end] != '"' && text[end] != '\n')
      end += text[end] == '\\' ? 2 : 1;
    line += end < text.size() && text[end] == '\n';
    text = text.drop_front(std::min(end + 1, text.size()));
  }

  StringRef text;
  int64_t depth = 0, line = 1;
  /// The last token is the word `array`, or the bracket after it.
  bool isArray = false, opensArray = false;
};

} // namespace

std::optional<ParserLimit> findParserLimit(StringRef text) {
  return Scanner(text).scan();
}

} // namespace gc
