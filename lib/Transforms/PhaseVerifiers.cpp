// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Transforms/PhaseVerifiers.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace gc;

namespace {

/// Reports an op that breaks what the phase promises.
template <CpuPhase phase>
LogicalResult checkPhase(Operation *op);

bool isGraphOp(Operation *op) {
  return isa_and_nonnull<graph::GraphDialect>(op->getDialect());
}

/// Whether the elements of a tensor with this shape can be addressed.
bool isAddressable(Type type) {
  constexpr uint64_t limit = uint64_t(1) << 46;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  Type element = tensor.getElementType();
  uint64_t bytes =
      element.isIntOrFloat() ? (element.getIntOrFloatBitWidth() + 7) / 8 : 1;
  for (int64_t size : tensor.getShape()) {
    if (ShapedType::isDynamic(size) || size == 0)
      continue;
    if (bytes > limit / size)
      return false;
    bytes *= size;
  }
  return true;
}

LogicalResult checkSizes(Operation *op) {
  auto report = [&](Type type) {
    return op->emitOpError("has a tensor of ")
           << type << ", which is more than 2^46 bytes";
  };
  for (Type type : op->getResultTypes())
    if (!isAddressable(type))
      return report(type);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Type type : block.getArgumentTypes())
        if (!isAddressable(type))
          return report(type);
  return success();
}

template <>
LogicalResult checkPhase<CpuPhase::import>(Operation *op) {
  if (failed(checkSizes(op)))
    return failure();
  if (!isGraphOp(op))
    return success();
  Operation *parent = op->getParentOp();
  if (auto function = op->getParentOfType<func::FuncOp>();
      function && !isGraphOp(parent) &&
      !(parent == function && function.getBody().hasOneBlock()))
    return op->emitOpError(
        "is under control flow, and only the straight code of "
        "a function is compiled; move it to a function of "
        "its own and call that");
  for (Type type : op->getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      return op->emitOpError("has no static result type after phase 'import'");
  }
  return success();
}

template <>
LogicalResult checkPhase<CpuPhase::graph>(Operation *op) {
  if (auto complex = dyn_cast<graph::ComplexOpInterface>(op);
      complex && complex.isComplex() &&
      !op->hasAttr(graph::GraphDialect::kWhereReadAttr))
    return op->emitOpError("is still complex after phase 'graph'");
  return success();
}

template <>
LogicalResult checkPhase<CpuPhase::layout>(Operation *op) {
  if (auto tunable = dyn_cast<graph::TunableOpInterface>(op);
      tunable && !tunable.getChosenTemplate())
    return op->emitOpError("has no template after phase 'layout'");
  if (!isGraphOp(op))
    return success();
  for (Type type : op->getResultTypes()) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    auto layout = dyn_cast_or_null<graph::LayoutAttr>(tensor.getEncoding());
    if (layout && layout.isAny())
      return op->emitOpError("has a result without a layout after phase "
                             "'layout'");
  }
  return success();
}

/// Regions of one merge group follow one another.
LogicalResult checkMergeGroup(graph::FusedOp fused) {
  auto getGroup = [](Operation *op) {
    return op ? op->getAttr(graph::GraphDialect::kMergeGroupAttr) : Attribute();
  };
  Attribute group = getGroup(fused);
  Operation *previous = fused->getPrevNode();
  if (!group || getGroup(previous) == group)
    return success();
  if (getGroup(fused->getNextNode()) != group)
    return fused.emitOpError(
        "is alone in its merge group after phase 'fusion'");
  while (previous && getGroup(previous) != group)
    previous = previous->getPrevNode();
  if (previous)
    return fused.emitOpError("is apart from its merge group after phase "
                             "'fusion'");
  return success();
}

template <>
LogicalResult checkPhase<CpuPhase::fusion>(Operation *op) {
  if (auto fused = dyn_cast<graph::FusedOp>(op)) {
    if (failed(checkMergeGroup(fused)))
      return failure();
    if (!fused.getSchedule())
      return fused.emitOpError("has no schedule after phase 'fusion'");
    return success();
  }
  if (auto fused = dyn_cast_or_null<graph::FusedOp>(op->getParentOp());
      fused && fused.getTunableOp() && isa<graph::FusibleOpInterface>(op) &&
      !op->hasAttr(graph::GraphDialect::kAnchorAttr))
    return op->emitOpError("has no anchor after phase 'fusion'");
  if (!isGraphOp(op) ||
      isa<graph::FusedOp, graph::ConstantOp, graph::YieldOp,
          graph::PlacementOpInterface>(op) ||
      op->hasTrait<graph::RowMajorView>() ||
      op->getParentOfType<graph::FusedOp>())
    return success();
  return op->emitOpError("is in no fused op after phase 'fusion'");
}

