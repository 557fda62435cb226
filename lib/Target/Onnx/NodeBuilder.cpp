// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "NodeBuilder.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
#include "Tensors.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;
using ::onnx::AttributeProto;

RankedTensorType Tensor::getType() const {
  return cast<RankedTensorType>(value ? value.getType()
                                      : constant.getShapedType());
}

NodeBuilder::NodeBuilder(GraphState &graph, ::onnx::NodeProto &node,
                         int64_t opset, Location loc)
    : graph(graph), node(node), opset(opset), loc(loc) {}

LogicalResult NodeBuilder::fail(const Twine &reason) {
  if (failed)
    return failure();
  failed = true;
  return emitError(loc) << describe(node) << ": " << reason;
}

std::string NodeBuilder::describe(const ::onnx::NodeProto &node) {
  if (!node.name().empty())
    return node.op_type() + " '" + node.name() + "'";
  if (node.output_size() > 0)
    return node.op_type() + " of '" + node.output(0) + "'";
  return node.op_type();
}

bool NodeBuilder::hasOperand(unsigned i) const {
  return i < unsigned(node.input_size()) && !node.input(i).empty();
}

Tensor *NodeBuilder::find(unsigned i) {
  if (!hasOperand(i)) {
    (void)fail("operand " + Twine(i) + " is missing");
    return nullptr;
  }
  return findTensor(node.input(i));
}

Tensor *NodeBuilder::findTensor(const std::string &name) {
  auto it = graph.tensors.find(name);
  if (it == graph.tensors.end()) {
    (void)fail("nothing before it defines '" + name + "'");
    return nullptr;
  }
  Tensor &tensor = it->second;
  if (tensor.isOutside())
    if (std::string problem = graph.addOutside(name, tensor);
        !problem.empty()) {
      (void)fail(problem);
      return nullptr;
    }
  return &tensor;
}

FailureOr<Value> NodeBuilder::getOperand(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  if (tensor->value)
    return tensor->value;
  FailureOr<Value> value = makeConstant(tensor->constant);
  if (mlir::failed(value))
    return failure();
  tensor->value = *value;
  return value;
}

FailureOr<Value> NodeBuilder::makeConstant(ElementsAttr constant) {
  Type element = constant.getShapedType().getElementType();
  if (auto size = graph.sizes.findVarying(constant))
    return fail("an operand depends on '" + size->str() +
                "', which varies, and is not only a shape");
  if (element.isF64())
    return fail("an operand has element type double, which no operation takes");
  if (element.isInteger(64)) {
    auto dense = dyn_cast<DenseElementsAttr>(constant);
    auto splat = dense && dense.isSplat() && !dense.empty() ? dense : nullptr;
    // A splat may be of any size.
    auto known = onnxio::getKnown(
        splat ? splat.resizeSplat(RankedTensorType::get({}, element))
              : constant);
    if (!known)
      return fail("an operand of int64 has too many elements to make int32 of "
                  "them");
    if (!llvm::all_of(known->values,
                      [](Number number) { return llvm::isInt<32>(number.i); }))
      return fail("an operand of int64 does not fit in int32, which takes its "
                  "place");
    known->type = known->type.clone(
        IntegerType::get(getContext(), 32, IntegerType::Signed));
    DenseElementsAttr narrow = getElements(*known);
    constant =
        splat
            ? narrow.resizeSplat(splat.getType().clone(narrow.getElementType()))
            : narrow;
  }
  // Constants are in front of everything, so that any op may use them.
  OpBuilder::InsertionGuard guard(graph.builder);
  graph.builder.setInsertionPointToStart(graph.builder.getInsertionBlock());
  return graph::ConstantOp::create(graph.builder, loc, constant.getShapedType(),
                                   constant)
      .getResult();
}

FailureOr<SmallVector<Value>> NodeBuilder::getOperands() {
  SmallVector<Value> values;
  for (unsigned i = 0; i < getNumOperands(); ++i) {
    FailureOr<Value> value = getOperand(i);
    if (mlir::failed(value))
      return failure();
    values.push_back(*value);
  }
  if (values.empty())
    return fail("has no operands");
  return values;
}

