// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/RefinedTypes.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace gc::graph;

LogicalResult gc::graph::refineResultTypes(Operation *op) {
  if (isa<InferTypeOpInterface>(op)) {
    SmallVector<Type> types;
    if (failed(inferTypes(op, types)))
      return failure();
    if (types.size() < op->getNumResults())
      return op->emitOpError() << "has " << op->getNumResults()
                               << " results instead of " << types.size();
    // Some ops leave the choice of the result's element type to the program,
    // and some have results that may be left out.
    for (auto [result, type] : llvm::zip(op->getResults(), types))
      result.setType(RankedTensorType::get(
          cast<RankedTensorType>(type).getShape(),
          getElementTypeOrSelf(result.getType()),
          cast<RankedTensorType>(result.getType()).getEncoding()));
  } else if (op->hasTrait<KeepsShape>()) {
    auto src = cast<RankedTensorType>(op->getOperand(0).getType());
    auto dst = cast<RankedTensorType>(op->getResult(0).getType());
    op->getResult(0).setType(RankedTensorType::get(
        src.getShape(), dst.getElementType(), dst.getEncoding()));
  }
  return success();
}
