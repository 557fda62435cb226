// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "RegionGrowth.h"
#include "TunableChains.h"
#include "mlir/IR/Remarks.h"

#include <tuple>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHMARKMERGEABLE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// A region whose loops can be merged with others.
struct Member {
  FusedOp fused;
  TunableOpInterface tunable;
  OuterLoops loops;
  RegionSpace space;

  Operation *getTunable() const { return tunable; }
  Block &getBody() const { return fused->getRegion(0).front(); }
  unsigned getRowDim() const { return loops.batch.size(); }
  unsigned getColumnDim() const { return loops.batch.size() + 1; }
};

/// Per dimension of a tensor the dimension of a region's space that is its
/// index, or -1.
using TensorDims = SmallVector<int64_t>;

TensorDims getDims(AffineMap map) {
  return llvm::map_to_vector(map.getResults(), [](AffineExpr expr) -> int64_t {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    return dim ? static_cast<int64_t>(dim.getPosition()) : -1;
  });
}

/// Where a region writes one of its results.
TensorDims getWrittenDims(const Member &member, OpResult result) {
  Operation *yield = member.getBody().getTerminator();
  Value yielded = yield->getOperand(result.getResultNumber());
  return getDims(member.space.getValueMap(yielded));
}

/// Where a region reads an operand of one of its ops that is computed outside;
/// nothing if that is not known.
std::optional<TensorDims> getReadDims(const Member &member, OpOperand &use) {
  Operation *op = use.getOwner();
  if (op == member.getTunable())
    return member.loops.operandDims[use.getOperandNumber()];
  if (member.space.contains(op))
    return getDims(member.space.getOperandMap(use));
  // A pre-op reads the slice of the operand that it computes.
  auto preOp = dyn_cast<FusibleOpInterface>(op);
  if (!preOp || !op->hasOneUse() || *op->user_begin() != member.getTunable())
    return std::nullopt;
  const TensorDims &dims =
      member.loops.operandDims[op->use_begin()->getOperandNumber()];
  TensorDims read = getDims(preOp.getOperandMap(use.getOperandNumber()));
  for (int64_t &dim : read)
    dim = dim < 0 ? dim : dims[dim];
  return read;
}

/// Whether an iteration over the dimensions reads only what the same iteration
/// has written.
bool isOwn(const TensorDims &written, const TensorDims &read,
           ArrayRef<unsigned> dims) {
  return llvm::all_of(dims, [&](int64_t dim) {
    return llvm::any_of(llvm::zip_equal(written, read), [&](auto pair) {
      auto [to, from] = pair;
      return to == dim && from == dim;
    });
  });
}

std::string quote(FusedOp fused) {
  return "'" + fused.getName().value_or("graph.fused_op").str() + "'";
}

