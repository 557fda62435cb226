// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
#include "Dialect/Graph/Transforms/Passes.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHINFERSHAPES
#include "Dialect/Graph/Transforms/Passes.h.inc"

static LogicalResult checkType(Operation *op, Type type, StringRef what,
                               unsigned index) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return success();
  if (!tensor.hasStaticShape())
    return op->emitOpError() << what << " " << index << " of type " << type
                             << " has a dynamic size; shapes must be static";
  if (tensor.getEncoding() && !getLayout(tensor))
    return op->emitOpError() << what << " " << index << " of type " << type
                             << " has an encoding that is not a #graph.layout";
  int64_t bytes = 8;
  for (int64_t size : tensor.getShape()) {
    if (size == 0)
      return op->emitOpError()
             << what << " " << index << " of type " << type << " is empty";
    if (llvm::MulOverflow(bytes, size, bytes))
      return op->emitOpError() << what << " " << index << " of type " << type
                               << " is larger than memory can be";
  }
  return success();
}

/// Whether elements of a tensor may share memory: a dimension's stride is no
/// more than what the dimensions of smaller strides span.
static bool mayOverlap(RankedTensorType tensor) {
  LayoutAttr layout = getLayout(tensor);
  if (!layout || !layout.isStrided())
    return false;
  SmallVector<std::pair<int64_t, int64_t>> dims;
  for (auto [size, stride] :
       llvm::zip_equal(tensor.getShape(), layout.getStrides()))
    if (size > 1)
      dims.push_back({stride, size});
  llvm::sort(dims);
  int64_t span = 0;
  for (auto [stride, size] : dims) {
    int64_t extent;
    if (stride <= span || llvm::MulOverflow(stride, size - 1, extent) ||
        llvm::AddOverflow(span, extent, span))
      return true;
  }
  return false;
}

/// Arguments may read one element at several places, results are written.
static LogicalResult checkResult(Operation *op, Type type, unsigned index) {
  if (failed(checkType(op, type, "result", index)))
    return failure();
  if (auto tensor = dyn_cast<RankedTensorType>(type);
      tensor && mayOverlap(tensor))
    return op->emitOpError() << "result " << index << " of type " << type
                             << " has elements that share memory";
  return success();
}

namespace {
struct InferShapes : impl::GraphInferShapesBase<InferShapes> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk([](func::FuncOp func) {
      if (func.isDeclaration())
        return WalkResult::advance();
      bool hasGraphOps = false;
      WalkResult inner = func.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (!isa_and_present<GraphDialect>(op->getDialect()))
          return WalkResult::advance();
        if (!hasGraphOps) {
          hasGraphOps = true;
          for (auto [i, arg] : llvm::enumerate(func.getArgumentTypes()))
            if (failed(checkType(func, arg, "argument", i)))
              return WalkResult::interrupt();
        }
        if (failed(refineResultTypes(op)))
          return WalkResult::interrupt();
        for (auto [i, type] : llvm::enumerate(op->getResultTypes()))
          if (failed(checkResult(op, type, i)))
            return WalkResult::interrupt();
        return WalkResult::advance();
      });
      if (inner.wasInterrupted())
        return inner;
      if (hasGraphOps && func.getBody().hasOneBlock()) {
        auto types = func.getBody().front().getTerminator()->getOperandTypes();
        for (auto [i, type] : llvm::enumerate(types))
          if (failed(checkResult(func, type, i)))
            return WalkResult::interrupt();
        func.setFunctionType(FunctionType::get(func.getContext(),
                                               func.getArgumentTypes(), types));
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace

} // namespace gc::graph
