// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "InsertSyncIndex.h"
#include "Dialect/Npu/IR/NpuCores.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/InferIntRangeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace gc::npu;
using gc::npu::sync::Env;

namespace {

IndexFn getConstant(int64_t value) {
  return [value](const Env &) { return value; };
}

template <typename Fn>
IndexFn combine(IndexFn lhs, IndexFn rhs, Fn fn) {
  if (!lhs || !rhs)
    return nullptr;
  return [lhs = std::move(lhs), rhs = std::move(rhs), fn](const Env &env) {
    return fn(lhs(env), rhs(env));
  };
}

/// An affine expression as a function; `values` are its dimensions and then its
/// symbols. Kernels are run step by step, so this must not build attributes.
IndexFn makeExpr(AffineExpr expr, unsigned numDims, ArrayRef<IndexFn> values) {
  if (auto number = dyn_cast<AffineConstantExpr>(expr))
    return ::getConstant(number.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return values[dim.getPosition()];
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
    return values[numDims + symbol.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  IndexFn left = makeExpr(binary.getLHS(), numDims, values),
          right = makeExpr(binary.getRHS(), numDims, values);
  // What is not defined may be anything.
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return combine(left, right, std::plus<int64_t>());
  case AffineExprKind::Mul:
    return combine(left, right, std::multiplies<int64_t>());
  case AffineExprKind::Mod:
    return combine(left, right, [](int64_t lhs, int64_t rhs) {
      return rhs > 0 ? llvm::mod(lhs, rhs) : 0;
    });
  case AffineExprKind::FloorDiv:
    return combine(left, right, [](int64_t lhs, int64_t rhs) {
      return rhs ? llvm::divideFloorSigned(lhs, rhs) : 0;
    });
  default:
    return combine(left, right, [](int64_t lhs, int64_t rhs) {
      return rhs ? llvm::divideCeilSigned(lhs, rhs) : 0;
    });
  }
}

} // namespace

void IndexMap::addPeriod(int64_t divisor) {
  int64_t next = std::lcm(period, std::max<int64_t>(divisor, 1));
  if (next <= 16)
    period = next;
}

void IndexMap::addLoop(scf::ForOp loop, int number) {
  IndexFn lower = get(loop.getLowerBound()), step = get(loop.getStep());
  if (!lower || !step)
    return;
  known[loop.getInductionVar()] = [=](const Env &env) {
    return lower(env) + env.iteration[number] * step(env);
  };
}

IndexFn IndexMap::getTrips(scf::ForOp loop) {
  IndexFn lower = get(loop.getLowerBound()), upper = get(loop.getUpperBound()),
          step = get(loop.getStep());
  if (!lower || !upper || !step)
    return nullptr;
  return [=](const Env &env) -> int64_t {
    int64_t size = upper(env) - lower(env), by = step(env);
    return size <= 0 || by <= 0 ? 0 : (size + by - 1) / by;
  };
}

IndexFn IndexMap::get(OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return ::getConstant(*constant);
  if (auto dynamic = dyn_cast<Value>(value))
    return get(dynamic);
  return nullptr;
}

IndexFn IndexMap::get(Value value) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  IndexFn result = make(value);
  known[value] = result;
  return result;
}

IndexFn IndexMap::make(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)))
    return ::getConstant(value.getType().isInteger(1)
                             ? constant.getZExtValue()
                             : constant.getSExtValue());
  Operation *op = value.getDefiningOp();
  if (!op)
    return nullptr;
  if (isa<CoreIdOp>(op)) {
    int64_t first = getFirstCore(op->getParentOfType<func::FuncOp>());
    return [first](const Env &env) { return first + env.core; };
  }
  if (auto apply = dyn_cast<affine::AffineApplyOp>(op))
    return makeAffine(apply.getAffineMap(), apply.getOperands(), false);
  if (auto min = dyn_cast<affine::AffineMinOp>(op))
    return makeAffine(min.getAffineMap(), min.getOperands(), false);
  if (auto max = dyn_cast<affine::AffineMaxOp>(op))
    return makeAffine(max.getAffineMap(), max.getOperands(), true);
  return makeInferred(op);
}

