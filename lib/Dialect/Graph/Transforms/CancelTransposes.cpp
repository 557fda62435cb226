// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elementwise ops between a transpose and its inverse work on the tensor as it
// was before the first one, so that neither is left: of a graph with channels
// second, whose convolutions have them last, only its arguments and results are
// transposed.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHCANCELTRANSPOSES
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Dimension i of the result is dimension order[i] of the operand.
std::optional<SmallVector<int64_t>> getOrder(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  if (!fusible || fusible.getFusibleKind() != FusibleKind::transpose ||
      getLayout(op->getResult(0).getType()) ||
      getLayout(op->getOperand(0).getType()))
    return std::nullopt;
  AffineMap map = fusible.getOperandMap(0);
  SmallVector<int64_t> order(map.getNumResults());
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    order[cast<AffineDimExpr>(expr).getPosition()] = dim;
  return order;
}

bool areInverse(ArrayRef<int64_t> a, ArrayRef<int64_t> b) {
  if (a.size() != b.size())
    return false;
  for (auto [i, dim] : llvm::enumerate(a))
    if (b[dim] != static_cast<int64_t>(i))
      return false;
  return true;
}

/// Whether the op computes each element from those of its operands at the same
/// place, or at one that is broadcast.
bool isElementwise(Operation *op) {
  auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
  if (!fusible || op->getNumResults() != 1 ||
      getLayout(op->getResult(0).getType()))
    return false;
  if (!isPointwise(fusible.getFusibleKind()))
    return false;
  auto body = dyn_cast<ScalarBodyOpInterface>(op);
  return !(body && body.getIndexDim()) &&
         ArrayRef<int64_t>(fusible.getIterationSpace()) ==
             getShape(op->getResult(0)) &&
         fusible.getResultMap(0).isIdentity() &&
         llvm::none_of(op->getOperandTypes(),
                       [](Type type) { return bool(getLayout(type)); });
}

/// The ops before a transpose that could work on transposed tensors.
class Region {
public:
  Region(Operation *last, ArrayRef<int64_t> order) : last(last), order(order) {
    visit(last->getOperand(0));
  }

  /// Whether fewer tensors are transposed then.
  bool isWorthwhile() const {
    size_t removed = 1, added = others.size();
    for (Operation *op : transposes)
      removed += llvm::all_of(op->getUsers(), [&](Operation *user) {
        return user == last || ops.contains(user);
      });
    for (Operation *op : ops)
      added += isReadOutside(op);
    return !transposes.empty() && added < removed;
  }

  size_t getSize() const { return ops.size(); }

  /// Adds the ops that are erased to `gone`.
  void rewrite(llvm::DenseSet<Operation *> &gone) {
    for (Operation *op : transposes)
      moved[op->getResult(0)] = op->getOperand(0);
    for (Value value : others)
      moved[value] = transpose(value, last);
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : sorted)
      rebuild(op);
    last->getResult(0).replaceAllUsesWith(moved[last->getOperand(0)]);
    auto erase = [&](Operation *op) {
      gone.insert(op);
      op->erase();
    };
    erase(last);
    for (Operation *op : llvm::reverse(sorted))
      if (op->use_empty())
        erase(op);
    for (Operation *op : transposes)
      if (op->use_empty())
        erase(op);
  }

private:
  void visit(Value value) {
    if (!seen.insert(value).second)
      return;
    Operation *op = value.getDefiningOp();
    bool isNear = op && op->getBlock() == last->getBlock();
    if (std::optional<SmallVector<int64_t>> own = getOrder(op);
        isNear && own && areInverse(*own, order)) {
      transposes.insert(op);
      return;
    }
    if (!isNear || !isElementwise(op)) {
      others.insert(value);
      return;
    }
    ops.insert(op);
    for (Value operand : op->getOperands())
      if (getShape(operand) == getShape(value))
        visit(operand);
  }

  bool isReadOutside(Operation *op) const {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return user != last && !ops.contains(user);
    });
  }

  /// The value as the last transpose gives it. What has a single long dimension
  /// is only seen in another shape.
  Value transpose(Value value, Operation *before) {
    OpBuilder builder(before);
    if (Operation *op = value.getDefiningOp())
      builder.setInsertionPointAfter(op);
    else
      builder.setInsertionPointToStart(last->getBlock());
    SmallVector<int64_t> shape(order.size() - getShape(value).size(), 1), to;
    llvm::append_range(shape, getShape(value));
    for (int64_t dim : order)
      to.push_back(shape[dim]);
    auto reshape = [&](ArrayRef<int64_t> wanted) -> Value {
      auto type = cast<RankedTensorType>(value.getType()).clone(wanted);
      return StaticReshapeOp::create(builder, last->getLoc(), type, value,
                                     wanted, false);
    };
    if (llvm::count_if(shape, [](int64_t size) { return size != 1; }) < 2)
      return reshape(to);
    if (ArrayRef<int64_t>(shape) != getShape(value))
      value = reshape(shape);
    auto type = cast<RankedTensorType>(value.getType()).clone(to);
    return StaticTransposeOp::create(builder, last->getLoc(), type, value,
                                     order);
  }

  void rebuild(Operation *op) {
    Operation *clone = op->clone();
    for (OpOperand &operand : clone->getOpOperands()) {
      Value &value = moved[operand.get()];
      if (!value && !getShape(operand.get()).empty())
        value = transpose(operand.get(), op);
      if (value)
        operand.set(value);
    }
    OpBuilder builder(op);
    builder.insert(clone);
    Value old = op->getResult(0), result = clone->getResult(0);
    auto type = cast<RankedTensorType>(old.getType());
    SmallVector<int64_t> shape, inverse(order.size());
    for (auto [i, dim] : llvm::enumerate(order)) {
      shape.push_back(type.getDimSize(dim));
      inverse[dim] = i;
    }
    result.setType(type.clone(shape));
    moved[old] = result;
    auto isOutside = [&](OpOperand &use) {
      return use.getOwner() != last && !ops.contains(use.getOwner());
    };
    if (llvm::none_of(old.getUses(), isOutside))
      return;
    Value whole =
        StaticTransposeOp::create(builder, op->getLoc(), type, result, inverse);
    old.replaceUsesWithIf(whole, isOutside);
  }

  Operation *last;
  SmallVector<int64_t> order;
  llvm::SmallSetVector<Operation *, 16> ops, transposes;
  /// What has to be transposed because it is neither.
  llvm::SmallSetVector<Value, 4> others;
  llvm::DenseSet<Value> seen;
  llvm::DenseMap<Value, Value> moved;
};

struct CancelTransposes : impl::GraphCancelTransposesBase<CancelTransposes> {
  void runOnOperation() override {
    SmallVector<Operation *> transposes;
    for (Block &block : getOperation().getBody())
      for (Operation &op : block)
        if (getOrder(&op))
          transposes.push_back(&op);
    llvm::DenseSet<Operation *> gone;
    for (Operation *op : transposes) {
      if (gone.contains(op) || op->use_empty())
        continue;
      Region region(op, *getOrder(op));
      if (!region.isWorthwhile())
        continue;
      remark::passed(
          op->getLoc(),
          remark::RemarkOpts::name("Cancelled").category(getArgument()))
          << remark::add("{0} ops work on what was transposed before them",
                         region.getSize());
      region.rewrite(gone);
    }
  }
};
} // namespace

} // namespace gc::graph
