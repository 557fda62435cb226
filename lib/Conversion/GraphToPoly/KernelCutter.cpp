// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "KernelCutter.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "JoinedProducts.h"
#include "OpLoops.h"
#include "ReadObstacles.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace gc;
using namespace gc::graph;

using Shape = SmallVector<int64_t>;

/// What computes factors of a contraction joins it later, or a remark says why
/// not.
static constexpr StringLiteral kIsBefore =
    "only what is computed from a contraction joins it";

/// Where the elements of a value are computed: reshapes are seen through.
static Value getSource(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && op->hasTrait<RowMajorView>()) {
    value = op->getOperand(0);
    op = value.getDefiningOp();
  }
  return value;
}

/// Whether indices of `small` are indices of `large`, dimensions of size 1 and
/// missing outer ones aside.
static bool broadcastsTo(ArrayRef<int64_t> small, ArrayRef<int64_t> large) {
  if (small.size() > large.size())
    return false;
  for (auto [a, b] : llvm::zip(llvm::reverse(small), llvm::reverse(large)))
    if (a != 1 && a != b)
      return false;
  return true;
}

static Shape getResultShape(Operation *op) {
  return Shape(cast<ShapedType>(op->getResult(0).getType()).getShape());
}

/// Whether the op goes through elements of an operand in another order than
/// through those of its result.
static bool isMoving(Operation *op, unsigned operand) {
  auto loops = OpLoops::get(op);
  AffineMap map = loops ? loops->getOperandMap(operand) : AffineMap();
  if (!map)
    return false;
  int64_t previous = -1;
  for (AffineExpr index : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (dim && int64_t(dim.getPosition()) < previous)
      return true;
    if (dim)
      previous = dim.getPosition();
  }
  return false;
}

/// Why the other ops cannot share a kernel with its contraction: all of them
/// have to be computed from its result, in its shape.
std::optional<StringRef>
Cutter::findContractionObstacle(const Kernel &kernel, Operation *contraction) {
  Shape shape = getResultShape(contraction);
  llvm::DenseSet<Operation *> results{contraction};
  for (Operation *op : kernel) {
    if (op == contraction)
      continue;
    if (isContraction(op))
      return "a kernel has one contraction";
    if (isReduction(op))
      return "a reduction is not computed on the tiles of a contraction";
    bool isResult = false;
    for (Value operand : op->getOperands()) {
      isResult |= results.contains(operand.getDefiningOp());
      if (operand != getSource(operand) &&
          kernel.contains(getSource(operand).getDefiningOp()))
        return "a reshape lies between it and the contraction";
    }
    if (!isResult)
      return kIsBefore;
    if (!isElementwise(op))
      return "it has no iteration space";
    if (OpLoops::get(op)->getSpace() != shape)
      return "its shape is not that of the contraction";
    for (unsigned i = 0; i < op->getNumOperands(); ++i)
      if (isMoving(op, i))
        return "it takes the elements in another order";
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      auto type = cast<ShapedType>(operand.getType());
      if (!kernel.contains(operand.getDefiningOp()) &&
          // A row is a matrix if the contraction has a single one.
          type.getNumElements() == ShapedType::getNumElements(shape) &&
          readsElements(op, number) && !isNumber(operand.getDefiningOp()) &&
          type.getElementTypeBitWidth() == 32)
        return "it reads a matrix of 32-bit elements";
    }
    results.insert(op);
  }
  return std::nullopt;
}

/// Whether the reduced dimensions are the innermost ones, so that a tile of
/// whole rows has complete results.
static bool isOfRows(AffineMap rows, ArrayRef<int64_t> space) {
  bool isReduced = false, hasRows = false;
  unsigned count = 0;
  for (auto [dim, size] : llvm::enumerate(space)) {
    if (size == 1)
      continue;
    bool isKept = rows.isFunctionOfDim(dim);
    if (isKept && isReduced)
      return false;
    isReduced |= !isKept;
    hasRows |= isKept;
    count += !isKept;
  }
  return hasRows || count <= 1;
}

