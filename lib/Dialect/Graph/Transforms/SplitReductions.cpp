// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "ReductionSteps.h"
#include "RegionGrowth.h"
#include "Support/ModuleMachine.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SmallBitVector.h"

#include <map>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHSPLITREDUCTIONS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Iterations per thread: shares differ little, and parts are still long.
constexpr int64_t kTasksPerCore = 16;
/// Elements of the shortest part, and the number of elements from which a
/// second step pays.
constexpr int64_t kPartElements = 4096, kLeastParts = 16;
/// Columns that one core works on alone: whole cache lines, and if they come
/// from memory, whole pages.
constexpr int64_t kColumns = 64, kMemoryColumns = 1024;
/// Maximum number of ops that are recomputed for one value.
constexpr size_t kMostOps = 8;

/// How a reduction is split.
struct Split {
  /// Dimensions that the first step leaves to the second.
  SmallVector<int64_t> later;
  /// Parts of the first dimension that the first step reduces, if not 0.
  int64_t partSize = 0;
  /// Iterations that threads share in the first step, and without it.
  int64_t tasks = 1, rows = 1;
  /// Whether it is split because rows are far apart.
  bool isStrided = false;
};

int64_t getVolume(ArrayRef<int64_t> sizes) {
  int64_t volume = 1;
  for (int64_t size : sizes)
    volume *= size;
  return volume;
}

/// The dimensions of the iteration space that are not in the result.
SmallVector<int64_t> getReducedDims(FusibleOpInterface op) {
  SmallVector<int64_t> dims;
  AffineMap result = op.getResultMap(0);
  for (unsigned dim = 0; dim < result.getNumDims(); ++dim)
    if (!result.isFunctionOfDim(dim))
      dims.push_back(dim);
  return dims;
}

int64_t getBytes(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getNumElements() *
         llvm::divideCeil(type.getElementTypeBitWidth(), 8);
}

int64_t getColumns(FusibleOpInterface op, const Machine &machine) {
  bool isInCaches = getBytes(op->getOperand(0)) <= machine.l3Bytes / 2;
  return isInCaches ? kColumns : kMemoryColumns;
}

/// Iterations of a reduction that threads can share: those that are not
/// reduced. Columns, along which vectors run, stay together.
int64_t getRows(FusibleOpInterface op, ArrayRef<int64_t> sizes,
                ArrayRef<int64_t> reduced, const Machine &machine) {
  int64_t columns = getColumns(op, machine), rows = 1;
  bool isInnermost = true;
  for (int64_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] == 1)
      continue;
    if (!llvm::is_contained(reduced, dim))
      rows *=
          isInnermost ? std::max<int64_t>(1, sizes[dim] / columns) : sizes[dim];
    isInnermost = false;
  }
  return rows;
}

/// Whether threads should share the reduction of a row: there are too few rows,
/// or some threads would have one row more, which no cache keeps between
/// reductions.
bool needsSplit(FusibleOpInterface op, int64_t rows, const Machine &machine) {
  if (rows < machine.cores)
    return true;
  int64_t share = llvm::divideCeil(rows, machine.cores);
  return getBytes(op->getOperand(0)) / rows > machine.l2Bytes &&
         4 * share * machine.cores > 5 * rows;
}

/// Whether a tensor with as many elements as the op reduces is made with its
/// result.
bool isSpread(FusibleOpInterface op) {
  llvm::SetVector<Operation *> made;
  made.insert(op);
  for (size_t i = 0; i < made.size() && i < kMostOps; ++i)
    for (Operation *user : made[i]->getUsers()) {
      auto fusible = dyn_cast<FusibleOpInterface>(user);
      if (!fusible || !isPointwise(fusible.getFusibleKind()))
        continue;
      if (getBytes(user->getResult(0)) >= getBytes(op->getOperand(0)))
        return true;
      made.insert(user);
    }
  return false;
}

/// Whether columns come from memory, from places far apart: threads that share
/// columns read all rows in pieces, threads that share rows read them whole.
/// Columns that are read again with the result stay together, if this many of
/// them as are read together fit the L2 cache.
bool isStrided(FusibleOpInterface op, ArrayRef<int64_t> sizes,
               ArrayRef<int64_t> reduced, const Machine &machine) {
  constexpr int64_t kLeastColumns = 128;
  int64_t last = static_cast<int64_t>(sizes.size()) - 1;
  int64_t bytes = getBytes(op->getOperand(0));
  bool isKept = bytes / std::max<int64_t>(1, sizes[last]) * kColumns <=
                    machine.l2Bytes / 2 &&
                isSpread(op);
  // Threads share what else is not reduced before they share columns.
  int64_t others = 1;
  for (int64_t dim = 0; dim < last; ++dim)
    if (!llvm::is_contained(reduced, dim))
      others *= sizes[dim];
  return !llvm::is_contained(reduced, last) && bytes > machine.l3Bytes &&
         sizes[last] >= kLeastColumns && !isKept &&
         others < kTasksPerCore * machine.cores &&
         getVolume(sizes) / sizes[last] >= kTasksPerCore * machine.cores;
}

