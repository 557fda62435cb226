// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "RegionEmitter.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "Dialect/Graph/Templates/Templates.h"
#include "Dialect/TensorIR/IR/TensorIROps.h"
#include "GroupPacking.h"
#include "PassEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

Value RegionEmitter::makeKernel(Location loc, const KernelSpec &spec) {
  auto implementation = tir::Implementation::library;
  if (schedule.usesVectorCode(spec.m, spec.n, spec.k))
    switch (schedule.getForm(spec.m, spec.n, spec.k)) {
    case KernelForm::vector:
      implementation = tir::Implementation::vector;
      break;
    case KernelForm::fixedPoint:
      implementation = tir::Implementation::fixed_point;
      break;
    case KernelForm::amx:
      implementation = tir::Implementation::amx;
      break;
    }
  return tir::BrgemmDispatchOp::create(
      builder, loc, spec, implementation,
      schedule.getFetchAhead(spec.m, spec.n, spec.k));
}

Value RegionEmitter::makeIndex(int64_t value) {
  return arith::ConstantIndexOp::create(builder, fused.getLoc(), value);
}

void RegionEmitter::emitLoop(int64_t size, int64_t step,
                             function_ref<void(Value)> body) {
  if (size <= step) {
    if (size > 0)
      body(makeIndex(0));
    return;
  }
  auto loop = scf::ForOp::create(builder, fused.getLoc(), makeIndex(0),
                                 makeIndex(size), makeIndex(step));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void RegionEmitter::emitLoop(Value size, function_ref<void(Value)> body) {
  auto loop = scf::ForOp::create(builder, fused.getLoc(), makeIndex(0), size,
                                 makeIndex(1));
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

void RegionEmitter::emitLastCase(Value index, int64_t count,
                                 function_ref<void(bool)> body) {
  Value isLast =
      arith::CmpIOp::create(builder, fused.getLoc(), arith::CmpIPredicate::eq,
                            index, makeIndex(count - 1));
  auto branch = scf::IfOp::create(builder, fused.getLoc(), isLast,
                                  /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body(true);
  builder.setInsertionPointToStart(branch.elseBlock());
  body(false);
}

void RegionEmitter::addStores(Value value, SmallVectorImpl<Store> &stores) {
  for (auto [yielded, result] :
       llvm::zip_equal(fused.getYielded(), fused.getResults()))
    if (yielded == value)
      stores.push_back({value, buffers.lookup(result)});
}

Buffer RegionEmitter::makeScratch(RankedTensorType type, bool perThread) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(entry);
  Value memref = createTemporary(builder, fused.getLoc(), type, perThread);
  return {memref, type, perThread};
}

LogicalResult RegionEmitter::emit() {
  if (!schedule)
    return fused.emitOpError("has no schedule; run graph-select-schedule");
  if (failed(checkRegion(fused)))
    return failure();
  FailureOr<RegionSpace> found = RegionSpace::get(fused);
  if (failed(found))
    return failure();
  space = std::move(*found);
  if (TunableOpInterface tunable = fused.getTunableOp()) {
    TemplateAttrInterface chosen = tunable.getChosenTemplate();
    auto emission = dyn_cast<TemplateEmissionAttrInterface>(chosen);
    if (!emission)
      return tunable->emitOpError("has the template ")
             << chosen << ", which is not emitted; run graph-expand-templates";
    if (failed(checkPasses(tunable)))
      return failure();
    return emission.emitTemplate(tunable, *this);
  }
  return emitPlain();
}

LogicalResult RegionEmitter::checkPasses(TunableOpInterface tunable) {
  for (const ScheduleAttr::AnchorDims &dims : schedule.getAnchorDims()) {
    bool isPost = dims.kind == AnchorKind::post;
    if (isPost && (dims.index > std::numeric_limits<unsigned>::max() ||
                   !findAnchor(tunable, dims.kind, dims.index, /*operand=*/0)))
      return fused.emitOpError("has a schedule: (C13) the template has no "
                               "post-op anchor ")
             << dims.index;
    int64_t rank = space->getSizes().size();
    if (!isPost)
      rank = cast<RankedTensorType>(tunable->getOperand(dims.index).getType())
                 .getRank();
    int64_t last = std::max(dims.vector, dims.transposed);
    if (last >= rank)
      return fused.emitOpError("has a schedule: (C13) passes at ")
             << stringifyAnchorKind(dims.kind) << " " << dims.index
             << " have no dimension " << last << ", but " << rank;
  }
  return success();
}

std::optional<RegionSpace>
RegionEmitter::getPassSpace(ArrayRef<Operation *> ops, ArrayRef<Store> stores) {
  bool isOfRegion =
      llvm::all_of(ops, [&](Operation *op) { return space->contains(op); }) &&
      llvm::all_of(stores, [&](const Store &store) {
        return space->contains(store.value);
      });
  if (isOfRegion)
    return space;
  if (ops.empty()) {
    RegionSpace own(
        cast<RankedTensorType>(stores[0].value.getType()).getShape());
    own.addRoot(stores[0].value);
    return own;
  }
  std::string reason;
  Operation *culprit = nullptr;
  auto own = RegionSpace::get(ops, reason, culprit);
  if (!own)
    culprit->emitOpError("has no place in the iteration space of its pass: ")
        << reason;
  return own;
}

PassDims RegionEmitter::getDims(AnchorKind kind, unsigned index) const {
  ScheduleAttr::AnchorDims dims = schedule.getAnchorDims(kind, index);
  return {dims.vector, dims.transposed};
}

LogicalResult RegionEmitter::emitPass(ArrayRef<Operation *> ops,
                                      ArrayRef<BoxDim> box,
                                      ArrayRef<Store> stores,
                                      const PassDims &dims) {
  if (stores.empty())
    return success();
  std::optional<RegionSpace> passSpace = getPassSpace(ops, stores);
  if (!passSpace)
    return failure();
  if (emitGroupPacking(*this, *passSpace, ops, box, stores))
    return success();
  SmallVector<Type> types;
  for (const Store &store : stores)
    types.push_back(store.buffer.type);
  for (Operation *op : ops)
    llvm::append_range(types, op->getOperandTypes());
  for (Type type : types)
    if (sharesBytes(cast<RankedTensorType>(type)))
      return fused.emitOpError("cannot access ")
             << type
             << ", where two elements share a byte, other than by a reorder to "
                "it in whole groups";
  PassPlan plan(*passSpace, ops, box, stores, buffers, dims, schedule);
  return PassEmission(*this, plan, ops, box, stores).emit();
}

LogicalResult checkOperandTypes(Operation *op, TemplateAttrInterface params,
                                unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    Type type = op->getOperand(i).getType();
    auto wanted = params.getOperandType(op, i);
    if (type != wanted)
      return op->emitOpError("operand ")
             << i << " has the type " << type << " but the template reads "
             << wanted << "; run graph-propagate-layout";
  }
  return success();
}

} // namespace gc
