// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Templates/Templates.h"
#include "Dialect/Graph/IR/GraphOps.h"

using namespace mlir;

namespace gc::graph {

template <typename Attr>
using TunedOp = decltype(Attr::getTunedOp());

template <typename... Attrs>
static void addTemplatesOf(TemplateRegistry &templates) {
  auto add = [&](auto *attr) {
    using Attr = std::remove_pointer_t<decltype(attr)>;
    if constexpr (llvm::is_detected<TunedOp, Attr>::value)
      templates.add<Attr>(Attr::getTunedOp());
  };
  (add(static_cast<Attrs *>(nullptr)), ...);
}

void addTemplates(TemplateRegistry &templates) {
  addTemplatesOf<
#define GET_ATTRDEF_LIST
#include "Dialect/Graph/IR/GraphAttrs.cpp.inc"
      >(templates);
}

static ArrayRef<TemplateEntry> getTemplates(Operation *op) {
  auto *dialect = op->getContext()->getLoadedDialect<GraphDialect>();
  return dialect->getTemplates().lookup(op->getName().getStringRef());
}

/// The templates that the options allow: only the forced ones, if the op has
/// any of them.
static SmallVector<TemplateEntry> getAdmitted(Operation *op,
                                              const TemplateOptions &options) {
  SmallVector<TemplateEntry> all(getTemplates(op)), forced;
  llvm::copy_if(all, std::back_inserter(forced),
                [&](const TemplateEntry &entry) {
                  return llvm::is_contained(options.forced, entry.name);
                });
  return forced.empty() ? all : forced;
}

SmallVector<TemplateCandidate> findTemplates(TunableOpInterface op,
                                             const Machine &machine,
                                             const TemplateOptions &options) {
  SmallVector<TemplateCandidate> candidates;
  std::string reason;
  // Equal ones keep their order.
  for (const TemplateEntry &entry : getAdmitted(op, options))
    for (const TemplateCandidate &candidate :
         entry.getCandidates(op, machine, options, reason)) {
      auto place =
          llvm::find_if(candidates, [&](const TemplateCandidate &other) {
            return candidate.cycles < other.cycles;
          });
      candidates.insert(place, candidate);
    }
  return candidates;
}

SmallVector<std::pair<StringRef, std::string>>
findRefusals(TunableOpInterface op, const Machine &machine,
             const TemplateOptions &options) {
  SmallVector<std::pair<StringRef, std::string>> refusals;
  TemplateAttrInterface chosen = op.getChosenTemplate();
  for (const TemplateEntry &entry : getAdmitted(op, options)) {
    std::string reason;
    if (chosen && chosen.getTypeID() == entry.attribute)
      continue;
    if (entry.getCandidates(op, machine, options, reason).empty() &&
        !reason.empty())
      refusals.push_back({entry.name, reason});
  }
  return refusals;
}

LogicalResult reportNoTemplate(TunableOpInterface op, const Machine &machine,
                               const TemplateOptions &options) {
  SmallVector<TemplateEntry> entries = getAdmitted(op, options);
  if (entries.empty())
    return op->emitOpError(
        "cannot be compiled for the CPU: it has no template");
  std::string reasons;
  for (const auto &[name, reason] : findRefusals(op, machine, options)) {
    reasons += reasons.empty() ? ": " : "; ";
    reasons += reason;
  }
  return op->emitOpError("has no template") << reasons;
}

LogicalResult verifyChosenTemplate(TunableOpInterface op) {
  TemplateAttrInterface chosen = op.getChosenTemplate();
  if (!chosen)
    return success();
  auto isChosen = [&](const TemplateEntry &entry) {
    return entry.attribute == chosen.getTypeID();
  };
  if (llvm::none_of(getTemplates(op), isChosen))
    return op->emitOpError("has the template ")
           << chosen << ", which is not registered for it";
  return chosen.verifyTemplate(op);
}

std::optional<AnchorInfo> findAnchor(TunableOpInterface op, AnchorKind kind,
                                     unsigned index, unsigned operand) {
  TemplateAttrInterface chosen = op.getChosenTemplate();
  if (!chosen)
    return std::nullopt;
  for (AnchorInfo &anchor : chosen.getAnchors(op))
    if (anchor.kind == kind && anchor.index == index &&
        anchor.operand == operand)
      return anchor;
  return std::nullopt;
}

} // namespace gc::graph
