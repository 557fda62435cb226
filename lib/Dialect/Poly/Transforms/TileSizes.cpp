// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tiling policy language of figure 4: reading and writing.

#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gc;
using namespace gc::poly;

StringRef gc::poly::getName(Level level) {
  return level == Level::l1 ? "L1" : level == Level::l0 ? "L0" : "UB";
}

std::string gc::poly::printTileSizes(ArrayRef<TileSizeList> lists) {
  std::string text;
  for (const TileSizeList &list : lists) {
    if (llvm::all_of(kLevels,
                     [&](Level level) { return list.get(level).empty(); }))
      continue;
    text += (text.empty() ? "" : " ") + list.statement + " :";
    bool isFirst = true;
    for (Level level : kLevels)
      for (int64_t size : list.get(level)) {
        text += (isFirst ? " " : ", ") + std::to_string(size) + " @ " +
                getName(level).str();
        isFirst = false;
      }
  }
  return text;
}

namespace {
class PolicyParser {
public:
  explicit PolicyParser(StringRef text) : rest(text) {}

  Expected<std::vector<TileSizeList>> run();

private:
  Error fail(const Twine &message) const {
    return createStringError(inconvertibleErrorCode(), message);
  }
  bool take(StringRef token) {
    bool taken = rest.consume_front(token);
    rest = rest.ltrim();
    return taken;
  }
  StringRef takeWord() {
    StringRef word =
        rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
    rest = rest.drop_front(word.size()).ltrim();
    return word;
  }
  Error parseSize(TileSizeList &list);

  StringRef rest;
};
} // namespace

Error PolicyParser::parseSize(TileSizeList &list) {
  std::string where = ", in the sizes of '" + list.statement + "'";
  StringRef number = takeWord();
  int64_t size;
  if (number.getAsInteger(10, size) || size < 1)
    return fail("'" + number + "' is not a valid tile size" + where);
  if (!take("@"))
    return fail("expected '@' after " + Twine(size) + where);
  StringRef buffer = takeWord();
  const Level *level =
      find_if(kLevels, [&](Level other) { return getName(other) == buffer; });
  if (level == std::end(kLevels))
    return fail("'" + buffer + "' is not a buffer for tiles" + where +
                "; there are L1, L0 and UB");
  list.get(*level).push_back(size);
  return Error::success();
}

Expected<std::vector<TileSizeList>> PolicyParser::run() {
  std::vector<TileSizeList> lists;
  rest = rest.ltrim();
  while (!rest.empty()) {
    StringRef name = takeWord();
    if (name.empty())
      return fail("expected the name of a statement at '" +
                  rest.take_front(40) + "'");
    if (any_of(lists, [&](auto &list) { return list.statement == name; }))
      return fail("statement '" + name + "' has two lists of sizes");
    if (!take(":"))
      return fail("expected ':' after '" + name + "'");
    TileSizeList list;
    list.statement = name.str();
    do
      if (Error error = parseSize(list))
        return error;
    while (take(","));
    lists.push_back(std::move(list));
  }
  return lists;
}

Expected<std::vector<TileSizeList>> gc::poly::parseTileSizes(StringRef text) {
  return PolicyParser(text).run();
}