FailureOr<RankedTensorType> NodeBuilder::getType(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  return tensor->getType();
}

ElementsAttr NodeBuilder::getConstant(unsigned i) {
  auto it =
      hasOperand(i) ? graph.tensors.find(node.input(i)) : graph.tensors.end();
  return it == graph.tensors.end() ? nullptr : it->second.constant;
}

FailureOr<SmallVector<int64_t>> NodeBuilder::getInts(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  if (mlir::failed(checkElements(i)))
    return failure();
  auto values = onnxio::getInts(tensor->constant);
  if (!values || tensor->getType().getRank() > 1)
    return fail("operand " + Twine(i) +
                " is not a list of integers known at import");
  return *values;
}

FailureOr<double> NodeBuilder::getNumber(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  if (mlir::failed(checkElements(i)))
    return failure();
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor->constant);
  if (!dense || dense.getNumElements() != 1)
    return fail("operand " + Twine(i) + " is not a number known at import");
  if (auto ints = onnxio::getInts(dense))
    return double((*ints)[0]);
  APFloat value = *dense.getValues<APFloat>().begin();
  bool loses;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
  return value.convertToDouble();
}

FailureOr<Sizes> NodeBuilder::getShape(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  if (tensor->value)
    return getShape(tensor->value);
  ArrayRef<int64_t> shape = tensor->getType().getShape();
  return Sizes(shape.begin(), shape.end());
}

FailureOr<Sizes> NodeBuilder::getSizes(unsigned i) {
  Tensor *tensor = find(i);
  if (!tensor)
    return failure();
  auto values = onnxio::getInts(tensor->constant);
  if (!values || tensor->getType().getRank() > 1)
    return fail("operand " + Twine(i) +
                " is not a list of integers known at import");
  Sizes sizes;
  for (int64_t value : *values)
    sizes.push_back(graph.sizes.decode(value));
  return sizes;
}

DenseElementsAttr NodeBuilder::makeSizes(ArrayRef<int64_t> shape,
                                         ArrayRef<SizeExpr> sizes) {
  SmallVector<int64_t> elements;
  for (const SizeExpr &size : sizes)
    elements.push_back(graph.sizes.encode(size));
  return DenseElementsAttr::get(
      RankedTensorType::get(
          shape, IntegerType::get(getContext(), 64, IntegerType::Signed)),
      ArrayRef<int64_t>(elements));
}

LogicalResult NodeBuilder::checkShape(unsigned i) {
  if (!hasOperand(i))
    return success();
  FailureOr<Sizes> shape = getShape(i);
  if (mlir::failed(shape))
    return failure();
  for (auto [dim, size] : llvm::enumerate(*shape))
    if (!size.isConstant())
      return fail("dimension " + Twine(dim) + " of operand " + Twine(i) +
                  " has size '" + size.str() +
                  "', which varies; that is not supported");
  return success();
}

LogicalResult NodeBuilder::checkElements(unsigned i) {
  if (auto size = graph.sizes.findVarying(getConstant(i)))
    return fail("operand " + Twine(i) + " depends on '" + size->str() +
                "', which varies; that is not supported");
  return success();
}

bool NodeBuilder::hasAttr(StringRef name) {
  return llvm::any_of(node.attribute(), [&](const AttributeProto &attr) {
    return StringRef(attr.name()) == name;
  });
}

AttributeProto *NodeBuilder::findAttr(StringRef name,
                                      AttributeProto::AttributeType type) {
  read.insert(name);
  for (AttributeProto &attr : *node.mutable_attribute()) {
    if (StringRef(attr.name()) != name)
      continue;
    if (attr.type() == type)
      return &attr;
    (void)fail("attribute '" + name + "' has the wrong type");
    return nullptr;
  }
  return nullptr;
}

int64_t NodeBuilder::getIntAttr(StringRef name, int64_t byDefault) {
  const auto *attr = findAttr(name, AttributeProto::INT);
  return attr ? attr->i() : byDefault;
}

float NodeBuilder::getFloatAttr(StringRef name, float byDefault) {
  const auto *attr = findAttr(name, AttributeProto::FLOAT);
  return attr ? attr->f() : byDefault;
}

