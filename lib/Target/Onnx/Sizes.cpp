// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Sizes.h"
#include "Dialect/Graph/IR/RefinedTypes.h"
#include "Known.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Operation.h"

using namespace mlir;
using namespace gc;
using namespace gc::onnxio;

/// No size, index or bound is near these numbers, which are negative.
static constexpr int64_t kFirstElement = -(int64_t(0x5EED) << 48);

int64_t SizeTable::encode(const SizeExpr &size) {
  if (auto number = size.getConstant())
    return *number;
  auto it = llvm::find(elements, size);
  int64_t index = it - elements.begin();
  if (it == elements.end())
    elements.push_back(size);
  return kFirstElement + index;
}

bool SizeTable::varies(int64_t element) const {
  return uint64_t(element) - uint64_t(kFirstElement) < elements.size();
}

SizeExpr SizeTable::decode(int64_t element) const {
  return varies(element) ? elements[element - kFirstElement]
                         : SizeExpr(element);
}

std::optional<SizeExpr> SizeTable::findVarying(ElementsAttr tensor) const {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(tensor);
  if (elements.empty() || !dense || !dense.getElementType().isInteger(64) ||
      dense.getNumElements() > kMaxFolded)
    return std::nullopt;
  for (const APInt &element : dense.getValues<APInt>())
    if (varies(element.getSExtValue()))
      return decode(element.getSExtValue());
  return std::nullopt;
}

Sizes SizeTable::getShape(Value value) const {
  auto known = shapes.find(value);
  if (known != shapes.end())
    return known->second;
  ArrayRef<int64_t> shape = cast<RankedTensorType>(value.getType()).getShape();
  return Sizes(shape.begin(), shape.end());
}

void SizeTable::setShape(Value value, ArrayRef<SizeExpr> shape) {
  shapes[value] = Sizes(shape);
}

namespace {

/// The shapes of an op's results for numbers in place of sizes that vary.
class Probe {
public:
  Probe(Operation *op, ArrayRef<Sizes> operands, ArrayRef<SizeExpr> variables)
      : op(op), operands(operands), variables(variables) {}

  /// All sizes of all results; nothing if the op's inference refuses them.
  std::optional<SmallVector<int64_t>> infer(ArrayRef<int64_t> numbers) const {
    Block block;
    Operation *copy = op->clone();
    for (auto [i, sizes] : llvm::enumerate(operands)) {
      SmallVector<int64_t> shape;
      for (const SizeExpr &size : sizes)
        shape.push_back(
            size.isConstant()
                ? *size.getConstant()
                : numbers[llvm::find(variables, size) - variables.begin()]);
      auto type = cast<RankedTensorType>(op->getOperand(i).getType());
      copy->setOperand(i, block.addArgument(type.clone(shape), op->getLoc()));
    }
    ScopedDiagnosticHandler quiet(op->getContext(),
                                  [](Diagnostic &) { return success(); });
    LogicalResult inferred = graph::refineResultTypes(copy);
    SmallVector<int64_t> results;
    for (Type type : copy->getResultTypes())
      llvm::append_range(results, cast<RankedTensorType>(type).getShape());
    copy->destroy();
    if (failed(inferred))
      return std::nullopt;
    return results;
  }

private:
  Operation *op;
  ArrayRef<Sizes> operands;
  ArrayRef<SizeExpr> variables;
};

} // namespace

LogicalResult SizeTable::inferShapes(Operation *op) {
  // What varies in the operands, each for itself.
  SmallVector<Sizes> operands;
  Sizes variables;
  for (Value operand : op->getOperands()) {
    operands.push_back(getShape(operand));
    for (const SizeExpr &size : operands.back())
      if (!size.isConstant() && !llvm::is_contained(variables, size))
        variables.push_back(size);
  }
  Probe probe(op, operands, variables);
  // No two numbers are equal, and many divide them.
  constexpr int64_t kStep = 5040;
  SmallVector<int64_t> base, other;
  for (size_t i = 0; i < variables.size(); ++i) {
    base.push_back(kStep * int64_t(7 + i));
    other.push_back(kStep * int64_t(200 + 3 * i));
  }
  auto first = probe.infer(base), last = probe.infer(other);
  if (!first || !last)
    return failure();
  // size = constant + sum of factor * variable
  Sizes results(first->begin(), first->end());
  SmallVector<int64_t> expected = *first;
  for (size_t i = 0; i < variables.size(); ++i) {
    SmallVector<int64_t> moved = base;
    int64_t distance = kStep * int64_t(100 + i);
    moved[i] += distance;
    auto next = probe.infer(moved);
    if (!next)
      return failure();
    for (size_t dim = 0; dim < results.size(); ++dim) {
      int64_t factor = ((*next)[dim] - (*first)[dim]) / distance;
      results[dim] =
          results[dim] + (variables[i] - SizeExpr(base[i])) * SizeExpr(factor);
      expected[dim] += factor * (other[i] - base[i]);
    }
  }
  // That it is such a sum shows elsewhere.
  if (expected != *last)
    return failure();
  ArrayRef<SizeExpr> rest = results;
  for (Value result : op->getResults()) {
    size_t rank = cast<RankedTensorType>(result.getType()).getRank();
    setShape(result, rest.take_front(rank));
    rest = rest.drop_front(rank);
  }
  return success();
}

SizeExpr gc::onnxio::getProduct(ArrayRef<SizeExpr> sizes) {
  SizeExpr product(1);
  for (const SizeExpr &size : sizes)
    product = product * size;
  return product;
}

bool gc::onnxio::isConstant(ArrayRef<SizeExpr> sizes) {
  return llvm::all_of(sizes,
                      [](const SizeExpr &size) { return size.isConstant(); });
}

SmallVector<int64_t> gc::onnxio::getNumbers(ArrayRef<SizeExpr> sizes) {
  SmallVector<int64_t> numbers;
  for (const SizeExpr &size : sizes)
    numbers.push_back(size.getConstant().value_or(ShapedType::kDynamic));
  return numbers;
}

SmallVector<int64_t> gc::onnxio::dropVarying(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> fixed;
  for (int64_t size : shape)
    if (!ShapedType::isDynamic(size))
      fixed.push_back(size);
  return fixed;
}

std::string gc::onnxio::print(ArrayRef<SizeExpr> sizes) {
  std::string text;
  for (const SizeExpr &size : sizes)
    text += (text.empty() ? "" : ", ") + size.str();
  return "[" + text + "]";
}
