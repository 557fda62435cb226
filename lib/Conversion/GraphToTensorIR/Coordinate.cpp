// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Coordinate.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;

namespace gc {

Coord Coord::operator+(const Coord &other) const {
  Coord sum = *this;
  sum.constant += other.constant;
  llvm::append_range(sum.terms, other.terms);
  return sum;
}

Coord Coord::operator*(int64_t factor) const {
  Coord product = *this;
  product.constant *= factor;
  for (Term &term : product.terms)
    term.stride *= factor;
  return product;
}

int64_t Coord::getMin() const {
  int64_t min = constant;
  for (const Term &term : terms)
    min += std::min<int64_t>(term.stride, 0) * (term.extent - 1);
  return min;
}

int64_t Coord::getMax() const {
  int64_t max = constant;
  for (const Term &term : terms)
    max += std::max<int64_t>(term.stride, 0) * (term.extent - 1);
  return max;
}

std::optional<int64_t> Coord::getDistance(const Coord &from) const {
  auto isSame = [](const Term &a, const Term &b) {
    return a.index == b.index && a.stride == b.stride;
  };
  if (terms.size() != from.terms.size() ||
      !std::equal(terms.begin(), terms.end(), from.terms.begin(), isSame))
    return std::nullopt;
  return constant - from.constant;
}

int64_t Coord::getAlignment() const {
  int64_t alignment = constant;
  for (const Term &term : terms)
    alignment = std::gcd(alignment, term.stride);
  return alignment;
}

AffineExpr Coord::getExpr(MLIRContext *context, unsigned firstDim) const {
  AffineExpr sum = getAffineConstantExpr(constant, context);
  for (auto [i, term] : llvm::enumerate(terms))
    sum = sum + getAffineDimExpr(firstDim + i, context) * term.stride;
  return sum;
}

Value Coord::apply(OpBuilder &builder, Location loc, AffineExpr expr) const {
  SmallVector<Value, 4> operands;
  for (const Term &term : terms)
    operands.push_back(term.index);
  return affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(operands.size(), 0, expr), operands);
}

Value Coord::materialize(OpBuilder &builder, Location loc) const {
  if (terms.empty())
    return arith::ConstantIndexOp::create(builder, loc, constant);
  if (terms.size() == 1 && terms[0].stride == 1 && constant == 0)
    return terms[0].index;
  return apply(builder, loc, getExpr(builder.getContext()));
}

template <typename ExtremeOp>
Value Coord::materializeExtreme(OpBuilder &builder, Location loc,
                                ArrayRef<Coord> coords) {
  SmallVector<AffineExpr> exprs;
  SmallVector<Value, 4> operands;
  for (const Coord &coord : coords) {
    exprs.push_back(coord.getExpr(builder.getContext(), operands.size()));
    for (const Term &term : coord.terms)
      operands.push_back(term.index);
  }
  return ExtremeOp::create(
      builder, loc,
      AffineMap::get(operands.size(), 0, exprs, builder.getContext()),
      operands);
}

Value Coord::materializeMin(OpBuilder &builder, Location loc,
                            ArrayRef<Coord> coords) {
  return materializeExtreme<affine::AffineMinOp>(builder, loc, coords);
}

Value Coord::materializeMax(OpBuilder &builder, Location loc,
                            ArrayRef<Coord> coords) {
  return materializeExtreme<affine::AffineMaxOp>(builder, loc, coords);
}

std::pair<Coord, Coord> Coord::divmod(OpBuilder &builder, Location loc,
                                      int64_t block) const {
  Coord quotient(constant / block), remainder(constant % block);
  for (const Term &term : terms) {
    if (term.stride % block == 0)
      quotient.terms.push_back({term.index, term.stride / block, term.extent});
    else
      remainder.terms.push_back(term);
  }
  int64_t max = remainder.getMax();
  if (max < block)
    return {quotient, remainder};
  // Terms that count parts of a block, when the others stay within one part:
  // only the number of the part is divided.
  llvm::sort(remainder.terms,
             [](const Term &a, const Term &b) { return a.stride < b.stride; });
  for (size_t split = remainder.terms.size(); split-- > 0;) {
    Coord fine(remainder.constant), number;
    llvm::append_range(fine.terms, ArrayRef(remainder.terms).take_front(split));
    ArrayRef<Term> coarse = ArrayRef(remainder.terms).drop_front(split);
    int64_t part = block;
    for (const Term &term : coarse)
      part = std::gcd(part, term.stride);
    if (part == 1 || fine.getMax() >= part)
      continue;
    for (const Term &term : coarse)
      number.terms.push_back({term.index, term.stride / part, term.extent});
    auto [q, r] = number.divide(builder, loc, block / part);
    return {quotient + q, r * part + fine};
  }
  auto [q, r] = remainder.divide(builder, loc, block);
  return {quotient + q, r};
}

std::optional<std::pair<Coord, int64_t>>
Coord::divideExactly(int64_t divisor) const {
  Coord quotient(llvm::divideFloorSigned(constant, divisor));
  for (const Term &term : terms) {
    if (term.stride % divisor != 0)
      return std::nullopt;
    quotient.terms.push_back({term.index, term.stride / divisor, term.extent});
  }
  return std::pair(quotient, llvm::mod(constant, divisor));
}

std::pair<Coord, Coord> Coord::divide(OpBuilder &builder, Location loc,
                                      int64_t divisor) const {
  AffineExpr value = getExpr(builder.getContext());
  return {Coord(apply(builder, loc, value.floorDiv(divisor)), 1,
                getMax() / divisor + 1),
          Coord(apply(builder, loc, value % divisor), 1, divisor)};
}

} // namespace gc
