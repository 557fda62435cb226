// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Quantisation: verification, and as arithmetic in f32.

#include "Decomposition.h"
#include "UnknownAttributes.h"

#include <cmath>

using namespace mlir;
using namespace gc::graph;

//===----------------------------------------------------------------------===//
// Verifiers
//===----------------------------------------------------------------------===//

/// (C1) and (C2), which all of them have. The other names are qtypes that the
/// op has besides the two common ones.
static LogicalResult verifyKind(Operation *op, StringRef qtype, int64_t axis,
                                ArrayRef<StringRef> others = {}) {
  if (failed(verifyNoUnknownAttributes(op)))
    return failure();
  auto src = cast<RankedTensorType>(op->getOperand(0).getType());
  auto dst = cast<RankedTensorType>(op->getResult(0).getType());
  if (failed(verifyCompatibleShape(src, dst)))
    return op->emitOpError("(C1) changes the shape from [")
           << src.getShape() << "] to [" << dst.getShape() << "]";
  if (qtype != "per_tensor" && qtype != "per_channel" &&
      !llvm::is_contained(others, qtype))
    return op->emitOpError("(C2) unknown qtype \"") << qtype << "\"";
  int64_t rank = src.getRank();
  if (qtype == "per_channel" && (axis < -rank || axis >= rank))
    return op->emitOpError("(C2) axis ")
           << axis << " is not one of " << rank << " dimensions";
  return success();
}

static int64_t resolve(int64_t axis, Value src) {
  return axis < 0 ? axis + cast<RankedTensorType>(src.getType()).getRank()
                  : axis;
}

template <typename Op>
static LogicalResult verifyConstants(Op op) {
  if (failed(verifyKind(op, op.getQtype(), op.getAxis())))
    return failure();
  int64_t count = 1;
  if (op.getQtype() == "per_channel")
    count =
        op.getSrc().getType().getDimSize(resolve(op.getAxis(), op.getSrc()));
  auto fits = [&](size_t size) {
    return ShapedType::isDynamic(count) || static_cast<int64_t>(size) == count;
  };
  if (!fits(op.getScales().size()))
    return op.emitOpError("(C3) has ")
           << op.getScales().size() << " scales, takes " << count;
  if (!op.getZps().empty() && !fits(op.getZps().size()))
    return op.emitOpError("(C3) has ")
           << op.getZps().size() << " zero points, takes " << count;
  for (float scale : op.getScales())
    if (!(scale > 0) || std::isinf(scale))
      return op.emitOpError("(C4) scale ")
             << scale << " is not a positive number";
  return success();
}

static bool hasZeroPoints(ArrayRef<int64_t> zps) {
  return llvm::any_of(zps, [](int64_t zp) { return zp != 0; });
}

/// (C5).
static LogicalResult verifyZeroPoints(Operation *op, Type quantized,
                                      ArrayRef<int64_t> zps) {
  Type element = getElementTypeOrSelf(quantized);
  if (isa<FloatType>(element) && hasZeroPoints(zps))
    return op->emitOpError("(C5) has zero points of ") << element;
  return success();
}

LogicalResult QuantizeOp::verify() {
  return failure(failed(verifyConstants(*this)) ||
                 failed(verifyZeroPoints(*this, getType(), getZps())));
}
LogicalResult DequantizeOp::verify() {
  return failure(failed(verifyConstants(*this)) ||
                 failed(verifyZeroPoints(*this, getSrc().getType(), getZps())));
}

/// (C3) of the forms whose scales are operands.
static LogicalResult verifyOperands(Operation *op, StringRef qtype,
                                    int64_t axis, ValueRange parameters,
                                    ArrayRef<int64_t> groups) {
  auto src = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<int64_t> shape;
  if (qtype == "per_channel") {
    shape.push_back(src.getDimSize(resolve(axis, op->getOperand(0))));
  } else if (qtype == "per_group") {
    for (auto [size, group] : llvm::zip_equal(src.getShape(), groups))
      shape.push_back(ShapedType::isDynamic(size) ? size : size / group);
  }
  for (Value parameter : parameters) {
    auto type = cast<RankedTensorType>(parameter.getType());
    bool fits = qtype == "per_tensor"
                    ? type.hasStaticShape() && type.getNumElements() == 1
                    : succeeded(verifyCompatibleShape(type.getShape(), shape));
    if (fits)
      continue;
    InFlightDiagnostic diag = op->emitOpError("(C3) scales or zps of shape [");
    diag << type.getShape() << "] must be ";
    if (qtype == "per_tensor")
      return diag << "one element";
    return diag << "of shape [" << shape << "]";
  }
  return success();
}

LogicalResult DynamicQuantizeOp::verify() {
  if (failed(verifyKind(*this, getQtype(), getAxis())))
    return failure();
  return verifyOperands(*this, getQtype(), getAxis(),
                        getOperands().drop_front(), {});
}

LogicalResult DynamicDequantizeOp::verify() {
  if (failed(verifyKind(*this, getQtype(), getAxis(), {"per_group"})))
    return failure();
  auto src = getSrc().getType();
  bool grouped = getQtype() == "per_group";
  if (static_cast<int64_t>(getGroupShape().size()) !=
      (grouped ? src.getRank() : 0))
    return emitOpError("(C4) group_shape has ")
           << getGroupShape().size() << " sizes, takes "
           << (grouped ? src.getRank() : 0);
  for (auto [i, group] : llvm::enumerate(getGroupShape()))
    if (group < 1 || (!src.isDynamicDim(i) && src.getDimSize(i) % group != 0))
      return emitOpError("(C4) groups of ")
             << group << " do not divide dimension " << i << " of size "
             << src.getDimSize(i);
  if (getScales().getType().getElementType() != getType().getElementType())
    return emitOpError("(C5) element types ")
           << getScales().getType().getElementType() << " of scales and "
           << getType().getElementType() << " of dst differ";
  return verifyOperands(*this, getQtype(), getAxis(),
                        getOperands().drop_front(), getGroupShape());
}

