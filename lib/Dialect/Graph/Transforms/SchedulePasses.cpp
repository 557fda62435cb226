// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Along which dimensions vectors lie in the passes of a region with a tunable
// op, and in which order these go over rows that they reduce: those at its
// post-op anchors, and those that copy slices of its operands.

#include "Dialect/Graph/IR/GraphTypes.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Schedule.h"
#include "llvm/ADT/SetVector.h"

#include <map>

using namespace mlir;

namespace gc::graph {

namespace {
using AnchorDims = ScheduleAttr::AnchorDims;

class TemplatePasses {
public:
  TemplatePasses(FusedOp fused, const RegionSpace &space,
                 const ScheduleContext &context)
      : fused(fused), tunable(fused.getTunableOp()), space(space),
        context(context) {}

  AnchorPasses choose() {
    for (unsigned i = 0; i < tunable->getNumOperands(); ++i)
      chooseOfOperand(i);
    std::map<unsigned, SmallVector<Operation *>> anchors;
    for (Operation &op : fused.getBody().front().without_terminator())
      if (auto anchor = op.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr))
        if (anchor.getKind() == AnchorKind::post)
          anchors[anchor.getIndex()].push_back(&op);
    // What the tunable op computes is stored by the first one.
    constexpr unsigned kFirst = 1;
    if (llvm::is_contained(fused.getYielded(), tunable->getResult(0)))
      anchors[kFirst];
    for (auto &[index, ops] : anchors)
      chooseOfPostOps(index, ops, index == kFirst);
    llvm::sort(chosen.dims, [](const AnchorDims &x, const AnchorDims &y) {
      return std::make_pair(x.kind, x.index) < std::make_pair(y.kind, y.index);
    });
    return std::move(chosen);
  }

private:
  static RankedTensorType getType(Value value) {
    return cast<RankedTensorType>(value.getType());
  }

  /// The ops of the region that an operand of the tunable op is computed by, in
  /// program order.
  SmallVector<Operation *> getPreOps(Value operand) const {
    llvm::SetVector<Operation *> found;
    SmallVector<Value> stack{operand};
    while (!stack.empty()) {
      Operation *op = stack.pop_back_val().getDefiningOp();
      if (op && op->getBlock() == tunable->getBlock() && found.insert(op))
        llvm::append_range(stack, op->getOperands());
    }
    SmallVector<Operation *> ops = found.takeVector();
    llvm::sort(
        ops, [](Operation *x, Operation *y) { return x->isBeforeInBlock(y); });
    return ops;
  }

  void chooseOfOperand(unsigned operand) {
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    Value value = tunable->getOperand(operand);
    SmallVector<Operation *> ops = getPreOps(value);
    if (ops.empty() && !chosen.getAbilities().copies)
      return;
    RegionSpace own(getType(value).getShape());
    PassAccesses accesses;
    if (ops.empty()) {
      own.addRoot(value);
      accesses.read.push_back({getType(value), own.getValueMap(value)});
    } else {
      std::string reason;
      Operation *culprit = nullptr;
      std::optional<RegionSpace> found = RegionSpace::get(ops, reason, culprit);
      // The conversion says why there is no such pass.
      if (!found)
        return;
      own = std::move(*found);
      addReads(own, ops, accesses);
    }
    accesses.written.push_back(
        {chosen.getSliceType(tunable, operand), own.getValueMap(value)});
    add(AnchorKind::pre, operand, own, accesses, ops);
  }

