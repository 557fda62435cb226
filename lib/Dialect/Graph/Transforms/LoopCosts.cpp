// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LoopCosts.h"
#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "Dialect/Graph/IR/TensorMemory.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace gc::graph {

static double getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape()
             ? static_cast<double>(getMemoryBytes(tensor))
             : 0;
}

namespace {
/// One loop over ops.
struct Loop {
  llvm::SetVector<Value> read, written;
  /// Iterations of the largest op, and instructions of all.
  double elements = 0, work = 0;
  bool isStatic = true;

  explicit Loop(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      for (Value operand : op->getOperands())
        if (!llvm::is_contained(ops, operand.getDefiningOp()))
          read.insert(operand);
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) {
              return !llvm::is_contained(ops, user);
            }))
          written.insert(result);
      if (auto fusible = dyn_cast<FusibleOpInterface>(op))
        count(fusible);
    }
    for (Value value : llvm::concat<const Value>(read, written))
      isStatic &= cast<ShapedType>(value.getType()).hasStaticShape();
  }

  double getTotalBytes() const {
    double bytes = 0;
    for (Value value : llvm::concat<const Value>(read, written))
      bytes += getBytes(value.getType());
    return bytes;
  }

  /// With everything at one level.
  double getCycles(MemoryLevel level, const CostModel &model) const {
    double threads = static_cast<double>(model.getThreads());
    Cost cost;
    for (Value value : read)
      cost += model.getRead(getBytes(value.getType()) / threads, level);
    for (Value value : written)
      cost += model.getWrite(getBytes(value.getType()) / threads, level);
    cost.vector += model.getPassCycles(elements / threads, 0) +
                   model.getVectorCycles(work / threads, 1);
    cost.barrier += model.getBarrierCycles();
    return cost.getCycles();
  }

private:
  void count(FusibleOpInterface op) {
    double volume = 1;
    for (int64_t size : op.getIterationSpace()) {
      isStatic &= !ShapedType::isDynamic(size);
      volume *= static_cast<double>(size);
    }
    auto body = dyn_cast<ScalarBodyOpInterface>(op.getOperation());
    work += volume * (body ? static_cast<double>(body.getBodyCost()) : 1);
    elements = std::max(elements, volume);
  }
};
} // namespace

static MemoryLevel getLevel(double bytes, const CostModel &model) {
  return model.getLevel(bytes / static_cast<double>(model.getThreads()), bytes);
}

std::optional<double> getLoopCycles(ArrayRef<Operation *> ops,
                                    const CostModel &model) {
  Loop loop(ops);
  if (!loop.isStatic)
    return std::nullopt;
  return loop.getCycles(getLevel(loop.getTotalBytes(), model), model);
}

std::optional<double> getCyclesApart(ArrayRef<Operation *> ops,
                                     const CostModel &model) {
  // What one of the loops leaves for another one is no closer than what all of
  // them touch.
  MemoryLevel level = getLevel(Loop(ops).getTotalBytes(), model);
  double cycles = 0;
  for (Operation *op : ops) {
    Loop loop(op);
    if (!loop.isStatic)
      return std::nullopt;
    cycles += loop.getCycles(level, model);
  }
  return cycles;
}

double getReadCycles(Type tensor, const CostModel &model) {
  double bytes = getBytes(tensor);
  return model
      .getRead(bytes / static_cast<double>(model.getThreads()),
               getLevel(bytes, model))
      .getCycles();
}

} // namespace gc::graph
