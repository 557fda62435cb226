// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "ImageView.h"
#include "Movement.h"

using namespace mlir;
using namespace gc::graph;

/// Rows of fewer elements leave most of a vector empty.
constexpr int64_t kShortRow = 8;
/// How far a transpose is looked for.
constexpr int kMostSteps = 8;

static ArrayRef<int64_t> getShapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Whether the value comes from a transpose, through ops that keep its shape.
static bool comesFromTranspose(Value value) {
  for (int step = 0; step < kMostSteps; ++step) {
    Operation *op = value.getDefiningOp();
    if (!op || isa<StaticTransposeOp>(op))
      return op != nullptr;
    if (op->getNumOperands() == 0 ||
        getShapeOf(op->getOperand(0)) != getShapeOf(value))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Whether some op transposes the value, possibly after ops that keep its
/// shape.
static bool isTransposedLater(Value value, int steps = kMostSteps) {
  return steps > 0 && llvm::any_of(value.getUsers(), [&](Operation *user) {
           return isa<StaticTransposeOp>(user) ||
                  (user->getNumResults() == 1 &&
                   isa<RankedTensorType>(user->getResult(0).getType()) &&
                   getShapeOf(user->getResult(0)) == getShapeOf(value) &&
                   isTransposedLater(user->getResult(0), steps - 1));
         });
}

ImageView::ImageView(Operation *op, StringRef format) : format(format) {
  if (format == "NXC" || llvm::any_of(op->getOperands(), comesFromTranspose) ||
      isTransposedLater(op->getResult(0)))
    return;
  auto isLong = [](Value value) {
    return getShapeOf(value).back() >= kShortRow;
  };
  channelsApart =
      llvm::all_of(op->getOperands(), isLong) && isLong(op->getResult(0));
}

Value ImageView::open(Decomposition &b, Value image) const {
  if (!channelsApart)
    return toChannelsLast(b, image, format);
  ArrayRef<int64_t> old = getShapeOf(image);
  SmallVector<int64_t> shape{old[0] * old[1]};
  llvm::append_range(shape, old.drop_front(2));
  shape.push_back(1);
  return reshapeBefore(b, image, shape);
}

SmallVector<Value> ImageView::close(Decomposition &b, Value image,
                                    Type wanted) const {
  if (!channelsApart)
    return finishImage(b, image, format, wanted);
  return {b.reshape(b.cast(image, getElementTypeOrSelf(wanted)),
                    cast<RankedTensorType>(wanted).getShape())};
}