std::string NodeBuilder::getStringAttr(StringRef name, StringRef byDefault) {
  const auto *attr = findAttr(name, AttributeProto::STRING);
  return attr ? attr->s() : byDefault.str();
}

SmallVector<int64_t> NodeBuilder::getIntsAttr(StringRef name) {
  const auto *attr = findAttr(name, AttributeProto::INTS);
  return attr ? SmallVector<int64_t>(attr->ints().begin(), attr->ints().end())
              : SmallVector<int64_t>();
}

FailureOr<int64_t> NodeBuilder::getAxis(int64_t axis, int64_t rank) {
  if (axis < -rank || axis >= rank)
    return fail("axis " + Twine(axis) + " is not one of " + Twine(rank) +
                " dimensions");
  return axis < 0 ? axis + rank : axis;
}

FailureOr<Value> NodeBuilder::build(StringRef op, ValueRange operands,
                                    ArrayRef<NamedAttribute> attrs,
                                    Type element) {
  if (failed)
    return failure();
  if (!element)
    element =
        cast<RankedTensorType>(operands.front().getType()).getElementType();
  OperationState state(loc, op);
  state.addOperands(operands);
  state.addAttributes(attrs);
  state.addTypes(RankedTensorType::get({}, element));
  Operation *built = graph.builder.create(state);
  std::string reason;
  LogicalResult valid = [&] {
    ScopedDiagnosticHandler handler(getContext(), [&](Diagnostic &diag) {
      if (diag.getSeverity() == DiagnosticSeverity::Error && reason.empty())
        reason = diag.str();
      return success();
    });
    return success(succeeded(graph::refineResultTypes(built)) &&
                   succeeded(verify(built)));
  }();
  if (mlir::failed(valid))
    return fail(reason);
  // Reshapes set the shape themselves.
  auto type = cast<RankedTensorType>(built->getResult(0).getType());
  if (!type.hasStaticShape() && !isa<graph::StaticReshapeOp>(built) &&
      mlir::failed(graph.sizes.inferShapes(built)))
    return fail("the shape of the result does not follow from sizes that vary");
  // Sizes of operands are bounded, their broadcast need not be.
  uint64_t bytes = 8;
  for (int64_t dim : type.getShape())
    if (!ShapedType::isDynamic(dim) &&
        (bytes = llvm::SaturatingMultiply(bytes, uint64_t(dim))) >> 62)
      return fail("the result is too large");
  return built->getResult(0);
}

Value NodeBuilder::make(StringRef op, ValueRange operands,
                        ArrayRef<NamedAttribute> attrs, Type element) {
  if (!llvm::all_of(operands, [](Value value) { return bool(value); }))
    return nullptr;
  FailureOr<Value> value = build(op, operands, attrs, element);
  return mlir::failed(value) ? nullptr : *value;
}

Value NodeBuilder::createScalar(double value, Type element) {
  Attribute number = isa<FloatType>(element)
                         ? Attribute(getBuilder().getFloatAttr(element, value))
                         : Attribute(IntegerAttr::get(element, int64_t(value)));
  auto type = RankedTensorType::get({}, element);
  return graph::ConstantOp::create(graph.builder, loc, type,
                                   DenseElementsAttr::get(type, number));
}

unsigned NodeBuilder::getNumResults() const {
  unsigned count = 0;
  for (auto [i, name] : llvm::enumerate(node.output()))
    if (!name.empty())
      count = i + 1;
  return count;
}

LogicalResult NodeBuilder::define(Tensor tensor) {
  if (numSet >= node.output_size())
    return fail("has fewer outputs than its operator");
  const std::string &name = node.output(numSet++);
  if (!name.empty() && !graph.tensors.try_emplace(name, tensor).second)
    return fail("'" + name + "' is defined before");
  return success();
}

LogicalResult NodeBuilder::skipResult() {
  if (numSet < node.output_size() && !node.output(numSet).empty())
    return fail("output " + Twine(numSet) + " is not supported");
  ++numSet;
  return success();
}

