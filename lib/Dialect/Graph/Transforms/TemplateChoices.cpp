// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/TemplateChoices.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "TunableChains.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace gc::graph {

/// Candidates of a template besides its best one, for each way of cutting rows.
constexpr int64_t kAlternatives = 8;

static void addCandidates(SmallVector<TemplateCandidate> &all,
                          ArrayRef<TemplateCandidate> more) {
  for (const TemplateCandidate &candidate : more)
    if (llvm::none_of(all, [&](const TemplateCandidate &known) {
          return known.params == candidate.params;
        }))
      all.push_back(candidate);
}

/// A template with the cycles that the op would take alone.
static TemplateCandidate getCandidate(TunableOpInterface op, Attribute chosen,
                                      const Machine &machine,
                                      const TemplateOptions &options) {
  return {chosen,
          cast<TemplateAttrInterface>(chosen).getCycles(op, machine, options)};
}

/// What the op could have alone. Cycles are those without the constraints that
/// the candidates were found by.
static SmallVector<TemplateCandidate>
findCandidates(TunableOpInterface op, ArrayRef<RowSplit> splits,
               const Machine &machine, const TemplateOptions &options) {
  TemplateOptions own = options;
  own.alternatives = kAlternatives;
  SmallVector<TemplateCandidate> all = findTemplates(op, machine, own);
  for (RowSplit split : splits) {
    own.rowParts = split.parts;
    own.rowBlock = split.block;
    own.mergeRows = split.mergeRows;
    addCandidates(all, findTemplates(op, machine, own));
  }
  SmallVector<TemplateCandidate> sorted;
  for (const TemplateCandidate &found : all) {
    TemplateCandidate candidate =
        getCandidate(op, found.params, machine, options);
    auto place =
        llvm::upper_bound(sorted, candidate.cycles,
                          [](double cycles, const TemplateCandidate &other) {
                            return cycles < other.cycles;
                          });
    sorted.insert(place, candidate);
  }
  return sorted;
}

namespace {
/// Finds the choices of the ops of a copy, whose templates it sets.
class ChoiceFinder {
public:
  ChoiceFinder(ArrayRef<TunableOpInterface> ops, const Machine &machine,
               const TemplateOptions &options, TemplateChoices &choices)
      : ops(ops), machine(machine), options(options), choices(choices) {}

  LogicalResult visit(ArrayRef<ChainLink> chain);

private:
  LogicalResult visitOpen(ArrayRef<ChainLink> links);
  unsigned getNumber(const ChainLink &link) const {
    return llvm::find(ops, link.op) - ops.begin();
  }

  ArrayRef<TunableOpInterface> ops;
  const Machine &machine;
  const TemplateOptions &options;
  TemplateChoices &choices;
};
} // namespace

LogicalResult ChoiceFinder::visit(ArrayRef<ChainLink> chain) {
  SmallVector<ChainLink> open;
  for (ChainLink link : chain) {
    Attribute chosen = link.op.getChosenTemplate();
    if (!chosen) {
      open.push_back(link);
      continue;
    }
    if (failed(visitOpen(std::exchange(open, {}))))
      return failure();
    TemplateCandidate own = getCandidate(link.op, chosen, machine, options);
    choices.candidates[getNumber(link)] = {own};
    choices.chains.push_back({{getNumber(link)}, {{own}}});
  }
  return visitOpen(open);
}

/// Links that follow each other and have no template.
LogicalResult ChoiceFinder::visitOpen(ArrayRef<ChainLink> links) {
  if (links.empty())
    return success();
  auto items = getChainItems(links, machine, options);
  if (failed(items))
    return failure();
  ChainChooser chooser(*items, machine, options);
  SmallVector<RowSplit> splits;
  SmallVector<int64_t> parts = chooser.getParts(chooser.getWantedParts());
  constexpr size_t kMostParts = 2;
  for (int64_t count : ArrayRef(parts).take_front(kMostParts))
    splits.append(chooser.getSplits(count));

  ChainAlternatives alternatives;
  for (const ChainLink &link : links) {
    alternatives.ops.push_back(getNumber(link));
    choices.candidates[getNumber(link)] =
        findCandidates(link.op, splits, machine, options);
  }
  if (failed(chooseTemplates(links, machine, options)))
    return failure();
  SmallVector<SmallVector<Attribute>> found(1);
  for (ChainLink link : links)
    found[0].push_back(link.op.getChosenTemplate());
  if (links.size() <= kMaxMergeGroup)
    for (RowSplit split : splits) {
      ChainChoice choice = chooser.chooseGroup(0, links.size(), split);
      if (!choice.templates.empty() &&
          !llvm::is_contained(found, choice.templates))
        found.push_back(std::move(choice.templates));
    }
  for (ArrayRef<Attribute> templates : found) {
    auto &choice = alternatives.choices.emplace_back();
    for (auto [link, chosen] : llvm::zip_equal(links, templates))
      choice.push_back(getCandidate(link.op, chosen, machine, options));
  }
  choices.chains.push_back(std::move(alternatives));
  return success();
}

static SmallVector<TunableOpInterface> getTunableOps(func::FuncOp function) {
  SmallVector<TunableOpInterface> ops;
  function.walk([&](TunableOpInterface op) { ops.push_back(op); });
  return ops;
}

FailureOr<TemplateChoices>
findTemplateChoices(func::FuncOp function, const Machine &machine,
                    const GraphSelectTemplateOptions &selectOptions) {
  SmallVector<std::string> forced(selectOptions.force.begin(),
                                  selectOptions.force.end());
  TemplateOptions options =
      getTemplateOptions(function, selectOptions.threads, selectOptions.kernel,
                         selectOptions.fixedPoint, forced);
  TemplateChoices choices;
  choices.ops = getTunableOps(function);
  choices.candidates.resize(choices.ops.size());
  OwningOpRef<func::FuncOp> copy = function.clone();
  SmallVector<TunableOpInterface> ops = getTunableOps(*copy);
  ChoiceFinder finder(ops, machine, options, choices);
  WalkResult result = copy->walk([&](Block *block) {
    for (ArrayRef<ChainLink> chain : getTunableChains(*block))
      if (failed(finder.visit(chain)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return choices;
}

} // namespace gc::graph
