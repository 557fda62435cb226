// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PassPlan.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

PassPlan::PassPlan(const RegionSpace &space, ArrayRef<Operation *> ops,
                   ArrayRef<BoxDim> box, ArrayRef<Store> stores,
                   const BufferMap &buffers, const PassDims &wanted,
                   ScheduleAttr schedule)
    : PassStages(space, ops), ops(ops), allStores(stores), buffers(buffers),
      schedule(schedule) {
  bool reduces = llvm::is_contained(inner, true);
  setDims(box, wanted, reduces);
  int64_t vectorDim = dims.vector;
  columnwise = reduces && !inner[vectorDim];
  if (!reduces && vectorDim >= 0)
    inner[vectorDim] = true;
  findTransposed();

  MLIRContext *context =
      ops.empty() ? stores[0].value.getContext() : ops[0]->getContext();
  for (int64_t dim = 0; dim < static_cast<int64_t>(box.size()); ++dim)
    if (reduces && !columnwise && !inner[dim] && box[dim].max > 1)
      unitDim = dim;
  // Kept values: of the rows that are worked on together, vectors last.
  SmallVector<AffineExpr> rowExprs;
  auto addRowDim = [&](int64_t dim, int64_t size) {
    rowExprs.push_back(getAffineDimExpr(dim, context));
    rowShape.push_back(size);
  };
  if (unitDim >= 0)
    addRowDim(unitDim, getUnroll());
  for (auto [i, dim] : llvm::enumerate(box))
    if (inner[i] && static_cast<int64_t>(i) != vectorDim)
      addRowDim(i, dim.max);
  if (vectorDim >= 0)
    addRowDim(vectorDim, columnwise
                             ? std::min(box[vectorDim].max,
                                        getUnroll() * schedule.getLanes())
                             : box[vectorDim].max);
  rowMap = AffineMap::get(box.size(), 0, rowExprs, context);

  stages.resize(getNumStages());
  for (Operation *op : ops) {
    Stage &stage = stages[getStage(op)];
    if (isReducing(op))
      stage.reductions.push_back(op);
    else if (isOfRow(space.getOpMap(op)))
      stage.rowOps.push_back(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!isComputed(operand.get()) && !isSplat(operand.get()) &&
          isOfRow(space.getOperandMap(operand)))
        rowLoads.push_back(&operand);
  }
  placeStores();
  placeKept();
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

void PassPlan::setDims(ArrayRef<BoxDim> box, const PassDims &wanted,
                       bool reduces) {
  int64_t rank = box.size();
  auto isUsable = [&](int64_t dim) {
    return dim >= 0 && dim < rank && !box[dim].size && box[dim].max > 1;
  };
  if (isUsable(wanted.vector)) {
    dims.vector = wanted.vector;
    // Squares are one stage, of stores that have elements along both sides.
    bool storesRows = llvm::any_of(allStores, [&](const Store &store) {
      return llvm::none_of(
          space.getValueMap(store.value).getResults(),
          [&](AffineExpr index) { return varies(index, dims.vector); });
    });
    if (isUsable(wanted.transposed) && !reduces && !storesRows)
      dims.transposed = wanted.transposed;
    return;
  }
  dims.vector = isUsable(wanted.transposed) ? wanted.transposed : rank - 1;
  while (dims.vector > 0 && !isUsable(dims.vector))
    --dims.vector;
  if (!isUsable(dims.vector))
    dims.vector = rank - 1;
}

void PassPlan::findTransposed() {
  auto isOfSquare = [&](const Access &access) {
    return isTransposed({access.buffer.type, access.map, access.gaps}, dims);
  };
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (!isComputed(operand.get()) && !isSplat(operand.get()) &&
          isOfSquare(getAccess(operand)))
        transposed.push_back(&operand);
  for (const Store &store : allStores)
    if (!isComputed(store.value) &&
        isOfSquare(getAccess(store.value, buffers.lookup(store.value))))
      transposedValues.push_back(store.value);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

bool PassPlan::hasGaps() const {
  return llvm::any_of(ops, [](Operation *op) {
    return llvm::any_of(op->getOpOperands(), [](OpOperand &operand) {
      return getGaps(operand).has_value();
    });
  });
}

Access PassPlan::getAccess(OpOperand &operand) const {
  return {buffers.lookup(operand.get()), space.getOperandMap(operand),
          /*isOfRow=*/false, getGaps(operand)};
}

Access PassPlan::getAccess(Value value, const Buffer &buffer) const {
  return {buffer, space.getValueMap(value)};
}

//===----------------------------------------------------------------------===//
// Stages
//===----------------------------------------------------------------------===//

void PassPlan::placeStores() {
  for (const Store &store : allStores) {
    unsigned stage = getStage(store.value);
    if (isOfRow(store.value))
      stages[stage].rowStores.push_back(store);
    else
      stages[stage].stores.push_back(store);
  }
}

const Access *PassPlan::getKept(Value value, unsigned stage) const {
  auto found = kept.find(value);
  return found != kept.end() && getStage(value) < stage ? &found->second
                                                        : nullptr;
}

void PassPlan::setRowBuffer(Value value, Value memref) {
  kept[value].buffer.memref = memref;
}

int64_t PassPlan::getRowBytes(Value value) const {
  Type element =
      getStorageType(cast<RankedTensorType>(value.getType()).getElementType());
  return ShapedType::getNumElements(rowShape) *
         llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

bool PassPlan::keep(Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  unsigned last = stages.size() - 1;
  auto canHold = [&](const Store &store) {
    return !store.buffer.streams &&
           store.buffer.type.getElementType() == type.getElementType() &&
           getAccess(store.value, store.buffer).getContiguousRun(dims.vector) >
               1;
  };
  Stage &stage = stages[getStage(value)];
  for (const Store &store : stage.stores)
    if (store.value == value && canHold(store)) {
      kept[value] = getAccess(value, store.buffer);
      return true;
    }
  int64_t bytes = getRowBytes(value), limit = schedule.getRowBytes();
  if (limit > 0 && bytes > limit) {
    // A result of the last stage overwrites each element when it has been read
    // for the last time, unless its buffer is an operand's as well.
    for (const Store &store : stages[last].stores) {
      bool isRead = llvm::any_of(ops, [&](Operation *op) {
        return llvm::any_of(op->getOperands(), [&](Value operand) {
          return buffers.lookup(operand).memref == store.buffer.memref;
        });
      });
      bool isTaken = llvm::any_of(kept, [&](const auto &entry) {
        return entry.second.buffer.memref == store.buffer.memref;
      });
      if (!isRead && !isTaken && canHold(store) &&
          store.buffer.type.getNumElements() ==
              ShapedType::getNumElements(space.getSizes())) {
        kept[value] = getAccess(store.value, store.buffer);
        stage.kept.push_back(value);
        return true;
      }
    }
    if (bytes > schedule.getMaxRowBytes())
      return false;
  }
  auto rowType = RankedTensorType::get(rowShape, type.getElementType());
  kept[value] = {Buffer{Value(), rowType}, rowMap, /*isOfRow=*/true};
  rowBuffers.push_back({value, rowType});
  stage.kept.push_back(value);
  return true;
}

bool PassPlan::visit(Value value, unsigned stage,
                     llvm::DenseMap<Value, unsigned> &lastRead,
                     llvm::DenseSet<Value> &seen) {
  // Paths that fork and join again would otherwise be walked exponentially
  // often.
  if (!seen.insert(value).second)
    return false;
  if (!isComputed(value)) {
    unsigned &last = lastRead[value];
    last = std::max(last, stage);
    return false;
  }
  if (isOfRow(value) || getKept(value, stage))
    return false;
  Operation *op = value.getDefiningOp();
  auto isKept = [&](Value other) { return getKept(other, stage) != nullptr; };
  if (getStage(op) < stage &&
      getCost(value, isKept) > schedule.getRecompute() && keep(value))
    return true;
  bool changed = false;
  for (Value operand : op->getOperands())
    changed |= visit(operand, stage, lastRead, seen);
  return changed;
}

void PassPlan::placeKept() {
  // Keeping a value or storing it later changes what the stages read: until
  // nothing changes. Values only ever become kept, stores only move back.
  for (bool changed = true; changed;) {
    changed = false;
    llvm::DenseMap<Value, unsigned> lastRead;
    for (auto [i, stage] : llvm::enumerate(stages)) {
      llvm::DenseSet<Value> seen;
      for (Operation *op : stage.reductions)
        for (Value operand : op->getOperands())
          changed |= visit(operand, i, lastRead, seen);
      for (const Store &store : stage.stores)
        changed |= visit(store.value, i, lastRead, seen);
      for (Value value : SmallVector<Value>(stage.kept))
        changed |= visit(value, i, lastRead, seen);
    }
    if (changed)
      continue;
    // A result in the place of an operand is written when the operand has been
    // read for the last time.
    for (auto [i, stage] : llvm::enumerate(stages)) {
      for (size_t s = 0; s < stage.stores.size(); ++s) {
        Store store = stage.stores[s];
        unsigned last = i;
        for (auto [value, when] : lastRead)
          if (buffers.lookup(value).memref == store.buffer.memref)
            last = std::max(last, when);
        if (last == i)
          continue;
        stage.stores.erase(stage.stores.begin() + s--);
        stages[last].stores.push_back(store);
        // Values kept in the result would be available too late.
        if (auto found = kept.find(store.value);
            found != kept.end() &&
            found->second.buffer.memref == store.buffer.memref)
          kept.erase(found);
        changed = true;
      }
    }
  }
  for (auto [i, stage] : llvm::enumerate(stages)) {
    auto isKept = [&, i = i](Value value) {
      return getKept(value, i) != nullptr;
    };
    llvm::SmallPtrSet<Operation *, 8> seen;
    for (Operation *op : stage.reductions)
      for (Value operand : op->getOperands())
        stage.cost += 1 + getCost(operand, isKept, seen);
    for (const Store &store : stage.stores)
      stage.cost += 1 + getCost(store.value, isKept, seen);
    for (Value value : stage.kept)
      stage.cost += 1 + getCost(value, isKept, seen);
  }
}

} // namespace gc
