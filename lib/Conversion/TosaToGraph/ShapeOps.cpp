// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/Views.h"
#include "TosaOps.h"
#include "mlir/Dialect/Tosa/Utils/ConversionUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace gc;

using Dims = SmallVector<int64_t>;

/// The elements of a shape operand, if they are known.
static FailureOr<Dims> getShapeOperand(Value value, size_t count,
                                       GraphBuilder &b) {
  Dims sizes;
  if (!tosa::getConstShapeValues(value.getDefiningOp(), sizes) ||
      sizes.size() != count)
    return b.fail("a shape operand is not a constant");
  return sizes;
}

static FailureOr<Value> convertConcat(tosa::ConcatOp op, GraphBuilder &b) {
  SmallVector<Value> operands;
  for (Value operand : op.getInput1()) {
    FailureOr<Value> value = b.get(operand);
    if (failed(value))
      return failure();
    operands.push_back(*value);
  }
  return b.build(
      "graph.concat", operands,
      b.attr("axis", b.getBuilder().getI64IntegerAttr(op.getAxis())));
}

static FailureOr<Value> convertPad(tosa::PadOp op, Value src, GraphBuilder &b) {
  size_t rank = getShape(src).size();
  FailureOr<Dims> padding = getShapeOperand(op.getPadding(), 2 * rank, b);
  std::optional<APFloat> number = getKnownNumber(op.getPadConst());
  if (failed(padding))
    return failure();
  if (!number)
    return b.fail("it pads with something else than a floating-point constant");
  Dims low, high;
  for (size_t i = 0; i < rank; ++i) {
    low.push_back((*padding)[2 * i]);
    high.push_back((*padding)[2 * i + 1]);
  }
  return buildPad(b, src, low, high, number->convertToDouble());
}

static FailureOr<Value> convertSlice(tosa::SliceOp op, Value src,
                                     GraphBuilder &b) {
  size_t rank = getShape(src).size();
  FailureOr<Dims> start = getShapeOperand(op.getStart(), rank, b);
  if (failed(start))
    return failure();
  return buildBox(b, src, *start, getResultShape(op), Dims(rank, 1), 0);
}

/// Each dimension gets one in front of it that is broadcast.
static FailureOr<Value> convertTile(tosa::TileOp op, Value src,
                                    GraphBuilder &b) {
  Dims single, repeated;
  for (auto [size, result] :
       llvm::zip_equal(getShape(src), getResultShape(op))) {
    single.append({1, size});
    repeated.append({result / size, size});
  }
  FailureOr<Value> value = b.reshape(src, single);
  if (failed(value) || failed(value = b.broadcast(*value, repeated)))
    return failure();
  return b.reshape(*value, getResultShape(op));
}

MaybeValue gc::convertTosaShape(Operation *op, GraphBuilder &b) {
  if (auto concat = dyn_cast<tosa::ConcatOp>(op))
    return convertConcat(concat, b);
  if (!isa<tosa::IdentityOp, tosa::PadOp, tosa::ReshapeOp, tosa::SliceOp,
           tosa::TileOp, tosa::TransposeOp>(op))
    return std::nullopt;
  FailureOr<Value> src = b.get(op->getOperand(0));
  if (failed(src))
    return failure();
  return llvm::TypeSwitch<Operation *, FailureOr<Value>>(op)
      .Case([&](tosa::PadOp op) { return convertPad(op, *src, b); })
      .Case([&](tosa::ReshapeOp op) {
        return b.reshape(*src, getResultShape(op));
      })
      .Case([&](tosa::SliceOp op) { return convertSlice(op, *src, b); })
      .Case([&](tosa::TileOp op) { return convertTile(op, *src, b); })
      .Case([&](tosa::TransposeOp op) {
        return b.transpose(*src, Dims(op.getPerms()));
      })
      .Default([&](Operation *) { return src; });
}
