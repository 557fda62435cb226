// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "PassEmission.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"

#include <numeric>
#include <vector>

using namespace mlir;
using namespace gc::graph;

namespace gc {

PassEmission::PassEmission(RegionEmitter &emitter, PassPlan &plan,
                           ArrayRef<Operation *> ops, ArrayRef<BoxDim> box,
                           ArrayRef<Store> stores)
    : emitter(emitter), builder(emitter.builder), loc(emitter.fused.getLoc()),
      plan(plan), ops(ops), box(box), stores(stores),
      evaluator(builder, loc, plan, emitter.buffers), rank(box.size()),
      vectorDim(plan.getVectorDim()) {
  for (const BoxDim &dim : box) {
    position.coords.push_back(dim.base);
    position.locals.push_back(dim.local);
    position.offsets.push_back(Coord(0));
  }
  position.vectorDim = vectorDim;
  together.assign(rank, 1);
  if (vectorDim < 0)
    return;
  columns = box[vectorDim].max;
  // Vectors must not cross a block of any tensor.
  int64_t run = 0;
  auto restrict = [&](const Access &access) {
    if (access.buffer)
      run = std::gcd(run, access.getBlock(vectorDim, box[vectorDim]));
  };
  for (const Store &store : stores)
    restrict(plan.getAccess(store.value, store.buffer));
  for (Operation *op : ops)
    for (OpOperand &operand : op->getOpOperands())
      if (!plan.isComputed(operand.get()) && !isSplat(operand.get()))
        restrict(plan.getAccess(operand));
  for (const Store &store : stores)
    if (!plan.isComputed(store.value))
      restrict(
          plan.getAccess(store.value, emitter.buffers.lookup(store.value)));
  chunk = run == 0 ? columns : std::min(columns, run);
  lanes = std::min<int64_t>(emitter.getLanes(), chunk);
  auto startsAt = [&](int64_t multiple) {
    return chunk == columns || chunk % multiple == 0;
  };
  int64_t most = kWideVectors * lanes;
  if (startsAt(lanes))
    evaluator.alignedLanes =
        startsAt(most) ? std::gcd(most, box[vectorDim].base.getAlignment())
                       : lanes;
  padTails();
  findSliding();
}

void PassEmission::padTails() {
  const BoxDim &dim = box[vectorDim];
  int64_t size = plan.getSpace().getSizes()[vectorDim];
  int64_t last = columns % chunk ? columns % chunk : columns;
  int64_t tail = last % lanes;
  // A dimension that is shorter than a vector is nothing but a tail.
  if (columns == lanes && lanes < emitter.getLanes())
    tail = lanes;
  if (dim.size || dim.base.getMax() + columns != size || tail == 0 ||
      evaluator.alignedLanes == 0)
    return;
  evaluator.tailLanes = tail;
  for (const Store &store : stores) {
    Access access = plan.getAccess(store.value, store.buffer);
    LayoutAttr layout = getLayout(store.buffer.type);
    std::optional<int64_t> tensorDim = access.getTensorDim(vectorDim);
    if (!layout || !layout.isBlocked() || !tensorDim || *tensorDim < 0 ||
        access.getContiguousRun(vectorDim) <= 1)
      continue;
    int64_t block = getInnermostBlock(store.buffer.type, *tensorDim);
    int64_t start =
        (store.buffer.isLocal ? dim.local : dim.base).getAlignment();
    // Chunks start at blocks.
    if (start % block != 0 || (chunk != columns && chunk != block))
      continue;
    int64_t room = block - (last - tail) % block;
    evaluator.paddedLanes[store.buffer.memref] =
        std::min<int64_t>(emitter.getLanes(), room);
  }
}

LogicalResult PassEmission::check() {
  if (vectorDim >= 0 && box[vectorDim].size)
    return emitter.fused.emitOpError("has a pass along a dimension whose size "
                                     "is not known");
  // All of a dimension, or of one of its parts; the last one may be shorter.
  auto isWhole = [&](unsigned dim) {
    int64_t size = plan.getSpace().getSizes()[dim];
    int64_t part = plan.getSpace().getPartSize(dim);
    if (box[dim].size || part == 0)
      return !box[dim].size && box[dim].max == size;
    return (box[dim].max == part || box[dim].max == size % part) &&
           box[dim].base.getAlignment() % part == 0;
  };
  for (Operation *op : ops)
    for (unsigned dim : plan.getSpace().getReducedDims(op))
      if (!isWhole(dim))
        return op->emitOpError("reduces dimension ")
               << dim << " of its region, of which its anchor sees a part";
  return success();
}

LogicalResult PassEmission::emit() {
  if (failed(check()))
    return failure();
  for (auto [value, type] : plan.getRowBuffers())
    plan.setRowBuffer(value, emitter.makeScratch(type, true).memref);
  emitRows(0);
  return status;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void PassEmission::emitRows(int64_t dim) {
  if (dim == rank) {
    if (plan.getTransposedDim() >= 0)
      return emitTransposed();
    return plan.isColumnwise() ? emitColumnUnits() : emitUnits(-1, {1});
  }
  if (plan.isInner(dim) || dim == vectorDim || dim == plan.getTransposedDim())
    return emitRows(dim + 1);
  // It is the last dimension of more than one row.
  if (dim == plan.getUnitDim())
    return emitRowUnits();
  if (const SlidingDim *found = getSliding(dim))
    return emitPositions(*found);
  auto body = [&](Value i) {
    Coord row(i, 1, box[dim].max);
    startRows(dim, row, 1);
    at(dim, row, [&] { emitRows(dim + 1); });
  };
  if (box[dim].size)
    emitter.emitLoop(box[dim].size, body);
  else
    emitter.emitLoop(box[dim].max, 1, body);
}

void PassEmission::startRows(int64_t dim, const Coord &first, int64_t rows) {
  if (dim != rank - 2 || !emitter.onRows)
    return;
  if (dim == plan.getUnitDim())
    rowsOfUnits = {first, rows};
  else
    emitter.onRows({first, rows});
}

void PassEmission::emitRowUnits() {
  int64_t together = plan.getUnroll();
  int64_t dim = plan.getUnitDim();
  // Offsets of kept values restart with each group of rows.
  auto emitAt = [&](const Coord &first, int64_t rows) {
    Position before = position;
    position = position.shifted(dim, first);
    position.offsets = before.offsets;
    startRows(dim, first, rows);
    emitUnits(dim, SmallVector<int64_t>(rows, 1));
    rowsOfUnits.reset();
    position = before;
  };
  int64_t most = box[dim].max;
  if (!box[dim].size) {
    int64_t whole = most / together * together;
    emitter.emitLoop(whole, together, [&](Value i) {
      emitAt(Coord::ofLoop(i, whole, together), together);
    });
    if (whole < most)
      emitAt(Coord(whole), most - whole);
    return;
  }
  auto [groups, rest] =
      Coord(box[dim].size, 1, most + 1).divmod(builder, loc, together);
  emitter.emitLoop(groups.materialize(builder, loc), [&](Value i) {
    emitAt(Coord(i, together, most / together), together);
  });
  Coord whole = groups * together;
  emitter.emitLoop(rest.materialize(builder, loc), [&](Value i) {
    Value row = (whole + Coord(i, 1, together)).materialize(builder, loc);
    emitAt(Coord(row, 1, most), 1);
  });
}

void PassEmission::emitColumnUnits() {
  if (std::optional<int64_t> dim = getSummedDim())
    return emitSums(*dim);
  forColumns([&](const Coord &start, ArrayRef<int64_t> lanesOfUnits) {
    // Offsets within a row restart with each group of columns.
    Position before = position;
    position = position.shifted(vectorDim, start);
    position.offsets = before.offsets;
    emitUnits(vectorDim, lanesOfUnits);
    position = before;
  });
}

void PassEmission::forColumns(
    function_ref<void(const Coord &, ArrayRef<int64_t>)> emitGroup) {
  int64_t positions = 1;
  for (int64_t count : together)
    positions *= count;
  int64_t unrolled = std::max<int64_t>(1, plan.getUnroll() / positions);
  int64_t group = unrolled * lanes;
  auto emitPiece = [&](const Coord &start, int64_t size) {
    int64_t whole = size / group * group;
    SmallVector<int64_t> full(unrolled, lanes);
    emitter.emitLoop(whole, group, [&](Value i) {
      emitGroup(start + Coord::ofLoop(i, whole, group), full);
    });
    SmallVector<int64_t> rest((size - whole) / lanes, lanes);
    if (size % lanes)
      rest.push_back(size % lanes);
    if (!rest.empty())
      emitGroup(start + Coord(whole), rest);
  };
  if (slidingVectors && chunk == columns)
    return emitSlidingVectors(emitPiece, emitGroup);
  int64_t chunks = columns / chunk;
  emitter.emitLoop(chunks, 1, [&](Value c) {
    emitPiece(chunks > 1 ? Coord(c, chunk, chunks) : Coord(0), chunk);
  });
  if (columns % chunk)
    emitPiece(Coord(chunks * chunk), columns % chunk);
}

void PassEmission::emitUnits(int64_t dim, ArrayRef<int64_t> lanesOfUnits) {
  std::vector<Position> places{position};
  for (auto [along, count] : llvm::enumerate(together)) {
    std::vector<Position> more;
    for (const Position &place : places)
      for (int64_t i = 0; i < count; ++i)
        more.push_back(place.shifted(along, Coord(i)));
    places = std::move(more);
  }
  std::vector<Unit> units;
  int64_t offset = 0;
  for (int64_t count : lanesOfUnits) {
    for (const Position &place : places) {
      Unit unit;
      unit.position = dim < 0 ? place : place.shifted(dim, Coord(offset));
      unit.position.lanes = count;
      units.push_back(std::move(unit));
    }
    offset += count;
  }
  emitRow(units);
}

void PassEmission::emitRow(MutableArrayRef<Unit> units) {
  auto stages = plan.getStages();
  std::optional<RegionEmitter::Rows> rows = rowsOfUnits;
  if (rows)
    rows->runs = std::max<int64_t>(
        1, llvm::count_if(stages, [](const PassPlan::Stage &stage) {
          return stage.hasRun();
        }));
  for (auto [number, stage] : llvm::enumerate(stages)) {
    if (rows && rows->run < rows->runs && (stage.hasRun() || rows->runs == 1)) {
      emitter.onRows(*rows);
      ++rows->run;
    }
    startUnits(number, units);
    if (stage.hasRun() && succeeded(status))
      emitRun(number, units);
  }
}

void PassEmission::startUnits(unsigned number, MutableArrayRef<Unit> units) {
  // What does not vary in a row is loaded once; nothing that the pass stores is
  // read from there.
  for (Unit &unit : units) {
    if (number > 0)
      break;
    evaluator.start(unit.position, 0, unit.row);
    for (OpOperand *operand : plan.getRowLoads())
      unit.row.operands[operand] = evaluator.get(*operand);
  }
  const PassPlan::Stage &stage = plan.getStages()[number];
  for (Unit &unit : units) {
    for (Operation *op : stage.rowOps) {
      evaluator.start(unit.position, number, unit.row);
      for (Value result : op->getResults()) {
        Value value = evaluator.get(result);
        if (!value) {
          status = failure();
          return;
        }
        unit.row.values[result] = value;
      }
    }
    evaluator.start(unit.position, number, unit.row);
    if (failed(evaluator.store(stage.rowStores, {})))
      status = failure();
  }
}

} // namespace gc
