// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Elementwise.h"
#include "ChunkPlan.h"
#include "Parallel.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/Sequence.h"

#include <array>
#include <cmath>
#include <limits>

using namespace gc::reference;
using namespace mlir;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

double gc::reference::finishBound(ElementType type, double exact,
                                  double error) {
  if (!(error < kInfinity)) // NaN too
    return kInfinity;
  if (!std::isfinite(exact))
    return error;
  // Integers: how far rounding to the other side of a tie leads.
  if (!getInfo(type).isFloat) {
    double value = roundTo(type, exact);
    return std::max(std::fabs(roundTo(type, exact + error) - value),
                    std::fabs(roundTo(type, exact - error) - value));
  }
  // Near the largest value a correct implementation may overflow or not. What
  // is less than half a unit beyond that value rounds to it. So the roundings
  // of the result, here and there, which are part of the error, do not count:
  // scores to which a mask of the lowest number is added are finite.
  const ElementTypeInfo &info = getInfo(type);
  double size = std::fabs(exact);
  double before = std::fmax(error - 2 * info.unitRoundoff * size, 0);
  if (info.isFloat &&
      size + before > info.highest * (1 + info.unitRoundoff / 2))
    return size - error > info.highest * (1 + info.unitRoundoff) ? 0
                                                                 : kInfinity;
  // Stored as f32: never rounded down.
  return error * (1 + 0x1p-22);
}

void gc::reference::finishBounds(ElementType type, const double *exact,
                                 double *errors, int64_t count) {
  // One test for all, so that the common case is a loop without branches.
  const ElementTypeInfo &info = getInfo(type);
  bool common = info.isFloat;
  for (int64_t i = 0; i < count; ++i)
    common &= std::fabs(exact[i]) + errors[i] <= info.highest;
  if (common) {
    for (int64_t i = 0; i < count; ++i)
      errors[i] *= 1 + 0x1p-22;
    return;
  }
  for (int64_t i = 0; i < count; ++i)
    errors[i] = finishBound(type, exact[i], errors[i]);
}

std::optional<BoundedTensor>
gc::reference::reuseOperand(const BoundedTensor &operand, RankedTensorType type,
                            bool bound) {
  auto isFree = [&](const Tensor &tensor, ElementType element) {
    return tensor.isUnique() && tensor.isContiguous() &&
           tensor.getType() == element && tensor.getShape() == type.getShape();
  };
  auto element = getElementType(type.getElementType());
  if (!element || bound != bool(operand.bound) ||
      !isFree(operand.value, *element) ||
      (bound && !isFree(operand.bound, ElementType::F32)))
    return std::nullopt;
  return operand;
}

namespace {
using Buffer = std::array<double, ChunkPlan::kSize>;
constexpr unsigned kMaxOperands = ElementwiseFunction::kMaxOperands;

/// One evaluation, shared by all threads.
struct Job {
  const ElementwiseFunction &function;
  ArrayRef<BoundedTensor> operands;
  const BoundedTensor &result;
  const ChunkPlan &plan;

  void run(int64_t index) const;
  void computeBounds(const ChunkPlan::Chunk &chunk,
                     MutableArrayRef<Buffer> inputs,
                     const Buffer &results) const;
};
} // namespace

void Job::run(int64_t index) const {
  ChunkPlan::Chunk chunk = plan.getChunk(index);
  Buffer inputs[kMaxOperands];
  const double *pointers[kMaxOperands];
  for (auto [i, operand] : llvm::enumerate(operands)) {
    loadElements(operand.value.getType(), operand.value.getData(),
                 chunk.offsets[i], plan.getInnerStride(i), chunk.size,
                 inputs[i].data());
    pointers[i] = inputs[i].data();
  }
  Buffer results;
  function.evaluate(ArrayRef(pointers, operands.size()), results.data(),
                    chunk.size);
  storeElements(result.value.getType(), result.value.getData(), chunk.begin, 1,
                chunk.size, results.data());
  if (result.bound)
    computeBounds(chunk, MutableArrayRef(inputs, operands.size()), results);
}

/// |b - a|, where equal infinities and two NaNs do not differ.
static double getDifference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b)))
    return 0;
  return std::fabs(b - a);
}

