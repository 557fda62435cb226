// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Machine/MachineFile.h"
#include "Machine/MachineFacts.h"
#include "MachineScan.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/X86TargetParser.h"

#include <cmath>

using namespace llvm;

namespace gc {

/// Text of a file as shown in a message.
static std::string quote(StringRef text) {
  constexpr size_t kLongest = 40;
  std::string result = "'";
  raw_string_ostream os(result);
  printEscapedString(text.take_front(kLongest), os);
  os << (text.size() > kLongest ? "...'" : "'");
  return result;
}

namespace {

/// Turns a JSON value into a machine; the first thing that is wrong is the
/// error.
class Reader {
public:
  explicit Reader(Machine &machine) : machine(machine) {}

  /// False, with a message, if there is something wrong.
  bool read(const json::Value &root);
  const std::string &getMessage() const { return message; }

private:
  using Values = StringMap<const json::Value *>;

  bool fail(const Twine &text) {
    message = text.str();
    return false;
  }

  bool readStrings(const Values &values);
  bool readFeatures(const json::Value &value);
  bool readKernels(const json::Value &value);
  bool readKernel(const json::Value &value, const std::string &path);

  /// Whether `values` has exactly the keys that `names` and the facts list.
  template <typename T>
  bool checkKeys(const Values &values, ArrayRef<StringRef> names,
                 ArrayRef<Fact<T>> facts, const std::string &path);
  template <typename T>
  bool readFacts(const Values &values, ArrayRef<Fact<T>> facts,
                 const std::string &path, T &result);

  Machine &machine;
  std::string message;
};

} // namespace

template <typename T>
bool Reader::checkKeys(const Values &values, ArrayRef<StringRef> names,
                       ArrayRef<Fact<T>> facts, const std::string &path) {
  SmallVector<StringRef> known(names);
  for (const Fact<T> &fact : facts)
    known.push_back(fact.key);
  // In the order of the keys, so that the message is the same in every run.
  SmallVector<StringRef> unknown;
  for (StringRef key : values.keys())
    if (!is_contained(known, key))
      unknown.push_back(key);
  if (!unknown.empty())
    return fail("unknown key " + quote(path + min_element(unknown)->str()));
  for (StringRef key : known)
    if (!values.contains(key))
      return fail("there is no key '" + path + key + "'");
  return true;
}

template <typename T>
bool Reader::readFacts(const Values &values, ArrayRef<Fact<T>> facts,
                       const std::string &path, T &result) {
  for (const Fact<T> &fact : facts) {
    std::optional<double> number = values.lookup(fact.key)->getAsNumber();
    if (!number || !fact.isValid(*number))
      return fail("'" + path + fact.key + "' is not " + fact.describe());
    fact.set(result, *number);
  }
  return true;
}

bool Reader::read(const json::Value &root) {
  const json::Object *object = root.getAsObject();
  if (!object)
    return fail("the description is not an object");
  StringMap<bool> groups;
  for (const Fact<Machine> &fact : getMachineFacts())
    if (fact.key.contains('.'))
      groups[fact.key.split('.').first] = true;
  Values values;
  for (const auto &[key, value] : *object) {
    if (!groups.contains(key)) {
      values[key] = &value;
      continue;
    }
    const json::Object *group = value.getAsObject();
    if (!group)
      return fail("'" + StringRef(key) + "' is not an object");
    for (const auto &[inner, innerValue] : *group)
      values[(StringRef(key) + "." + StringRef(inner)).str()] = &innerValue;
  }
  if (!checkKeys(values, {"name", "cpu", "features", "kernels"},
                 getMachineFacts(), "") ||
      !readStrings(values) || !readFeatures(*values["features"]) ||
      !readFacts(values, getMachineFacts(), "", machine) ||
      !readKernels(*values["kernels"]))
    return false;
  message = findContradiction(machine);
  return message.empty();
}

bool Reader::readStrings(const Values &values) {
  constexpr size_t kLongest = 64;
  auto isName = [](StringRef text) {
    return !text.empty() && text.size() <= kLongest && all_of(text, [](char c) {
      return isAlnum(c) || c == '.' || c == '-' || c == '_';
    });
  };
  std::optional<StringRef> name = values.lookup("name")->getAsString();
  if (!name || !isName(*name))
    return fail("'name' is not a string of 1 to " + Twine(kLongest) +
                " letters, digits, '.', '-' and '_'");
  machine.name = name->str();
  std::optional<StringRef> cpu = values.lookup("cpu")->getAsString();
  if (!cpu)
    return fail("'cpu' is not a string");
  if (X86::parseArchX86(*cpu, /*Only64Bit=*/true) == X86::CK_None)
    return fail("'cpu' is " + quote(*cpu) +
                ", a processor that LLVM does not "
                "know");
  machine.cpu = cpu->str();
  return true;
}

bool Reader::readFeatures(const json::Value &value) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return fail("'features' is not an array");
  StringMap<bool> listed;
  for (const json::Value &element : *array) {
    std::optional<StringRef> name = element.getAsString();
    if (!name)
      return fail("'features' has an element that is not a string");
    if (none_of(getInstructionSets(),
                [&](const InstructionSet &set) { return set.name == *name; }))
      return fail("'features' has " + quote(*name) +
                  ", which is not one of the instruction sets that GC knows");
    if (!listed.try_emplace(*name, true).second)
      return fail("'features' has " + quote(*name) + " twice");
  }
  machine.features.clear();
  for (const InstructionSet &set : getInstructionSets()) {
    if (!listed.contains(set.name))
      continue;
    machine.features.push_back(set.name.str());
    StringMap<bool> implied;
    X86::updateImpliedFeatures(set.name, /*Enabled=*/true, implied);
    for (const InstructionSet &other : getInstructionSets())
      if (implied.lookup(other.name) && !listed.contains(other.name))
        return fail("'features' has " + set.name + " without " + other.name +
                    ", which it includes");
  }
  return true;
}

