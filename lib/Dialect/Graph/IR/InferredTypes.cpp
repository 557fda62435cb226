// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/InferredTypes.h"
#include "UnknownAttributes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include <thread>

using namespace mlir;

namespace gc::graph {

LogicalResult inferTypes(Operation *op, SmallVectorImpl<Type> &types) {
  auto infer = [&](std::optional<Location> loc) {
    types.clear();
    return cast<InferTypeOpInterface>(op).inferReturnTypes(
        op->getContext(), loc, op->getOperands(),
        op->getDiscardableAttrDictionary(), op->getPropertiesStorage(),
        op->getRegions(), types);
  };
  if (succeeded(infer(std::nullopt)))
    return success();
  // The inference does not know the op; its error is reported again at the op.
  std::string reason;
  {
    // Other threads verify other ops at the same time.
    ScopedDiagnosticHandler handler(
        op->getContext(),
        [&, thread = std::this_thread::get_id()](Diagnostic &diag) {
          if (std::this_thread::get_id() != thread)
            return failure();
          if (reason.empty())
            reason = diag.str();
          return success();
        });
    (void)infer(op->getLoc());
  }
  return op->emitOpError(reason);
}

LogicalResult verifyInferredTypes(Operation *op) {
  SmallVector<Type> types;
  if (failed(verifyNoUnknownAttributes(op)) || failed(inferTypes(op, types)))
    return failure();
  auto inferred = cast<InferTypeOpInterface>(op);
  if (inferred.isCompatibleReturnTypes(types, op->getResultTypes()))
    return success();
  // Results that may be left out are not expected where they are.
  ArrayRef<Type> expected = types;
  if (op->getNumResults() < types.size()) {
    ArrayRef<Type> first = expected.take_front(op->getNumResults());
    if (inferred.isCompatibleReturnTypes(types, first))
      expected = first;
  }
  return op->emitOpError("inferred type(s) ")
         << expected << " are incompatible with return type(s) of operation "
         << op->getResultTypes();
}

} // namespace gc::graph
