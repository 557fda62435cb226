// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Conversion/ToGraph/GraphBuilder.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;

RankedTensorType gc::getGraphType(Type type, bool isUnsigned) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || tensor.getEncoding() || !tensor.hasStaticShape())
    return {};
  uint64_t bytes = 8;
  for (int64_t size : tensor.getShape()) {
    bytes = llvm::SaturatingMultiply(bytes, uint64_t(size));
    if (bytes == 0 || bytes >> 62)
      return {};
  }
  Type element = tensor.getElementType();
  if (element.isF32() || element.isBF16() || element.isF16() ||
      element.isSignlessInteger(1))
    return tensor;
  if (!element.isSignlessInteger(8) && !element.isSignlessInteger(32))
    return {};
  return tensor.clone(IntegerType::get(
      type.getContext(), element.getIntOrFloatBitWidth(),
      isUnsigned ? IntegerType::Unsigned : IntegerType::Signed));
}

ElementsAttr gc::getKnownElements(Value value) {
  ElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)))
    return elements;
  TypedAttr number;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return {};
  Value element;
  if (auto fill = value.getDefiningOp<linalg::FillOp>())
    element = fill.getInputs().front();
  else if (auto splat = value.getDefiningOp<tensor::SplatOp>())
    element = splat.getInput();
  if (element && element.getType() == type.getElementType() &&
      matchPattern(element, m_Constant(&number)))
    return DenseElementsAttr::get(type, number);
  return {};
}

std::optional<APFloat> gc::getKnownNumber(Value value) {
  auto dense = dyn_cast_or_null<DenseFPElementsAttr>(getKnownElements(value));
  if (!dense || !dense.isSplat())
    return std::nullopt;
  return dense.getSplatValue<APFloat>();
}

void GraphBuilder::begin(Operation *op) {
  loc = op->getLoc();
  reason.clear();
  operands.clear();
  built.clear();
}

void GraphBuilder::undo() {
  for (Operation *op : llvm::reverse(built))
    op->erase();
  built.clear();
}

LogicalResult GraphBuilder::fail(const Twine &why) {
  if (reason.empty())
    reason = why.str();
  return failure();
}

FailureOr<Value> GraphBuilder::get(Value value, bool isUnsigned) {
  RankedTensorType type = getGraphType(value.getType(), isUnsigned);
  if (!type) {
    std::string text;
    llvm::raw_string_ostream(text) << value.getType();
    return fail("operands of type " + text + " are not supported");
  }
  if (Value known = values.lookup(value)) {
    if (known.getType() != type)
      return fail("an operand is read as signed and as unsigned");
    operands.insert(value);
    return known;
  }
  if (ElementsAttr elements = getKnownElements(value)) {
    if (type == value.getType())
      return constant(elements);
    // Only the type says that the integers have a sign.
    if (auto dense = dyn_cast<DenseIntElementsAttr>(elements))
      return constant(
          DenseElementsAttr::getFromRawBuffer(type, dense.getRawData()));
  }
  operands.insert(value);
  return makeInput(*this, value, type);
}

FailureOr<Value> GraphBuilder::build(StringRef name, ValueRange values,
                                     ArrayRef<NamedAttribute> attrs,
                                     Type element) {
  OperationState state(loc, name);
  state.addOperands(values);
  state.addAttributes(attrs);
  state.addTypes(
      RankedTensorType::get({}, element ? element : getElement(values[0])));
  Operation *op = builder.create(state);
  built.push_back(op);
  std::string text;
  ScopedDiagnosticHandler handler(builder.getContext(), [&](Diagnostic &diag) {
    if (diag.getSeverity() == DiagnosticSeverity::Error && text.empty())
      text = diag.str();
    return success();
  });
  if (failed(graph::refineResultTypes(op)) || failed(verify(op)))
    return fail(text);
  return op->getResult(0);
}

FailureOr<Value> GraphBuilder::reshape(Value value, ArrayRef<int64_t> shape) {
  if (auto op = value.getDefiningOp<graph::StaticReshapeOp>())
    value = op.getSrc();
  if (getShape(value) == shape)
    return value;
  return build("graph.static_reshape", value,
               {attr("shape", shape), attr("special_zero", false)});
}

FailureOr<Value> GraphBuilder::transpose(Value value, ArrayRef<int64_t> order) {
  if (llvm::equal(order, llvm::seq<int64_t>(order.size())))
    return value;
  // Only dimensions of size 1 change their place: the same elements in order.
  SmallVector<int64_t> shape, longer;
  for (int64_t dim : order) {
    shape.push_back(getShape(value)[dim]);
    if (shape.back() != 1)
      longer.push_back(dim);
  }
  if (llvm::is_sorted(longer))
    return reshape(value, shape);
  return build("graph.static_transpose", value, attr("order", order));
}

FailureOr<Value> GraphBuilder::broadcast(Value value, ArrayRef<int64_t> shape) {
  if (getShape(value) == shape)
    return value;
  if (getTensorType(value).getNumElements() ==
      RankedTensorType::get(shape, getElement(value)).getNumElements())
    return reshape(value, shape);
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat())
    return constant(elements.resizeSplat(getTensorType(value).clone(shape)));
  auto element = dyn_cast<FloatType>(getElement(value));
  if (!element)
    return fail("only floating-point numbers can be repeated");
  // x + -0 is x, also where x is a zero.
  auto type = RankedTensorType::get(shape, element);
  APFloat zero = APFloat::getZero(element.getFloatSemantics(),
                                  /*Negative=*/true);
  return build("graph.add",
               {value, constant(DenseElementsAttr::get(type, zero))});
}

FailureOr<Value> GraphBuilder::cast(Value value, Type element) {
  if (getElement(value) == element)
    return value;
  return build("graph.type_cast", value, {}, element);
}

FailureOr<Value> GraphBuilder::multiply(Value lhs, Value rhs) {
  for (auto [factor, other] : {std::pair(lhs, rhs), std::pair(rhs, lhs)}) {
    Value divisor;
    if (auto reciprocal = other.getDefiningOp<graph::ReciprocalOp>())
      divisor = reciprocal.getSrc();
    else if (auto divide = other.getDefiningOp<graph::DivideOp>();
             divide && matchPattern(divide.getSrc_0(), m_OneFloat()))
      divisor = divide.getSrc_1();
    Value sum = divisor;
    while (sum && sum.getDefiningOp<graph::StaticReshapeOp>())
      sum = sum.getDefiningOp<graph::StaticReshapeOp>().getSrc();
    auto reduction =
        sum ? sum.getDefiningOp<graph::ReduceSumOp>() : graph::ReduceSumOp();
    if (reduction && reduction.getSrc() == factor)
      return build("graph.divide", {factor, divisor});
  }
  return build("graph.multiply", {lhs, rhs});
}

Value GraphBuilder::scalar(double value, Type element) {
  Attribute number = isa<FloatType>(element)
                         ? Attribute(builder.getFloatAttr(element, value))
                         : Attribute(IntegerAttr::get(element, int64_t(value)));
  return constant(
      DenseElementsAttr::get(RankedTensorType::get({}, element), number));
}

Value GraphBuilder::constant(ElementsAttr value) {
  auto op =
      graph::ConstantOp::create(builder, loc, value.getShapedType(), value);
  built.push_back(op);
  return op;
}