template <>
LogicalResult checkPhase<CpuPhase::tensor>(Operation *op) {
  if (isa<tir::ScratchOp>(op))
    return op->emitOpError("has no place after phase 'tensor'");
  auto function = op->getParentOfType<func::FuncOp>();
  if (!function || !function->hasAttr(tir::TensorIRDialect::kEntryAttr))
    return success();
  auto isTensor = [](Type type) { return isa<TensorType>(type); };
  if (llvm::any_of(op->getResultTypes(), isTensor) ||
      llvm::any_of(op->getOperandTypes(), isTensor))
    return op->emitOpError("is on tensors after phase 'tensor'");
  return success();
}

template <>
LogicalResult checkPhase<CpuPhase::machine>(Operation *op) {
  if (op->hasAttr(tir::TensorIRDialect::kEntryAttr))
    return op->emitOpError("is left after phase 'machine'");
  return success();
}

/// GC dialects that an earlier phase has and this one does not.
SmallVector<StringRef> getGoneDialects(CpuPhase phase) {
  auto split = [](StringRef text) {
    SmallVector<StringRef> names;
    text.split(names, ' ');
    return names;
  };
  ArrayRef<PhaseInfo> phases = getCpuPhases();
  size_t index = static_cast<size_t>(phase);
  SmallVector<StringRef> alive = split(phases[index].alive), gone;
  for (const PhaseInfo &earlier : phases.take_front(index))
    for (StringRef name : split(earlier.alive))
      if ((name == graph::GraphDialect::getDialectNamespace() ||
           name == tir::TensorIRDialect::getDialectNamespace()) &&
          !llvm::is_contained(alive, name) && !llvm::is_contained(gone, name))
        gone.push_back(name);
  return gone;
}

struct VerifyPhasePass
    : public PassWrapper<VerifyPhasePass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(VerifyPhasePass)

  VerifyPhasePass() = default;
  VerifyPhasePass(const VerifyPhasePass &other) : PassWrapper(other) {
    phase = static_cast<CpuPhase>(other.phase);
  }
  explicit VerifyPhasePass(CpuPhase chosen) { phase = chosen; }

  StringRef getArgument() const override { return "gc-verify-phase"; }
  StringRef getDescription() const override {
    return "Checks what a phase of the CPU pipeline promises";
  }

  void runOnOperation() override {
    if (failed(verify(getOperation())))
      return signalPassFailure();
    static constexpr LogicalResult (*kChecks[])(Operation *) = {
#define GC_PHASE(word, promise, alive) checkPhase<CpuPhase::word>,
#include "Transforms/CpuPhases.def"
    };
    auto check = kChecks[static_cast<size_t>(phase.getValue())];
    SmallVector<StringRef> gone = getGoneDialects(phase);
    auto result = getOperation()->walk([&](Operation *op) {
      if (!gone.empty() && op->getDialect() &&
          llvm::is_contained(gone, op->getDialect()->getNamespace())) {
        op->emitOpError("is left after phase '") << getPhaseName(phase) << "'";
        return WalkResult::interrupt();
      }
      return failed(check(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  Option<CpuPhase> phase{
      *this, "phase", llvm::cl::desc("The phase that has just run"),
      llvm::cl::init(CpuPhase::machine), getCpuPhaseValues()};
};

} // namespace

LogicalResult gc::verifyTensorSizes(Operation *root) {
  auto result = root->walk([](Operation *op) {
    return failed(checkSizes(op)) ? WalkResult::interrupt()
                                  : WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

std::unique_ptr<Pass> gc::createVerifyPhasePass(CpuPhase phase) {
  return std::make_unique<VerifyPhasePass>(phase);
}

void gc::registerVerifyPhasePass() { PassRegistration<VerifyPhasePass>(); }
