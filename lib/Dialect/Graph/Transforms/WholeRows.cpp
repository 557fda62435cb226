// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "RegionGrowth.h"

using namespace mlir;

namespace gc::graph {

bool givesWholeRows(TunableOpInterface tunable) {
  TemplateAttrInterface chosen = tunable.getChosenTemplate();
  if (!chosen)
    return true;
  int64_t columns =
      cast<RankedTensorType>(tunable->getResult(0).getType()).getShape().back();
  return llvm::any_of(
      chosen.getAnchors(tunable), [&](const AnchorInfo &anchor) {
        return anchor.kind == AnchorKind::post && anchor.isFeasible &&
               anchor.slice.back() >= columns;
      });
}

bool takesMoreForWholeRows(TunableOpInterface tunable, const Machine &machine) {
  TemplateOptions options;
  double cycles =
      tunable.getChosenTemplate().getCycles(tunable, machine, options);
  options.wholeRows = true;
  SmallVector<TemplateCandidate> whole =
      findTemplates(tunable, machine, options);
  return whole.empty() || whole.front().cycles > cycles;
}

} // namespace gc::graph