/// Without a contraction all ops are on one space.
std::optional<StringRef> Cutter::findLoopObstacle(const Kernel &kernel) {
  // The space is that of the reductions, else the largest one.
  std::optional<Shape> space;
  AffineMap rows;
  for (Operation *op : kernel) {
    if (!isReduction(op))
      continue;
    auto loops = OpLoops::get(op);
    Shape own = loops->getSpace();
    AffineMap map = loops->getResultMap(0);
    if (space && (*space != own || rows != map))
      return "a kernel's reductions are of one space, along the same "
             "dimensions";
    space = own;
    rows = map;
  }
  for (Operation *op : kernel)
    for (Value operand : op->getOperands())
      if (operand != getSource(operand) &&
          kernel.contains(getSource(operand).getDefiningOp()))
        return "a reshape lies between it and what it reads";
  // A tile is read in one order.
  for (Operation *op : kernel)
    for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
      Value source = operand;
      bool isShared = kernel.contains(source.getDefiningOp()) ||
                      llvm::count_if(source.getUses(), [&](OpOperand &use) {
                        return kernel.contains(use.getOwner());
                      }) > 1;
      if (isShared && isMoving(op, number))
        return "it takes the elements in another order";
    }
  if (!space)
    for (Operation *op : kernel) {
      Shape own = OpLoops::get(op)->getSpace();
      if (!space || broadcastsTo(*space, own))
        space = own;
    }
  bool keepsRows = rows && isOfRows(rows, *space);
  llvm::DenseSet<Operation *> reduced;
  for (Operation *op : kernel) {
    Shape own = OpLoops::get(op)->getSpace();
    bool isAfter =
        isReduction(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return reduced.contains(operand.getDefiningOp());
        });
    // Without dimensions of size 1, a value of a row does not broadcast.
    bool isOfRow = isAfter && llvm::any_of(reduced, [&](Operation *other) {
                     return getResultShape(other) == own;
                   });
    if (!isOfRow && !broadcastsTo(own, *space))
      return "it is on another space";
    if (isAfter && !isReduction(op) && !keepsRows && own == *space)
      return "a reduction of outer dimensions has to be complete before it";
    if (isAfter)
      reduced.insert(op);
  }
  return std::nullopt;
}

/// Why ops cannot be one kernel, or nothing.
std::optional<StringRef> Cutter::findObstacle(const Kernel &kernel) {
  for (Operation *op : kernel) {
    if (op->hasAttr(kJoinedAttr))
      return "two joined products are a kernel of their own";
    if (isContraction(op))
      return findContractionObstacle(kernel, op);
    if (kernel.size() > 1 && !OpLoops::get(op))
      return "it has no iteration space";
  }
  if (kernel.size() == 1)
    return std::nullopt;
  return findLoopObstacle(kernel);
}

/// Kernels that compute what this one reads.
SmallVector<unsigned> Cutter::getProducers(unsigned kernel) {
  llvm::SmallSetVector<unsigned, 4> producers;
  for (Operation *op : kernels[kernel])
    for (Value operand : op->getOperands()) {
      auto entry = owner.find(getSource(operand).getDefiningOp());
      if (entry != owner.end() && entry->second != kernel)
        producers.insert(entry->second);
    }
  return producers.takeVector();
}

/// Whether a third kernel would depend on the union and the union on it.
bool Cutter::isCyclic(unsigned first, unsigned second) {
  llvm::SmallSetVector<unsigned, 8> reached;
  for (unsigned kernel : {first, second})
    for (unsigned producer : getProducers(kernel))
      if (producer != first && producer != second)
        reached.insert(producer);
  for (unsigned next = 0; next < reached.size(); ++next)
    for (unsigned producer : getProducers(reached[next])) {
      if (producer == first || producer == second)
        return true;
      reached.insert(producer);
    }
  return false;
}

