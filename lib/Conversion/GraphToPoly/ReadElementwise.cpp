// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops as statements, and what is computed where it is read.

#include "GraphReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

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
  SplatElementsAttr splat;
  return matchPattern(value, m_Constant(&splat)) ? getComputeScalar(splat)
                                                 : TypedAttr();
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

LogicalResult GraphReader::readElementwise(FusibleOpInterface op) {
  Operation *operation = op;
  auto scalar = cast<ScalarBodyOpInterface>(operation);
  if (scalar.getIndexDim())
    return op.emitOpError()
           << "poly-extract takes no bodies that compute with indices";
  for (OpResult result : operation->getResults()) {
    ScopStatement statement{op.getIterationSpace(), {}, {}, {}, op.getLoc()};
    SmallVector<Element> elements;
    for (auto [i, operand] : llvm::enumerate(operation->getOperands())) {
      if (op.getGaps(i))
        return op.emitOpError()
               << "poly-extract takes no operands with gaps (operand " << i
               << ")";
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
    if (getElementTypeOrSelf(result.getType()).isInteger(1)) {
      if (!resultMap.isIdentity())
        return op.emitOpError()
               << "poly-extract takes no elements of i1 in another order";
      computed[result] = {statement.reads,
                          [=](OpBuilder &builder, ValueRange read) mutable {
                            return compute(builder, getOperands(builder, read));
                          }};
      continue;
    }
    FailureOr<unsigned> array = addArray(op.getLoc(), result);
    if (failed(array))
      return failure();
    places[result] = {*array, getIdentity(getShape(result).size())};
    statement.write = {*array, resultMap};
    Type element = scop.arrays[*array].element;
    statement.buildBody = [=](OpBuilder &builder, ValueRange read) mutable {
      SmallVector<Value> operands = getOperands(builder, read);
      Value value = compute(builder, operands);
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
