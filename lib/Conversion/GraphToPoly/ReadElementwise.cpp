// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops as statements, and what is computed where it is read.

#include "Conversion/ToGraph/GraphBuilder.h"
#include "GraphReader.h"
#include "OpBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

Value gc::widen(OpBuilder &builder, Location loc, Value value) {
  Type type = getComputeType(value.getType());
  if (isa<FloatType>(type) && type != value.getType())
    return arith::ExtFOp::create(builder, loc, type, value);
  return value;
}

Value gc::narrow(OpBuilder &builder, Location loc, Value value, Type type) {
  if (isa<FloatType>(type) && type != value.getType())
    return arith::TruncFOp::create(builder, loc, type, value);
  return value;
}

TypedAttr gc::getSplat(Value value) {
  auto splat = dyn_cast_or_null<SplatElementsAttr>(getKnownElements(value));
  return splat ? getComputeScalar(splat) : TypedAttr();
}

/// The element of a value at the indices that `map` gives; what it takes is
/// added to `reads`.
FailureOr<GraphReader::Element>
GraphReader::getElement(Value value, AffineMap map,
                        SmallVectorImpl<ScopAccess> &reads) {
  Location loc = value.getLoc();
  auto addRead = [&](const ScopAccess &access) -> unsigned {
    auto same = llvm::find_if(reads, [&](const ScopAccess &other) {
      return other.array == access.array && other.map == access.map;
    });
    if (same == reads.end()) {
      reads.push_back(access);
      return reads.size() - 1;
    }
    return same - reads.begin();
  };
  if (TypedAttr constant = getSplat(value))
    return Element([=](OpBuilder &builder, ValueRange) -> Value {
      return arith::ConstantOp::create(builder, loc, constant);
    });
  if (auto found = computed.find(value); found != computed.end()) {
    SmallVector<unsigned> numbers;
    for (const ScopAccess &access : found->second.reads)
      numbers.push_back(addRead({access.array, access.map.compose(map)}));
    return Element([numbers, build = found->second.build](OpBuilder &builder,
                                                          ValueRange read) {
      SmallVector<Value> own;
      for (unsigned number : numbers)
        own.push_back(read[number]);
      return build(builder, own);
    });
  }
  FailureOr<ScopAccess> access = getAccess(value, map);
  if (failed(access))
    return failure();
  unsigned number = addRead(*access);
  return Element([=](OpBuilder &builder, ValueRange read) {
    return widen(builder, loc, read[number]);
  });
}

/// Whether two values are the same, or the same constant in all elements.
static bool areEqual(Value left, Value right) {
  TypedAttr constant = getSplat(left);
  return left == right || (constant && constant == getSplat(right));
}

/// Whether `inner` only says what `outer` selects if both a >= b and b >= a,
/// and is the same as `outer` otherwise: one comparison does for both.
static bool isHalfOfEquality(Operation *inner) {
  auto select = dyn_cast<SelectOp>(inner);
  if (!select || !select->hasOneUse())
    return false;
  auto outer = dyn_cast<SelectOp>(*select->user_begin());
  if (!outer || outer->getOperand(1) != select->getResult(0) ||
      !areEqual(outer->getOperand(2), select->getOperand(2)) ||
      outer->getResult(0).getType() != select->getResult(0).getType())
    return false;
  auto first = select->getOperand(0).getDefiningOp<GreaterEqualOp>();
  auto second = outer->getOperand(0).getDefiningOp<GreaterEqualOp>();
  return first && second && first->getOperand(0) == second->getOperand(1) &&
         first->getOperand(1) == second->getOperand(0);
}

