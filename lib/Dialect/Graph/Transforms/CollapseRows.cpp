// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Batch dimensions that the second factor of a matmul does not have become rows
// of the first one. The ops around the matmul that work on the same rows
// follow, so that no reshape comes between ops that are fused.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHCOLLAPSEROWS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Matrices of fewer rows are collapsed in any case: a kernel that computes so
/// few of them waits for the second factor.
constexpr int64_t kFewRows = 16;
/// Of a matmul that passes nothing on to another one: blocks of fewer rows
/// leave the last tile of each partly empty, and often read the second factor
/// again.
constexpr int64_t kFewRowsOfOne = 32;

ArrayRef<int64_t> getShape(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// The dimensions that collapse: all of a tensor's but the last one, from
/// `first` on. The rank stays, so that axes do; what has collapsed has size 1.
class Rows {
public:
  Rows(ArrayRef<int64_t> shape, int64_t first)
      : sizes(shape.drop_back()), first(first) {}

  int64_t getRank() const { return sizes.size() + 1; }
  int64_t getFirst() const { return first; }
  bool areThoseOf(Value value) const {
    return getShape(value).drop_back() == ArrayRef(sizes);
  }
  int64_t getCount() const {
    int64_t count = 1;
    for (int64_t size : ArrayRef(sizes).drop_front(first))
      count *= size;
    return count;
  }

  /// Whether the tensor has all of the rows.
  bool isWhole(Value value) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && !type.getEncoding() && type.hasStaticShape() &&
           type.getRank() == getRank() &&
           ArrayRef(sizes).drop_front(first) ==
               type.getShape().drop_back().drop_front(first);
  }

  /// Whether the tensor, aligned at the last of `rank` dimensions, has a single
  /// element for dimensions first .. end - 1.
  bool isUniform(Value value, int64_t end) const {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || type.getRank() > getRank())
      return false;
    int64_t missing = getRank() - type.getRank();
    for (int64_t dim = std::max(first, missing); dim < end; ++dim)
      if (type.getDimSize(dim - missing) != 1)
        return false;
    return true;
  }

  RankedTensorType collapse(RankedTensorType type) const {
    SmallVector<int64_t> shape(type.getShape());
    std::fill(shape.begin() + first, shape.end() - 2, 1);
    shape[getRank() - 2] = getCount();
    return type.clone(shape);
  }

  /// Whether the op computes all rows, each from that row of its operands and
  /// from operands that have none.
  bool canCollapse(Operation *op) const {
    // Parameters that are given divide the batch among threads, or the rows.
    auto tunable = dyn_cast<TunableOpInterface>(op);
    if (tunable && tunable.getChosenTemplate())
      return false;
    if (!llvm::all_of(op->getResults(),
                      [&](Value value) { return isWhole(value); }))
      return false;
    auto contraction = dyn_cast<ContractionOpInterface>(op);
    if (contraction && contraction.makesRows())
      return isUniform(contraction.getFactor(1).get(), getRank() - 2) &&
             op->getNumOperands() == 2;
    if (contraction)
      return contraction.isMatrixProduct() && !contraction.isTransposed(0) &&
             isWhole(contraction.getFactor(0).get()) &&
             isUniform(contraction.getFactor(1).get(), getRank() - 2);
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    return fusible && canCollapse(fusible);
  }

private:
  bool canCollapse(FusibleOpInterface op) const {
    SmallVector<int64_t> space = op.getIterationSpace();
    if (static_cast<int64_t>(space.size()) != getRank() ||
        ArrayRef(space).drop_back() != ArrayRef(sizes))
      return false;
    // Reductions of the last dimension only, since results are whole.
    if (!isPointwise(op.getFusibleKind()) &&
        op.getFusibleKind() != FusibleKind::reduction)
      return false;
    if (auto body = dyn_cast<ScalarBodyOpInterface>(op.getOperation()))
      if (auto dim = body.getIndexDim();
          dim && static_cast<int64_t>(*dim) >= first &&
          static_cast<int64_t>(*dim) < getRank() - 1)
        return false;
    // A dimension of size 1 that is reduced would become a longer one.
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      AffineMap map = op.getResultMap(i);
      if (static_cast<int64_t>(map.getNumResults()) != getRank())
        return false;
      for (int64_t dim = first; dim < getRank() - 1; ++dim)
        if (map.getResult(dim) != getAffineDimExpr(dim, op->getContext()))
          return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value value) {
      return isWhole(value) || isUniform(value, getRank() - 1);
    });
  }

  SmallVector<int64_t> sizes;
  int64_t first;
};

