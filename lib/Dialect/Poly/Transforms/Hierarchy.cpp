// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The memory hierarchy language: reading, writing, and what the machine has.

#include "Dialect/Poly/Transforms/Hierarchy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gc;
using namespace gc::poly;

static constexpr HierarchyKind kinds[] = {
    HierarchyKind::buf, HierarchyKind::cube, HierarchyKind::vector,
    HierarchyKind::dataflow};

StringRef gc::poly::getName(HierarchyKind kind) {
  switch (kind) {
  case HierarchyKind::buf:
    return "buf";
  case HierarchyKind::cube:
    return "cube";
  case HierarchyKind::vector:
    return "vector";
  case HierarchyKind::dataflow:
    return "dataflow";
  }
  llvm_unreachable("all kinds have names");
}

std::string gc::poly::getBufferName(npu::Space space) {
  return StringRef(npu::getName(space)).upper();
}

static std::optional<npu::Space> parseBuffer(StringRef word) {
  for (int i = 0; i < npu::kNumSpaces; ++i)
    if (word == getBufferName(npu::Space(i)))
      return npu::Space(i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static std::string join(ArrayRef<npu::Space> spaces) {
  std::string text;
  for (npu::Space space : spaces)
    text += (text.empty() ? "" : " ") + getBufferName(space);
  return text;
}

std::string HierarchyItem::getPlace() const {
  return ("line " + Twine(line) + ", column " + Twine(column)).str();
}

std::string HierarchyItem::str() const {
  std::string text = name.empty() ? "" : name + " : ";
  text += getName(kind);
  if (kind == HierarchyKind::buf)
    return text + " " + join(to) + " (" + std::to_string(bytes) + ")";
  return text + " (" + join(from) + " -> " + join(to) + ", " +
         std::to_string(throughput) + ", " + std::to_string(alignment) + ")";
}

std::string Hierarchy::str() const {
  std::string text;
  for (const HierarchyItem &item : items)
    text += (text.empty() ? "" : "\n") + item.str();
  return text;
}

const HierarchyItem *Hierarchy::findUnit(StringRef statement) const {
  for (const HierarchyItem &item : items)
    if (item.name == statement && (item.kind == HierarchyKind::cube ||
                                   item.kind == HierarchyKind::vector))
      return &item;
  return nullptr;
}

const HierarchyItem *Hierarchy::findBuffer(StringRef name,
                                           npu::Space space) const {
  for (const HierarchyItem &item : items)
    if (item.name == name && item.kind == HierarchyKind::buf &&
        item.to.front() == space)
      return &item;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class HierarchyParser {
public:
  explicit HierarchyParser(StringRef text) : text(text) {}

  Expected<Hierarchy> run();

private:
  /// An error at `at`.
  Error fail(size_t at, const Twine &message) const;
  /// What is there, for messages.
  std::string getNext() const;
  void skip();
  bool take(StringRef token);
  StringRef takeWord();
  Error expect(StringRef token);
  Error parseNumber(int64_t &number, StringRef what);
  Error parseItem(HierarchyItem &item);
  Error parseBuffers(SmallVectorImpl<npu::Space> &buffers, StringRef what);
  Error checkTwice(const Hierarchy &hierarchy, const HierarchyItem &item,
                   size_t at) const;
  std::pair<unsigned, unsigned> getPlace(size_t at) const;

  StringRef text;
  size_t at = 0;
};
} // namespace

std::pair<unsigned, unsigned> HierarchyParser::getPlace(size_t at) const {
  StringRef before = text.take_front(at);
  size_t newline = before.rfind('\n');
  return {unsigned(before.count('\n')) + 1,
          unsigned(at - (newline == StringRef::npos ? 0 : newline + 1)) + 1};
}

Error HierarchyParser::fail(size_t at, const Twine &message) const {
  auto [line, column] = getPlace(at);
  return createStringError(inconvertibleErrorCode(),
                           "line " + Twine(line) + ", column " + Twine(column) +
                               ": " + message);
}

std::string HierarchyParser::getNext() const {
  StringRef rest = text.drop_front(at);
  if (rest.empty())
    return "the end";
  StringRef word =
      rest.take_while([](char c) { return isAlnum(c) || c == '_'; });
  if (word.empty())
    word = rest.take_front();
  if (!isPrint(word.front()))
    return ("the byte " + Twine(int(uint8_t(word.front())))).str();
  return ("'" + word.take_front(40) + "'").str();
}

void HierarchyParser::skip() {
  while (at < text.size()) {
    if (text[at] == '#')
      at = std::min(text.find('\n', at), text.size());
    else if (isSpace(text[at]))
      ++at;
    else
      break;
  }
}

bool HierarchyParser::take(StringRef token) {
  if (!text.drop_front(at).starts_with(token))
    return false;
  at += token.size();
  skip();
  return true;
}

StringRef HierarchyParser::takeWord() {
  StringRef word = text.drop_front(at).take_while(
      [](char c) { return isAlnum(c) || c == '_'; });
  at += word.size();
  skip();
  return word;
}

Error HierarchyParser::expect(StringRef token) {
  size_t start = at;
  if (take(token))
    return Error::success();
  return fail(start, "expected '" + token + "' at " + getNext());
}

Error HierarchyParser::parseNumber(int64_t &number, StringRef what) {
  size_t start = at;
  std::string next = getNext();
  if (takeWord().getAsInteger(10, number) || number < 1)
    return fail(start, "expected " + what + ", a number from 1, at " + next);
  return Error::success();
}

Error HierarchyParser::parseBuffers(SmallVectorImpl<npu::Space> &buffers,
                                    StringRef what) {
  do {
    size_t start = at;
    std::string next = getNext();
    std::optional<npu::Space> space = parseBuffer(takeWord());
    if (!space)
      return fail(start, "expected " + what + " at " + next +
                             "; there are GM, L1, UB, L0A, L0B and L0C");
    if (is_contained(buffers, *space))
      return fail(start, getBufferName(*space) + " is given twice");
    buffers.push_back(*space);
  } while (at < text.size() && isAlpha(text[at]));
  return Error::success();
}

Error HierarchyParser::parseItem(HierarchyItem &item) {
  size_t start = at;
  std::string next = getNext();
  std::tie(item.line, item.column) = getPlace(start);
  StringRef word = takeWord();
  if (!word.empty() && take(":")) {
    item.name = word.str();
    start = at;
    next = getNext();
    word = takeWord();
  }
  const auto *kind = find_if(
      kinds, [&](HierarchyKind other) { return getName(other) == word; });
  if (kind == std::end(kinds))
    return fail(start, "expected buf, cube, vector or dataflow at " + next);
  item.kind = *kind;
  if (item.kind == HierarchyKind::buf) {
    start = at;
    if (Error error = parseBuffers(item.to, "a memory"))
      return error;
    if (item.to.size() > 1 || item.to.front() == npu::Space::gm)
      return fail(start, "buf takes one memory of the core");
    if (Error error = expect("("))
      return error;
    if (Error error = parseNumber(item.bytes, "a size in bytes"))
      return error;
    return expect(")");
  }
  if (Error error = expect("("))
    return error;
  if (Error error = parseBuffers(item.from, "a memory to read"))
    return error;
  if (Error error = expect("->"))
    return error;
  if (Error error = parseBuffers(item.to, "a memory to write"))
    return error;
  if (Error error = expect(","))
    return error;
  if (Error error = parseNumber(item.throughput, "a throughput"))
    return error;
  if (Error error = expect(","))
    return error;
  if (Error error = parseNumber(item.alignment, "an alignment"))
    return error;
  return expect(")");
}

/// A statement has one unit, an array one size in a memory.
Error HierarchyParser::checkTwice(const Hierarchy &hierarchy,
                                  const HierarchyItem &item,
                                  size_t start) const {
  std::string owner = item.name.empty() ? "the core" : "'" + item.name + "'";
  if (item.kind == HierarchyKind::buf &&
      hierarchy.findBuffer(item.name, item.to.front()))
    return fail(start,
                owner + " has two sizes in " + getBufferName(item.to.front()));
  bool isUnit =
      item.kind == HierarchyKind::cube || item.kind == HierarchyKind::vector;
  if (isUnit && !item.name.empty() && hierarchy.findUnit(item.name))
    return fail(start, owner + " has two units");
  return Error::success();
}

Expected<Hierarchy> HierarchyParser::run() {
  Hierarchy hierarchy;
  skip();
  while (at < text.size()) {
    HierarchyItem item;
    size_t start = at;
    if (Error error = parseItem(item))
      return error;
    if (Error error = checkTwice(hierarchy, item, start))
      return error;
    hierarchy.items.push_back(std::move(item));
  }
  return hierarchy;
}

Expected<Hierarchy> gc::poly::parseHierarchy(StringRef text) {
  return HierarchyParser(text).run();
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

/// Bytes in a cycle from one memory to another; nothing without a path.
static std::optional<int64_t> getRate(const npu::Machine &machine,
                                      npu::Space from, npu::Space to) {
  using npu::Space;
  int64_t gm =
      std::max<int64_t>(1, npu::kRepeatBytes / machine.packageCycles /
                               (machine.profile == npu::Profile::gm32 ? 2 : 1));
  struct Path {
    Space from, to;
    int64_t rate;
  };
  const Path paths[] = {
      {Space::gm, Space::l1, gm},
      {Space::gm, Space::ub, gm},
      {Space::gm, Space::l0a, gm},
      {Space::gm, Space::l0b, gm},
      {Space::ub, Space::gm, gm},
      {Space::l1, Space::l0a, machine.l1ToL0a},
      {Space::l1, Space::l0b, machine.l1ToL0b},
      {Space::l1, Space::ub, machine.l1ToUb},
      {Space::ub, Space::l1, machine.ubToL1},
      {Space::l0c, Space::ub, machine.l0cToUb},
  };
  for (const Path &path : paths)
    if (path.from == from && path.to == to)
      return path.rate;
  return std::nullopt;
}

std::optional<HierarchyItem> gc::poly::getPath(const npu::Machine &machine,
                                               HierarchyKind kind,
                                               ArrayRef<npu::Space> from,
                                               ArrayRef<npu::Space> to) {
  using npu::Space;
  HierarchyItem item;
  item.kind = kind;
  item.from.assign(from.begin(), from.end());
  item.to.assign(to.begin(), to.end());
  for (Space space : to)
    item.alignment =
        std::max(item.alignment,
                 space == Space::gm ? int64_t(1) : machine.getAlignment(space));
  switch (kind) {
  case HierarchyKind::buf:
    return std::nullopt;
  case HierarchyKind::cube:
    if (from != ArrayRef({Space::l0a, Space::l0b}) ||
        to != ArrayRef(Space::l0c))
      return std::nullopt;
    item.throughput = 16 * 16 * npu::getC0(npu::DType::f16);
    return item;
  case HierarchyKind::vector:
    if (to != ArrayRef(Space::ub) || !all_of(from, [](Space space) {
          return space == Space::ub || space == Space::l0c;
        }))
      return std::nullopt;
    item.throughput = npu::kRepeatBytes / npu::getBytes(npu::DType::f16);
    return item;
  case HierarchyKind::dataflow:
    // The slowest of all that are named.
    for (Space source : from)
      for (Space target : to) {
        std::optional<int64_t> rate = getRate(machine, source, target);
        if (!rate)
          return std::nullopt;
        item.throughput =
            item.throughput == 0 ? *rate : std::min(item.throughput, *rate);
      }
    return item;
  }
  llvm_unreachable("all kinds have paths");
}
