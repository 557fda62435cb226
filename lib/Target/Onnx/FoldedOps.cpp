// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops whose results follow from what is known when a model is imported.

#include "Ops.h"
#include "Tensors.h"

#include <cmath>

using namespace mlir;
using namespace gc::onnxio;

static LogicalResult importConstantOfShape(NodeBuilder &node) {
  FailureOr<SmallVector<int64_t>> shape = node.getInts(0);
  if (failed(shape))
    return failure();
  for (int64_t size : *shape)
    if (size < 0)
      return node.fail("a size is negative");
  if (shape->size() > kMaxRank || countElements(*shape) >> 40)
    return node.fail("the result is too large");
  auto *attr = node.findAttr("value", ::onnx::AttributeProto::TENSOR);
  if (!attr) {
    auto type = RankedTensorType::get(*shape, node.getF32());
    return node.setConstant(DenseElementsAttr::get(type, 0.0f));
  }
  auto tensor =
      takeTensor(*attr->mutable_t(), node.getFolder(), node.getContext());
  if (!tensor)
    return node.fail("value " + llvm::toString(tensor.takeError()));
  auto value = dyn_cast<DenseElementsAttr>(*tensor);
  if (!value || value.getNumElements() != 1)
    return node.fail("value is not one number");
  // As a splat, which takes no memory.
  return node.setConstant(value.isSplat()
                              ? value.resizeSplat(value.getType().clone(*shape))
                              : DenseElementsAttr());
}

static LogicalResult importRange(NodeBuilder &node) {
  auto start = node.getKnown(0), limit = node.getKnown(1);
  auto delta = node.getKnown(2);
  if (!start || !limit || !delta)
    return node.fail("its operands are not known at import");
  for (const Known *known : {&*start, &*limit, &*delta})
    if (known->values.size() != 1 ||
        known->type.getElementType() != start->type.getElementType())
      return node.fail("its operands are not three numbers of one type");
  Number from = start->values[0], to = limit->values[0], by = delta->values[0];
  bool isFloat = start->isFloat();
  double count =
      isFloat ? std::ceil((to.f - from.f) / by.f)
              : std::ceil((double(to.i) - double(from.i)) / double(by.i));
  if (!(count <= double(kMaxFolded)) || (isFloat ? by.f == 0 : by.i == 0))
    return node.fail("the range is too large");
  auto size = static_cast<int64_t>(std::max(count, 0.0));
  Known range{start->type.clone({size}), {}};
  for (int64_t i = 0; i < size; ++i)
    range.values.push_back(
        isFloat ? Number::ofReal(from.f + double(i) * by.f)
                : Number::of(int64_t(uint64_t(from.i) +
                                     uint64_t(i) * uint64_t(by.i))));
  return node.setKnown(range);
}

static LogicalResult importEyeLike(NodeBuilder &node) {
  FailureOr<RankedTensorType> type = node.getType(0);
  if (failed(type))
    return failure();
  Type element = type->getElementType();
  if (node.hasAttr("dtype")) {
    int64_t number = node.getIntAttr("dtype", 0);
    element = number >= 0 && number < 64
                  ? getElementType(number, node.getContext())
                  : nullptr;
    if (!element)
      return node.fail("element type " + getTypeName(number) +
                       " is not supported");
  }
  int64_t diagonal = node.getIntAttr("k", 0);
  if (type->getRank() != 2 || type->getNumElements() > kMaxFolded)
    return node.fail("the input is not a matrix, or too large");
  bool isFloat = isa<FloatType>(element);
  Known eye{type->clone(element), {}};
  forEachIndex(eye.getShape(), [&](ArrayRef<int64_t> index) {
    bool isOne = index[1] - index[0] == diagonal;
    eye.values.push_back(isFloat ? Number::ofReal(isOne) : Number::of(isOne));
  });
  return node.setKnown(eye);
}

static LogicalResult importNonZero(NodeBuilder &node) {
  auto known = node.getKnown(0);
  if (!known)
    return node.fail("its operand is not known at import");
  SmallVector<SmallVector<int64_t>> found;
  size_t i = 0;
  forEachIndex(known->getShape(), [&](ArrayRef<int64_t> index) {
    Number number = known->values[i++];
    if (known->isFloat() ? number.f != 0 : number.i != 0)
      found.emplace_back(index);
  });
  int64_t rank = known->type.getRank();
  auto s64 = IntegerType::get(node.getContext(), 64, IntegerType::Signed);
  Known result{RankedTensorType::get({rank, int64_t(found.size())}, s64), {}};
  for (int64_t dim = 0; dim < rank; ++dim)
    for (ArrayRef<int64_t> index : found)
      result.values.push_back(Number::of(index[dim]));
  return node.setKnown(result);
}

void gc::onnxio::addFoldedOps(OpTable &ops) {
  ops["ConstantOfShape"] = importConstantOfShape;
  ops["EyeLike"] = importEyeLike;
  ops["NonZero"] = importNonZero;
  ops["Range"] = importRange;
}
