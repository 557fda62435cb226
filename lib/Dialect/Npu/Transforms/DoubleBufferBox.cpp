// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Linear forms of indices, and boxes of views.

#include "DoubleBufferBox.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace gc::npu {

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

IndexForm::IndexForm(OpFoldResult index) {
  if (std::optional<int64_t> value = getConstantIntValue(index))
    constant = *value;
  else
    addValue(cast<Value>(index), 1);
}

void IndexForm::addTerm(Value value, int64_t factor) {
  for (Term &term : terms)
    if (term.first == value) {
      term.second += factor;
      llvm::erase_if(terms, [](const Term &t) { return t.second == 0; });
      return;
    }
  if (factor)
    terms.push_back({value, factor});
}

void IndexForm::add(const IndexForm &other, int64_t factor) {
  constant += other.constant * factor;
  for (auto [value, multiple] : other.terms)
    addTerm(value, multiple * factor);
  for (const Remainder &part : other.remainders)
    if (factor)
      remainders.push_back({part.form, part.modulus, part.factor * factor});
}

void IndexForm::reduce(int64_t number) {
  std::vector<Remainder> parts;
  std::swap(parts, remainders);
  for (const Remainder &part : parts)
    if (part.modulus % number == 0)
      add(*part.form, part.factor);
    else
      remainders.push_back(part);
}

bool IndexForm::isMultipleOf(int64_t number) const {
  return constant % number == 0 && remainders.empty() &&
         llvm::all_of(terms, [&](const Term &term) {
           return term.second % number == 0;
         });
}

IndexForm IndexForm::getRemainder(int64_t modulus) const {
  IndexForm result;
  if (!isMultipleOf(modulus))
    result.remainders.push_back(
        {std::make_shared<IndexForm>(*this), modulus, 1});
  return result;
}

std::optional<IndexForm> IndexForm::evaluate(AffineExpr expr, unsigned numDims,
                                             ValueRange operands) {
  IndexForm form;
  if (auto value = dyn_cast<AffineConstantExpr>(expr)) {
    form.constant = value.getValue();
    return form;
  }
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return IndexForm(OpFoldResult(operands[dim.getPosition()]));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return IndexForm(OpFoldResult(operands[numDims + symbol.getPosition()]));
  auto binary = cast<AffineBinaryOpExpr>(expr);
  std::optional<IndexForm> left = evaluate(binary.getLHS(), numDims, operands),
                           right = evaluate(binary.getRHS(), numDims, operands);
  if (!left || !right)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Add) {
    *left += *right;
    return left;
  }
  if (!right->terms.empty() || !right->remainders.empty())
    return std::nullopt;
  int64_t by = right->constant;
  if (expr.getKind() == AffineExprKind::Mul) {
    form.add(*left, by);
    return form;
  }
  if (by <= 0)
    return std::nullopt;
  if (expr.getKind() == AffineExprKind::Mod)
    return left->getRemainder(by);
  if (expr.getKind() != AffineExprKind::FloorDiv || !left->isMultipleOf(by))
    return std::nullopt;
  left->constant /= by;
  for (Term &term : left->terms)
    term.second /= by;
  return left;
}

void IndexForm::addValue(Value value, int64_t factor) {
  if (std::optional<int64_t> number = getConstantIntValue(value)) {
    constant += *number * factor;
    return;
  }
  if (auto loop = scf::getForInductionVarOwner(value)) {
    std::optional<int64_t> step = getConstantIntValue(loop.getStep());
    if (step) {
      addValue(loop.getLowerBound(), factor);
      addTerm(value, factor * *step);
      return;
    }
  }
  if (auto apply = value.getDefiningOp<affine::AffineApplyOp>()) {
    AffineMap map = apply.getAffineMap();
    if (auto form =
            evaluate(map.getResult(0), map.getNumDims(), apply.getOperands())) {
      add(*form, factor);
      return;
    }
  }
  addTerm(value, factor);
}

/// The least and the greatest value of factor * term, the induction variable of
/// a loop inside.
static std::optional<std::pair<int64_t, int64_t>>
getInnerRange(Value value, int64_t factor) {
  auto loop = scf::getForInductionVarOwner(value);
  if (!loop || !getConstantIntValue(loop.getStep()))
    return std::nullopt;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 31)
    return std::nullopt;
  int64_t last = std::max<int64_t>(trips->getSExtValue() - 1, 0) * factor;
  return std::minmax<int64_t>({last, 0});
}

std::optional<IndexForm::Range> IndexForm::getDistance(const IndexForm &other,
                                                       scf::ForOp loop,
                                                       int64_t shift) const {
  Range range{constant - other.constant, constant - other.constant};
  IndexForm common;
  for (auto [form, sign] : {std::pair(this, 1), std::pair(&other, -1)})
    for (auto [value, factor] : form->terms) {
      bool isOwn = value == loop.getInductionVar();
      if (isOwn && shift && !getConstantIntValue(loop.getStep()))
        return std::nullopt;
      if (isOwn || loop.isDefinedOutsideOfLoop(value)) {
        common.addTerm(value, sign * factor);
        if (isOwn && sign == 1) {
          range.min += factor * shift;
          range.max += factor * shift;
        }
        continue;
      }
      auto inner = getInnerRange(value, sign * factor);
      if (!inner)
        return std::nullopt;
      range.min += inner->first;
      range.max += inner->second;
    }
  if (!common.terms.empty())
    return std::nullopt;
  return range;
}

