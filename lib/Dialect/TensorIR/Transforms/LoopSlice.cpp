// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopSlice.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Whether a value does not change during one iteration of the loop.
bool isInvariant(Value value, Operation *loop) {
  Operation *owner = value.getParentBlock()->getParentOp();
  if (isa<BlockArgument>(value))
    return !loop->isProperAncestor(owner);
  Operation *op = value.getDefiningOp();
  if (!loop->isAncestor(owner))
    return true;
  return op->getNumRegions() == 0 && isPure(op) &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           return isInvariant(operand, loop);
         });
}

bool isInvariant(const IndexAtom &atom, Operation *loop) {
  return llvm::all_of(
      atom.operands, [&](Value operand) { return isInvariant(operand, loop); });
}

/// Whether a value is computed from another by arithmetic.
bool dependsOn(Value value, Value source) {
  if (value == source)
    return true;
  Operation *op = value.getDefiningOp();
  return op && (op->getNumRegions() ||
                llvm::any_of(op->getOperands(), [&](Value operand) {
                  return dependsOn(operand, source);
                }));
}

bool dependsOn(const IndexAtom &atom, Value source) {
  return llvm::any_of(
      atom.operands, [&](Value operand) { return dependsOn(operand, source); });
}

/// The least distance of two values of a loop index.
int64_t getStep(Value index) {
  auto loop = dyn_cast<scf::ForOp>(index.getParentBlock()->getParentOp());
  int64_t step =
      loop ? getConstantIntValue(loop.getStep()).value_or(1) : int64_t(1);
  return std::max<int64_t>(1, step);
}

/// Adds to `known` the loop indices that are equal in any two iterations whose
/// slices meet in this dimension.
void addSeparated(const IndexForm &base, int64_t extent,
                  ArrayRef<Value> indices, SmallPtrSetImpl<Value> &known) {
  SmallVector<IndexForm::Term> own;
  for (const IndexForm::Term &term : base.terms) {
    bool isOpen = llvm::any_of(indices, [&](Value index) {
      return !known.contains(index) && dependsOn(term.atom, index);
    });
    if (!isOpen)
      continue;
    if (!llvm::is_contained(indices, term.atom.getValue()))
      return;
    own.push_back(term);
  }
  // Digits of a number: each steps by at least what the finer ones span.
  auto getUnit = [](const IndexForm::Term &term) {
    return term.factor * getStep(term.atom.getValue());
  };
  llvm::sort(own, [&](const IndexForm::Term &a, const IndexForm::Term &b) {
    return getUnit(a) < getUnit(b);
  });
  int64_t span = extent;
  for (const IndexForm::Term &term : own) {
    std::optional<IndexRange> range = term.atom.getRange();
    int64_t width;
    if (getUnit(term) < span || !range ||
        llvm::MulOverflow(term.factor, range->max - range->min, width) ||
        llvm::AddOverflow(span, width, span))
      return;
  }
  for (const IndexForm::Term &term : own)
    known.insert(term.atom.getValue());
}

} // namespace

SmallVector<Operation *> getLoops(Operation *op) {
  SmallVector<Operation *> loops;
  for (Operation *parent = op->getParentOp(); parent;
       parent = parent->getParentOp()) {
    if (isa<scf::ForOp, ParallelOp>(parent))
      loops.push_back(parent);
    else if (!isa<scf::IfOp>(parent))
      return {};
    if (isa<ParallelOp>(parent))
      return loops;
  }
  return {};
}

Slice getSlice(ArrayRef<BufferAccess> accesses, ArrayRef<int64_t> sizes,
               Operation *loop) {
  Slice slice;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    std::optional<IndexForm> base;
    IndexRange range{std::numeric_limits<int64_t>::max(), 0};
    bool isKnown = true;
    for (const BufferAccess &access : accesses) {
      IndexForm outer, inner;
      inner.constant = access.starts[dim].constant;
      for (const IndexForm::Term &term : access.starts[dim].terms)
        (isInvariant(term.atom, loop) ? outer : inner).terms.push_back(term);
      std::optional<IndexRange> reach = inner.getRange();
      isKnown &= reach && (!base || base->hasSameTerms(outer));
      if (!isKnown)
        break;
      base = outer;
      range.min = std::min(range.min, reach->min);
      range.max = std::max(range.max, reach->max + access.extents[dim]);
    }
    int64_t extent = range.max - range.min;
    if (!isKnown || extent >= size) {
      slice.bases.emplace_back();
      slice.shape.push_back(size);
    } else {
      base->constant = range.min;
      slice.bases.push_back(*base);
      slice.shape.push_back(extent);
    }
    slice.elements *= slice.shape.back();
  }
  return slice;
}

bool areSeparate(const Slice &slice, Operation *loop, bool withParallel) {
  SmallVector<Value> indices;
  for (; !isa<ParallelOp>(loop); loop = loop->getParentOp())
    if (auto sequential = dyn_cast<scf::ForOp>(loop))
      indices.push_back(sequential.getInductionVar());
  if (withParallel)
    for (auto [index, size] :
         llvm::zip_equal(cast<ParallelOp>(loop).getBody().getArguments(),
                         cast<ParallelOp>(loop).getSizes()))
      if (size > 1)
        indices.push_back(index);
  llvm::SmallPtrSet<Value, 8> known;
  for (size_t before = ~size_t(0); before != known.size();) {
    before = known.size();
    for (auto [base, extent] : llvm::zip_equal(slice.bases, slice.shape))
      addSeparated(base, extent, indices, known);
  }
  return known.size() == indices.size();
}

} // namespace gc::tir