LogicalResult NodeBuilder::setResult(FailureOr<Value> value) {
  if (mlir::failed(value) || failed || !*value)
    return failure();
  return define({*value, nullptr});
}

LogicalResult NodeBuilder::setConstant(ElementsAttr constant) {
  return failed ? failure() : define({nullptr, constant});
}

LogicalResult NodeBuilder::reserve(ArrayRef<int64_t> shape, Type element,
                                   int64_t bytes) {
  int64_t count = countElements(shape);
  bool fits = count <= graph.maxFoldBytes / bytes;
  if (fits)
    graph.foldBytes -=
        llvm::divideCeil(count * int64_t(element.getIntOrFloatBitWidth()), 8);
  return fits && graph.foldBytes >= 0
             ? success()
             : fail("what is computed for it at import takes more memory than "
                    "--max-fold-bytes allows");
}

LogicalResult NodeBuilder::setKnown(const Known &known) {
  graph.foldBytes -= int64_t(known.values.size() * sizeof(Number));
  if (graph.foldBytes < 0)
    return fail("folding it takes more memory than --max-fold-bytes allows");
  return setConstant(getElements(known));
}

FailureOr<bool> NodeBuilder::evaluate(const Evaluator &evaluator) {
  constexpr size_t kMaxFloats = 1024;
  SmallVector<Known> operands;
  for (unsigned i = 0; i < getNumOperands(); ++i) {
    auto known = getKnown(i);
    if (!known || (isa<Float32Type>(known->type.getElementType()) &&
                   known->values.size() > kMaxFloats))
      return false;
    operands.push_back(std::move(*known));
  }
  if (operands.empty() || (!evaluator.ints && !evaluator.reals))
    return false;
  if (evaluator.operands && operands.size() != evaluator.operands)
    return fail("has " + Twine(operands.size()) + " operands instead of " +
                Twine(evaluator.operands));
  for (unsigned i = 0; i < operands.size(); ++i)
    if (graph.sizes.findVarying(getConstant(i)))
      return evaluateSizes(evaluator, operands);
  auto result = onnxio::evaluate(evaluator, operands);
  if (!result)
    return false;
  if (mlir::failed(setKnown(*result)))
    return failure();
  return true;
}

/// Sizes that vary are computed with as expressions.
FailureOr<bool> NodeBuilder::evaluateSizes(const Evaluator &evaluator,
                                           ArrayRef<Known> operands) {
  auto refuse = [&]() -> FailureOr<bool> {
    for (unsigned i = 0; i < operands.size(); ++i)
      if (mlir::failed(checkElements(i)))
        return failure();
    return failure();
  };
  if (!evaluator.sizes || operands.size() != 2)
    return refuse();
  auto shape = broadcastShapes(operands[0].getShape(), operands[1].getShape());
  if (!shape || countElements(*shape) > kMaxFolded)
    return refuse();
  auto expand = [&](const Known &known) {
    return rearrange(known, *shape, [](auto index, auto source) {
      llvm::copy(index.take_back(source.size()), source.begin());
      return true;
    });
  };
  Known result = expand(operands[0]), other = expand(operands[1]);
  for (auto [number, with] : llvm::zip_equal(result.values, other.values)) {
    auto size = evaluator.sizes(graph.sizes.decode(number.i),
                                graph.sizes.decode(with.i));
    if (!size)
      return refuse();
    number = Number::of(graph.sizes.encode(*size));
  }
  if (evaluator.givesBool)
    result.type = result.type.clone(IntegerType::get(getContext(), 1));
  if (mlir::failed(setKnown(result)))
    return failure();
  return true;
}

LogicalResult NodeBuilder::finish() {
  for (const AttributeProto &attr : node.attribute())
    if (!read.contains(attr.name()))
      return fail("attribute '" + attr.name() + "' is not supported");
  if (int(getNumResults()) > numSet)
    return fail("output " + Twine(numSet) + " is not supported");
  return success(!failed);
}

FailureOr<SmallVector<int64_t>> NodeBuilder::getAxes(int since) {
  if (getOpset() < since)
    return getIntsAttr("axes");
  if (!hasOperand(1))
    return SmallVector<int64_t>();
  return getInts(1);
}
