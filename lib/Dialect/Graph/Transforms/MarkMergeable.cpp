// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/Transforms/Passes.h"
#include "LoopCosts.h"
#include "MergeMember.h"
#include "RegionGrowth.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"
#include "TunableChains.h"
#include "mlir/IR/Remarks.h"

#include <tuple>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHMARKMERGEABLE
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// Whether the op, or an op inside it, uses a result of the other one.
bool usesResult(Operation *op, Operation *producer) {
  return llvm::any_of(producer->getUsers(),
                      [&](Operation *user) { return op->isAncestor(user); });
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

/// How many ops a group may be moved across to join another region. Without a
/// limit, groups that nothing joins would each look at all that follows.
constexpr size_t kMostBetween = 128;

struct MarkMergeable : impl::GraphMarkMergeableBase<MarkMergeable> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    auto found = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(found) || failed(checkThreads(getOperation(), threads)))
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
      SmallVector<MergeMember, 0> group = {**first};
      if (failed(grow(group)))
        return signalPassFailure();
      if (group.size() == 1)
        continue;
      for (const MergeMember &member : group)
        done.insert(member.fused);
      mark(group, number++);
    }
  }

  /// The region as a member of a group; nothing if its loops are unknown.
  FailureOr<std::optional<MergeMember>> getMember(FusedOp fused) {
    TunableOpInterface tunable = fused.getTunableOp();
    if (!tunable)
      return std::optional<MergeMember>();
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    if (!chosen)
      return tunable->emitOpError("has no template; run graph-select-template");
    std::optional<OuterLoops> loops = chosen.getOuterLoops(tunable);
    if (!loops)
      return std::optional<MergeMember>();
    auto space = RegionSpace::get(fused);
    if (failed(space))
      return failure();
    return std::optional<MergeMember>(
        MergeMember{fused, tunable, *loops, *space});
  }

  /// Reports the regions after one that does not begin a group.
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

  /// Adds the regions after the group as long as they can be merged with it.
  LogicalResult grow(SmallVectorImpl<MergeMember> &group) {
    // Ops between the last member and the next one, and those of them that need
    // the group.
    SmallVector<Operation *> between, dependent;
    Operation *op = group.back().fused->getNextNode();
    while (op && !op->hasTrait<OpTrait::IsTerminator>() &&
           between.size() < kMostBetween) {
      bool depends = dependsOnAny(op, group, dependent);
      auto fused = dyn_cast<FusedOp>(op);
      FailureOr<std::optional<MergeMember>> next =
          fused ? getMember(fused) : std::optional<MergeMember>();
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
  bool dependsOnAny(Operation *op, ArrayRef<MergeMember> group,
                    ArrayRef<Operation *> dependent) {
    return llvm::any_of(group,
                        [&](const MergeMember &member) {
                          return usesResult(op, member.fused);
                        }) ||
           llvm::any_of(dependent, [&](Operation *other) {
             return usesResult(op, other);
           });
  }

  std::optional<Obstacle> getObstacle(ArrayRef<MergeMember> group,
                                      const MergeMember &next,
                                      ArrayRef<Operation *> dependent) {
    const OuterLoops &loops = next.loops;
    SmallVector<int64_t> others = group.front().getParallelSizes(),
                         own = next.getParallelSizes();
    if (own != others)
      return Obstacle{"its parallel loop has the sizes " + print(own) +
                          ", the other's has " + print(others),
                      "template_params with equal MPN and NPN"};
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
    for (const MergeMember &member : group)
      member.forEachFlow(next, [&](OpResult result, OpOperand &use) {
        if (!obstacle)
          obstacle = getFlowObstacle(member, next, result, use, dims);
      });
    return obstacle;
  }

  std::optional<Obstacle> getFlowObstacle(const MergeMember &from,
                                          const MergeMember &to,
                                          OpResult result, OpOperand &use,
                                          ArrayRef<unsigned> dims) {
    const OuterLoops &a = from.loops, &b = to.loops;
    if ((b.rowParts > 1 && (a.rows != b.rows || a.rowBlock != b.rowBlock)) ||
        (b.columnParts > 1 &&
         (a.columns != b.columns || a.columnBlock != b.columnBlock)))
      return Obstacle{
          "the parts of rows or columns consist of different blocks",
          "template_params with equal MB and NB"};
    std::optional<TensorDims> read = to.getReadDims(use);
    if (read && isOwn(from.getWrittenDims(result), *read, dims))
      return std::nullopt;
    std::string operand = "operand " + std::to_string(use.getOperandNumber()) +
                          " of '" +
                          use.getOwner()->getName().getStringRef().str() + "'";
    return Obstacle{operand + " reads what other iterations have written",
                    b.columnParts > 1 ? "template_params with NPN = 1"
                    : b.rowParts > 1  ? "template_params with MPN = 1"
                                      : ""};
  }

  /// Moves ops between the group and the next region before the group, or after
  /// the region if they need the group.
  void clear(ArrayRef<MergeMember> group, ArrayRef<Operation *> between,
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

  /// Sets the attributes. The loops over blocks of rows of one group become one
  /// loop, so there is at most one run of members that share it.
  void mark(ArrayRef<MergeMember> group, int64_t number) {
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
      DecisionRecord record(member.fused, getArgument(), "merge");
      if (record) {
        CostModel model(machine, threads);
        double merged = 0, apart = model.getBarrierCycles();
        for (const MergeMember &before : group.take_front(i))
          before.forEachFlow(member, [&](OpResult result, OpOperand &) {
            merged += getReadCycles(result.getType(), model);
            apart += getReadCycles(result.getType(), model);
          });
        record.choose("one parallel loop with " + quote(group[i - 1].fused),
                      merged, "to read what it hands on");
        record.reject("a loop of its own, after a barrier", apart);
        record.forcedBy("--pipeline-options=coarse-grain=false");
      }
      if (end == i && sharesRows(group.slice(first, i - first), member))
        end = i + 1;
      else if (end - first == 1)
        std::tie(first, end) = std::pair(i, i + 1);
    }
    if (end - first > 1)
      for (const MergeMember &member : group.slice(first, end - first))
        member.fused->setAttr(GraphDialect::kMergeRowsAttr,
                              builder.getUnitAttr());
  }

  /// Whether the region joins the loop over blocks of rows of those before it.
  bool sharesRows(ArrayRef<MergeMember> before, const MergeMember &member) {
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
                   "template_params with equal MB and m outermost");
      return false;
    }
    RowCosts costs = getRowCosts(before, member, CostModel(machine));
    bool isCheaper = costs.merged <= costs.apart;
    if (DecisionRecord record(member.fused, getArgument(), "merge"); record) {
      StringRef shared = "one loop over blocks of rows with those before it",
                own = "a loop over blocks of rows of its own";
      record.choose(isCheaper ? shared : own,
                    isCheaper ? costs.merged : costs.apart);
      record.reject(isCheaper ? own : shared,
                    isCheaper ? costs.apart : costs.merged,
                    isCheaper ? "" : "operands of all would have to fit L2");
      record.forcedBy(
          "template_params: other MB or order, or one block of rows "
          "per part, keep it apart");
    }
    if (isCheaper)
      return true;
    reportMissed(
        member.fused, "RowsNotMerged", getArgument(),
        text + "it costs " +
            std::to_string(static_cast<int64_t>(costs.merged)) + " merged, " +
            std::to_string(static_cast<int64_t>(costs.apart)) + " apart",
        "");
    return false;
  }

  Machine machine;
};
} // namespace

} // namespace gc::graph