void Job::computeBounds(const ChunkPlan::Chunk &chunk,
                        MutableArrayRef<Buffer> inputs,
                        const Buffer &results) const {
  unsigned count = operands.size();
  const ElementTypeInfo &type = getInfo(result.value.getType());
  Buffer magnitudes = results, bounds;
  const double *pointers[kMaxOperands];
  for (unsigned i = 0; i < count; ++i)
    pointers[i] = inputs[i].data();
  if (function.magnitude)
    function.magnitude(ArrayRef(pointers, count), magnitudes.data(),
                       chunk.size);
  double relative =
      function.roundings * type.unitRoundoff + function.approximation * 0x1p-24;
  for (int64_t k = 0; k < chunk.size; ++k) {
    double local = std::fabs(magnitudes[k]) * relative + type.tiny;
    bounds[k] = std::isfinite(results[k]) ? local : 0;
  }

  // The effect of errors of the operands: the function at all corners.
  Buffer errors[kMaxOperands], moved[kMaxOperands], corner;
  unsigned inexact = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (!operands[i].bound)
      continue;
    inexact |= 1u << i;
    unsigned view = count + i;
    loadElements(ElementType::F32, operands[i].bound.getData(),
                 chunk.offsets[view], plan.getInnerStride(view), chunk.size,
                 errors[i].data());
  }
  Buffer propagated;
  propagated.fill(0);
  auto visitCorner = [&] {
    function.evaluate(ArrayRef(pointers, count), corner.data(), chunk.size);
    for (int64_t k = 0; k < chunk.size; ++k) {
      double difference = getDifference(results[k], corner[k]);
      propagated[k] = std::isnan(difference)
                          ? kInfinity
                          : std::max(propagated[k], difference);
    }
  };
  /// All corners of the operands in `of`; the others stay as they are.
  auto visitCorners = [&](unsigned of) {
    for (unsigned signs = of;; signs = (signs - 1) & of) {
      for (unsigned i = 0; i < count; ++i) {
        if (!(of >> i & 1))
          continue;
        double sign = signs >> i & 1 ? 1 : -1;
        for (int64_t k = 0; k < chunk.size; ++k)
          moved[i][k] = inputs[i][k] + sign * errors[i][k];
        pointers[i] = moved[i].data();
      }
      visitCorner();
      if (signs == 0)
        break;
    }
  };
  if (inexact)
    visitCorners(inexact);
  // Many functions have a kink or a jump at 0, some elsewhere, beyond which
  // they are largest at that place itself.
  auto visitPlace = [&](unsigned i, double place) {
    auto straddles = [&](int64_t k) {
      return inputs[i][k] != place &&
             std::fabs(inputs[i][k] - place) < errors[i][k];
    };
    if (!(inexact >> i & 1) ||
        llvm::none_of(llvm::seq<int64_t>(0, chunk.size), straddles))
      return;
    Buffer places;
    for (int64_t k = 0; k < chunk.size; ++k)
      places[k] = straddles(k) ? place : inputs[i][k];
    pointers[i] = places.data();
    visitCorners(inexact & ~(1U << i));
    pointers[i] = inputs[i].data();
  };
  for (unsigned i = 0; i < count; ++i)
    visitPlace(i, 0);
  for (double jump : function.jumps)
    visitPlace(0, jump);
  for (unsigned i = 0; i < count; ++i)
    if (inexact >> i & 1 && i < function.poles.size() && function.poles[i])
      for (int64_t k = 0; k < chunk.size; ++k)
        if (!(std::fabs(inputs[i][k]) > errors[i][k]))
          propagated[k] = kInfinity;
  // What has moved is rounded where it has moved to.
  for (int64_t k = 0; k < chunk.size; ++k)
    bounds[k] += propagated[k] * (1 + relative);
  finishBounds(result.value.getType(), results.data(), bounds.data(),
               chunk.size);
  storeElements(ElementType::F32, result.bound.getData(), chunk.begin, 1,
                chunk.size, bounds.data());
}

FailureOr<BoundedTensor> gc::reference::evaluateElementwise(
    Operation *op, Type resultType, ArrayRef<BoundedTensor> operands,
    const ElementwiseFunction &function, Evaluation &evaluation) {
  bool inexact =
      llvm::any_of(operands, [](auto &operand) { return bool(operand.bound); });
  auto element = getElementType(getElementTypeOrSelf(resultType));
  bool exactType = element && !getInfo(*element).isFloat;
  bool rounds =
      (function.roundings != 0 && !exactType) || function.approximation != 0;
  bool bound = evaluation.wantsBounds() && (inexact || rounds);
  // Every element is read before it is written.
  FailureOr<BoundedTensor> result = failure();
  for (const BoundedTensor &operand : operands)
    if (auto reused =
            reuseOperand(operand, cast<RankedTensorType>(resultType), bound)) {
      result = std::move(*reused);
      break;
    }
  if (failed(result))
    result = evaluation.allocate(op, resultType, bound);
  if (failed(result))
    return failure();

  ArrayRef<int64_t> shape = result->value.getShape();
  SmallVector<BoundedTensor, kMaxOperands> views;
  SmallVector<ArrayRef<int64_t>, 2 * kMaxOperands> strides;
  for (const BoundedTensor &operand : operands) {
    BoundedTensor &view = views.emplace_back();
    view.value = operand.value.broadcastTo(shape);
    if (operand.bound)
      view.bound = operand.bound.broadcastTo(shape);
  }
  for (const BoundedTensor &view : views)
    strides.push_back(view.value.getStrides());
  for (const BoundedTensor &view : views)
    strides.push_back(view.bound ? view.bound.getStrides()
                                 : view.value.getStrides());
  ChunkPlan plan(shape, strides);
  Job job{function, views, *result, plan};
  parallelFor(plan.getNumChunks(), [&](int64_t index) { job.run(index); });
  return result;
}

LogicalResult
gc::reference::pushElementwise(Operation *op, ArrayRef<BoundedTensor> operands,
                               const ElementwiseFunction &function,
                               Evaluation &evaluation,
                               SmallVectorImpl<BoundedTensor> &results) {
  FailureOr<BoundedTensor> result = evaluateElementwise(
      op, op->getResult(0).getType(), operands, function, evaluation);
  if (failed(result))
    return failure();
  results.push_back(std::move(*result));
  return success();
}

BoundedTensor gc::reference::spreadAlongFirst(const BoundedTensor &tensor,
                                              ArrayRef<int64_t> shape) {
  BoundedTensor spread = tensor;
  for (Tensor *part : {&spread.value, &spread.bound}) {
    if (!*part)
      continue;
    SmallVector<int64_t> strides(shape.size(), 0);
    if (!strides.empty())
      strides[0] = part->getStrides()[0];
    *part = part->withView(shape, strides);
  }
  return spread;
}