/// Whether the last op's result has elements of one bit, which only registers
/// hold.
static bool isOfBits(const Kernel &kernel) {
  return getElementTypeOrSelf(kernel.back()->getResult(0)).isInteger(1);
}

/// Merges the kernels of the op's operands with its own, the latest first.
void Cutter::join(Operation *op) {
  SmallVector<unsigned> producers = getProducers(owner.lookup(op));
  llvm::sort(producers, [&](unsigned a, unsigned b) {
    return kernels[b].back()->isBeforeInBlock(kernels[a].back());
  });
  for (unsigned producer : producers) {
    unsigned own = owner.lookup(op);
    SmallVector<Operation *> ops = llvm::to_vector(kernels[own]);
    llvm::append_range(ops, kernels[producer]);
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    Kernel merged(ops.begin(), ops.end());
    std::optional<StringRef> obstacle = findObstacle(merged);
    if (!obstacle && !fuses && !isOfBits(kernels[producer]))
      obstacle = "each op is a kernel of its own";
    if (!obstacle && isCyclic(own, producer))
      obstacle = "the kernels would depend on each other";
    if (obstacle && fuses && *obstacle == kIsBefore && isContraction(op))
      continue;
    if (obstacle) {
      remark::missed(op->getLoc(), remark::RemarkOpts::name("Cut").category(
                                       "poly-cut-kernels"))
          << remark::add("'{0}' is not in the kernel of '{1}'",
                         op->getName().getStringRef(),
                         kernels[producer].back()->getName().getStringRef())
          << remark::reason("{0}", *obstacle);
      continue;
    }
    kernels[producer] = std::move(merged);
    kernels[own].clear();
    for (Operation *member : kernels[producer])
      owner[member] = producer;
  }
}

void Cutter::cut() {
  // The kernel of each pair of joined products.
  llvm::DenseMap<Attribute, unsigned> joined;
  for (Operation &op : function.getBody().front().without_terminator()) {
    if (op.hasTrait<RowMajorView>() || isNumber(&op) || op.use_empty())
      continue;
    if (Attribute pair = op.getAttr(kJoinedAttr)) {
      auto [entry, isNew] = joined.try_emplace(pair, kernels.size());
      if (isNew)
        kernels.emplace_back();
      owner[&op] = entry->second;
      kernels[entry->second].insert(&op);
      continue;
    }
    owner[&op] = kernels.size();
    kernels.emplace_back();
    kernels.back().insert(&op);
    join(&op);
  }
  if (fuses)
    recompute();
  // What is returned without a computation is copied, with all its reshapes.
  llvm::DenseSet<Operation *> copied;
  auto isCopied = [&](Operation *view) {
    while (view && !copied.contains(view))
      view = view->getOperand(0).getDefiningOp();
    return view != nullptr;
  };
  Operation *end = function.getBody().front().getTerminator();
  for (Value value : end->getOperands()) {
    Operation *op = value.getDefiningOp();
    if (op && !owner.contains(getSource(value).getDefiningOp()) &&
        !isCopied(op)) {
      copied.insert(op);
      kernels.emplace_back();
      kernels.back().insert(op);
    }
  }
}

SmallVector<Kernel> Cutter::takeKernels() {
  SmallVector<Kernel> ordered;
  SmallVector<bool> done(kernels.size(), false);
  // A stack instead of recursion: chains may be long.
  for (unsigned root = 0; root < kernels.size(); ++root) {
    SmallVector<unsigned> stack{root};
    while (!stack.empty()) {
      unsigned kernel = stack.back();
      bool isReady = true;
      if (!done[kernel])
        for (unsigned producer : getProducers(kernel))
          if (!done[producer]) {
            stack.push_back(producer);
            isReady = false;
          }
      if (!isReady)
        continue;
      stack.pop_back();
      if (!done[kernel] && !kernels[kernel].empty())
        ordered.push_back(kernels[kernel]);
      done[kernel] = true;
    }
  }
  return ordered;
}
