// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Plans as attributes of a scop, and the fingerprints that they are found by.

#include "Dialect/Poly/Transforms/KernelPlan.h"
#include "Support/Fingerprint.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

const Choice *KernelPlan::find(StringRef name) const {
  for (const Choice &choice : choices)
    if (choice.name == name)
      return &choice;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// The text of an attribute; empty without it.
static FailureOr<StringRef> getText(ScopOp scop, StringRef name,
                                    StringRef what) {
  Attribute attribute = scop->getAttr(name);
  if (!attribute)
    return StringRef();
  auto text = dyn_cast<StringAttr>(attribute);
  if (!text)
    return scop.emitOpError() << "has a " << what << " that is not a string";
  return text.getValue();
}

static FailureOr<std::vector<Choice>> getChoices(ScopOp scop) {
  std::vector<Choice> choices;
  Attribute attribute = scop->getAttr(kChoicesAttr);
  auto values = dyn_cast_or_null<DictionaryAttr>(attribute);
  if (attribute && !values)
    return scop.emitOpError() << "has choices that are not a dictionary";
  auto lists =
      dyn_cast_or_null<DictionaryAttr>(scop->getAttr(kAlternativesAttr));
  for (NamedAttribute entry :
       values ? values.getValue() : ArrayRef<NamedAttribute>()) {
    auto value = dyn_cast<IntegerAttr>(entry.getValue());
    if (!value || !value.getValue().isSignedIntN(64))
      return scop.emitOpError()
             << "has a choice '" << entry.getName().getValue()
             << "' that is not a number";
    Choice choice{entry.getName().str(), value.getValue().getSExtValue(), {}};
    if (lists)
      if (auto list = lists.getAs<DenseI64ArrayAttr>(entry.getName()))
        choice.alternatives.assign(list.asArrayRef());
    choices.push_back(choice);
  }
  return choices;
}

FailureOr<KernelPlan> KernelPlan::get(ScopOp scop) {
  KernelPlan plan;
  plan.kernel = scop.getSymName().str();
  FailureOr<StringRef> policy = getText(scop, kPolicyAttr, "tiling policy");
  FailureOr<StringRef> hierarchy =
      getText(scop, kHierarchyAttr, "memory hierarchy");
  FailureOr<std::vector<Choice>> choices = getChoices(scop);
  if (failed(policy) || failed(hierarchy) || failed(choices))
    return failure();
  plan.choices = std::move(*choices);
  llvm::Expected<std::vector<TileSizeList>> tiles = parseTileSizes(*policy);
  if (!tiles)
    return scop.emitOpError() << "has a wrong tiling policy: "
                              << llvm::toString(tiles.takeError());
  plan.tiles = std::move(*tiles);
  llvm::Expected<Hierarchy> parsed = parseHierarchy(*hierarchy);
  if (!parsed)
    return scop.emitOpError() << "has a wrong memory hierarchy: "
                              << llvm::toString(parsed.takeError());
  plan.hierarchy = std::move(*parsed);
  return plan;
}

void KernelPlan::set(ScopOp scop) const {
  for (StringRef name :
       {kPolicyAttr, kHierarchyAttr, kChoicesAttr, kAlternativesAttr})
    scop->removeAttr(name);
  Builder builder(scop.getContext());
  if (!tiles.empty())
    scop->setAttr(kPolicyAttr, builder.getStringAttr(printTileSizes(tiles)));
  if (!hierarchy.items.empty())
    scop->setAttr(kHierarchyAttr, builder.getStringAttr(hierarchy.str()));
  NamedAttrList values;
  for (const Choice &choice : choices)
    values.set(choice.name, builder.getI64IntegerAttr(choice.value));
  if (!choices.empty())
    scop->setAttr(kChoicesAttr, values.getDictionary(scop.getContext()));
}

void KernelPlan::setRest(ScopOp scop) const {
  // As the attributes of a scop that has them.
  OwningOpRef<ScopOp> rest(cast<ScopOp>(scop->cloneWithoutRegions()));
  set(*rest);
  NamedAttrList attributes;
  for (StringRef name : {kPolicyAttr, kHierarchyAttr, kChoicesAttr})
    if (Attribute value = (*rest)->getAttr(name))
      attributes.set(name, value);
  scop->setAttr(kRestPlanAttr, attributes.getDictionary(scop.getContext()));
}

//===----------------------------------------------------------------------===//
// Choices
//===----------------------------------------------------------------------===//

FailureOr<std::optional<int64_t>>
gc::poly::getChoice(ScopOp scop, StringRef name, ArrayRef<int64_t> legal) {
  FailureOr<std::vector<Choice>> choices = getChoices(scop);
  if (failed(choices))
    return failure();
  for (const Choice &choice : *choices) {
    if (choice.name != name)
      continue;
    if (llvm::is_contained(legal, choice.value))
      return std::optional(choice.value);
    InFlightDiagnostic error = scop.emitOpError()
                               << "cannot have the choice '" << name
                               << "' = " << choice.value << "; possible are ";
    llvm::interleaveComma(legal, error);
    return error;
  }
  return std::optional<int64_t>();
}

void gc::poly::recordChoice(ScopOp scop, StringRef name,
                            ArrayRef<int64_t> legal, int64_t value) {
  Builder builder(scop.getContext());
  auto add = [&](StringRef attribute, Attribute entry) {
    NamedAttrList entries(
        dyn_cast_or_null<DictionaryAttr>(scop->getAttr(attribute)));
    entries.set(name, entry);
    scop->setAttr(attribute, entries.getDictionary(scop.getContext()));
  };
  add(kChoicesAttr, builder.getI64IntegerAttr(value));
  add(kAlternativesAttr, builder.getDenseI64ArrayAttr(legal));
}

FailureOr<int64_t> gc::poly::choose(ScopOp scop, StringRef name,
                                    ArrayRef<int64_t> legal, int64_t own) {
  FailureOr<std::optional<int64_t>> given = getChoice(scop, name, legal);
  if (failed(given))
    return failure();
  int64_t value = given->value_or(own);
  recordChoice(scop, name, legal, value);
  return value;
}

LogicalResult gc::poly::checkChoices(ScopOp scop) {
  FailureOr<std::vector<Choice>> choices = getChoices(scop);
  if (failed(choices))
    return failure();
  for (const Choice &choice : *choices)
    if (choice.alternatives.empty())
      return scop.emitOpError() << "has no choice '" << choice.name
                                << "' to make, but its plan makes it";
  return success();
}

//===----------------------------------------------------------------------===//
// Fingerprints
//===----------------------------------------------------------------------===//

std::string gc::poly::getFingerprint(const npu::Machine &machine) {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const npu::Parameter &parameter : npu::getParameters())
    os << parameter.name << '=' << machine.*parameter.member << ' ';
  for (const npu::VectorCost &cost : machine.vector)
    os << cost.head << ',' << cost.slope << ',' << cost.tail << ' ';
  return std::string(npu::getName(machine.profile)) + "-" +
         gc::getFingerprint(text);
}

std::string gc::poly::getProblem(ScopOp scop) {
  auto reference = dyn_cast_or_null<FunctionOpInterface>(
      SymbolTable::lookupNearestSymbolFrom(scop->getParentOp(),
                                           scop.getReferenceAttr()));
  if (!reference)
    return "";
  return gc::getFingerprint(reference);
}
