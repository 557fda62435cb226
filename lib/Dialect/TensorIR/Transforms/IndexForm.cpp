// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "IndexForm.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
// Atoms
//===----------------------------------------------------------------------===//

IndexAtom::IndexAtom(AffineExpr whole, unsigned numDims,
                     ValueRange mapOperands) {
  MLIRContext *context = whole.getContext();
  SmallVector<AffineExpr> dims(numDims), symbols(mapOperands.size() - numDims);
  // In the order in which the expression names them, so that equal expressions
  // are equal.
  whole.walk([&](AffineExpr inner) {
    unsigned position;
    AffineExpr *renamed;
    if (auto dim = dyn_cast<AffineDimExpr>(inner)) {
      position = dim.getPosition();
      renamed = &dims[position];
    } else if (auto symbol = dyn_cast<AffineSymbolExpr>(inner)) {
      position = numDims + symbol.getPosition();
      renamed = &symbols[symbol.getPosition()];
    } else {
      return;
    }
    if (*renamed)
      return;
    *renamed = getAffineDimExpr(operands.size(), context);
    operands.push_back(mapOperands[position]);
  });
  expr = whole.replaceDimsAndSymbols(dims, symbols);
}

bool IndexAtom::isSame(const IndexAtom &other) const {
  return expr == other.expr && operands.size() == other.operands.size() &&
         llvm::all_of(llvm::zip_equal(operands, other.operands), [](auto pair) {
           return isSameValue(std::get<0>(pair), std::get<1>(pair));
         });
}

std::optional<IndexRange> IndexAtom::getRange() const {
  return expr ? tir::getRange(expr, operands.size(), operands)
              : tir::getRange(operands[0]);
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

void IndexForm::addTerm(IndexAtom atom, int64_t factor) {
  for (Term &term : terms)
    if (term.atom.isSame(atom)) {
      term.factor += factor;
      llvm::erase_if(terms, [](const Term &t) { return t.factor == 0; });
      return;
    }
  if (factor != 0)
    terms.push_back({std::move(atom), factor});
}

void IndexForm::add(Value index, int64_t factor) {
  APInt value;
  if (auto apply = index.getDefiningOp<affine::AffineApplyOp>())
    return add(apply.getAffineMap().getResult(0),
               apply.getAffineMap().getNumDims(), apply.getMapOperands(),
               factor);
  if (matchPattern(index, m_ConstantInt(&value)) &&
      value.getSignificantBits() <= 62)
    constant += value.getSExtValue() * factor;
  else
    addTerm(IndexAtom(index), factor);
}

void IndexForm::add(AffineExpr expr, unsigned numDims, ValueRange operands,
                    int64_t factor) {
  auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
  switch (expr.getKind()) {
  case AffineExprKind::Constant:
    constant += cast<AffineConstantExpr>(expr).getValue() * factor;
    return;
  case AffineExprKind::DimId:
    return add(operands[cast<AffineDimExpr>(expr).getPosition()], factor);
  case AffineExprKind::SymbolId:
    return add(operands[numDims + cast<AffineSymbolExpr>(expr).getPosition()],
               factor);
  case AffineExprKind::Add:
    add(binary.getLHS(), numDims, operands, factor);
    return add(binary.getRHS(), numDims, operands, factor);
  case AffineExprKind::Mul:
    // Constants stand on the right.
    if (auto scale = dyn_cast<AffineConstantExpr>(binary.getRHS()))
      return add(binary.getLHS(), numDims, operands, factor * scale.getValue());
    break;
  default:
    break;
  }
  addTerm(IndexAtom(expr, numDims, operands), factor);
}

std::optional<IndexRange> IndexForm::getRange() const {
  IndexRange sum{constant, constant};
  for (const Term &term : terms) {
    std::optional<IndexRange> range = term.atom.getRange();
    int64_t from, to;
    if (!range || llvm::MulOverflow(range->min, term.factor, from) ||
        llvm::MulOverflow(range->max, term.factor, to) ||
        llvm::AddOverflow(sum.min, std::min(from, to), sum.min) ||
        llvm::AddOverflow(sum.max, std::max(from, to), sum.max))
      return std::nullopt;
  }
  return sum;
}

bool IndexForm::hasSameTerms(const IndexForm &other) const {
  return terms.size() == other.terms.size() &&
         llvm::all_of(terms, [&](const Term &term) {
           return llvm::any_of(other.terms, [&](const Term &candidate) {
             return candidate.factor == term.factor &&
                    candidate.atom.isSame(term.atom);
           });
         });
}

Value IndexForm::materialize(OpBuilder &builder, Location loc) const {
  if (terms.empty())
    return arith::ConstantIndexOp::create(builder, loc, constant);
  if (terms.size() == 1 && terms[0].factor == 1 && constant == 0)
    if (Value value = terms[0].atom.getValue())
      return value;
  MLIRContext *context = builder.getContext();
  AffineExpr sum = getAffineConstantExpr(constant, context);
  SmallVector<Value> operands;
  for (const Term &term : terms) {
    AffineExpr atom = getAffineDimExpr(operands.size(), context);
    if (term.atom.expr)
      atom =
          term.atom.expr.shiftDims(term.atom.operands.size(), operands.size());
    sum = sum + atom * term.factor;
    llvm::append_range(operands, term.atom.operands);
  }
  return affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(operands.size(), 0, sum), operands);
}

} // namespace gc::tir
