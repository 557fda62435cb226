// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The template of gathers: operand layouts, its anchor, its cost.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Templates/TemplateOptions.h"
#include "Machine/CostModel.h"
#include "Machine/Machine.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

StringRef GatherTemplateAttr::getTunedOp() {
  return GatherOp::getOperationName();
}

SmallVector<TemplateCandidate>
GatherTemplateAttr::getCandidates(Operation *op, const Machine &machine,
                                  const TemplateOptions &options,
                                  std::string &reason) {
  auto type = cast<GatherOp>(op).getType();
  if (!type.hasStaticShape() || llvm::is_contained(type.getShape(), 0) ||
      !cast<GatherOp>(op).getSrc().getType().hasStaticShape()) {
    reason = "there is one for tensors of static shape that are not empty";
    return {};
  }
  // Its loops cannot be merged with those of a neighbour.
  if (options.rowParts)
    return {};
  auto chosen = get(op->getContext());
  return {{chosen, chosen.getCycles(op, machine, options)}};
}

double GatherTemplateAttr::getCycles(Operation *op, const Machine &machine,
                                     const TemplateOptions &options) const {
  return getCost(op, CostModel(machine, options.threads), options).getCycles();
}

Cost GatherTemplateAttr::getCost(Operation *op, const CostModel &model,
                                 const TemplateOptions &options) const {
  auto gather = cast<GatherOp>(op);
  auto getBytes = [](RankedTensorType type) {
    return double(type.getNumElements()) *
           llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  };
  double table = getBytes(gather.getSrc().getType());
  double result = getBytes(gather.getType());
  double share = result / model.getThreads();
  MemoryLevel from = options.operandLevels.empty()
                         ? model.getLevel(table, table)
                         : options.operandLevels[0];
  MemoryLevel to = options.resultLevel.value_or(model.getLevel(share, result));
  return model.getRead(share, from) + model.getWrite(share, to);
}

RankedTensorType GatherTemplateAttr::getOperandType(Operation *op,
                                                    unsigned operand) const {
  return cast<RankedTensorType>(dropLayout(op->getOperand(operand).getType()));
}

SmallVector<AnchorInfo> GatherTemplateAttr::getAnchors(Operation *op) const {
  auto type = cast<GatherOp>(op).getType();
  int64_t columns = type.getShape().back();
  SmallVector<int64_t> slice(type.getRank() - 1, 1);
  slice.push_back(columns);
  return {{AnchorKind::post, /*index=*/1, /*operand=*/0, /*order=*/1,
           /*depth=*/0, slice, /*workingSet=*/columns, /*accessTimes=*/1,
           /*totalAccess=*/columns, /*isFeasible=*/true}};
}

LogicalResult GatherTemplateAttr::verifyTemplate(Operation *) const {
  return success();
}
