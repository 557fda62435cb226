// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structural ops and what all ops share.

#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Graph/IR/TensorMemory.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gc::graph;

#include "Dialect/Graph/IR/GraphOpInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "Dialect/Graph/IR/GraphOps.cpp.inc"

//===----------------------------------------------------------------------===//
// constant
//===----------------------------------------------------------------------===//

LogicalResult
ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc,
                             ValueRange operands, DictionaryAttr attributes,
                             OpaqueProperties properties, RegionRange regions,
                             SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  auto type = dyn_cast<RankedTensorType>(adaptor.getValue().getType());
  if (!type || type.getEncoding())
    return emitOptionalError(
        loc,
        "(C1) a constant must be a ranked tensor in the plain layout, not ",
        adaptor.getValue().getType());
  types.push_back(type);
  return success();
}

// See Graph_InferredOp.
LogicalResult ConstantOp::refineReturnTypes(MLIRContext *,
                                            std::optional<Location>, ValueRange,
                                            DictionaryAttr, OpaqueProperties,
                                            RegionRange,
                                            SmallVectorImpl<Type> &) {
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

//===----------------------------------------------------------------------===//
// end
//===----------------------------------------------------------------------===//

LogicalResult EndOp::canonicalize(EndOp op, PatternRewriter &rewriter) {
  rewriter.eraseOp(op);
  return success();
}

//===----------------------------------------------------------------------===//
// fused_op
//===----------------------------------------------------------------------===//

TunableOpInterface FusedOp::getTunableOp() {
  for (Operation &op : getBody().front())
    if (auto tunable = dyn_cast<TunableOpInterface>(op))
      return tunable;
  return {};
}

OperandRange FusedOp::getYielded() {
  return getBody().front().getTerminator()->getOperands();
}

static LogicalResult verifySchedule(FusedOp fused) {
  ScheduleAttr schedule = fused.getSchedule();
  if (!schedule)
    return success();
  auto error = [&] { return fused.emitOpError("(C5) has a schedule: "); };
  TunableOpInterface tunable = fused.getTunableOp();
  if (failed(schedule.verifyRegion(error, static_cast<bool>(tunable),
                                   fused.getNumResults(),
                                   tunable ? tunable->getNumOperands() : 0)))
    return failure();
  for (int64_t result : schedule.getStream())
    if (!hasRowsOfLines(
            cast<RankedTensorType>(fused.getResult(result).getType())))
      return error() << "(C9) result " << result << " of type "
                     << fused.getResult(result).getType()
                     << " has no rows of whole cache lines";
  for (int64_t operand : schedule.getPrefetch()) {
    auto type = cast<RankedTensorType>(fused.getSource(operand).getType());
    auto result = cast<RankedTensorType>(tunable->getResult(0).getType());
    LayoutAttr layout = getLayout(type);
    if (type.getRank() < 3 || type.getRank() != result.getRank() ||
        type.getShape().drop_back(2) != result.getShape().drop_back(2) ||
        (layout && layout.isBlocked()))
      return error() << "(C10) operand " << operand << " is read from " << type
                     << ", which has no matrix of its own per batch item of "
                     << result;
  }
  return success();
}

LogicalResult FusedOp::verifyRegions() {
  Operation *first = nullptr;
  for (Operation &op : getBody().front().without_terminator()) {
    if (isa<TunableOpInterface>(op)) {
      if (first) {
        InFlightDiagnostic diag =
            op.emitOpError("(C1) is the second tunable op of a fused_op");
        diag.attachNote(first->getLoc()) << "the first one is here";
        return diag;
      }
      first = &op;
    } else if (!isa<FusibleOpInterface>(op)) {
      return op.emitOpError("(C2) is not fusible and cannot be in a fused_op");
    } else if (cast<FusibleOpInterface>(op).getFusibleKind() ==
                   FusibleKind::reduction &&
               op.getNumResults() != 1) {
      return op.emitOpError("(C2) is a reduction with ")
             << op.getNumResults() << " results";
    }
  }
  if (!isa<YieldOp>(getBody().front().getTerminator()))
    return emitOpError("(C3) ends in '")
           << getBody().front().getTerminator()->getName()
           << "' instead of a graph.yield";
  if (getYielded().getTypes() != getResultTypes())
    return emitOpError("(C3) yields (")
           << getYielded().getTypes() << ") but has the results ("
           << getResultTypes() << ")";
  for (auto [i, value] : llvm::enumerate(getYielded()))
    if (value.getParentBlock() != &getBody().front())
      return emitOpError("(C4) yields value ")
             << i << ", which is not computed in the region";
  return verifySchedule(*this);
}

Value FusedOp::getSource(unsigned operand) {
  Operation *tunable = getTunableOp();
  Value value = tunable->getOperand(operand);
  Operation *first = nullptr;
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Operation *, 4> visited;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != tunable->getBlock() ||
        !visited.insert(op).second)
      continue;
    if (!first || op->isBeforeInBlock(first))
      first = op;
    llvm::append_range(worklist, op->getOperands());
  }
  return first ? first->getOperand(0) : value;
}

ScheduleAttr FusedOp::getSchedule() {
  return (*this)->getAttrOfType<ScheduleAttr>(GraphDialect::kScheduleAttr);
}
