// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of other dialects, by their own interface.

#include "GraphReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;

/// A value of a body as an element of an array: what is only moved, or rounded
/// already, is not converted.
static Value toElement(OpBuilder &builder, Location loc, Value value,
                       Type element) {
  auto conversion = value.getDefiningOp<arith::ExtFOp>();
  if (!conversion || conversion.getIn().getType() != element)
    return narrow(builder, loc, value, element);
  Value own = conversion.getIn();
  if (conversion->use_empty())
    conversion->erase();
  return own;
}

FailureOr<GraphReader::Element>
GraphReader::getStatementElement(StatementOpInterface op, unsigned result,
                                 SmallVectorImpl<ScopAccess> &reads) {
  SmallVector<Element> elements;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    elements.emplace_back();
    AffineMap map = op.getReadMap(number);
    if (!map)
      continue;
    FailureOr<Element> element = getElement(operand, map, reads);
    if (failed(element))
      return failure();
    elements.back() = *element;
  }
  return Element([=](OpBuilder &builder, ValueRange read) mutable {
    SmallVector<Value> operands;
    for (const Element &element : elements)
      operands.push_back(element ? element(builder, read) : Value());
    return op.buildElement(builder, result, operands);
  });
}

LogicalResult GraphReader::readStatementElements(StatementOpInterface op,
                                                 unsigned result) {
  Location loc = op.getLoc();
  ScopStatement statement{op.getSpace(), {}, {}, {}, loc};
  FailureOr<Element> compute = getStatementElement(op, result, statement.reads);
  if (failed(compute))
    return failure();
  Value value = op->getResult(result);
  unsigned array = addArray(value);
  Type element = scop.arrays[array].element;
  places[value] = {array, getIdentity(getShape(value).size())};
  statement.write = {array, op.getWriteMap(result)};
  statement.buildBody = [=, compute = *compute](OpBuilder &builder,
                                                ValueRange read) {
    return toElement(builder, loc, compute(builder, read), element);
  };
  scop.addDivided(statement);
  return success();
}

/// Terms that are computed are a statement of their own, except for products
/// for the cube unit.
LogicalResult GraphReader::readStatementReduction(StatementOpInterface op,
                                                  unsigned result) {
  Location loc = op.getLoc();
  Value value = op->getResult(result);
  AffineMap map = op.getWriteMap(result);
  SmallVector<int64_t> space = op.getSpace();
  SmallVector<ScopAccess> reads;
  FailureOr<Element> term = getStatementElement(op, result, reads);
  if (failed(term))
    return failure();
  unsigned array = addArray(value);
  Type element = scop.arrays[array].element;
  bool isProduct = op.getStatementKind() == StatementKind::contraction;
  // Whether the terms are elements of an array as they are.
  Block scratch;
  for (const ScopAccess &read : reads)
    scratch.addArgument(scop.arrays[read.array].element, loc);
  OpBuilder builder(context);
  builder.setInsertionPointToStart(&scratch);
  Value built = toElement(builder, loc,
                          (*term)(builder, scratch.getArguments()), element);
  auto argument = dyn_cast<BlockArgument>(built);
  if (auto extend = built.getDefiningOp<arith::ExtFOp>())
    argument = dyn_cast<BlockArgument>(extend.getIn());
  if (!argument && !isProduct) {
    ScopAccess terms{unsigned(scop.arrays.size()), getIdentity(space.size())};
    scop.arrays.push_back({"T" + std::to_string(terms.array), space, element,
                           std::nullopt, std::nullopt});
    scop.addDivided({space, reads, terms,
                     [=, term = *term](OpBuilder &builder, ValueRange read) {
                       return toElement(builder, loc, term(builder, read),
                                        element);
                     },
                     loc});
    reads = {terms};
  }
  Value start = op.getStart(result);
  unsigned sum = start ? addArray(value) : array;
  addInitialisation(loc, sum, op.getNeutral(result, element));
  ScopAccess sums{sum, map};
  ScopStatement update{space, reads, sums, {}, loc};
  if (isProduct) {
    // The factor with the rows is the first one.
    unsigned column = getShape(value).size() - 1;
    bool isSwapped = reads[0].map.isFunctionOfDim(column);
    if (isSwapped)
      std::swap(update.reads[0], update.reads[1]);
    update.reads.push_back(sums);
    update.buildBody = [=, term = *term](OpBuilder &builder,
                                         ValueRange read) mutable {
      SmallVector<Value> factors{read[isSwapped], read[!isSwapped]};
      Value product = term(builder, factors);
      return op.combine(builder, result, read[2], product);
    };
  } else {
    update.reads.insert(update.reads.begin(), sums);
    update.buildBody = [=](OpBuilder &builder, ValueRange read) mutable {
      Value own = read[1];
      if (own.getType() != element)
        own = widen(builder, loc, own);
      return op.combine(builder, result, read[0], own);
    };
  }
  scop.statements.push_back(std::move(update));
  AffineMap own = getIdentity(getShape(value).size());
  places[value] = {array, own};
  if (!start)
    return success();
  ScopStatement end{SmallVector<int64_t>(getShape(value)),
                    {{sum, own}},
                    {array, own},
                    {},
                    loc};
  FailureOr<Element> first = getElement(start, own, end.reads);
  if (failed(first))
    return failure();
  end.buildBody = [=, first = *first](OpBuilder &builder,
                                      ValueRange read) mutable {
    Value terms = widen(builder, loc, read[0]);
    return toElement(builder, loc,
                     op.combine(builder, result, first(builder, read), terms),
                     element);
  };
  scop.statements.push_back(std::move(end));
  return success();
}

LogicalResult GraphReader::readStatement(StatementOpInterface op) {
  bool isElementwise = op.getStatementKind() == StatementKind::elementwise;
  for (unsigned result = 0; result < op->getNumResults(); ++result)
    if (failed(isElementwise ? readStatementElements(op, result)
                             : readStatementReduction(op, result)))
      return failure();
  return success();
}
