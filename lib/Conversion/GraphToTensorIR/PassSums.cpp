// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Reductions of columns, row by row: accumulators of all columns are in memory,
// and a block of rows is combined with them at a time. Rows are then read from
// end to end, as memory likes it. Elements are combined in the same order as by
// accumulators in registers.

#include "PassEmission.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <functional>
#include <vector>

using namespace mlir;
using namespace gc::graph;

namespace gc {

std::optional<int64_t> PassEmission::getSummedDim() const {
  for (int64_t dim = 0; dim < rank; ++dim)
    if (plan.isInner(dim) && dim != vectorDim &&
        emitter.schedule.getBlock(dim) > 1)
      return dim;
  return std::nullopt;
}

namespace {
/// The accumulators of one reduction.
struct Sums {
  Operation *reduction;
  Value memref;
};
} // namespace

void PassEmission::emitSums(int64_t dim) {
  const PassPlan::Stage &first = plan.getStages()[0];
  bool runsAgain =
      llvm::any_of(plan.getStages().drop_front(),
                   [](const PassPlan::Stage &stage) { return stage.hasRun(); });
  if (runsAgain || !first.kept.empty() || !first.rowStores.empty()) {
    emitter.fused.emitOpError("has a schedule: (C11) rows along dimension ")
        << dim
        << (first.rowStores.empty()
                ? " are read again after they have been reduced"
                : " have results before they are reduced");
    status = failure();
    return;
  }
  std::vector<Sums> sums;
  for (Operation *op : first.reductions) {
    Type element =
        cast<VectorType>(makeIdentity(op, 1).getType()).getElementType();
    auto type = RankedTensorType::get({columns}, element);
    sums.push_back({op, emitter.makeScratch(type, /*perThread=*/true).memref});
  }
  // A group of columns as units, with what they have in common in each row.
  auto forUnits =
      [&](function_ref<void(MutableArrayRef<Unit>, ArrayRef<Value> columns)>
              body) {
        forColumns([&](const Coord &start, ArrayRef<int64_t> lanesOfUnits) {
          std::vector<Unit> units;
          SmallVector<Value> indices;
          int64_t offset = 0;
          for (int64_t count : lanesOfUnits) {
            Coord column = start + Coord(offset);
            Unit unit;
            unit.position = position.shifted(vectorDim, column);
            unit.position.lanes = count;
            units.push_back(std::move(unit));
            indices.push_back(column.materialize(builder, loc));
            offset += count;
          }
          body(units, indices);
        });
      };
  auto load = [&](const Sums &of, const Unit &unit, Value column) -> Value {
    auto type = cast<VectorType>(
        makeIdentity(of.reduction, unit.position.lanes).getType());
    return vector::LoadOp::create(builder, loc, type, of.memref, column);
  };
  forUnits([&](MutableArrayRef<Unit> units, ArrayRef<Value> columns) {
    for (auto [unit, column] : llvm::zip_equal(units, columns))
      for (const Sums &of : sums)
        vector::StoreOp::create(builder, loc,
                                makeIdentity(of.reduction, unit.position.lanes),
                                of.memref, column);
  });
  auto combineRows = [&](int64_t rows) {
    forUnits([&](MutableArrayRef<Unit> units, ArrayRef<Value> columns) {
      startUnits(0, units);
      slots.clear();
      for (auto [i, unit] : llvm::enumerate(units))
        slots.push_back({static_cast<int64_t>(i), unit.position.lanes, 0});
      Values accumulators;
      for (const Sums &of : sums)
        for (auto [unit, column] : llvm::zip_equal(units, columns))
          accumulators.push_back(load(of, unit, column));
      for (int64_t row = 0; row < rows; ++row)
        for (auto [i, unit] : llvm::enumerate(units))
          accumulators =
              emitVector(0, unit, unit.position.shifted(dim, Coord(row)),
                         slots[i], accumulators);
      for (auto [i, of] : llvm::enumerate(sums))
        for (auto [u, column] : llvm::enumerate(columns))
          vector::StoreOp::create(builder, loc,
                                  accumulators[i * columns.size() + u],
                                  of.memref, column);
    });
  };
  std::function<void(int64_t)> emitBlocks = [&](int64_t along) {
    if (along == rank) {
      int64_t block = emitter.schedule.getBlock(dim);
      int64_t size = box[dim].max, whole = size / block * block;
      emitter.emitLoop(whole, block, [&](Value i) {
        at(dim, Coord::ofLoop(i, whole, block), [&] { combineRows(block); });
      });
      if (whole < size)
        at(dim, Coord(whole), [&] { combineRows(size - whole); });
      return;
    }
    if (!plan.isInner(along) || along == vectorDim || along == dim)
      return emitBlocks(along + 1);
    emitter.emitLoop(box[along].max, 1, [&](Value i) {
      at(along, Coord(i, 1, box[along].max), [&] { emitBlocks(along + 1); });
    });
  };
  emitBlocks(0);
  forUnits([&](MutableArrayRef<Unit> units, ArrayRef<Value> columns) {
    startUnits(0, units);
    for (auto [unit, column] : llvm::zip_equal(units, columns))
      for (const Sums &of : sums)
        unit.row.values[of.reduction->getResult(0)] =
            finish(of.reduction, load(of, unit, column));
    for (size_t stage = 1; stage < plan.getStages().size(); ++stage)
      startUnits(stage, units);
  });
}

} // namespace gc