//===----------------------------------------------------------------------===//
// Decomposition
//===----------------------------------------------------------------------===//

/// The shape that makes one value per index in dimension `axis` broadcast.
static SmallVector<int64_t> getChannelShape(RankedTensorType src,
                                            StringRef qtype, int64_t axis,
                                            int64_t count) {
  if (qtype != "per_channel")
    return {};
  axis += axis < 0 ? src.getRank() : 0;
  SmallVector<int64_t> shape(src.getRank() - axis, 1);
  shape[0] = count;
  return shape;
}

/// Constants of f32 that broadcast to src.
template <typename Range>
static Value makeConstants(Decomposition &b, RankedTensorType src,
                           StringRef qtype, int64_t axis, const Range &values) {
  auto type =
      RankedTensorType::get(getChannelShape(src, qtype, axis, values.size()),
                            b.rewriter.getF32Type());
  SmallVector<float> floats(values.begin(), values.end());
  return b.make<ConstantOp>(
      type, DenseElementsAttr::get(type, ArrayRef<float>(floats)));
}

FailureOr<SmallVector<Value>> QuantizeOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  auto src = getSrc().getType();
  Value value = b.make<DivideOp>(
      getSrc(), makeConstants(b, src, getQtype(), getAxis(), getScales()));
  if (hasZeroPoints(getZps()))
    value =
        b.add(value, makeConstants(b, src, getQtype(), getAxis(), getZps()));
  return SmallVector<Value>{b.cast(value, getType().getElementType())};
}

FailureOr<SmallVector<Value>> DequantizeOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  auto src = getSrc().getType();
  Value value = b.toF32(getSrc());
  if (hasZeroPoints(getZps()))
    value = b.subtract(value,
                       makeConstants(b, src, getQtype(), getAxis(), getZps()));
  return SmallVector<Value>{b.multiply(
      value, makeConstants(b, src, getQtype(), getAxis(), getScales()))};
}

/// An operand of scales or zero points in f32, shaped to broadcast to src.
static Value makeOperand(Decomposition &b, RankedTensorType src,
                         StringRef qtype, int64_t axis, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t count = type.getRank() == 1 ? type.getDimSize(0) : 1;
  return b.reshape(b.toF32(value), getChannelShape(src, qtype, axis, count));
}

FailureOr<SmallVector<Value>>
DynamicQuantizeOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  auto src = getSrc().getType();
  Value value = b.make<DivideOp>(
      getSrc(), makeOperand(b, src, getQtype(), getAxis(), getScales()));
  if (getZps())
    value = b.add(value, makeOperand(b, src, getQtype(), getAxis(), getZps()));
  return SmallVector<Value>{b.cast(value, getType().getElementType())};
}

FailureOr<SmallVector<Value>>
DynamicDequantizeOp::decompose(RewriterBase &rewriter) {
  Decomposition b(rewriter, *this);
  auto src = getSrc().getType();
  if (!src.hasStaticShape())
    return failure();
  Value value = b.toF32(getSrc());
  // A group gets its own dimensions, unless it is one element or all of them.
  bool isGrouped = false;
  SmallVector<int64_t> groups, single;
  for (auto [size, group] : llvm::zip(src.getShape(), getGroupShape())) {
    groups.append({size / group, group});
    single.append({size / group, 1});
    isGrouped |= group != 1 && group != size;
  }
  auto parameter = [&](Value operand) {
    if (isGrouped)
      return b.reshape(b.toF32(operand), single);
    return getQtype() == "per_group"
               ? b.toF32(operand)
               : makeOperand(b, src, getQtype(), getAxis(), operand);
  };
  if (isGrouped)
    value = b.reshape(value, groups);
  if (getZps())
    value = b.subtract(value, parameter(getZps()));
  value = b.multiply(value, parameter(getScales()));
  value = b.reshape(value, src.getShape());
  return SmallVector<Value>{b.cast(value, getType().getElementType())};
}

//===----------------------------------------------------------------------===//
// Scales and zero points
//===----------------------------------------------------------------------===//

std::optional<int64_t> Quantization::getZeroPoint() const {
  if (zeroPointOperand || !llvm::all_equal(zeroPoints))
    return std::nullopt;
  return zeroPoints.empty() ? 0 : zeroPoints.front();
}

Quantization QuantizeOp::getQuantization() {
  return {/*dequantizes=*/false,
          getScales(),
          getZps(),
          {},
          {},
          {}};
}

Quantization DequantizeOp::getQuantization() {
  return {/*dequantizes=*/true,
          getScales(),
          getZps(),
          {},
          {},
          {}};
}

Quantization DynamicQuantizeOp::getQuantization() {
  return {/*dequantizes=*/false, {},       {},
          getScales(),           getZps(), {}};
}

Quantization DynamicDequantizeOp::getQuantization() {
  return {/*dequantizes=*/true, {},       {},
          getScales(),          getZps(), getGroupShape()};
}
