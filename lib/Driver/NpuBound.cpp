// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Driver/NpuBound.h"
#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "mlir/IR/Iterators.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
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

/// Whether a smaller operand has one number for each row of the result, which
/// an instruction takes from a register; numbers that differ along a row need a
/// vector of them.
static bool hasUniformOperand(Operation *op) {
  auto result = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!result)
    return false;
  return llvm::any_of(op->getOperandTypes(), [&](Type type) {
    auto operand = dyn_cast<RankedTensorType>(type);
    if (!operand || getTensorBytes(type) >= getTensorBytes(result))
      return false;
    return operand.getRank() == 0 || result.getRank() == 0 ||
           (operand.getShape().back() == 1 && result.getShape().back() != 1);
  });
}

namespace {

/// Finds the sums that the cube can do, and the casts and products that then
/// nobody else needs.
class CubeSums {
public:
  explicit CubeSums(func::FuncOp graph) {
    // Users come before what they use.
    graph.walk<WalkOrder::PostOrder, ReverseIterator>(
        [&](Operation *op) { visit(op); });
  }
  bool contains(Operation *op) const { return ops.contains(op); }

private:
  static NpuBoundRole getRole(Operation *op) {
    auto model = dyn_cast_or_null<NpuBoundOpInterface>(op);
    return model ? model.getRole() : NpuBoundRole::other;
  }

  /// Whether the cube can take a value, or the two factors of its elements.
  static bool isForCube(Value value, bool withProduct) {
    Type type = getElementTypeOrSelf(value.getType());
    if (type.isF16() || type.isInteger(8))
      return true;
    Operation *op = value.getDefiningOp();
    NpuBoundRole role = getRole(op);
    if (role == NpuBoundRole::cast)
      return isForCube(op->getOperand(0), withProduct);
    return role == NpuBoundRole::product && withProduct &&
           llvm::all_of(op->getOperands(), [](Value operand) {
             return isForCube(operand, false);
           });
  }

  void visit(Operation *op) {
    NpuBoundRole role = getRole(op);
    if (role == NpuBoundRole::other || op->getNumResults() != 1)
      return;
    bool mayBeProduct = true;
    if (role != NpuBoundRole::sum) {
      // All users must be sums, with at most one product on the way.
      for (OpOperand &use : op->getUses()) {
        auto it = taken.find(&use);
        if (it == taken.end())
          return;
        mayBeProduct &= it->second;
      }
      if (op->use_empty() || (role == NpuBoundRole::product && !mayBeProduct))
        return;
      mayBeProduct &= role != NpuBoundRole::product;
    }
    if (!llvm::all_of(op->getOperands(), [&](Value operand) {
          return isForCube(operand, mayBeProduct);
        }))
      return;
    ops.insert(op);
    for (OpOperand &operand : op->getOpOperands())
      taken[&operand] = mayBeProduct;
  }

  llvm::DenseSet<Operation *> ops;
  /// Operands that the cube's sums take instead of the vector unit; whether
  /// they may be products.
  llvm::DenseMap<OpOperand *, bool> taken;
};

} // namespace

static double getVectorCycles(Operation *op, const npu::Machine &machine) {
  auto model = dyn_cast<NpuBoundOpInterface>(op);
  if (!model || op->getNumResults() != 1 || op->getNumOperands() == 0)
    return 0;
  if (model.isFreeAfterCube() && comesFromCube(op->getOperand(0)))
    return 0;
  int64_t results = getTensorBytes(op->getResult(0).getType());
  // The wider side: of a reduction what it reads, of a cast the larger type.
  int64_t bytes =
      std::max(results, getTensorBytes(op->getOperand(0).getType()));
  return static_cast<double>(bytes) / npu::kRepeatBytes *
         model.getRepeatCycles(machine, hasUniformOperand(op));
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
  CubeSums sums(graph);
  graph.walk([&](Operation *op) {
    if (auto tunable = dyn_cast<graph::TunableOpInterface>(op))
      bound.cubeCycles += getCubeCycles(tunable, padded);
    else if (!sums.contains(op))
      bound.vectorCycles += getVectorCycles(op, machine);
  });
  bound.cubeCycles /= cores;
  bound.vectorCycles /= cores;
  for (BlockArgument argument : graph.getArguments()) {
    if (argument.use_empty())
      continue;
    double padding = 1, part = 0;
    for (OpOperand &use : argument.getUses()) {
      bool isFirst = use.getOperandNumber() == 0;
      auto model = dyn_cast<NpuBoundOpInterface>(use.getOwner());
      part = std::max(part, model && isFirst ? model.getReadPart() : 1);
      if (padded && isFirst)
        padding = std::max(padding, getPadding(use.getOwner()));
    }
    bound.inputBytes += static_cast<int64_t>(
        getTensorBytes(argument.getType()) * padding * part);
  }
  for (Type type : graph.getResultTypes())
    bound.outputBytes += getTensorBytes(type);
  bound.memoryCycles = getMemoryCycles(machine, bound.inputBytes, false) +
                       getMemoryCycles(machine, bound.outputBytes, true);
  return bound;
}