IndexFn IndexMap::makeAffine(AffineMap map, ValueRange operands, bool isMax) {
  SmallVector<IndexFn> values;
  for (Value operand : operands) {
    values.push_back(get(operand));
    if (!values.back())
      return nullptr;
  }
  for (AffineExpr expr : map.getResults())
    expr.walk([&](AffineExpr part) {
      if (part.getKind() == AffineExprKind::Mod)
        if (auto divisor = dyn_cast<AffineConstantExpr>(
                cast<AffineBinaryOpExpr>(part).getRHS()))
          addPeriod(divisor.getValue());
    });
  SmallVector<IndexFn> results;
  for (AffineExpr expr : map.getResults())
    results.push_back(makeExpr(expr, map.getNumDims(), values));
  if (results.size() == 1)
    return results[0];
  return [=](const Env &env) {
    int64_t best = results[0](env);
    for (const IndexFn &result : ArrayRef(results).drop_front())
      best = isMax ? std::max(best, result(env)) : std::min(best, result(env));
    return best;
  };
}

/// The value of the op for these operands, as upstream's analysis of ranges and
/// its folders know it: nothing where it is not defined, as after a division by
/// zero, or where neither knows the op.
static std::optional<int64_t> evaluate(Operation *op,
                                       ArrayRef<int64_t> operands) {
  auto makeNumber = [](Type type, int64_t value) {
    return APInt(ConstantIntRanges::getStorageBitwidth(type),
                 static_cast<uint64_t>(value), /*isSigned=*/true,
                 /*implicitTrunc=*/true);
  };
  std::optional<APInt> result;
  SmallVector<ConstantIntRanges, 3> ranges;
  for (auto [type, value] : llvm::zip(op->getOperandTypes(), operands))
    ranges.push_back(ConstantIntRanges::constant(makeNumber(type, value)));
  cast<InferIntRangeInterface>(op).inferResultRanges(
      ranges, [&](Value, const ConstantIntRanges &range) {
        result = range.getConstantValue();
      });
  if (!result) {
    // Kernels are run step by step, so attributes are the last resort.
    SmallVector<Attribute, 3> constants;
    for (auto [type, value] : llvm::zip(op->getOperandTypes(), operands))
      constants.push_back(IntegerAttr::get(type, makeNumber(type, value)));
    SmallVector<OpFoldResult, 1> folded;
    if (failed(op->fold(constants, folded)) || folded.empty())
      return std::nullopt;
    auto number = dyn_cast_or_null<IntegerAttr>(dyn_cast<Attribute>(folded[0]));
    if (!number)
      return std::nullopt;
    result = number.getValue();
  }
  return result->getBitWidth() == 1
             ? static_cast<int64_t>(result->getZExtValue())
             : result->getSExtValue();
}

IndexFn IndexMap::makeInferred(Operation *op) {
  auto isNumber = [](Type type) {
    unsigned width = ConstantIntRanges::getStorageBitwidth(type);
    return type.isIntOrIndex() && width > 0 && width <= 64;
  };
  if (!isa<InferIntRangeInterface>(op) || !isPure(op) ||
      op->getNumRegions() != 0 || op->getNumResults() != 1 ||
      op->getNumOperands() == 0 ||
      !llvm::all_of(op->getOperandTypes(), isNumber) ||
      !isNumber(op->getResult(0).getType()))
    return nullptr;
  // An op that has no known value even for ones will have none for others.
  if (!evaluate(op, SmallVector<int64_t>(op->getNumOperands(), 1)))
    return nullptr;
  SmallVector<IndexFn> operands;
  for (Value operand : op->getOperands()) {
    operands.push_back(get(operand));
    if (!operands.back())
      return nullptr;
  }
  return [op, operands](const Env &env) {
    SmallVector<int64_t, 3> values;
    for (const IndexFn &operand : operands)
      values.push_back(operand(env));
    // What is not defined may be anything.
    return evaluate(op, values).value_or(0);
  };
}

IndexFn IndexMap::getAddress(Value memref) {
  auto it = addresses.find(memref);
  if (it != addresses.end())
    return it->second;
  IndexFn result = makeAddress(memref);
  addresses[memref] = result;
  return result;
}