bool Reader::readKernels(const json::Value &value) {
  const json::Array *array = value.getAsArray();
  if (!array)
    return fail("'kernels' is not an array");
  machine.kernels.clear();
  for (auto [index, element] : enumerate(*array))
    if (!readKernel(element, "kernels[" + std::to_string(index) + "]"))
      return false;
  return true;
}

bool Reader::readKernel(const json::Value &value, const std::string &path) {
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail("'" + path + "' is not an object");
  Values values;
  for (const auto &[key, inner] : *object)
    values[StringRef(key)] = &inner;
  KernelRate rate;
  if (!checkKeys(values, {"types", "isa"}, getKernelFacts(), path + ".") ||
      !readFacts(values, getKernelFacts(), path + ".", rate))
    return false;
  std::optional<StringRef> name = values["types"]->getAsString();
  std::optional<KernelTypes> types =
      name ? parseKernelTypes(*name) : std::nullopt;
  if (!types)
    return fail("'" + path +
                ".types' is not one of f32, bf16, f16, u8s8, "
                "s8s8");
  rate.types = *types;
  std::optional<StringRef> isa = values["isa"]->getAsString();
  if (!isa || (!isa->empty() &&
               none_of(getInstructionSets(), [&](const InstructionSet &set) {
                 return set.name == *isa;
               })))
    return fail(
        "'" + path +
        ".isa' is neither empty nor one of the instruction sets that GC knows");
  rate.isa = isa->str();
  for (const KernelRate &other : machine.kernels)
    if (other.types == rate.types && other.isa == rate.isa)
      return fail("'" + path +
                  "' has the types and the instruction set of "
                  "another one");
  machine.kernels.push_back(rate);
  return true;
}

Expected<Machine> parseMachine(StringRef text, StringRef file) {
  auto fail = [&](const Twine &message) {
    return createStringError(inconvertibleErrorCode(), file + ": " + message);
  };
  // What would crash the parser, or what it would not report.
  if (std::string message = scanMachineText(text); !message.empty())
    return fail(message);
  auto root = json::parse(text);
  if (!root)
    return fail("not valid JSON: " + toString(root.takeError()));
  Machine machine;
  Reader reader(machine);
  if (!reader.read(*root))
    return fail(reader.getMessage());
  return machine;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

/// The fewest digits that are read back as the same number, without exponent
/// where it is an integer.
static std::string print(double value) {
  if (std::abs(value) < 1e15 && value == std::trunc(value))
    return std::to_string(static_cast<int64_t>(value));
  char text[32];
  for (int digits = 1; digits <= 17; ++digits) {
    snprintf(text, sizeof(text), "%.*g", digits, value);
    if (strtod(text, nullptr) == value)
      break;
  }
  return text;
}

template <typename T>
static void writeFact(const Fact<T> &fact, const T &facts, StringRef key,
                      json::OStream &json) {
  json.attributeBegin(key);
  if (fact.isInteger())
    json.value(static_cast<int64_t>(fact.get(facts)));
  else
    json.rawValue(print(fact.get(facts)));
  json.attributeEnd();
}

void writeMachine(const Machine &machine, raw_ostream &os) {
  json::OStream json(os, /*IndentSize=*/2);
  json.objectBegin();
  json.attribute("name", machine.name);
  json.attribute("cpu", machine.cpu);
  json.attribute("features", json::Array(machine.features));
  StringRef open;
  for (const Fact<Machine> &fact : getMachineFacts()) {
    auto [group, key] = fact.key.split('.');
    if (key.empty())
      std::swap(group, key);
    if (group != open) {
      if (!open.empty()) {
        json.objectEnd();
        json.attributeEnd();
      }
      if (!group.empty()) {
        json.attributeBegin(group);
        json.objectBegin();
      }
      open = group;
    }
    writeFact(fact, machine, key, json);
  }
  if (!open.empty()) {
    json.objectEnd();
    json.attributeEnd();
  }
  json.attributeArray("kernels", [&] {
    for (const KernelRate &rate : machine.kernels)
      json.object([&] {
        json.attribute("types", getKernelTypesName(rate.types));
        json.attribute("isa", rate.isa);
        for (const Fact<KernelRate> &fact : getKernelFacts())
          writeFact(fact, rate, fact.key, json);
      });
  });
  json.objectEnd();
  os << "\n";
}

} // namespace gc
