// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuBound.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "llvm/ADT/StringSwitch.h"
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

static int64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !tensor.getElementType().isIntOrFloat())
    return 0;
  unsigned bits = tensor.getElementTypeBitWidth();
  return tensor.getNumElements() * llvm::divideCeil(bits, 8);
}

/// By how much padding the channels of its input makes a convolution larger.
static double getPadding(Operation *op) {
  if (op->getName().getStringRef() != "graph.convolution")
    return 1;
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto format = op->getAttrOfType<StringAttr>("data_format");
  auto groups = op->getAttrOfType<IntegerAttr>("groups");
  if (!type || type.getRank() < 2)
    return 1;
  bool isLast = !format || format.getValue() == "NXC";
  int64_t channels = type.getDimSize(isLast ? type.getRank() - 1 : 1) /
                     (groups ? groups.getInt() : 1);
  int64_t block = npu::kBlockBytes * 8 / type.getElementTypeBitWidth();
  if (channels <= 0)
    return 1;
  return double(llvm::alignTo(channels, block)) / channels;
}

static double getCubeCycles(graph::TunableOpInterface op, bool padded) {
  auto type = dyn_cast<ShapedType>(op->getOperand(0).getType());
  bool isByte = type && type.getElementTypeBitWidth() == 8;
  // 16 x 16 results of a block's length each.
  double products = 16 * 16 * (isByte ? 32 : 16);
  return op.getFlops() / 2 / products * (padded ? getPadding(op) : 1);
}

/// Whether a value is a product, or a cast or ReLU of one: what leaves L0C.
static bool comesFromCube(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (isa<graph::TunableOpInterface>(op))
      return true;
    if (!isa<graph::ReluOp, graph::TypeCastOp>(op))
      return false;
    value = op->getOperand(0);
  }
  return false;
}

/// Cycles a repeat of the shortest sequence that is known; 0: nothing is known.
static int64_t getSlope(Operation *op, const npu::Machine &machine) {
  using npu::VectorOp;
  auto slope = [&](VectorOp vector) { return machine.getCost(vector).slope; };
  // A number for a whole row comes from a register.
  int64_t results = getBytes(op->getResult(0).getType());
  bool isUniform = llvm::any_of(op->getOperandTypes(), [&](Type type) {
    return getBytes(type) < results;
  });
  auto scaled = [&](VectorOp binary, VectorOp scalar) {
    return isUniform ? std::min(slope(scalar), slope(binary)) : slope(binary);
  };
  int64_t reduction = slope(VectorOp::groupSum);
  return llvm::StringSwitch<int64_t>(op->getName().stripDialect())
      .Case("add", scaled(VectorOp::add, VectorOp::adds))
      .Case("subtract", scaled(VectorOp::sub, VectorOp::adds))
      .Case("multiply", scaled(VectorOp::mul, VectorOp::muls))
      .Case("divide", isUniform ? slope(VectorOp::muls)
                                : std::min(slope(VectorOp::div),
                                           slope(VectorOp::reciprocal) +
                                               slope(VectorOp::mul)))
      .Case("maximum", slope(VectorOp::max))
      .Case("minimum", slope(VectorOp::min))
      .Case("relu", slope(VectorOp::relu))
      .Case("abs", slope(VectorOp::abs))
      .Case("exp", slope(VectorOp::exp))
      .Case("log", slope(VectorOp::log))
      .Case("sqrt", slope(VectorOp::sqrt))
      .Case("reciprocal", slope(VectorOp::reciprocal))
      .Case("square", slope(VectorOp::mul))
      .Case("sigmoid", slope(VectorOp::exp))
      .Case("tanh", slope(VectorOp::exp))
      .Case("type_cast", slope(VectorOp::convert))
      .Case("select", slope(VectorOp::select))
      .Cases({"reduce_sum", "reduce_max", "reduce_min", "reduce_mean"},
             reduction)
      // Maximum, difference, power, sum, quotient.
      .Case("softmax", 2 * reduction + slope(VectorOp::adds) +
                           slope(VectorOp::exp) + slope(VectorOp::muls))
      .Default(0);
}

static double getVectorCycles(Operation *op, const npu::Machine &machine) {
  if (op->getNumResults() != 1 || op->getNumOperands() == 0)
    return 0;
  if (isa<graph::ReluOp, graph::TypeCastOp>(op) &&
      comesFromCube(op->getOperand(0)))
    return 0;
  // The wider side: of a reduction what it reads, of a cast the larger type.
  int64_t bytes = std::max(getBytes(op->getResult(0).getType()),
                           getBytes(op->getOperand(0).getType()));
  return double(bytes) / npu::kRepeatBytes * getSlope(op, machine);
}

/// Cycles that the channel takes to move bytes that it has never seen.
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
    else if (isa<graph::GraphDialect>(op->getDialect()))
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
        static_cast<int64_t>(getBytes(argument.getType()) * padding);
  }
  for (Type type : graph.getResultTypes())
    bound.outputBytes += getBytes(type);
  bound.memoryCycles = getMemoryCycles(machine, bound.inputBytes, false) +
                       getMemoryCycles(machine, bound.outputBytes, true);
  return bound;
}