/// How to split the reduction, if it has enough elements and needs it.
std::optional<Split> getSplit(FusibleOpInterface op, int64_t fewestElements,
                              const Machine &machine) {
  SmallVector<int64_t> sizes = op.getIterationSpace();
  if (llvm::any_of(sizes, ShapedType::isDynamic))
    return std::nullopt;
  SmallVector<int64_t> reduced = getReducedDims(op);
  int64_t volume = getVolume(sizes);
  if (volume < fewestElements)
    return std::nullopt;
  Split split;
  split.rows = getRows(op, sizes, reduced, machine);
  split.isStrided = isStrided(op, sizes, reduced, machine);
  if (!split.isStrided && !needsSplit(op, split.rows, machine))
    return std::nullopt;
  // Columns stay together.
  if (split.isStrided)
    split.rows /= std::max<int64_t>(1, sizes.back() / getColumns(op, machine));
  int64_t partElements = std::max<int64_t>(
      1, std::min(kPartElements, fewestElements / kLeastParts));
  int64_t wanted = llvm::divideCeil(
      std::min(kTasksPerCore * machine.cores, volume / partElements),
      split.rows);
  split.tasks = split.rows;
  auto isLarge = [&](int64_t dim) { return sizes[dim] > 1; };
  for (auto [i, dim] : llvm::enumerate(reduced)) {
    if (wanted <= 1)
      break;
    bool hasMore = llvm::any_of(ArrayRef(reduced).drop_front(i + 1), isLarge);
    if (!isLarge(dim) || (hasMore && sizes[dim] <= 4 * wanted)) {
      split.later.push_back(dim);
      split.tasks *= sizes[dim];
      wanted = llvm::divideCeil(wanted, sizes[dim]);
      continue;
    }
    int64_t part = llvm::divideCeil(sizes[dim], wanted);
    // Parts of rows start at cache lines.
    bool isLast = dim + 1 == static_cast<int64_t>(sizes.size());
    split.partSize = isLast            ? llvm::alignTo<16>(part)
                     : split.isStrided ? llvm::alignTo<kSummedRows>(part)
                                       : part;
    split.tasks *= llvm::divideCeil(sizes[dim], split.partSize);
    break;
  }
  if (split.tasks == split.rows)
    return std::nullopt;
  return split;
}

class ReductionSplitter {
public:
  ReductionSplitter(Block &block, int64_t fewestElements, int64_t maxOps,
                    const Machine &machine, StringRef category)
      : block(block), fewestElements(fewestElements), maxOps(maxOps),
        machine(machine), category(category) {}

  void run() {
    bool anySplit = false;
    for (auto op : llvm::to_vector(block.getOps<FusibleOpInterface>()))
      if (isReduction(op))
        if (auto split = getSplit(op, fewestElements, machine))
          anySplit |= apply(op, *split);
    // What is computed again needs room in the region that needs it.
    if (!anySplit || maxOps < static_cast<int64_t>(kMostOps))
      return;
    depths = getReductionDepths(block);
    unsigned deepest = 0;
    for (auto [op, depth] : depths)
      deepest = std::max(deepest, depth);
    depthCount = 2 * (deepest + 1);
    sides = getReductionSides(block);
    for (Operation &op : llvm::reverse(block))
      findDepthsOfUses(&op);
    for (Operation &op : llvm::make_early_inc_range(block))
      computeAgain(&op);
  }

private:
  bool apply(FusibleOpInterface op, const Split &split) {
    OpBuilder builder(op);
    Value result = op.reduceInSteps(builder, split.later, split.partSize);
    if (!result)
      return false;
    remark::passed(
        op->getLoc(),
        remark::RemarkOpts::name("SplitReduction").category(category))
        << "'" + op->getName().getStringRef().str() + "' " +
               (split.isStrided
                    ? std::string("reads columns whose rows are far apart")
                    : "leaves " + std::to_string(split.rows) +
                          (split.rows == 1 ? " row for " : " rows for ") +
                          std::to_string(machine.cores) + " threads") +
               ": it reduces " + std::to_string(split.tasks) +
               " parts first, then their results";
    op->getResult(0).replaceAllUsesWith(result);
    op->erase();
    return true;
  }

  bool isLarge(Value value) {
    return isa<RankedTensorType>(value.getType()) &&
           getBytes(value) > machine.cores * machine.l2Bytes / 2;
  }

  /// Whether the op gives one large tensor element by element.
  bool isElementwise(Operation *op) {
    auto fusible = dyn_cast_or_null<FusibleOpInterface>(op);
    if (!fusible || op->getNumResults() != 1 || op->getBlock() != &block ||
        !isLarge(op->getResult(0)))
      return false;
    return isPointwise(fusible.getFusibleKind());
  }

