// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Linear forms of indices, and boxes of views.

#include "DoubleBufferBox.h"
#include "Dialect/Npu/IR/NpuOps.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  if (expr.getKind() == AffineExprKind::Mul && right->terms.empty()) {
    form.add(*left, right->constant);
    return form;
  }
  if (expr.getKind() != AffineExprKind::FloorDiv || !right->terms.empty() ||
      right->constant <= 0)
    return std::nullopt;
  int64_t by = right->constant;
  auto isMultiple = [&](int64_t factor) { return factor % by == 0; };
  if (!isMultiple(left->constant) ||
      !llvm::all_of(llvm::make_second_range(left->terms), isMultiple))
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
  if (auto sum = value.getDefiningOp<arith::AddIOp>()) {
    addValue(sum.getLhs(), factor);
    addValue(sum.getRhs(), factor);
    return;
  }
  if (auto difference = value.getDefiningOp<arith::SubIOp>()) {
    addValue(difference.getLhs(), factor);
    addValue(difference.getRhs(), -factor);
    return;
  }
  if (auto product = value.getDefiningOp<arith::MulIOp>()) {
    Value left = product.getLhs(), right = product.getRhs();
    if (getConstantIntValue(left))
      std::swap(left, right);
    if (std::optional<int64_t> by = getConstantIntValue(right)) {
      addValue(left, factor * *by);
      return;
    }
  }
  addTerm(value, factor);
}

/// The values of factor * term, the induction variable of a loop inside.
static std::optional<IndexForm::Range> getInnerRange(Value value,
                                                     int64_t factor) {
  auto loop = scf::getForInductionVarOwner(value);
  if (!loop || !getConstantIntValue(loop.getStep()))
    return std::nullopt;
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->getActiveBits() > 31)
    return std::nullopt;
  int64_t last = std::max<int64_t>(trips->getSExtValue() - 1, 0) * factor;
  return IndexForm::Range{std::min<int64_t>(last, 0),
                          std::max<int64_t>(last, 0)};
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
      std::optional<Range> inner = getInnerRange(value, sign * factor);
      if (!inner)
        return std::nullopt;
      range.min += inner->min;
      range.max += inner->max;
    }
  if (!common.terms.empty())
    return std::nullopt;
  return range;
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
    source = op.getBuffer();
  }
  if (auto alloc = source.getDefiningOp<AllocOp>()) {
    slots = alloc.getSlots();
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
    // A view of any kind lies within what it is a view of, except one that
    // makes up its own strides.
    if (isa<memref::ReinterpretCastOp>(view))
      dimensions.clear();
    mapping.reset();
    return;
  }
  llvm::SmallBitVector dropped = part.getDroppedDims();
  SmallVector<unsigned, 4> kept;
  for (auto [i, dimension] : llvm::enumerate(*mapping)) {
    dimensions[dimension].offset += IndexForm(part.getMixedOffsets()[i]);
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
  if (slot && other.slot) {
    auto distance = slot->getDistance(*other.slot, loop, shift);
    if (distance && distance->min == distance->max &&
        distance->min % slots != 0)
      return true;
  }
  if (dimensions.size() != other.dimensions.size())
    return false;
  for (auto [a, b] : llvm::zip(dimensions, other.dimensions)) {
    auto distance = a.offset.getDistance(b.offset, loop, shift);
    if (distance && (distance->min >= b.size || distance->max <= -a.size))
      return true;
  }
  return false;
}

} // namespace gc::npu