bool IndexForm::isApart(const IndexForm &other, int64_t size, int64_t otherSize,
                        scf::ForOp loop, int64_t shift) const {
  std::optional<Range> range = getDistance(other, loop, shift);
  if (!range || remainders.size() != other.remainders.size() ||
      remainders.size() > 1)
    return false;
  auto areApart = [&](int64_t more) {
    return range->min + more >= otherSize || range->max + more <= -size;
  };
  if (remainders.empty())
    return areApart(0);
  const Remainder &a = remainders.front(), &b = other.remainders.front();
  if (a.modulus != b.modulus || a.factor != b.factor ||
      !a.form->remainders.empty() || !b.form->remainders.empty())
    return false;
  std::optional<Range> inner = a.form->getDistance(*b.form, loop, shift);
  if (!inner || inner->min != inner->max)
    return false;
  // The remainders are that far apart, in one order or the other.
  int64_t up = (inner->min % a.modulus + a.modulus) % a.modulus;
  return areApart(up * a.factor) &&
         (up == 0 || areApart((up - a.modulus) * a.factor));
}

bool IndexForm::isOther(const IndexForm &other, int64_t number, scf::ForOp loop,
                        int64_t shift) const {
  if (!remainders.empty() || !other.remainders.empty())
    return false;
  std::optional<Range> range = getDistance(other, loop, shift);
  return range && range->min == range->max && range->min % number != 0;
}

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

BufferBox::BufferBox(Value memref) {
  SmallVector<Operation *> views;
  Value source = memref;
  while (Operation *op = source.getDefiningOp()) {
    auto view = dyn_cast<ViewLikeOpInterface>(op);
    if (!view)
      break;
    views.push_back(op);
    source = view.getViewSource();
  }
  auto type = dyn_cast<MemRefType>(source.getType());
  if (type) {
    mapping.emplace();
    for (auto [i, size] : llvm::enumerate(type.getShape())) {
      dimensions.push_back(
          {IndexForm(), ShapedType::isDynamic(size)
                            ? std::numeric_limits<int64_t>::max()
                            : size});
      mapping->push_back(i);
    }
  }
  if (auto op = source.getDefiningOp<SlotOp>()) {
    slot.emplace(OpFoldResult(op.getIndex()));
    slotIndex = op.getIndex();
    source = op.getBuffer();
  }
  if (auto alloc = source.getDefiningOp<AllocOp>()) {
    slots = alloc.getSlots();
    if (slot)
      slot->reduce(slots);
    root = source;
  } else if (auto argument = dyn_cast<BlockArgument>(source)) {
    if (argument.getOwner()->isEntryBlock() &&
        isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
      root = source;
  }
  for (Operation *view : llvm::reverse(views))
    addView(view);
}

void BufferBox::addView(Operation *view) {
  if (isa<memref::CastOp>(view) || !mapping)
    return;
  auto part = dyn_cast<memref::SubViewOp>(view);
  bool isPlain =
      part && llvm::all_of(part.getMixedStrides(), [](OpFoldResult stride) {
        return getConstantIntValue(stride) == 1;
      });
  if (!isPlain) {
    // A view of any kind is within what it is a view of, except one with its
    // own strides.
    if (isa<memref::ReinterpretCastOp>(view)) {
      dimensions.clear();
      offsets.clear();
    }
    mapping.reset();
    return;
  }
  llvm::SmallBitVector dropped = part.getDroppedDims();
  SmallVector<unsigned, 4> kept;
  for (auto [i, dimension] : llvm::enumerate(*mapping)) {
    dimensions[dimension].offset += IndexForm(part.getMixedOffsets()[i]);
    offsets.push_back({dimension, part.getMixedOffsets()[i]});
    if (auto size = getConstantIntValue(part.getMixedSizes()[i]))
      dimensions[dimension].size = *size;
    if (!dropped.test(i))
      kept.push_back(dimension);
  }
  mapping = kept;
}

bool BufferBox::isApartFrom(const BufferBox &other, scf::ForOp loop,
                            int64_t shift) const {
  if (!root || !other.root)
    return false;
  if (root != other.root)
    return true;
  if (slot && other.slot && slot->isOther(*other.slot, slots, loop, shift))
    return true;
  if (dimensions.size() != other.dimensions.size())
    return false;
  return llvm::any_of(llvm::zip(dimensions, other.dimensions), [&](auto pair) {
    auto &[a, b] = pair;
    return a.offset.isApart(b.offset, a.size, b.size, loop, shift);
  });
}

} // namespace gc::npu
