// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of matrices, and of the windows of an image.

#include "GraphReader.h"
#include "ReadObstacles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

/// Indices [..., row, column] of a factor: leading dimensions broadcast.
static AffineMap getFactorMap(ArrayRef<int64_t> factor,
                              ArrayRef<int64_t> result, unsigned row,
                              unsigned column, MLIRContext *context) {
  SmallVector<AffineExpr> indices;
  unsigned skipped = result.size() - factor.size();
  for (unsigned i = 0; i + 2 < factor.size(); ++i)
    indices.push_back(factor[i] == 1 && result[i + skipped] != 1
                          ? getAffineConstantExpr(0, context)
                          : getAffineDimExpr(i + skipped, context));
  indices.push_back(getAffineDimExpr(row, context));
  indices.push_back(getAffineDimExpr(column, context));
  return AffineMap::get(result.size() + 1, 0, indices, context);
}

FailureOr<GraphReader::Factors>
GraphReader::getMatrixFactors(ContractionOpInterface op) {
  Value lhs = op.getFactor(0).get(), rhs = op.getFactor(1).get();
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  unsigned m = shape.size() - 2, n = m + 1, k = n + 1;
  bool transposesLhs = op.isTransposed(0), transposesRhs = op.isTransposed(1);
  FailureOr<ScopAccess> a =
      getAccess(lhs, getFactorMap(getShape(lhs), shape, transposesLhs ? k : m,
                                  transposesLhs ? m : k, context));
  FailureOr<ScopAccess> b =
      getAccess(rhs, getFactorMap(getShape(rhs), shape, transposesRhs ? n : k,
                                  transposesRhs ? k : n, context));
  if (failed(a) || failed(b))
    return failure();
  int64_t terms = getShape(lhs)[getShape(lhs).size() - (transposesLhs ? 2 : 1)];
  return Factors{*a, *b, {terms}};
}

/// Iterations [n, y..., o, k..., c] of the windows of an image: the element
/// y * stride + k * dilation - pad of each spatial dimension.
FailureOr<GraphReader::Factors>
GraphReader::getWindowFactors(ContractionOpInterface op) {
  Value src = op.getFactor(0).get();
  RowWindow window = *op.getRowWindow();
  ArrayRef<int64_t> image = getShape(src);
  unsigned spatial = window.kernel.size(), rank = spatial + 2;
  SmallVector<AffineExpr> indices{getAffineDimExpr(0, context)};
  AffineExpr term = getAffineConstantExpr(0, context);
  for (unsigned dim = 0; dim < spatial; ++dim) {
    AffineExpr y = getAffineDimExpr(1 + dim, context),
               k = getAffineDimExpr(rank + dim, context);
    indices.push_back(y * window.strides[dim] + k * window.dilations[dim] -
                      window.padsBegin[dim]);
    term = term * window.kernel[dim] + k;
  }
  AffineExpr channel = getAffineDimExpr(rank + spatial, context);
  indices.push_back(channel);
  AffineExpr column = getAffineDimExpr(rank - 1, context);
  unsigned count = rank + spatial + 1;
  FailureOr<ScopAccess> a =
      getAccess(src, AffineMap::get(count, 0, indices, context));
  FailureOr<ScopAccess> b = getAccess(
      op.getFactor(1).get(),
      AffineMap::get(count, 0, {term * image.back() + channel, column},
                     context));
  if (failed(a) || failed(b))
    return failure();
  a->hasPads = true;
  SmallVector<int64_t> terms(window.kernel);
  terms.push_back(image.back());
  return Factors{*a, *b, terms};
}

/// The access of a factor in iterations without the only term, which is the
/// dimension after `rank` others.
static ScopAccess dropTerm(ScopAccess access, unsigned rank,
                           MLIRContext *context) {
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(getAffineDimExpr(i, context));
  dims.push_back(getAffineConstantExpr(0, context));
  access.map = access.map.replaceDimsAndSymbols(dims, {}, rank, 0);
  return access;
}

/// The product of two numbers of f16 or i8, exactly, in f32.
static Value multiply(OpBuilder &builder, Location loc, ValueRange factors) {
  Type wide = builder.getF32Type();
  auto extend = [&](Value factor) -> Value {
    if (factor.getType().isInteger())
      return arith::SIToFPOp::create(builder, loc, wide, factor);
    return arith::ExtFOp::create(builder, loc, wide, factor);
  };
  Value x = extend(factors[0]), y = extend(factors[1]);
  return arith::MulFOp::create(builder, loc, x, y);
}

