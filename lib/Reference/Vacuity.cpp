// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Reference/Vacuity.h"
#include "ChunkPlan.h"
#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "Reference/Interpreter.h"
#include "Reference/ReferenceInterface.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

using namespace gc;
using namespace gc::reference;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Statistics
//===----------------------------------------------------------------------===//

/// Logits of data are never that small; programs mask with -1e4 and beyond.
static constexpr double kLargestMasked = -1e3;

Statistics gc::reference::computeStatistics(const Tensor &tensor) {
  const ElementTypeInfo &type = getInfo(tensor.getType());
  Statistics statistics;
  double first = 0;
  ChunkPlan plan(tensor.getShape(), {tensor.getStrides()});
  for (int64_t i = 0; i < plan.getNumChunks(); ++i) {
    ChunkPlan::Chunk chunk = plan.getChunk(i);
    double values[ChunkPlan::kSize];
    loadElements(tensor.getType(), tensor.getData(), chunk.offsets[0],
                 plan.getInnerStride(0), chunk.size, values);
    if (i == 0)
      first = values[0];
    for (int64_t k = 0; k < chunk.size; ++k) {
      double value = values[k];
      bool limit = value == type.lowest || value == type.highest ||
                   (type.isFloat && std::fabs(value) == 1);
      statistics.zeros += value == 0;
      statistics.masked += value <= kLargestMasked;
      statistics.nonFinite += !std::isfinite(value);
      statistics.saturated += value != 0 && limit;
      statistics.extreme += value == 0 || limit || !std::isfinite(value);
      statistics.constant &=
          value == first || (std::isnan(value) && std::isnan(first));
    }
    statistics.count += chunk.size;
  }
  return statistics;
}

//===----------------------------------------------------------------------===//
// Looking through producers
//===----------------------------------------------------------------------===//

/// The value that `value` repeats in another shape, type or layout.
static Value stripMovement(Value value) {
  while (auto result = dyn_cast<OpResult>(value)) {
    auto model = dyn_cast<ReferenceOpInterface>(result.getOwner());
    Value source = model ? model.getSource(result.getResultNumber()) : Value();
    if (!source)
      break;
    value = source;
  }
  return value;
}

static bool isConstant(Value value) {
  return matchPattern(value, m_Constant());
}

/// How many different input elements a value may depend on.
static int64_t countInputElements(Value result) {
  llvm::SetVector<Value> slice;
  slice.insert(result);
  int64_t count = 0;
  for (size_t i = 0; i < slice.size(); ++i) {
    Value value = slice[i];
    DenseElementsAttr splat;
    bool isInput = !value.getDefiningOp() || isConstant(value);
    if (isInput) {
      bool varies = !(matchPattern(value, m_Constant(&splat)) && splat &&
                      splat.isSplat());
      auto type = dyn_cast<ShapedType>(value.getType());
      if (varies && type && type.hasStaticShape())
        count += type.getNumElements();
      continue;
    }
    value.getDefiningOp()->walk([&](Operation *op) {
      if (isa<CallOpInterface>(op))
        count += 2; // its function may hold any constants
      for (Value operand : op->getOperands())
        slice.insert(operand);
    });
  }
  return count;
}

ProbePlan gc::reference::planProbe(Value result) {
  ProbePlan plan;
  plan.mayBeConstant = countInputElements(result) <= 1;
  // Zeros pass through ops that keep them, and originate at ops that saturate.
  llvm::SetVector<Value> work;
  work.insert(stripMovement(result));
  for (size_t i = 0; i < work.size(); ++i) {
    auto op = work[i].getDefiningOp<ReferenceOpInterface>();
    if (op)
      if (auto masked = op.getMaskedOperand())
        plan.masks.push_back(stripMovement(op->getOperand(*masked)));
    auto fusible = work[i].getDefiningOp<graph::FusibleOpInterface>();
    bool keepsZeros = op && (op.saturates() || op.preservesZero());
    if (op && (keepsZeros || (fusible && fusible.scalesOperand(0)))) {
      plan.saturates |= op.saturates();
      unsigned count = keepsZeros ? op->getNumOperands() : 1;
      for (Value operand : op->getOperands().take_front(count))
        work.insert(stripMovement(operand));
    } else if (!isConstant(work[i])) {
      plan.sources.push_back(work[i]);
    }
  }
  if (!plan.saturates)
    plan.sources.clear();
  return plan;
}

//===----------------------------------------------------------------------===//
// The verdict
//===----------------------------------------------------------------------===//

/// Whether more than half of the elements are zero or at a limit.
static bool isMostlyZero(const Statistics &statistics) {
  return 2 * statistics.zeros > statistics.count;
}
static bool isMostlySaturated(const Statistics &statistics) {
  return 2 * statistics.saturated > statistics.count;
}

/// Whether at most half of the unmasked elements are among `count` ones, which
/// all masked ones are.
static bool isMasked(const ResultProbe &probe, int64_t count) {
  auto divide = [](int64_t part, int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  };
  double share = divide(count, probe.result.count);
  return llvm::any_of(probe.masks, [&](const Statistics &mask) {
    double masked = mask.count ? divide(mask.masked, mask.count) : 0;
    return masked < 1 && 2 * (share - masked) <= 1 - masked;
  });
}

std::optional<std::string>
gc::reference::findWeakness(const ResultProbe &probe) {
  constexpr int64_t kFew = 16;
  const Statistics &result = probe.result;
  if (result.count < 2)
    return std::nullopt;
  auto share = [&](int64_t count, StringRef what) {
    return llvm::formatv("{0} of {1} elements {2}", count, result.count, what)
        .str();
  };
  if (2 * result.nonFinite > result.count)
    return share(result.nonFinite, "are not finite");
  if (100 * probe.unbounded > result.count)
    return share(probe.unbounded, "have no error bound");
  bool explained =
      probe.saturates && llvm::any_of(probe.sources, [](const Statistics &it) {
        return !it.constant && !isMostlyZero(it) && !isMostlySaturated(it);
      });
  if (result.constant && !probe.mayBeConstant &&
      !(explained && result.count <= kFew))
    return llvm::formatv("all {0} elements are equal", result.count).str();
  if (explained || probe.mayBeConstant)
    return std::nullopt;
  if (isMostlyZero(result) && !isMasked(probe, result.zeros))
    return share(result.zeros, "are zero");
  if (isMostlySaturated(result))
    return share(result.saturated, "are saturated");
  if (result.nonFinite > 0 && 2 * result.extreme > result.count &&
      !isMasked(probe, result.extreme))
    return share(result.extreme, "are zero, saturated or not finite");
  return std::nullopt;
}

std::optional<std::string>
gc::reference::findWeakness(const Interpretation &interpretation) {
  for (auto [i, probe] : llvm::enumerate(interpretation.probes))
    if (std::optional<std::string> reason = findWeakness(probe))
      return llvm::formatv("result {0}: {1}", i, *reason).str();
  return std::nullopt;
}
