// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/TensorMemory.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "LoopCosts.h"
#include "RegionGrowth.h"
#include "Support/DecisionRecord.h"
#include "Support/ModuleMachine.h"

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHFUSE
#include "Dialect/Graph/Transforms/Passes.h.inc"

/// Whether the function is one that is compiled.
static bool isGraph(func::FuncOp func) {
  return func->hasAttr(GraphDialect::kEntryAttr) ||
         llvm::any_of(func.getBody().front(), [](Operation &op) {
           return isa_and_present<GraphDialect>(op.getDialect());
         });
}

/// Results are written by regions, each by its own, perhaps in another shape:
/// what is returned otherwise is copied by one.
static void copyResults(func::FuncOp func) {
  auto terminator =
      dyn_cast<func::ReturnOp>(func.getBody().front().getTerminator());
  if (!terminator)
    return;
  llvm::SmallPtrSet<Value, 8> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value value = operand.get();
    auto type = dyn_cast<RankedTensorType>(value.getType());
    Value written = skipViews(value);
    Operation *producer = written.getDefiningOp();
    bool isWritten =
        isa_and_nonnull<FusedOp, FusibleOpInterface, TunableOpInterface,
                        PlacementOpInterface>(producer);
    if (!type || (isWritten && returned.insert(written).second))
      continue;
    OpBuilder builder(terminator);
    operand.set(ReorderOp::create(builder, value.getLoc(), type, value));
  }
}

/// The type with element strides.
static RankedTensorType withStrides(RankedTensorType type,
                                    ArrayRef<int64_t> strides) {
  if (ArrayRef<int64_t>(getPlainStrides(type.getShape())) == strides)
    return cast<RankedTensorType>(dropLayout(type));
  return withLayout(type, LayoutAttr::get(type.getContext(), strides));
}

/// What is placed in the result of another op is written there, with its
/// strides: by the region that computes it, if that can hold one more op. A
/// copy is made where others read the value, or no region computes it.
static void placeOperands(func::FuncOp func) {
  func.walk([](PlacementOpInterface op) {
    OpBuilder builder(op);
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    if (!type.hasStaticShape())
      return;
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *producer = operand.get().getDefiningOp();
      auto src = cast<RankedTensorType>(operand.get().getType());
      RankedTensorType placed =
          withStrides(src, getPlainStrides(type.getShape()));
      // An earlier run has done so.
      if (isa_and_nonnull<FusedOp, ReorderOp>(producer) && src == placed &&
          operand.get().hasOneUse())
        continue;
      operand.set(
          ReorderOp::create(builder, op->getLoc(), placed, operand.get()));
    }
  });
}

namespace {
struct Fuse : impl::GraphFuseBase<Fuse> {
  using Base::Base;

  void runOnOperation() override {
    if (getOperation().isDeclaration())
      return;
    for (auto [name, value] :
         {std::pair<const char *, int64_t>{"max-ops", maxOps},
          {"max-reductions", maxReductions},
          {"max-reorders", maxReorders},
          {"max-input-bytes", maxInputBytes}})
      if (value < 0) {
        getOperation()->emitError("option '") << name << "' is negative";
        return signalPassFailure();
      }
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine) || failed(checkThreads(getOperation(), threads)))
      return signalPassFailure();
    if (threads > 0)
      machine->cores = threads;
    FusionLimits limits{maxOps, maxReductions, maxReorders, maxInputBytes};
    RegionGrowth growth(limits, *machine, getArgument());
    Block &block = getOperation().getBody().front();
    if (isGraph(getOperation()))
      copyResults(getOperation());
    placeOperands(getOperation());
    // Tunable ops first: what can be done while their tile is in the cache is
    // not worth a pass of its own.
    growth.fuseTunable(block);
    // Another run completes the regions.
    if (tunableOnly)
      return;
    growth.fuseFusible(block);
    cloneIntoReaders(block, limits);
    for (auto fused : block.getOps<FusedOp>())
      recordRegion(fused, *machine);
  }

  void recordRegion(FusedOp fused, const Machine &machine) {
    DecisionRecord record(fused, getArgument(), "fusion");
    if (!record)
      return;
    std::string ops;
    int64_t count = 0;
    SmallVector<Operation *> inner;
    for (Operation &op : fused.getBody().front().without_terminator()) {
      inner.push_back(&op);
      ops += (count == 0 ? "" : ", ") + op.getName().stripDialect().str();
      ++count;
    }
    CostModel model(machine);
    record.choose("one region of " + Twine(count) + ": " + ops,
                  getLoopCycles(inner, model),
                  fused.getTunableOp() ? "without the product" : "");
    if (count > 1)
      record.reject("loops of their own, which hand results on in memory",
                    getCyclesApart(inner, model));
    record.forcedBy("--pipeline-options=fine-grain=false");
  }
};
} // namespace

} // namespace gc::graph