/// A sum of f32 in the element type of the result.
static Value convertSum(OpBuilder &builder, Location loc, Value sum,
                        Type type) {
  if (type.isInteger())
    return arith::FPToSIOp::create(builder, loc, type, sum);
  return narrow(builder, loc, sum, type);
}

LogicalResult GraphReader::readContraction(ContractionOpInterface op) {
  Operation *operation = op;
  Location loc = op.getLoc();
  Value lhs = op.getFactor(0).get();
  bool isOfWindows = op.makesRows() && op->getNumOperands() == 2;
  Value result = operation->getResult(0);
  Type element = getElementTypeOrSelf(lhs.getType());
  ArrayRef<int64_t> shape = getShape(result);
  unsigned rank = shape.size();
  FailureOr<Factors> factors =
      isOfWindows ? getWindowFactors(op) : getMatrixFactors(op);
  if (failed(factors))
    return failure();
  unsigned array = addArray(result);
  Type own = scop.arrays[array].element;
  bool isOfVectors = isProductOfVectors(op);
  Type wide = element.isF16() || isOfVectors ? Type(Float32Type::get(context))
                                             : IntegerType::get(context, 32);
  places[result] = {array, getIdentity(rank)};
  // A sum of one term is a product of two numbers.
  if (isOfVectors && factors->terms == ArrayRef<int64_t>(1)) {
    scop.statements.push_back(
        {SmallVector<int64_t>(shape),
         {dropTerm(factors->lhs, rank, context),
          dropTerm(factors->rhs, rank, context)},
         {array, getIdentity(rank)},
         [=](OpBuilder &builder, ValueRange read) {
           return convertSum(builder, loc, multiply(builder, loc, read), own);
         },
         loc});
    return success();
  }
  unsigned sum = array;
  if (own != wide)
    sum = addArray(result, wide);
  addInitialisation(loc, sum,
                    cast<TypedAttr>(Builder(context).getZeroAttr(wide)));
  SmallVector<AffineExpr> dims;
  for (unsigned i = 0; i < rank; ++i)
    dims.push_back(getAffineDimExpr(i, context));
  ScopAccess sums{
      sum, AffineMap::get(rank + factors->terms.size(), 0, dims, context)};
  ScopStatement update{SmallVector<int64_t>(shape),
                       {factors->lhs, factors->rhs, sums},
                       sums,
                       {},
                       loc};
  llvm::append_range(update.space, factors->terms);
  if (isOfVectors) {
    ScopAccess products{unsigned(scop.arrays.size()),
                        getIdentity(update.space.size())};
    scop.arrays.push_back({"T" + std::to_string(products.array), update.space,
                           wide, std::nullopt, std::nullopt});
    scop.statements.push_back({update.space,
                               {factors->lhs, factors->rhs},
                               products,
                               [=](OpBuilder &builder, ValueRange read) {
                                 return multiply(builder, loc, read);
                               },
                               loc});
    update.reads = {sums, products};
  }
  update.buildBody = [=](OpBuilder &builder, ValueRange read) -> Value {
    if (isOfVectors)
      return arith::AddFOp::create(builder, loc, read[0], read[1]);
    if (isa<IntegerType>(wide)) {
      Value x = arith::ExtSIOp::create(builder, loc, wide, read[0]);
      Value y = arith::ExtSIOp::create(builder, loc, wide, read[1]);
      Value product = arith::MulIOp::create(builder, loc, x, y);
      return arith::AddIOp::create(builder, loc, read[2], product);
    }
    return arith::AddFOp::create(builder, loc, read[2],
                                 multiply(builder, loc, read));
  };
  scop.statements.push_back(std::move(update));
  if (sum == array)
    return success();
  scop.statements.push_back({SmallVector<int64_t>(shape),
                             {{sum, getIdentity(rank)}},
                             {array, getIdentity(rank)},
                             [=](OpBuilder &builder, ValueRange read) {
                               return convertSum(builder, loc, read[0], own);
                             },
                             loc});
  return success();
}
