// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs of a pass over the inner dimensions: the loops over columns, and the
// vectors of one stage that they compute, combine and store.

#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "PassEmission.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// Wide vectors and the accumulators of reductions fill more registers.
constexpr int64_t kFewRegisters = 16;

PassEmission::Values
PassEmission::carry(int64_t size, int64_t step, Values init,
                    function_ref<Values(Value, Values)> body) {
  if (size <= step)
    return size > 0 ? body(emitter.makeIndex(0), init) : init;
  auto loop = scf::ForOp::create(builder, loc, emitter.makeIndex(0),
                                 emitter.makeIndex(size),
                                 emitter.makeIndex(step), init);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Values results =
      body(loop.getInductionVar(), Values(loop.getRegionIterArgs()));
  if (!init.empty())
    scf::YieldOp::create(builder, loc, results);
  return Values(loop.getResults());
}

int64_t PassEmission::getLineVectors(const PassPlan::Stage &stage) const {
  const Store &store = stage.stores.front();
  Type element = getStorageType(store.buffer.type.getElementType());
  return kLineBytes /
         (lanes * llvm::divideCeil(element.getIntOrFloatBitWidth(), 8));
}

void PassEmission::emitRun(unsigned number, MutableArrayRef<Unit> units) {
  const PassPlan::Stage &stage = plan.getStages()[number];
  slots.clear();
  int64_t limit = emitter.schedule.getInterleave();
  bool isLong = limit > 0 && stage.cost > limit,
       isStored = stage.reductions.empty();
  // Additions wait for each other: several accumulators hide that, unless there
  // is other work to do in the meantime.
  int64_t wanted = (isLong ? 2 : 4) / units.size();
  // Steps of a long computation wait for each other, too: vectors are computed
  // as one, whose parts LLVM interleaves.
  bool hasVectors = emitter.getLanes() > 1,
       hasRoom = isStored || emitter.schedule.getRegisters() > kFewRegisters;
  // Four vectors of 32 bits are narrowed to one of 8 bits.
  bool isNarrowed = isStored && !stage.stores.empty() &&
                    emitter.schedule.getRegisters() > kFewRegisters &&
                    getLineVectors(stage) == kWideVectors;
  wide = hasVectors && hasRoom && (isLong || isNarrowed) &&
                 !plan.isColumnwise() && !plan.hasGaps() &&
                 chunk >= kWideVectors * lanes
             ? kWideVectors * lanes
             : lanes;
  if (wide > lanes)
    wanted = 1;
  // Neighbours are stored in whole cache lines, one after the other.
  if (isStored)
    wanted =
        hasVectors && units.size() > 1 && wide == lanes && !stage.stores.empty()
            ? getLineVectors(stage)
            : 1;
  unroll =
      plan.isColumnwise()
          ? 1
          : std::clamp<int64_t>(wanted, 1, std::max<int64_t>(1, chunk / lanes));
  for (auto [i, unit] : llvm::enumerate(units)) {
    int64_t number = i;
    if (plan.isColumnwise()) {
      slots.push_back({number, unit.position.lanes, 0});
      continue;
    }
    for (int64_t step = 0; step < unroll; ++step)
      slots.push_back({number, lanes, step});
    for (int64_t tail : {chunk % lanes, columns % chunk % lanes})
      if (tail && !llvm::is_contained(slots, Slot{number, tail, 0}))
        slots.push_back({number, tail, 0});
  }
  Values accumulators;
  for (Operation *op : stage.reductions)
    for (Slot slot : slots)
      accumulators.push_back(makeIdentity(op, slot.lanes));
  if (number == 0)
    emitAheadOfWindows(units);
  accumulators = emitInner(number, units, 0, accumulators);
  for (auto [i, op] : llvm::enumerate(stage.reductions)) {
    for (auto [u, unit] : llvm::enumerate(units)) {
      Values ofUnit;
      for (auto [s, slot] : llvm::enumerate(slots))
        if (slot.unit == static_cast<int64_t>(u))
          ofUnit.push_back(accumulators[i * slots.size() + s]);
      unit.row.values[op->getResult(0)] = finish(op, ofUnit);
    }
  }
}

