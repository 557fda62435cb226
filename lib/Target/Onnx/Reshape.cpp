// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reshapes of tensors whose sizes may vary.

#include "NodeBuilder.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

namespace {
/// The attributes of a graph.static_reshape with `special_zero`.
struct OpenShape {
  SmallVector<int64_t> shape;
  SmallVector<std::string> dims;
};
} // namespace

/// A size is a number, that of the source, what is left if there is only one of
/// these, or an expression. Nothing if that is not a sum of products.
static std::optional<OpenShape> getOpenShape(ArrayRef<SizeExpr> from,
                                             ArrayRef<SizeExpr> to) {
  auto isCopied = [&](size_t i) { return i < from.size() && from[i] == to[i]; };
  OpenShape result;
  int64_t rest = 0;
  for (auto [i, size] : llvm::enumerate(to)) {
    auto number = size.getConstant();
    if (number && *number < 1)
      return std::nullopt;
    bool isRest = !number && !isCopied(i);
    result.shape.push_back(isRest ? -1 : number.value_or(0));
    rest += isRest;
  }
  if (rest < 2)
    return result;
  for (auto [number, size] : llvm::zip_equal(result.shape, to)) {
    result.dims.push_back(number == -1 ? size.str() : "");
    if (number == -1 && SizeExpr::parse(size.str()) != size)
      return std::nullopt;
  }
  return result;
}

FailureOr<Value> NodeBuilder::reshapeTo(Value value, ArrayRef<SizeExpr> shape) {
  Sizes from = getShape(value);
  if (isConstant(shape) && isConstant(from))
    return reshape(value, getNumbers(shape));
  if (ArrayRef<SizeExpr>(from) == shape)
    return value;
  auto given = getOpenShape(from, shape);
  if (!given || getProduct(from) != getProduct(shape))
    return fail("a reshape from " + print(from) + " to " + print(shape) +
                " is not supported");
  SmallVector<NamedAttribute> attrs{
      attr("shape", given->shape),
      attr("special_zero", getBuilder().getBoolAttr(true))};
  if (!given->dims.empty())
    attrs.push_back(
        attr("dims", getBuilder().getStrArrayAttr(SmallVector<StringRef>(
                         given->dims.begin(), given->dims.end()))));
  FailureOr<Value> result = build("graph.static_reshape", value, attrs);
  if (mlir::failed(result))
    return failure();
  // A size of -1 may be a number.
  auto type = cast<RankedTensorType>(result->getType());
  result->setType(type.clone(getNumbers(shape)));
  graph.sizes.setShape(*result, shape);
  return result;
}

FailureOr<Value> NodeBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (ShapedType::isDynamicShape(shape))
    return fail("a tensor of sizes that vary is reshaped, which is not "
                "supported here");
  if (cast<RankedTensorType>(value.getType()).getShape() == shape)
    return value;
  return build("graph.static_reshape", value,
               {attr("shape", shape),
                attr("special_zero", getBuilder().getBoolAttr(false))});
}
