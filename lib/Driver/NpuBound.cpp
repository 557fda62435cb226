// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuBound.h"
#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;
using namespace gc;

int64_t NpuBound::getCycles() const {
  return latency + static_cast<int64_t>(std::ceil(
                       std::max({cubeCycles, memoryCycles, vectorCycles})));
}

llvm::StringRef NpuBound::getReason() const {
  if (cubeCycles >= memoryCycles && cubeCycles >= vectorCycles)
    return "cube";
  return memoryCycles >= vectorCycles ? "memory" : "vector";
}

static int64_t getTensorBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return 0;
  unsigned bits = tensor.getElementTypeBitWidth();
  return tensor.getNumElements() * llvm::divideCeil(bits, 8);
}

/// The factor by which padding to whole blocks makes operand 0 larger.
static double getPadding(Operation *op) {
  auto model = dyn_cast<NpuBoundOpInterface>(op);
  return model ? model.getInputPadding() : 1;
}

static double getCubeCycles(graph::TunableOpInterface op, bool padded) {
  auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
  bool isByte = type && type.getElementTypeBitWidth() == 8;
  // 16 x 16 results of a block's length each.
  double products = 16 * 16 * (isByte ? 32 : 16);
  return op.getFlops() / 2 / products * (padded ? getPadding(op) : 1);
}

/// Whether a value is a product, or can be computed from one on the way out of
/// L0C.
static bool comesFromCube(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<graph::TunableOpInterface>(op))
      return true;
    auto model = dyn_cast<NpuBoundOpInterface>(op);
    if (!model || !model.isFreeAfterCube())
      return false;
    value = op->getOperand(0);
  }
  return false;
}

static double getVectorCycles(Operation *op, const npu::Machine &machine) {
  auto model = dyn_cast<NpuBoundOpInterface>(op);
  if (!model || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return 0;
  if (model.isFreeAfterCube() && comesFromCube(op->getOperand(0)))
    return 0;
  int64_t results = getTensorBytes(op->getResult(0).getType());
  bool isUniform = llvm::any_of(op->getOperandTypes(), [&](Type type) {
    return getTensorBytes(type) < results;
  });
  // The wider side: of a reduction what it reads, of a cast the larger type.
  int64_t bytes = std::max(results, getTensorBytes(op->getOperand(0).getType()));
  return static_cast<double>(bytes) / npu::kRepeatBytes *
         model.getRepeatCycles(machine, isUniform);
}

/// Cycles that the channel takes to move bytes for the first time.
static double getMemoryCycles(const npu::Machine &machine, int64_t bytes,
                              bool write) {
  if (machine.profile != npu::Profile::l2)
    return double(bytes) * machine.packageCycles / npu::kRepeatBytes;
  double hit = 1.0 / (write ? machine.l2WriteRate : machine.l2ReadRate);
  double miss = 2.0 / machine.l2MissRate2;
  double first = std::min<double>(1, double(npu::kRepeatBytes) /
                                         double(machine.l2LineBytes));
  return bytes * (first * miss + (1 - first) * hit);
}

NpuBound gc::computeNpuBound(func::FuncOp graph, const npu::Machine &machine,
                             int64_t cores, bool padded) {
  NpuBound bound;
  bound.latency = machine.latency;
  graph.walk([&](Operation *op) {
    if (auto tunable = dyn_cast<graph::TunableOpInterface>(op))
      bound.cubeCycles += getCubeCycles(tunable, padded);
    else
      bound.vectorCycles += getVectorCycles(op, machine);
  });
  bound.cubeCycles /= cores;
  bound.vectorCycles /= cores;
  for (BlockArgument argument : graph.getArguments()) {
    if (argument.use_empty())
      continue;
    double padding = 1;
    if (padded)
      for (OpOperand &use : argument.getUses())
        if (use.getOperandNumber() == 0)
          padding = std::max(padding, getPadding(use.getOwner()));
    bound.inputBytes +=
        static_cast<int64_t>(getTensorBytes(argument.getType()) * padding);
  }
  for (Type type : graph.getResultTypes())
    bound.outputBytes += getTensorBytes(type);
  bound.memoryCycles = getMemoryCycles(machine, bound.inputBytes, false) +
                       getMemoryCycles(machine, bound.outputBytes, true);
  return bound;
}