PassEmission::Values PassEmission::emitInner(unsigned stage,
                                             MutableArrayRef<Unit> units,
                                             int64_t dim, Values accumulators) {
  if (dim == rank) {
    if (!plan.isColumnwise())
      return emitColumns(stage, units, accumulators);
    for (auto [i, unit] : llvm::enumerate(units))
      accumulators = emitVector(
          stage, unit, unit.position,
          {static_cast<int64_t>(i), unit.position.lanes, 0}, accumulators);
    return accumulators;
  }
  if (!plan.isInner(dim) || dim == vectorDim)
    return emitInner(stage, units, dim + 1, accumulators);
  auto emitAt = [&](const Coord &by, Values inside) {
    std::vector<Position> before;
    for (Unit &unit : units) {
      before.push_back(unit.position);
      unit.position = unit.position.shifted(dim, by);
    }
    inside = emitInner(stage, units, dim + 1, inside);
    for (auto [unit, position] : llvm::zip_equal(units, before))
      unit.position = position;
    return inside;
  };
  if (unrollsWindows) {
    for (int64_t i = 0; i < box[dim].max; ++i)
      accumulators = emitAt(Coord(i), accumulators);
    return accumulators;
  }
  return carry(box[dim].max, 1, accumulators, [&](Value i, Values inside) {
    return emitAt(Coord(i, 1, box[dim].max), inside);
  });
}

PassEmission::Values PassEmission::emitColumns(unsigned stage,
                                               ArrayRef<Unit> units,
                                               Values accumulators) {
  int64_t chunks = columns / chunk;
  accumulators = carry(chunks, 1, accumulators, [&](Value c, Values inside) {
    return emitChunk(stage, units,
                     chunks > 1 ? Coord(c, chunk, chunks) : Coord(0), chunk,
                     inside);
  });
  if (columns % chunk)
    accumulators = emitChunk(stage, units, Coord(chunks * chunk),
                             columns % chunk, accumulators);
  return accumulators;
}

PassEmission::Values PassEmission::emitChunk(unsigned stage,
                                             ArrayRef<Unit> units,
                                             const Coord &start, int64_t size,
                                             Values accumulators) {
  auto emitAt = [&](const Coord &offset, int64_t count, int64_t firstStep,
                    int64_t steps, Values inside) {
    // Rows share operands, such as a bias. What waits is in registers.
    int64_t waiting = units.size() * steps,
            room = emitter.schedule.getRegisters() / 2;
    evaluator.defersStores =
        count <= lanes && units.size() > 1 && waiting <= room;
    for (auto [i, unit] : llvm::enumerate(units))
      for (int64_t step = firstStep; step < firstStep + steps; ++step) {
        Coord column = start + offset + Coord((step - firstStep) * count);
        Position at = vectorDim < 0 ? unit.position
                                    : unit.position.shifted(vectorDim, column);
        at.lanes = count;
        inside = emitVector(
            stage, unit, at,
            {static_cast<int64_t>(i), std::min(count, lanes), step}, inside);
      }
    evaluator.defersStores = false;
    evaluator.writeWaiting();
    return inside;
  };
  int64_t stride = unroll * wide, whole = size / stride * stride;
  accumulators =
      carry(whole, stride, accumulators, [&](Value i, Values inside) {
        return emitAt(Coord::ofLoop(i, whole, stride), wide, 0, unroll, inside);
      });
  for (int64_t step = 0; whole + lanes <= size; ++step, whole += lanes)
    accumulators = emitAt(Coord(whole), lanes, step % unroll, 1, accumulators);
  if (whole < size)
    accumulators = emitAt(Coord(whole), size - whole, 0, 1, accumulators);
  return accumulators;
}

PassEmission::Values PassEmission::emitVector(unsigned number, const Unit &unit,
                                              const Position &at, Slot slot,
                                              Values accumulators) {
  const PassPlan::Stage &stage = plan.getStages()[number];
  evaluator.start(at, number, unit.row);
  SmallVector<Value> reduced;
  for (Operation *op : stage.reductions) {
    reduced.push_back(evaluator.get(op->getOpOperand(0)));
    if (!reduced.back()) {
      status = failure();
      return accumulators;
    }
  }
  if (failed(evaluator.store(stage.stores, stage.kept)))
    status = failure();
  if (number + 1 == plan.getStages().size() && number > 0)
    emitAhead(at);
  for (auto [i, op] : llvm::enumerate(stage.reductions)) {
    // What is not there changes nothing.
    if (evaluator.isAbsent(reduced[i]) && isIdentity(op, reduced[i]))
      continue;
    Value &accumulator = accumulators[i * slots.size() + getSlot(slot)];
    accumulator = combine(op, accumulator, narrow(op, reduced[i], slot.lanes));
  }
  return accumulators;
}

} // namespace gc