/// The ops that collapse together, because they exchange whole rows.
class Component {
public:
  Component(ContractionOpInterface seed, Rows rows) : rows(std::move(rows)) {
    add(seed);
    for (size_t i = 0; i < ops.size(); ++i) {
      for (Value operand : ops[i]->getOperands())
        if (this->rows.isWhole(operand))
          if (Operation *producer = operand.getDefiningOp())
            add(producer);
      for (Operation *user : ops[i]->getUsers())
        add(user);
    }
  }

  /// Whether it is likely to be faster. Constant weights are packed once, and
  /// matrices that read them are better computed one after another: what the
  /// ops pass on stays in the cache. Lines of windows are always few rows.
  bool isWorthwhile() const {
    if (getFewestRows() < kFewRows || makesRows())
      return true;
    bool isSingle = llvm::count_if(ops, [](Operation *op) {
                      return isa<ContractionOpInterface>(op);
                    }) == 1;
    bool isShort = isSingle && getFewestRows() < kFewRowsOfOne;
    return (isShort || !hasConstants()) && isClosed();
  }

  ArrayRef<Operation *> getOps() const { return ops.getArrayRef(); }
  int64_t getCount() const { return rows.getCount(); }

  void collapse() {
    SmallVector<Operation *> sorted(ops.begin(), ops.end());
    llvm::sort(sorted, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    for (Operation *op : sorted)
      rebuild(op);
    for (Operation *op : llvm::reverse(sorted))
      op->erase();
  }

private:
  void add(Operation *op) {
    bool isNear = ops.empty() || op->getBlock() == ops.front()->getBlock();
    if (isNear && rows.canCollapse(op))
      ops.insert(op);
  }

  /// The fewest rows of the matrices that its matmuls compute.
  int64_t getFewestRows() const {
    int64_t fewest = rows.getCount();
    for (Operation *op : ops)
      if (isa<ContractionOpInterface>(op))
        fewest = std::min(fewest, *(getShape(op->getResult(0)).end() - 2));
    return fewest;
  }

  bool makesRows() const {
    return llvm::any_of(ops, [](Operation *op) {
      auto contraction = dyn_cast<ContractionOpInterface>(op);
      return contraction && contraction.makesRows();
    });
  }

  bool hasConstants() const {
    return llvm::any_of(ops, [](Operation *op) {
      auto contraction = dyn_cast<ContractionOpInterface>(op);
      return contraction && isConstantValue(contraction.getFactor(1).get());
    });
  }

  /// Whether ops remain in one region that could be in one before: rows come
  /// from, and go to, arguments, results and reshapes only.
  bool isClosed() const {
    auto isFree = [&](Operation *op) {
      return !op || ops.contains(op) ||
             !isa<FusibleOpInterface, TunableOpInterface>(op);
    };
    return llvm::all_of(ops, [&](Operation *op) {
      return llvm::all_of(op->getUsers(), isFree) &&
             llvm::all_of(op->getOperands(), [&](Value value) {
               return !isRow(op, value) || isFree(value.getDefiningOp());
             });
    });
  }

  /// Whether an operand is rows, not a factor or an operand that all share.
  bool isRow(Operation *op, Value value) const {
    if (auto contraction = dyn_cast<ContractionOpInterface>(op))
      return contraction.getFactor(0).get() == value &&
             !contraction.makesRows();
    return rows.isWhole(value);
  }

  void rebuild(Operation *op) {
    Operation *collapsed = op->clone();
    auto contraction = dyn_cast<ContractionOpInterface>(collapsed);
    bool makesRows = contraction && contraction.makesRows();
    for (OpOperand &operand : collapsed->getOpOperands()) {
      if (makesRows) {
        operand.set(getWhole(operand.get(), op));
        continue;
      }
      bool isFactor = contraction != nullptr;
      if (isFactor ? operand.getOperandNumber() == 0
                   : rows.isWhole(operand.get()))
        operand.set(getCollapsed(operand.get(), op));
    }
    if (makesRows) {
      auto type =
          rows.collapse(cast<RankedTensorType>(op->getResultTypes()[0]));
      contraction.setRows(type.getShape().drop_back());
    }
    OpBuilder builder(op);
    builder.insert(collapsed);
    for (auto [old, result] :
         llvm::zip_equal(op->getResults(), collapsed->getResults())) {
      auto type = cast<RankedTensorType>(old.getType());
      result.setType(rows.collapse(type));
      collapsedValues[old] = result;
      auto isOutside = [&](OpOperand &use) {
        return !ops.contains(use.getOwner());
      };
      if (llvm::none_of(old.getUses(), isOutside))
        continue;
      old.replaceUsesWithIf(expand(result, type, op), isOutside);
    }
  }

  static Value expand(Value value, RankedTensorType type, Operation *before) {
    OpBuilder builder(before);
    return StaticReshapeOp::create(builder, before->getLoc(), type, value,
                                   type.getShape(), false);
  }

  /// An image that an op makes its rows of, also where it has been collapsed.
  Value getWhole(Value value, Operation *before) {
    Operation *op = value.getDefiningOp();
    if (!op || !ops.contains(op))
      return value;
    Value &whole = wholeValues[value];
    if (!whole)
      whole = expand(collapsedValues.lookup(value),
                     cast<RankedTensorType>(value.getType()), before);
    return whole;
  }

  Value getCollapsed(Value value, Operation *before) {
    Value &collapsed = collapsedValues[value];
    if (!collapsed) {
      OpBuilder builder(before);
      auto type = rows.collapse(cast<RankedTensorType>(value.getType()));
      collapsed = StaticReshapeOp::create(builder, before->getLoc(), type,
                                          value, type.getShape(), false);
    }
    return collapsed;
  }

  Rows rows;
  llvm::SmallSetVector<Operation *, 16> ops;
  llvm::DenseMap<Value, Value> collapsedValues, wholeValues;
};

/// The rows of a product, if there are more than its matrices have.
std::optional<Rows> findRows(ContractionOpInterface op) {
  ArrayRef<int64_t> shape = getShape(op->getResult(0));
  for (int64_t first = 0, rank = shape.size(); first < rank - 2; ++first) {
    if (shape[first] == 1)
      continue;
    Rows rows(shape, first);
    if (rows.canCollapse(op))
      return rows;
  }
  return std::nullopt;
}

struct CollapseRows : impl::GraphCollapseRowsBase<CollapseRows> {
  void runOnOperation() override {
    SmallVector<ContractionOpInterface> seeds;
    getOperation().walk([&](ContractionOpInterface op) {
      if (op->getParentOp() == getOperation())
        seeds.push_back(op);
    });
    llvm::SmallPtrSet<Operation *, 16> done;
    // Matmuls whose components stay as they are, by the first dimension.
    llvm::DenseSet<std::pair<Operation *, int64_t>> rejected;
    for (ContractionOpInterface seed : seeds) {
      if (done.contains(seed))
        continue;
      std::optional<Rows> rows = findRows(seed);
      if (!rows || rejected.contains({seed, rows->getFirst()}))
        continue;
      Component component(seed, *rows);
      if (!component.isWorthwhile()) {
        // From any of these the component is the same.
        for (Operation *op : component.getOps())
          if (isa<ContractionOpInterface>(op) &&
              rows->areThoseOf(op->getResult(0)))
            rejected.insert({op, rows->getFirst()});
        continue;
      }
      remark::passed(
          seed->getLoc(),
          remark::RemarkOpts::name("Collapsed").category("graph-collapse-rows"))
          << remark::add("{0} rows in one matrix, for {1} ops",
                         component.getCount(), component.getOps().size());
      done.insert(component.getOps().begin(), component.getOps().end());
      component.collapse();
    }
  }
};
} // namespace

} // namespace gc::graph
