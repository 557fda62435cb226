// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TextMutants.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gc::fuzz;

/// Words, numbers, runs of spaces, and other bytes one by one.
static SmallVector<StringRef> getTokens(StringRef text) {
  SmallVector<StringRef> tokens;
  auto isWord = [](char c) { return isAlnum(c) || c == '_'; };
  while (!text.empty()) {
    size_t size = 1;
    if (isWord(text[0]))
      size = text.take_while(isWord).size();
    else if (isSpace(text[0]))
      size = text.take_while(isSpace).size();
    tokens.push_back(text.take_front(size));
    text = text.drop_front(size);
  }
  return tokens;
}

static std::string flipBytes(Random &random, StringRef text) {
  std::string result = text.str();
  for (int64_t i = random.pick({1, 1, 2, 8}); i > 0 && !result.empty(); --i) {
    char &byte = result[random.below(result.size())];
    byte = random.percent(50) ? char(byte ^ (1 << random.below(8)))
                              : char(random.below(256));
  }
  return result;
}

static std::string cutOrRepeat(Random &random, StringRef text) {
  int64_t at = random.below(text.size() + 1);
  int64_t length = random.pick({1, 4, 20, 200});
  StringRef before = text.take_front(at), rest = text.drop_front(at);
  if (random.percent(20))
    return before.str();
  if (random.percent(50))
    return before.str() +
           rest.drop_front(std::min<size_t>(length, rest.size())).str();
  std::string result = before.str();
  for (int64_t i = random.pick({1, 1, 3, 300}); i > 0; --i)
    result += rest.take_front(length);
  return result + rest.str();
}

static std::string editTokens(Random &random, StringRef text, StringRef other) {
  SmallVector<StringRef> tokens = getTokens(text), others = getTokens(other);
  if (tokens.empty() || others.empty())
    return other.str();
  for (int64_t i = random.pick({1, 1, 2, 4}); i > 0; --i) {
    StringRef &token = tokens[random.below(tokens.size())];
    switch (random.below(4)) {
    case 0:
      token = "";
      break;
    case 1:
      std::swap(token, tokens[random.below(tokens.size())]);
      break;
    case 2:
      token = tokens[random.below(tokens.size())];
      break;
    default:
      token = others[random.below(others.size())];
    }
  }
  return join(tokens, "");
}

static std::string editNumbers(Random &random, StringRef text) {
  SmallVector<StringRef> tokens = getTokens(text);
  SmallVector<size_t> numbers;
  for (auto [i, token] : enumerate(tokens))
    if (all_of(token, isDigit))
      numbers.push_back(i);
  if (numbers.empty())
    return flipBytes(random, text);
  static constexpr StringLiteral Values[] = {
      "0",   "1",    "2",          "3",
      "4",   "5",    "7",          "8",
      "15",  "16",   "17",         "32",
      "48",  "64",   "100",        "128",
      "512", "4096", "2147483648", "9223372036854775807",
      "-1",  "0.5",  "1e99",       "18446744073709551616"};
  for (int64_t i = random.pick({1, 1, 1, 2, 3}); i > 0; --i)
    tokens[numbers[random.below(numbers.size())]] =
        random.pick(ArrayRef<StringLiteral>(Values));
  return join(tokens, "");
}

static std::string splice(Random &random, StringRef text, StringRef other) {
  int64_t from = random.below(other.size() + 1),
          at = random.below(text.size() + 1);
  StringRef piece =
      other.drop_front(from).take_front(random.pick({8, 40, 200}));
  return (text.take_front(at) + piece + text.drop_front(at)).str();
}

std::string gc::fuzz::mutateText(Random &random, StringRef text,
                                 StringRef other) {
  std::string result = text.str();
  for (int64_t i = random.pick({1, 1, 1, 2, 3}); i > 0; --i)
    switch (random.below(7)) {
    case 0:
      result = flipBytes(random, result);
      break;
    case 1:
      result = cutOrRepeat(random, result);
      break;
    case 2:
    case 3:
      result = editTokens(random, result, other);
      break;
    case 4:
    case 5:
      result = editNumbers(random, result);
      break;
    default:
      result = splice(random, result, other);
    }
  return result;
}
