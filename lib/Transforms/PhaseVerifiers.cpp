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

using Check = LogicalResult (*)(Operation *);

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

LogicalResult checkImport(Operation *op) {
  if (failed(checkSizes(op)))
    return failure();
  if (!isGraphOp(op))
    return success();
  for (Type type : op->getResultTypes()) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (!shaped || !shaped.hasStaticShape())
      return op->emitOpError("has no static result type after phase 'import'");
  }
  return success();
}

LogicalResult checkGraph(Operation *op) {
  if (auto complex = dyn_cast<graph::ComplexOpInterface>(op);
      complex && complex.isComplex())
    return op->emitOpError("is still complex after phase 'graph'");
  return success();
}

LogicalResult checkLayout(Operation *op) {
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

LogicalResult checkFusion(Operation *op) {
  if (auto fused = dyn_cast<graph::FusedOp>(op))
    return checkMergeGroup(fused);
  if (auto fused = dyn_cast_or_null<graph::FusedOp>(op->getParentOp());
      fused && fused.getTunableOp() && isa<graph::FusibleOpInterface>(op) &&
      !op->hasAttr(graph::GraphDialect::kAnchorAttr))
    return op->emitOpError("has no anchor after phase 'fusion'");
  if (!isGraphOp(op) ||
      isa<graph::FusedOp, graph::ConstantOp, graph::StaticReshapeOp,
          graph::YieldOp>(op) ||
      op->getParentOfType<graph::FusedOp>())
    return success();
  return op->emitOpError("is in no fused op after phase 'fusion'");
}

LogicalResult checkTensor(Operation *op) {
  if (isGraphOp(op))
    return op->emitOpError("is left after phase 'tensor'");
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

LogicalResult checkMachine(Operation *op) {
  if (isa_and_nonnull<tir::TensorIRDialect>(op->getDialect()) ||
      op->hasAttr(tir::TensorIRDialect::kEntryAttr))
    return op->emitOpError("is left after phase 'machine'");
  return success();
}

Check getCheck(CpuPhase phase) {
  switch (phase) {
  case CpuPhase::import:
    return checkImport;
  case CpuPhase::graph:
    return checkGraph;
  case CpuPhase::layout:
    return checkLayout;
  case CpuPhase::fusion:
    return checkFusion;
  case CpuPhase::tensor:
    return checkTensor;
  case CpuPhase::machine:
    return checkMachine;
  }
  llvm_unreachable("all phases are above");
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
    Check check = getCheck(phase);
    auto result = getOperation()->walk([&](Operation *op) {
      return failed(check(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

  Option<CpuPhase> phase{
      *this, "phase", llvm::cl::desc("The phase that has just run"),
      llvm::cl::init(CpuPhase::machine),
      llvm::cl::values(clEnumValN(CpuPhase::import, "import", ""),
                       clEnumValN(CpuPhase::graph, "graph", ""),
                       clEnumValN(CpuPhase::layout, "layout", ""),
                       clEnumValN(CpuPhase::fusion, "fusion", ""),
                       clEnumValN(CpuPhase::tensor, "tensor", ""),
                       clEnumValN(CpuPhase::machine, "machine", ""))};
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
