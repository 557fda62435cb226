// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexForm.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::tir {

bool isSameValue(Value a, Value b) {
  if (a == b)
    return true;
  auto left = dyn_cast<OpResult>(a), right = dyn_cast<OpResult>(b);
  if (!left || !right || left.getResultNumber() != right.getResultNumber())
    return false;
  Operation *x = left.getOwner(), *y = right.getOwner();
  return x->getName() == y->getName() && x->getNumRegions() == 0 &&
         x->getAttrDictionary() == y->getAttrDictionary() && isPure(x) &&
         x->getResultTypes() == y->getResultTypes() &&
         x->getNumOperands() == y->getNumOperands() &&
         llvm::all_of(
             llvm::zip(x->getOperands(), y->getOperands()), [](auto pair) {
               return isSameValue(std::get<0>(pair), std::get<1>(pair));
             });
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

using Range = std::optional<IndexRange>;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 62)
    return std::nullopt;
  return constant.getSExtValue();
}

static Range add(Range a, Range b) {
  IndexRange sum;
  if (!a || !b || llvm::AddOverflow(a->min, b->min, sum.min) ||
      llvm::AddOverflow(a->max, b->max, sum.max))
    return {};
  return sum;
}

static Range multiply(Range a, int64_t factor) {
  IndexRange product;
  if (!a || llvm::MulOverflow(a->min, factor, product.min) ||
      llvm::MulOverflow(a->max, factor, product.max))
    return {};
  if (factor < 0)
    std::swap(product.min, product.max);
  return product;
}

static Range getArgumentRange(BlockArgument argument) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto parallel = dyn_cast<ParallelOp>(parent))
    return IndexRange{0, parallel.getSizes()[argument.getArgNumber()] - 1};
  auto loop = dyn_cast<scf::ForOp>(parent);
  if (!loop || argument != loop.getInductionVar())
    return {};
  Range lower = getRange(loop.getLowerBound());
  Range upper = getRange(loop.getUpperBound());
  if (!lower || !upper)
    return {};
  // A loop that does not run has an empty range, which any range contains.
  int64_t last = std::max(lower->min, upper->max - 1);
  std::optional<int64_t> step = getConstant(loop.getStep());
  if (step && *step > 0 && lower->min == lower->max)
    last -= (last - lower->min) % *step;
  return IndexRange{lower->min, last};
}

Range getRange(Value index) {
  if (std::optional<int64_t> constant = getConstant(index))
    return IndexRange{*constant, *constant};
  if (auto argument = dyn_cast<BlockArgument>(index))
    return getArgumentRange(argument);
  Operation *op = index.getDefiningOp();
  auto operand = [&](unsigned i) { return getRange(op->getOperand(i)); };
  if (isa<arith::AddIOp>(op))
    return add(operand(0), operand(1));
  if (isa<arith::SubIOp>(op))
    return add(operand(0), multiply(operand(1), -1));
  if (isa<arith::IndexCastOp>(op))
    return operand(0);
  if (isa<arith::MulIOp>(op)) {
    Range a = operand(0), b = operand(1);
    if (!a || !b || a->min < 0 || b->min < 0)
      return {};
    IndexRange product;
    if (llvm::MulOverflow(a->min, b->min, product.min) ||
        llvm::MulOverflow(a->max, b->max, product.max))
      return {};
    return product;
  }
  if (isa<arith::DivUIOp, arith::RemUIOp>(op)) {
    Range a = operand(0);
    std::optional<int64_t> by = getConstant(op->getOperand(1));
    if (!by || *by < 1)
      return {};
    bool isKnown = a && a->min >= 0;
    if (isa<arith::RemUIOp>(op))
      return IndexRange{0, isKnown ? std::min(a->max, *by - 1) : *by - 1};
    if (!isKnown)
      return {};
    return IndexRange{a->min / *by, a->max / *by};
  }
  if (isa<arith::MinUIOp, arith::MinSIOp>(op)) {
    Range a = operand(0), b = operand(1);
    if (!a || !b || a->min < 0 || b->min < 0)
      return {};
    return IndexRange{std::min(a->min, b->min), std::min(a->max, b->max)};
  }
  if (isa<arith::MaxUIOp, arith::MaxSIOp>(op)) {
    Range a = operand(0), b = operand(1);
    if (!a || !b || a->min < 0 || b->min < 0)
      return {};
    return IndexRange{std::max(a->min, b->min), std::max(a->max, b->max)};
  }
  if (isa<arith::SelectOp>(op)) {
    Range a = operand(1), b = operand(2);
    if (!a || !b)
      return {};
    return IndexRange{std::min(a->min, b->min), std::max(a->max, b->max)};
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void IndexForm::add(Value index, int64_t factor) {
  if (std::optional<int64_t> value = getConstant(index)) {
    constant += *value * factor;
    return;
  }
  if (auto sum = index.getDefiningOp<arith::AddIOp>()) {
    add(sum.getLhs(), factor);
    add(sum.getRhs(), factor);
    return;
  }
  if (auto difference = index.getDefiningOp<arith::SubIOp>()) {
    add(difference.getLhs(), factor);
    add(difference.getRhs(), -factor);
    return;
  }
  if (auto product = index.getDefiningOp<arith::MulIOp>()) {
    Value left = product.getLhs(), right = product.getRhs();
    if (getConstant(left))
      std::swap(left, right);
    if (std::optional<int64_t> value = getConstant(right)) {
      add(left, factor * *value);
      return;
    }
  }
  for (Term &term : terms)
    if (isSameValue(term.first, index)) {
      term.second += factor;
      llvm::erase_if(terms, [](const Term &t) { return t.second == 0; });
      return;
    }
  terms.push_back({index, factor});
}

Range IndexForm::getRange() const {
  Range range = IndexRange{constant, constant};
  for (auto [value, factor] : terms)
    range = tir::add(range, multiply(tir::getRange(value), factor));
  return range;
}

bool IndexForm::hasSameTerms(const IndexForm &other) const {
  return terms.size() == other.terms.size() &&
         llvm::all_of(terms, [&](const Term &term) {
           return llvm::any_of(other.terms, [&](const Term &candidate) {
             return candidate.second == term.second &&
                    isSameValue(candidate.first, term.first);
           });
         });
}

Value IndexForm::materialize(OpBuilder &builder, Location loc) const {
  Value sum;
  auto addValue = [&](Value value) {
    sum = sum ? builder.createOrFold<arith::AddIOp>(loc, sum, value) : value;
  };
  auto makeConstant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  for (auto [value, factor] : terms)
    addValue(factor == 1 ? value
                         : arith::MulIOp::create(builder, loc, value,
                                                 makeConstant(factor)));
  if (constant != 0 || !sum)
    addValue(makeConstant(constant));
  return sum;
}

} // namespace gc::tir
