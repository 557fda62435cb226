// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TestGraph.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/DialectRegistry.h"

#include "TestGraphDialect.h.inc"
#define GET_OP_CLASSES
#include "TestGraphOps.h.inc"

using namespace mlir;
using namespace gc::graph;
using namespace gc::test;

#include "TestGraphDialect.cpp.inc"
#define GET_OP_CLASSES
#include "TestGraphOps.cpp.inc"

void TestGraphDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "TestGraphOps.cpp.inc"
      >();
}

static Value makeConstant(OpBuilder &builder, Location loc, Type type,
                          double value) {
  TypedAttr scalar = builder.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<ShapedType>(type))
    scalar = DenseElementsAttr::get(vector, Attribute(scalar));
  return arith::ConstantOp::create(builder, loc, scalar);
}

SmallVector<Value> SplitSignOp::buildBody(OpBuilder &builder, Location loc,
                                          ValueRange x) {
  Value zero = makeConstant(builder, loc, x[0].getType(), 0);
  return {arith::MaximumFOp::create(builder, loc, x[0], zero),
          arith::MinimumFOp::create(builder, loc, x[0], zero)};
}

SmallVector<Value> WithTransposeOp::buildBody(OpBuilder &builder, Location loc,
                                              ValueRange x) {
  Type type = x[0].getType();
  return {arith::MulFOp::create(builder, loc, x[0],
                                makeConstant(builder, loc, type, 2)),
          arith::MulFOp::create(builder, loc, x[0],
                                makeConstant(builder, loc, type, 3))};
}

SmallVector<int64_t> WithTransposeOp::getIterationSpace() {
  return SmallVector<int64_t>(getSrc().getType().getShape());
}

AffineMap WithTransposeOp::getResultMap(unsigned result) {
  return result == 0 ? AffineMap::getPermutationMap(ArrayRef<unsigned>{1, 0},
                                                    getContext())
                     : AffineMap::getMultiDimIdentityMap(2, getContext());
}

FusibleKind ReduceTwiceOp::getFusibleKind() { return FusibleKind::reduction; }
SmallVector<Value> ReduceTwiceOp::buildBody(OpBuilder &, Location, ValueRange) {
  return {};
}

void gc::test::registerTestGraphDialect(DialectRegistry &registry) {
  registry.insert<TestGraphDialect>();
}