  void chooseOfPostOps(unsigned index, ArrayRef<Operation *> ops,
                       bool isFirst) {
    // The conversion says why others cannot be there.
    if (!llvm::all_of(ops, [&](Operation *op) { return space.contains(op); }))
      return;
    PassAccesses accesses;
    addReads(space, ops, accesses);
    auto addStores = [&](Value value) {
      for (auto [yielded, result] :
           llvm::zip_equal(fused.getYielded(), fused.getResults()))
        if (yielded == value)
          accesses.written.push_back(
              {getType(result), space.getValueMap(value)});
    };
    for (Operation *op : ops)
      for (Value result : op->getResults()) {
        addStores(result);
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              auto anchor =
                  user->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
              return anchor && anchor.getIndex() > index;
            }))
          accesses.written.push_back(
              {getType(result), space.getValueMap(result)});
      }
    Value product = tunable->getResult(0);
    if (isFirst && llvm::is_contained(fused.getYielded(), product)) {
      addStores(product);
      accesses.copied.push_back(
          {getTypeOfProduct(), space.getValueMap(product)});
    }
    if (!accesses.written.empty())
      add(AnchorKind::post, index, space, accesses, ops);
  }

  /// Temporaries of the template have the order of the product.
  RankedTensorType getTypeOfProduct() const {
    return cast<RankedTensorType>(dropLayout(tunable->getResult(0).getType()));
  }

  /// What ops read that is not computed by one of them.
  void addReads(const RegionSpace &own, ArrayRef<Operation *> ops,
                PassAccesses &accesses) const {
    for (Operation *op : ops) {
      accesses.reduces |= !own.getReducedDims(op).empty();
      for (OpOperand &operand : op->getOpOperands()) {
        Value value = operand.get();
        if (llvm::is_contained(ops, value.getDefiningOp()) || isSplat(value))
          continue;
        bool isProduct = value == tunable->getResult(0);
        accesses.read.push_back(
            {isProduct ? getTypeOfProduct() : getType(value),
             own.getOperandMap(operand), getGaps(operand)});
      }
    }
  }

  /// Passes see one matrix, or rows of one.
  void add(AnchorKind kind, unsigned index, const RegionSpace &own,
           const PassAccesses &accesses, ArrayRef<Operation *> ops) {
    SmallVector<PassExtent> box;
    int64_t rank = own.getSizes().size(), usual = rank - 1;
    for (auto [dim, size] : llvm::enumerate(own.getSizes()))
      box.push_back({static_cast<int64_t>(dim) < rank - 2 ? 1 : size});
    if (kind == AnchorKind::post)
      if (auto info = findAnchor(tunable, kind, index, /*operand=*/0);
          info && static_cast<int64_t>(info->slice.size()) == rank)
        for (auto [extent, size] : llvm::zip_equal(box, info->slice))
          extent.size = std::min(extent.size, size);
    PassDims dims = choosePassDims(box, accesses, context.getLanes());
    while (usual > 0 && box[usual].size == 1)
      --usual;
    if (dims.vector >= 0 && (dims.vector != usual || dims.transposed >= 0) &&
        box[usual].size > 1)
      chosen.dims.push_back({kind, index, dims.vector, dims.transposed});
    if (!accesses.reduces)
      return;
    RowOrder order = chooseRowOrder(
        {own, ops, box, dims.vector},
        [&](Value value) {
          return llvm::any_of(value.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(ops, user);
          });
        },
        context);
    // One order is for all passes: as few rows as one of them has registers
    // for, and as much computed again as the longest rows want.
    chosen.order.unroll =
        hasOrder ? std::min(chosen.order.unroll, order.unroll) : order.unroll;
    chosen.order.recompute = std::max(chosen.order.recompute, order.recompute);
    // The same limits for all of them.
    chosen.order.rowBytes = std::max(chosen.order.rowBytes, order.rowBytes);
    chosen.order.maxRowBytes =
        std::max(chosen.order.maxRowBytes, order.maxRowBytes);
    hasOrder = true;
  }

  FusedOp fused;
  TunableOpInterface tunable;
  const RegionSpace &space;
  const ScheduleContext &context;
  AnchorPasses chosen;
  /// Whether some pass reduces.
  bool hasOrder = false;
};
} // namespace

AnchorPasses chooseAnchorPasses(FusedOp fused, const RegionSpace &space,
                                const ScheduleContext &context) {
  return TemplatePasses(fused, space, context).choose();
}

} // namespace gc::graph
