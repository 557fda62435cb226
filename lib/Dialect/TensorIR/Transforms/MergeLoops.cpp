// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "Dialect/TensorIR/Transforms/Passes.h"
#include "IndexForm.h"
#include "MemoryUse.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace gc::tir {

#define GEN_PASS_DEF_TIRMERGELOOPS
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

namespace {

std::string describe(ParallelOp loop) {
  return loop.getName() ? ("'" + *loop.getName() + "'").str() : "without name";
}

/// Whether an op, or one inside it, uses a result of one of the ops.
bool usesAny(Operation *op, ArrayRef<Operation *> ops) {
  return op
      ->walk([&](Operation *inner) {
        bool uses = llvm::any_of(inner->getOperands(), [&](Value operand) {
          return llvm::is_contained(ops, operand.getDefiningOp());
        });
        return uses ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Sorts the ops between two loops into those that move before the first and
/// those that move after the second. Returns the op that can do neither.
Operation *sortBetween(Operation *first, Operation *second,
                       SmallVectorImpl<Operation *> &inFront,
                       SmallVectorImpl<Operation *> &after) {
  MemoryUse passed(first), next(second);
  SmallVector<Operation *> stayed = {first};
  for (Operation *op = first->getNextNode(); op != second;
       op = op->getNextNode()) {
    MemoryUse use(op);
    if (!usesAny(op, stayed) && !use.conflictsWith(passed)) {
      inFront.push_back(op);
      continue;
    }
    after.push_back(op);
    stayed.push_back(op);
    passed.add(op);
    if (use.conflictsWith(next) || usesAny(second, {op}))
      return op;
  }
  return nullptr;
}

/// Appends the body of the second loop to that of the first.
void mergeBodies(Block &first, Block &second) {
  for (auto [from, to] :
       llvm::zip_equal(second.getArguments(), first.getArguments()))
    from.replaceAllUsesWith(to);
  Operation *end = first.getTerminator();
  second.getTerminator()->erase();
  first.getOperations().splice(end->getIterator(), second.getOperations());
}

struct MergeLoops : impl::TirMergeLoopsBase<MergeLoops> {
  void runOnOperation() override {
    SmallVector<SmallVector<ParallelOp>> groups;
    llvm::DenseMap<int64_t, size_t> numbers;
    getOperation().walk([&](ParallelOp loop) {
      if (!loop.getMerge())
        return;
      auto [it, isNew] = numbers.try_emplace(*loop.getMerge(), groups.size());
      if (isNew)
        groups.emplace_back();
      groups[it->second].push_back(loop);
    });
    for (ArrayRef<ParallelOp> group : groups)
      if (failed(mergeGroup(group)))
        return signalPassFailure();
  }

  LogicalResult mergeGroup(ArrayRef<ParallelOp> group) {
    ParallelOp first = group.front();
    std::string name;
    llvm::raw_string_ostream names(name);
    names << first.getName().value_or("");
    for (ParallelOp next : group.drop_front()) {
      if (failed(moveTogether(first, next)))
        return failure();
      if (next.getName())
        names << (name.empty() ? "" : "|") << *next.getName();
      mergeBodies(first.getBody().front(), next.getBody().front());
      first.setNowait(next.getNowait());
      next.erase();
      mergeRows(first);
    }
    if (!name.empty())
      first.setName(name);
    first.removeMergeAttr();
    for (auto row : first.getBody().getOps<scf::ForOp>())
      row->removeAttr(TensorIRDialect::kMergeAttr);
    return success();
  }

  /// Checks that two loops may become one and moves what is between them.
  LogicalResult moveTogether(ParallelOp first, ParallelOp next) {
    int64_t group = *first.getMerge();
    if (first.getSizes() != next.getSizes()) {
      InFlightDiagnostic error =
          next.emitOpError("loop ")
          << describe(next) << " of merge group " << group << " runs over ("
          << next.getSizes() << "), but loop " << describe(first)
          << " of the same group over (" << first.getSizes() << ")";
      error.attachNote(first.getLoc()) << "the group begins here";
      return error;
    }
    auto refuse = [&](Operation *between) -> LogicalResult {
      InFlightDiagnostic error = next.emitOpError("loop ")
                                 << describe(next) << " of merge group "
                                 << group << " is not next to loop "
                                 << describe(first) << " of the same group";
      error.attachNote(between->getLoc())
          << "this op cannot be moved out of the way";
      return error;
    };
    if (first->getBlock() != next->getBlock())
      return refuse(first);
    SmallVector<Operation *> inFront;
    for (Operation *op = first->getNextNode(); op != next;
         op = op->getNextNode()) {
      // Other loops and barriers synchronise the team in between.
      if (op->getNumRegions() || !MemoryUse(op).isNone())
        return refuse(op);
      inFront.push_back(op);
    }
    for (Operation *op : inFront)
      op->moveBefore(first);
    return success();
  }

  /// Merges neighbouring marked loops of a body as far as possible.
  void mergeRows(ParallelOp parallel) {
    scf::ForOp first;
    for (auto next :
         llvm::make_early_inc_range(parallel.getBody().getOps<scf::ForOp>())) {
      auto mark = next->getAttrOfType<IntegerAttr>(TensorIRDialect::kMergeAttr);
      if (!mark)
        continue;
      if (!first || first->getAttr(TensorIRDialect::kMergeAttr) != mark ||
          failed(mergeRowLoops(first, next)))
        first = next;
    }
  }

  LogicalResult mergeRowLoops(scf::ForOp first, scf::ForOp next) {
    auto miss = [&](StringRef reason) {
      remark::missed(next.getLoc(), remark::RemarkOpts::name("RowsNotMerged")
                                        .category(getArgument())
                                        .function(getOperation().getName()))
          << remark::add("loops over rows stay apart")
          << remark::reason("{0}", reason.str())
          << remark::suggest("leave the group's rows apart (graph-mark-"
                             "mergeable)");
      return failure();
    };
    if (first.getNumResults() || next.getNumResults())
      return miss("a loop carries values");
    if (!isSameValue(first.getLowerBound(), next.getLowerBound()) ||
        !isSameValue(first.getUpperBound(), next.getUpperBound()) ||
        !isSameValue(first.getStep(), next.getStep()))
      return miss("their bounds differ");
    SmallVector<Operation *> inFront, after;
    if (Operation *op = sortBetween(first, next, inFront, after))
      return miss(("an op between them (" + op->getName().getStringRef() +
                   ") depends on the first and feeds the second")
                      .str());
    for (Operation *op : inFront)
      op->moveBefore(first);
    Operation *last = next;
    for (Operation *op : after) {
      op->moveAfter(last);
      last = op;
    }
    mergeBodies(*first.getBody(), *next.getBody());
    next.erase();
    return success();
  }
};

} // namespace

} // namespace gc::tir
