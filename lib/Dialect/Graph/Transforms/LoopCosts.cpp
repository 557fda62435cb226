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

double getLoopCycles(ArrayRef<Operation *> ops, const CostModel &model) {
  llvm::SetVector<Value> read, written;
  double threads = model.getThreads(), work = 0, elements = 0;
  for (Operation *op : ops) {
    for (Value operand : op->getOperands())
      if (!llvm::is_contained(ops, operand.getDefiningOp()))
        read.insert(operand);
    for (Value result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !llvm::is_contained(ops, user);
          }))
        written.insert(result);
    auto fusible = dyn_cast<FusibleOpInterface>(op);
    if (!fusible)
      continue;
    double volume = 1;
    for (int64_t size : fusible.getIterationSpace())
      volume *= static_cast<double>(size);
    auto body = dyn_cast<ScalarBodyOpInterface>(op);
    work += volume * (body ? static_cast<double>(body.getBodyCost()) : 1);
    elements = std::max(elements, volume);
  }
  double bytes = 0;
  for (Value value : llvm::concat<const Value>(read, written))
    bytes += getBytes(value.getType());
  MemoryLevel level = model.getLevel(bytes / threads, bytes);
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

double getCyclesApart(ArrayRef<Operation *> ops, const CostModel &model) {
  double cycles = 0;
  for (Operation *op : ops)
    cycles += getLoopCycles(op, model);
  return cycles;
}

double getReadCycles(Type tensor, const CostModel &model) {
  double threads = model.getThreads(), bytes = getBytes(tensor);
  MemoryLevel level = model.getLevel(bytes / threads, bytes);
  return model.getRead(bytes / threads, level).getCycles();
}

} // namespace gc::graph
