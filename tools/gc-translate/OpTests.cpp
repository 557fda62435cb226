// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "OpTests.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace gc;
using namespace gc::graph;

/// Where the types of a row are: an operand, or a result.
static std::pair<bool, size_t> getTypedValue(const OpSpec &spec) {
  auto find = [](ArrayRef<ValueSpec> values) -> std::optional<size_t> {
    for (auto [i, value] : enumerate(values))
      if (value.arity != Arity::Optional &&
          (value.elements.contains(' ') || value.elements == "any"))
        return i;
    return std::nullopt;
  };
  if (auto operand = find(spec.operands))
    return {true, *operand};
  if (auto result = find(spec.results))
    return {false, *result};
  return {!spec.operands.empty(), 0};
}

SmallVector<StringRef> gc::getRowTypes(const OpSpec &spec) {
  auto [isOperand, index] = getTypedValue(spec);
  SmallVector<StringRef> types;
  StringRef elements =
      isOperand ? spec.operands[index].elements : spec.results[index].elements;
  elements.split(types, ' ');
  return types;
}

/// The name that the table has for an element type of the dialect.
static StringRef getTypeName(StringRef element) {
  return StringSwitch<StringRef>(element)
      .Case("si8", "s8")
      .Case("ui8", "u8")
      .Case("si32", "s32")
      .Case("ui64", "u64")
      .Case("si4", "s4")
      .Case("ui4", "u4")
      .Case("i1", "boolean")
      .Case("f8E5M2", "f8_e5m2")
      .Case("f8E4M3FN", "f8_e4m3")
      .Default(element);
}

/// The element types of all tensors in a list of types.
static SmallVector<StringRef> getElements(StringRef types) {
  SmallVector<StringRef> elements;
  constexpr StringLiteral kTensor = "tensor<";
  for (size_t at; (at = types.find(kTensor)) != StringRef::npos;) {
    types = types.drop_front(at + kTensor.size());
    StringRef shaped = types.take_until(
        [](char letter) { return letter == ',' || letter == '>'; });
    elements.push_back(getTypeName(shaped.substr(shaped.rfind('x') + 1)));
  }
  return elements;
}

void OpTests::readLine(StringRef file, StringRef line) {
  line = line.ltrim();
  // Comments and expectations.
  if (line.starts_with("//"))
    return;
  size_t at = line.find("graph.");
  if (at == StringRef::npos)
    return;
  line = line.drop_front(at);
  StringRef name = line.take_while([](char letter) {
    return isAlnum(letter) || letter == '_' || letter == '.';
  });
  const OpSpec *spec = findOp(name);
  size_t colon = std::min(line.rfind(" : ("), line.rfind(" : tensor<"));
  if (!spec || colon == StringRef::npos)
    return;
  auto [operands, results] = line.drop_front(colon).split("->");
  if (results.empty())
    std::swap(operands, results);
  auto [isOperand, index] = getTypedValue(*spec);
  SmallVector<StringRef> elements = getElements(isOperand ? operands : results);
  if (index < elements.size())
    ++counts[name][elements[index].str()][file.str()];
}

Expected<OpTests> OpTests::read(StringRef folder) {
  OpTests tests;
  std::error_code error;
  for (sys::fs::directory_iterator file(folder, error), end;
       !error && file != end; file.increment(error)) {
    if (sys::path::extension(file->path()) != ".mlir")
      continue;
    auto text = MemoryBuffer::getFile(file->path());
    if (!text)
      return createFileError(file->path(), text.getError());
    SmallVector<StringRef> lines;
    (*text)->getBuffer().split(lines, '\n');
    for (StringRef line : lines)
      tests.readLine(sys::path::filename(file->path()), line);
  }
  if (error)
    return createFileError(folder, error);
  return tests;
}

StringRef OpTests::find(const OpSpec &spec, StringRef type) const {
  auto op = counts.find(spec.opName);
  if (op == counts.end())
    return "";
  auto files = op->second.find(type.str());
  if (files == op->second.end())
    return "";
  // Of equals the first one by name.
  auto best = files->second.begin();
  for (auto it = best; it != files->second.end(); ++it)
    if (it->second > best->second)
      best = it;
  return best->first;
}

SmallVector<StringRef> OpTests::getTypes(const OpSpec &spec) const {
  SmallVector<StringRef> types;
  auto op = counts.find(spec.opName);
  if (op != counts.end())
    for (const auto &entry : op->second)
      types.push_back(entry.first);
  return types;
}