std::string print(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

SmallVector<int64_t> getParallelSizes(const OuterLoops &loops) {
  SmallVector<int64_t> sizes(loops.batch);
  sizes.append({loops.rowParts, loops.columnParts});
  return sizes;
}

double getBytes(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  return static_cast<double>(tensor.getNumElements()) *
         llvm::divideCeil(tensor.getElementTypeBitWidth(), 8);
}

/// The uses of a region's results inside of another one.
template <typename Function>
void forEachFlow(const Member &from, const Member &to, Function function) {
  for (OpResult result : from.fused->getOpResults())
    for (OpOperand &use : result.getUses())
      if (to.fused->isProperAncestor(use.getOwner()))
        function(result, use);
}

/// Whether the op uses a result of the other one, inside of it or itself.
bool usesResult(Operation *op, Operation *producer) {
  return llvm::any_of(producer->getUsers(),
                      [&](Operation *user) { return op->isAncestor(user); });
}

//===----------------------------------------------------------------------===//
// Cost
//===----------------------------------------------------------------------===//

/// Bytes per cycle at which one core reads a working set of so many bytes.
double getBandwidth(const Machine &machine, double bytes) {
  if (bytes <= machine.l1Bytes)
    return 64;
  if (bytes <= machine.l2Bytes)
    return 24;
  return bytes <= machine.l3Bytes ? 8 : 3;
}

/// Bytes per batch item of the operands that every block of rows reads again.
double getStationaryBytes(const Member &member) {
  double bytes = 0;
  for (auto [operand, dims] : llvm::zip_equal(member.tunable->getOperands(),
                                              member.loops.operandDims)) {
    if (llvm::is_contained(dims, member.getRowDim()))
      continue;
    double size = getBytes(operand.getType());
    for (int64_t dim : dims)
      if (dim >= 0 && dim < static_cast<int64_t>(member.getRowDim()))
        size /= member.loops.batch[dim];
    bytes += size / member.loops.columnParts;
  }
  return bytes;
}

struct RowCosts {
  double apart, merged;
};

/// Cycles that one core spends per batch item on operands and on values between
/// the regions, with the loops over blocks of rows apart and merged.
RowCosts getRowCosts(ArrayRef<Member> group, const Member &next,
                     const Machine &machine) {
  const OuterLoops &loops = next.loops;
  int64_t blocks = llvm::divideCeil(loops.rows, loops.rowBlock);
  double share = llvm::divideCeil(blocks, loops.rowParts);
  double own = getStationaryBytes(next), all = own, between = 0;
  for (const Member &member : group) {
    all += getStationaryBytes(member);
    forEachFlow(member, next, [&](OpResult result, OpOperand &) {
      between += getBytes(result.getType()) / loops.getParallelism();
    });
  }
  double block = between / share;
  double others = all - own;
  // The first block finds the operands in none of the caches, whichever way.
  // For the others, kernels hide most of what comes from farther than the L1
  // cache.
  constexpr double kVisible = 0.3;
  auto stream = [&](double bytes, double workingSet) {
    double bandwidth = std::min(getBandwidth(machine, workingSet),
                                getBandwidth(machine, machine.l2Bytes));
    return kVisible * (share - 1) * bytes / bandwidth;
  };
  // Values between are written once and read once: merged, right after one
  // another; apart, when all of them are there.
  return {stream(own, own + block) + stream(others, others + block) +
              2 * between / getBandwidth(machine, between + own),
          stream(all, all + block) +
              2 * between / getBandwidth(machine, 2 * block)};
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

struct MarkMergeable : impl::GraphMarkMergeableBase<MarkMergeable> {
  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto found = Machine::get(getOperation()->getParentOfType<ModuleOp>());
    if (failed(found))
      return signalPassFailure();
    machine = *found;
    Block &block = getOperation().getBody().front();
    int64_t number = 0;
    llvm::SmallPtrSet<Operation *, 8> done;
    for (FusedOp fused : llvm::to_vector(block.getOps<FusedOp>())) {
      if (done.contains(fused))
        continue;
      auto first = getMember(fused);
      if (failed(first))
        return signalPassFailure();
      if (!*first) {
        reportApart(fused);
        continue;
      }
      SmallVector<Member, 0> group = {**first};
      if (failed(grow(group)))
        return signalPassFailure();
      if (group.size() == 1)
        continue;
      for (const Member &member : group)
        done.insert(member.fused);
      mark(group, number++);
    }
  }

  /// The region as a member of a group; nothing if its loops are not known.
  FailureOr<std::optional<Member>> getMember(FusedOp fused) {
    TunableOpInterface tunable = fused.getTunableOp();
    if (!tunable)
      return std::optional<Member>();
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    if (!chosen)
      return tunable->emitOpError("has no template; run graph-select-template");
    std::optional<OuterLoops> loops = chosen.getOuterLoops(tunable);
    if (!loops)
      return std::optional<Member>();
    auto space = RegionSpace::get(fused);
    if (failed(space))
      return failure();
    return std::optional<Member>(Member{fused, tunable, *loops, *space});
  }

  /// Tells of the regions behind one that begins no group.
  void reportApart(FusedOp fused) {
    llvm::SmallPtrSet<Operation *, 4> users;
    for (Value result : fused->getResults())
      for (Operation *user : result.getUsers())
        if (auto next = dyn_cast_or_null<FusedOp>(
                fused->getBlock()->findAncestorOpInBlock(*user));
            next && next.getTunableOp() && users.insert(next).second)
          reportMissed(next, "NotMerged", getArgument(),
                       quote(next) + " is not merged with " + quote(fused) +
                           (fused.getTunableOp()
                                ? ": the loops of the latter's template cannot "
                                  "be merged"
                                : ": the latter has no tunable op that divides "
                                  "the work"),
                       "");
  }

  /// Adds the regions behind the group as long as one can be merged with it.
  LogicalResult grow(SmallVectorImpl<Member> &group) {
    // Ops between the last member and the next one, and those of them that need
    // the group.
    SmallVector<Operation *> between, dependent;
    Operation *op = group.back().fused->getNextNode();
    while (op && !op->hasTrait<OpTrait::IsTerminator>()) {
      bool depends = dependsOnAny(op, group, dependent);
      auto fused = dyn_cast<FusedOp>(op);
      FailureOr<std::optional<Member>> next =
          fused ? getMember(fused) : std::optional<Member>();
      if (failed(next))
        return failure();
      std::optional<Obstacle> obstacle;
      if (*next) {
        obstacle = getObstacle(group, **next, dependent);
        if (!obstacle) {
          clear(group, between, dependent, fused);
          between.clear();
          dependent.clear();
          group.push_back(**next);
          op = fused->getNextNode();
          continue;
        }
      } else if (fused) {
        obstacle = Obstacle{fused.getTunableOp()
                                ? "the loops of its template cannot be merged"
                                : "it has no tunable op that divides the work",
                            ""};
      }
      if (fused && depends) {
        if (llvm::any_of(group, [&](const Member &member) {
              return usesResult(fused, member.fused);
            }))
          reportMissed(fused, "NotMerged", getArgument(),
                       quote(fused) + " is not merged with " +
                           quote(group.back().fused) + ": " + obstacle->reason,
                       obstacle->suggestion);
        return success();
      }
      between.push_back(op);
      if (depends)
        dependent.push_back(op);
      op = op->getNextNode();
    }
    return success();
  }

  /// Whether an op needs the group, also through the ops in between that do.
  bool dependsOnAny(Operation *op, ArrayRef<Member> group,
                    ArrayRef<Operation *> dependent) {
    return llvm::any_of(group,
                        [&](const Member &member) {
                          return usesResult(op, member.fused);
                        }) ||
           llvm::any_of(dependent, [&](Operation *other) {
             return usesResult(op, other);
           });
  }

  std::optional<Obstacle> getObstacle(ArrayRef<Member> group,
                                      const Member &next,
                                      ArrayRef<Operation *> dependent) {
    const OuterLoops &first = group.front().loops, &loops = next.loops;
    if (getParallelSizes(first) != getParallelSizes(loops))
      return Obstacle{
          "its parallel loop has the sizes " + print(getParallelSizes(loops)) +
              ", that of the other " + print(getParallelSizes(first)),
          "choose templates with equal MPN and NPN"};
    if (group.size() >= kMaxMergeGroup)
      return Obstacle{"the group has " + std::to_string(kMaxMergeGroup) +
                          " regions already",
                      ""};
    for (Operation *op : dependent)
      if (usesResult(next.fused, op))
        return Obstacle{"it uses the other's result through '" +
                            op->getName().getStringRef().str() + "'",
                        ""};
    SmallVector<unsigned> dims;
    for (auto [dim, size] : llvm::enumerate(loops.batch))
      if (size > 1)
        dims.push_back(dim);
    if (loops.rowParts > 1)
      dims.push_back(next.getRowDim());
    if (loops.columnParts > 1)
      dims.push_back(next.getColumnDim());
    std::optional<Obstacle> obstacle;
    for (const Member &member : group)
      forEachFlow(member, next, [&](OpResult result, OpOperand &use) {
        if (!obstacle)
          obstacle = getFlowObstacle(member, next, result, use, dims);
      });
    return obstacle;
  }

  std::optional<Obstacle> getFlowObstacle(const Member &from, const Member &to,
                                          OpResult result, OpOperand &use,
                                          ArrayRef<unsigned> dims) {
    const OuterLoops &a = from.loops, &b = to.loops;
    if ((b.rowParts > 1 && (a.rows != b.rows || a.rowBlock != b.rowBlock)) ||
        (b.columnParts > 1 &&
         (a.columns != b.columns || a.columnBlock != b.columnBlock)))
      return Obstacle{"the parts of rows or columns consist of other blocks",
                      "choose templates with equal MB and NB"};
    std::optional<TensorDims> read = getReadDims(to, use);
    if (read && isOwn(getWrittenDims(from, result), *read, dims))
      return std::nullopt;
    std::string operand = "operand " + std::to_string(use.getOperandNumber()) +
                          " of '" +
                          use.getOwner()->getName().getStringRef().str() + "'";
    return Obstacle{operand + " reads what other iterations have written",
                    b.columnParts > 1 ? "choose templates with NPN = 1"
                    : b.rowParts > 1  ? "choose templates with MPN = 1"
                                      : ""};
  }

  /// Moves ops that stand between the group and the next region in front of the
  /// group, or behind the region if they need the group.
  void clear(ArrayRef<Member> group, ArrayRef<Operation *> between,
             ArrayRef<Operation *> dependent, Operation *next) {
    Operation *last = next;
    for (Operation *op : between) {
      if (!llvm::is_contained(dependent, op)) {
        op->moveBefore(group.front().fused);
        continue;
      }
      op->moveAfter(last);
      last = op;
    }
  }

  /// Whether an op that works on all rows of a core is committed in front of or
  /// behind the loop over blocks of rows.
  static bool hasOpsAroundRows(const Member &member) {
    Operation *tunable = member.getTunable();
    return llvm::any_of(member.getBody(), [&](Operation &op) {
      auto anchor = op.getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
      if (!anchor)
        return false;
      if (anchor.getKind() == AnchorKind::post)
        return anchor.getIndex() > 1;
      return anchor.getIndex() <= 2 &&
             tunable->getOperand(0) == op.getResult(0);
    });
  }

  /// Whether the region's blocks of rows can follow those of the group.
  bool canMergeRows(ArrayRef<Member> group, const Member &next) {
    const OuterLoops &loops = next.loops;
    if (hasOpsAroundRows(next))
      return false;
    for (const Member &member : group) {
      const OuterLoops &other = member.loops;
      if (!loops.rowsOutermost || !other.rowsOutermost ||
          other.rows != loops.rows || other.rowBlock != loops.rowBlock)
        return false;
      if (hasOpsAroundRows(member))
        return false;
      bool ownRows = true;
      forEachFlow(member, next, [&](OpResult result, OpOperand &use) {
        auto anchor = use.getOwner()->getAttrOfType<AnchorAttr>(
            GraphDialect::kAnchorAttr);
        // A pre-op before the loop needs the rows of all blocks.
        if (anchor && anchor.getKind() == AnchorKind::pre &&
            anchor.getIndex() <= 2)
          ownRows = false;
        std::optional<TensorDims> read = getReadDims(next, use);
        ownRows &= read && isOwn(getWrittenDims(member, result), *read,
                                 {next.getRowDim()});
      });
      if (!ownRows)
        return false;
    }
    return true;
  }

  /// Sets the attributes. The loops over blocks of rows of one group become one
  /// loop, so that there is at most one run of members that share it.
  void mark(ArrayRef<Member> group, int64_t number) {
    Builder builder(&getContext());
    size_t first = 0, end = 1;
    for (auto [i, member] : llvm::enumerate(group)) {
      member.fused->setAttr(GraphDialect::kMergeGroupAttr,
                            builder.getI64IntegerAttr(number));
      if (i == 0)
        continue;
      remark::passed(member.fused->getLoc(),
                     remark::RemarkOpts::name("Merged").category(getArgument()))
          << quote(member.fused) + " is merged with " +
                 quote(group[i - 1].fused);
      if (end == i && sharesRows(group.slice(first, i - first), member))
        end = i + 1;
      else if (end - first == 1)
        std::tie(first, end) = std::pair(i, i + 1);
    }
    if (end - first > 1)
      for (const Member &member : group.slice(first, end - first))
        member.fused->setAttr(GraphDialect::kMergeRowsAttr,
                              builder.getUnitAttr());
  }

  /// Whether the region joins the loop over blocks of rows of those before it.
  bool sharesRows(ArrayRef<Member> before, const Member &member) {
    const OuterLoops &loops = member.loops;
    // A part of one block has no loop.
    if (llvm::divideCeil(loops.rows, loops.rowBlock * loops.rowParts) == 1)
      return false;
    std::string text =
        quote(member.fused) + " keeps a loop over blocks of rows of its own: ";
    if (!canMergeRows(before, member)) {
      reportMissed(member.fused, "RowsNotMerged", getArgument(),
                   text +
                       "its blocks or its order of loops differ, or it needs "
                       "all rows of the other",
                   "choose templates with equal MB and m outermost");
      return false;
    }
    RowCosts costs = getRowCosts(before, member, machine);
    if (costs.merged <= costs.apart)
      return true;
    reportMissed(member.fused, "RowsNotMerged", getArgument(),
                 text + "merged it costs " +
                     std::to_string(static_cast<int64_t>(costs.merged)) +
                     ", apart " +
                     std::to_string(static_cast<int64_t>(costs.apart)),
                 "the operands of all regions should fit the L2 cache");
    return false;
  }

  Machine machine;
};
} // namespace

} // namespace gc::graph