  /// The depths of an op's users, doubled: those whose results all end in parts
  /// are one further if others reduce the same in one step, since no region has
  /// both.
  SmallVector<unsigned> getDepthsOfUsers(Operation *op) {
    auto users = llvm::map_to_vector(op->getUsers(), [&](Operation *user) {
      return block.findAncestorOpInBlock(*user);
    });
    bool isShared = llvm::any_of(
        users, [&](Operation *user) { return sides.whole.contains(user); });
    return llvm::map_to_vector(users, [&](Operation *user) -> unsigned {
      return 2 * depths.lookup(user) +
             (isShared && sides.inParts.contains(user));
    });
  }

  /// The depths of the readers of an elementwise result, or of one computed
  /// from it.
  void findDepthsOfUses(Operation *op) {
    if (!isElementwise(op))
      return;
    llvm::SmallBitVector of(depthCount);
    for (unsigned depth : getDepthsOfUsers(op))
      of.set(depth);
    for (Operation *user : op->getUsers())
      if (auto found = depthsOfUses.find(user); found != depthsOfUses.end())
        of |= found->second;
    depthsOfUses[op] = of;
  }

  /// Collects the ops that compute a value from what is in memory, and what
  /// they read from there.
  void collect(Operation *op, llvm::SetVector<Operation *> &ops,
               llvm::SetVector<Value> &loads) {
    if (ops.size() > kMostOps || !ops.insert(op))
      return;
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (isElementwise(producer) && !stored.contains(producer))
        collect(producer, ops, loads);
      else if (isLarge(operand))
        loads.insert(operand);
    }
  }

  /// A value that a region computes and a region after a split reduction reads
  /// would be written and read once for each of them.
  void computeAgain(Operation *op) {
    if (!isElementwise(op))
      return;
    // Uses by the depth of the user; the first ones stay.
    std::map<unsigned, SmallVector<OpOperand *>> later;
    for (auto [use, depth] :
         llvm::zip_equal(op->getResult(0).getUses(), getDepthsOfUsers(op))) {
      Operation *user = use.getOwner();
      if (user->getBlock() != &block || !isa<FusibleOpInterface>(user)) {
        stored.insert(op);
        return;
      }
      later[depth].push_back(&use);
    }
    if (later.size() < 2)
      return;
    later.erase(later.begin());
    // Usually, the regions after it that need it recompute what they need.
    size_t times = depthsOfUses.lookup(op).count() - 1;
    llvm::SetVector<Operation *> ops;
    llvm::SetVector<Value> loads;
    collect(op, ops, loads);
    if (ops.size() > kMostOps || loads.size() * times > 1 + times) {
      stored.insert(op);
      return;
    }
    for (auto &[depth, uses] : later) {
      IRMapping mapping;
      Value value = clone(op, ops, mapping);
      for (OpOperand *use : uses)
        use->set(value);
    }
  }

  /// Clones the op and those of the set that it depends on.
  Value clone(Operation *op, const llvm::SetVector<Operation *> &ops,
              IRMapping &mapping) {
    if (Value known = mapping.lookupOrNull(op->getResult(0)))
      return known;
    for (Value operand : op->getOperands())
      if (ops.contains(operand.getDefiningOp()))
        clone(operand.getDefiningOp(), ops, mapping);
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    Operation *copy = builder.clone(*op, mapping);
    depths[copy] = depths.lookup(op);
    llvm::SmallBitVector uses = depthsOfUses.lookup(op);
    depthsOfUses[copy] = std::move(uses);
    return copy->getResult(0);
  }

  Block &block;
  int64_t fewestElements, maxOps;
  const Machine &machine;
  StringRef category;
  llvm::DenseMap<Operation *, unsigned> depths;
  unsigned depthCount = 0;
  ReductionSides sides;
  llvm::DenseMap<Operation *, llvm::SmallBitVector> depthsOfUses;
  /// Ops whose results will be in memory.
  llvm::SmallPtrSet<Operation *, 16> stored;
};
struct SplitReductions : impl::GraphSplitReductionsBase<SplitReductions> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    if (splitElements < -1) {
      getOperation()->emitError("option 'split-elements' must be at least -1");
      return signalPassFailure();
    }
    if (maxOps < 0) {
      getOperation()->emitError("option 'max-ops' is negative");
      return signalPassFailure();
    }
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine) || failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    if (threads > 0)
      machine->cores = threads;
    if (splitElements == 0 || machine->cores == 1)
      return;
    int64_t fewest = splitElements;
    if (fewest < 0)
      fewest =
          static_cast<int64_t>(CostModel(*machine).getElementsWorthThreads());
    ReductionSplitter(getOperation().getBody().front(), fewest, maxOps,
                      *machine, getArgument())
        .run();
  }
};
} // namespace

} // namespace gc::graph