IndexFn IndexMap::makeAddress(Value memref) {
  if (auto argument = dyn_cast<BlockArgument>(memref))
    return ::getConstant(static_cast<int64_t>(
        Address(Space::gm, 0, static_cast<int>(argument.getArgNumber())).bits));
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast<AllocOp>(op)) {
    auto space = static_cast<Space>(*getSpace(memref));
    return ::getConstant(static_cast<int64_t>(
        Address(space, static_cast<int64_t>(*alloc.getAddress())).bits));
  }
  if (auto slot = dyn_cast<SlotOp>(op)) {
    auto alloc = slot.getBuffer().getDefiningOp<AllocOp>();
    if (!alloc)
      return nullptr;
    int64_t slots = static_cast<int64_t>(alloc.getSlots());
    int64_t bytes = alloc.getSlotBytes(machine);
    addPeriod(slots);
    return combine(getAddress(slot.getBuffer()), get(slot.getIndex()),
                   [=](int64_t base, int64_t index) {
                     return base + index % slots * bytes;
                   });
  }
  if (isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
          memref::MemorySpaceCastOp, memref::TransposeOp>(op))
    return getAddress(op->getOperand(0));
  auto part = dyn_cast<memref::SubViewOp>(op);
  if (!part)
    return nullptr;
  SmallVector<int64_t> strides;
  int64_t offset;
  std::optional<DType> type = getDType(memref.getType());
  IndexFn result = getAddress(part.getSource());
  if (!result || !type ||
      failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return nullptr;
  for (auto [start, stride] : llvm::zip(part.getMixedOffsets(), strides)) {
    if (getConstantIntValue(start) == 0)
      continue;
    if (ShapedType::isDynamic(stride))
      return nullptr;
    int64_t bytes = stride * getBytes(*type);
    result = combine(
        std::move(result), get(start),
        [bytes](int64_t base, int64_t index) { return base + index * bytes; });
  }
  return result;
}

/// Bytes from the first to the last element that a subview may reach in its
/// source: where it begins is not known in every dimension.
static std::optional<IndexMap::Bounds> getPartBounds(IndexMap &indices,
                                                     memref::SubViewOp part) {
  IndexFn begin = indices.getAddress(part.getSource());
  std::optional<DType> type = getDType(part.getType());
  SmallVector<int64_t> strides;
  int64_t offset, last = 0;
  if (!begin || !type || !part.getSourceType().hasStaticShape() ||
      failed(part.getSourceType().getStridesAndOffset(strides, offset)))
    return std::nullopt;
  for (auto [start, size, step, all, stride] : llvm::zip(
           part.getMixedOffsets(), part.getMixedSizes(), part.getMixedStrides(),
           part.getSourceType().getShape(), strides)) {
    std::optional<int64_t> count = getConstantIntValue(size),
                           by = getConstantIntValue(step);
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    IndexFn first = indices.get(start);
    if (!first || !count || !by) {
      last += (all - 1) * stride;
      continue;
    }
    last += (*count - 1) * *by * stride;
    begin = combine(
        std::move(begin), first,
        [bytes = stride * getBytes(*type)](int64_t base, int64_t index) {
          return base + index * bytes;
        });
  }
  return IndexMap::Bounds{begin, (last + 1) * getBytes(*type)};
}

std::optional<IndexMap::Bounds> IndexMap::getBounds(Value memref) {
  IndexFn address = getAddress(memref);
  std::optional<int64_t> extent = getExtent(cast<MemRefType>(memref.getType()));
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<AllocOp>(op))
    extent =
        alloc.getSlotBytes(machine) * static_cast<int64_t>(alloc.getSlots());
  if (address && extent)
    return Bounds{address, *extent};
  if (auto slot = dyn_cast_or_null<SlotOp>(op))
    return getBounds(slot.getBuffer());
  if (auto part = dyn_cast_or_null<memref::SubViewOp>(op))
    if (auto bounds = getPartBounds(*this, part))
      return bounds;
  if (auto view = dyn_cast_or_null<ViewLikeOpInterface>(op))
    return getBounds(view.getViewSource());
  return std::nullopt;
}
