// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans as JSON.

#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace gc;
using namespace gc::poly;

const KernelPlan *PlanFile::findProblem(StringRef problem,
                                        int64_t cores) const {
  const KernelPlan *single = nullptr;
  for (const KernelPlan &plan : kernels) {
    if (plan.problem != problem || !plan.beside.empty())
      continue;
    const Choice *own = plan.find(kCoresChoice);
    if (own && cores > 1 && own->value <= cores)
      return &plan;
    if (!own && !single)
      single = &plan;
  }
  return single;
}

const KernelPlan *PlanFile::findBeside(StringRef kernel) const {
  for (const KernelPlan &plan : kernels)
    if (plan.beside == kernel)
      return &plan;
  return nullptr;
}

const KernelPlan *PlanFile::findKernel(StringRef name) const {
  for (const KernelPlan &plan : kernels)
    if (plan.kernel == name)
      return &plan;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Writing
//===----------------------------------------------------------------------===//

static json::Object toJson(const KernelPlan &plan) {
  json::Object choices, alternatives;
  for (const Choice &choice : plan.choices) {
    choices[choice.name] = choice.value;
    if (!choice.alternatives.empty())
      alternatives[choice.name] = json::Array(choice.alternatives);
  }
  json::Array hierarchy;
  for (const HierarchyItem &item : plan.hierarchy.items)
    hierarchy.push_back(item.str());
  json::Object object{{"kernel", plan.kernel},
                      {"problem", plan.problem},
                      {"policy", printTileSizes(plan.tiles)},
                      {"hierarchy", std::move(hierarchy)},
                      {"choices", std::move(choices)},
                      {"alternatives", std::move(alternatives)}};
  if (!plan.beside.empty())
    object["beside"] = plan.beside;
  if (plan.cycles > 0)
    object["cycles"] = plan.cycles;
  return object;
}

std::string PlanFile::str() const {
  json::Array plans;
  for (const KernelPlan &plan : kernels)
    plans.push_back(toJson(plan));
  return print("kernels", std::move(plans));
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

namespace {
class PlanReader : JsonReader {
public:
  Expected<PlanFile> run(StringRef text);

private:
  bool readKernel(const json::Value &value, KernelPlan &plan, size_t number);
  bool readLanguages(const json::Object &object, KernelPlan &plan,
                     StringRef where);
  bool readChoices(const json::Object &object, KernelPlan &plan,
                   StringRef where);
};
} // namespace

bool PlanReader::readLanguages(const json::Object &object, KernelPlan &plan,
                               StringRef where) {
  std::string policy;
  if (!getText(object, "policy", policy, where))
    return false;
  Expected<std::vector<TileSizeList>> tiles = parseTileSizes(policy);
  if (!tiles)
    return fail(where +
                ": wrong tiling policy: " + toString(tiles.takeError()));
  plan.tiles = std::move(*tiles);
  const json::Value *items = object.get("hierarchy");
  if (!items)
    return true;
  const json::Array *lines = items->getAsArray();
  if (!lines)
    return fail(where + ": 'hierarchy' is not an array of strings");
  std::string text;
  for (const json::Value &line : *lines) {
    std::optional<StringRef> given = line.getAsString();
    if (!given)
      return fail(where + ": 'hierarchy' is not an array of strings");
    text += given->str() + "\n";
  }
  Expected<Hierarchy> hierarchy = parseHierarchy(text);
  if (!hierarchy)
    return fail(where +
                ": wrong memory hierarchy: " + toString(hierarchy.takeError()));
  plan.hierarchy = std::move(*hierarchy);
  return true;
}

bool PlanReader::readChoices(const json::Object &object, KernelPlan &plan,
                             StringRef where) {
  const json::Value *value = object.get("choices");
  if (!value)
    return true;
  const json::Object *choices = value->getAsObject();
  if (!choices)
    return fail(where + ": 'choices' is not an object");
  for (const auto &[key, number] : *choices) {
    StringRef name = key;
    std::optional<int64_t> given = number.getAsInteger();
    if (name.empty() || !all_of(name, [](char c) {
          return isAlnum(c) || c == '_' || c == '.';
        }))
      return fail(where + ": " + quote(name) + " is not the name of a choice");
    if (!given)
      return fail(where + ": choice '" + name + "' is not an integer");
    plan.choices.push_back({name.str(), *given, {}});
  }
  sort(plan.choices, [](const Choice &left, const Choice &right) {
    return left.name < right.name;
  });
  return true;
}

bool PlanReader::readKernel(const json::Value &value, KernelPlan &plan,
                            size_t number) {
  std::string where = "kernel " + std::to_string(number);
  const json::Object *object = value.getAsObject();
  if (!object)
    return fail(where + " is not an object");
  if (!checkKeys(*object, {"kernel", "problem"},
                 {"policy", "hierarchy", "choices", "alternatives", "beside",
                  "cycles"},
                 where) ||
      !getText(*object, "kernel", plan.kernel, where) ||
      !getText(*object, "problem", plan.problem, where))
    return false;
  where = "kernel " + quote(plan.kernel);
  if (object->get("beside") && !getText(*object, "beside", plan.beside, where))
    return false;
  return getCount(*object, "cycles", plan.cycles, where) &&
         readLanguages(*object, plan, where) &&
         readChoices(*object, plan, where);
}

Expected<PlanFile> PlanReader::run(StringRef text) {
  PlanFile file;
  auto readEntry = [&](const json::Value &value, size_t number) {
    KernelPlan plan;
    if (!readKernel(value, plan, number))
      return false;
    if (file.findKernel(plan.kernel))
      return fail("kernel " + quote(plan.kernel) + " has two plans");
    file.kernels.push_back(std::move(plan));
    return true;
  };
  if (!file.read(text, "kernels", *this, readEntry))
    return createStringError(inconvertibleErrorCode(), message);
  return file;
}

Expected<PlanFile> PlanFile::parse(StringRef text) {
  return PlanReader().run(text);
}
