// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the loops of a region rely on. graph-fuse and graph-select-anchors
// guarantee it; regions that were written by hand may break it.

#include "Dialect/Graph/Templates/Templates.h"
#include "RegionEmitter.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

static AnchorAttr getAnchor(Operation *op) {
  return op->getAttrOfType<AnchorAttr>(GraphDialect::kAnchorAttr);
}

/// A pre-op prepares an operand of the tunable op from tensors in memory, alone
/// or together with others at the same anchor.
static LogicalResult checkPreOp(Operation *op, TunableOpInterface tunable) {
  for (Value operand : op->getOperands())
    if (operand.getParentBlock() == op->getBlock() &&
        getAnchor(operand.getDefiningOp()) != getAnchor(op))
      return op->emitOpError("is a pre-op that reads a value of its region");
  if (op->getNumResults() == 1 && op->getResult(0).hasOneUse()) {
    Operation *user = *op->user_begin();
    if (user == tunable.getOperation() || getAnchor(user) == getAnchor(op))
      return success();
  }
  return op->emitOpError("is a pre-op whose result is not only one operand "
                         "of the tunable op");
}

/// Other ops come when what they read has been computed.
static LogicalResult checkOp(Operation *op, TunableOpInterface tunable) {
  for (Value operand : op->getOperands()) {
    if (operand.getParentBlock() != op->getBlock())
      continue;
    AnchorAttr from = getAnchor(operand.getDefiningOp());
    AnchorAttr to = getAnchor(op);
    auto getInfo = [&](AnchorAttr anchor) {
      return tunable && anchor ? findAnchor(tunable, anchor.getKind(),
                                            anchor.getIndex(), /*operand=*/0)
                               : std::nullopt;
    };
    auto before = getInfo(from), after = getInfo(to);
    if (before && after && before->order > after->order)
      return op->emitOpError("is committed at anchor ")
             << to << " before an op that it reads";
  }
  return success();
}

LogicalResult checkRegion(FusedOp fused) {
  TunableOpInterface tunable = fused.getTunableOp();
  if (tunable && !tunable.getChosenTemplate())
    return tunable->emitOpError("has no template; run graph-select-template");
  for (Operation &op : fused.getBody().front().without_terminator()) {
    if (tunable && &op == tunable.getOperation())
      continue;
    AnchorAttr anchor = getAnchor(&op);
    if (tunable && !anchor)
      return op.emitOpError("has no anchor; run graph-select-anchors");
    bool isPreOp = tunable && anchor.getKind() == AnchorKind::pre;
    if (failed(isPreOp ? checkPreOp(&op, tunable) : checkOp(&op, tunable)))
      return failure();
  }
  if (tunable)
    for (Value operand : tunable->getOperands())
      if (operand.getParentBlock() == tunable->getBlock() &&
          getAnchor(operand.getDefiningOp()).getKind() != AnchorKind::pre)
        return operand.getDefiningOp()->emitOpError(
            "is a post-op that the tunable op reads");
  return success();
}

} // namespace gc