/// select(a >= b, select(b >= a, x, y), y) is select(a == b, x, y).
static Value foldEquality(OpBuilder &builder, Value value) {
  auto outer = value.getDefiningOp<arith::SelectOp>();
  auto inner =
      outer ? outer.getTrueValue().getDefiningOp<arith::SelectOp>() : nullptr;
  if (!inner)
    return value;
  auto first = inner.getCondition().getDefiningOp<arith::CmpFOp>();
  auto second = outer.getCondition().getDefiningOp<arith::CmpFOp>();
  constexpr auto kGreaterEqual = arith::CmpFPredicate::OGE;
  if (!first || !second || first.getPredicate() != kGreaterEqual ||
      second.getPredicate() != kGreaterEqual)
    return value;
  Location loc = outer.getLoc();
  Value isEqual = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ,
                                        second.getLhs(), second.getRhs());
  Value result = arith::SelectOp::create(
      builder, loc, isEqual, inner.getTrueValue(), outer.getFalseValue());
  for (Operation *op : {outer.getOperation(), inner.getOperation(),
                        second.getOperation(), first.getOperation()})
    if (op->use_empty())
      op->erase();
  return result;
}

LogicalResult GraphReader::readElementwise(FusibleOpInterface op) {
  Operation *operation = op;
  if (auto view = getWindowView(operation))
    return readWindows(op, *view);
  // Sums convert the elements of windows themselves.
  Value source = operation->getOperand(0);
  if (isConversion(operation) && getWindowView(source.getDefiningOp())) {
    Place place = places[source];
    places[operation->getResult(0)] = place;
    return success();
  }
  auto scalar = cast<ScalarBodyOpInterface>(operation);
  for (OpResult result : operation->getResults()) {
    ScopStatement statement{op.getIterationSpace(), {}, {}, {}, op.getLoc()};
    SmallVector<Element> elements;
    for (auto [i, operand] : llvm::enumerate(operation->getOperands())) {
      FailureOr<Element> element =
          getElement(operand, op.getOperandMap(i), statement.reads);
      if (failed(element))
        return failure();
      elements.push_back(*element);
    }
    auto compute = [=](OpBuilder &builder, ArrayRef<Value> operands) mutable {
      return scalar.buildBody(builder, operation->getLoc(),
                              operands)[result.getResultNumber()];
    };
    auto getOperands = [=](OpBuilder &builder, ValueRange read) {
      SmallVector<Value> operands;
      for (const Element &element : elements)
        operands.push_back(element(builder, read));
      return operands;
    };
    AffineMap resultMap = op.getResultMap(result.getResultNumber());
    // The machine has the bits of a comparison only where they are used.
    bool isBits = getElementTypeOrSelf(result.getType()).isInteger(1);
    if (isBits || (isHalfOfEquality(operation) && resultMap.isIdentity())) {
      computed[result] = {statement.reads,
                          [=](OpBuilder &builder, ValueRange read) mutable {
                            return compute(builder, getOperands(builder, read));
                          }};
      continue;
    }
    unsigned array = addArray(result);
    places[result] = {array, getIdentity(getShape(result).size())};
    statement.write = {array, resultMap};
    Type element = scop.arrays[array].element;
    Operation *first = operation->getNumOperands() > 1
                           ? operation->getOperand(1).getDefiningOp()
                           : nullptr;
    bool folds = isa<SelectOp>(operation) && first && isHalfOfEquality(first) &&
                 computed.count(first->getResult(0));
    statement.buildBody = [=](OpBuilder &builder, ValueRange read) mutable {
      SmallVector<Value> operands = getOperands(builder, read);
      Value value = compute(builder, operands);
      if (folds)
        value = foldEquality(builder, value);
      // An element that is moved is not converted.
      Operation *conversion = value.getDefiningOp();
      if (isa_and_nonnull<arith::ExtFOp>(conversion) &&
          llvm::is_contained(operands, value) &&
          conversion->getOperand(0).getType() == element) {
        value = conversion->getOperand(0);
        conversion->erase();
        return value;
      }
      return narrow(builder, operation->getLoc(), value, element);
    };
    scop.statements.push_back(std::move(statement));
  }
  return success();
}
