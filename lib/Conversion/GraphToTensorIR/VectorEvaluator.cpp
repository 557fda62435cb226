// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorEvaluator.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

void VectorEvaluator::start(const Position &at, unsigned stageNumber,
                            const RowValues &rowValues,
                            const llvm::DenseMap<OpOperand *, Value> *loaded) {
  position = at;
  stage = stageNumber;
  row = &rowValues;
  given = loaded;
  computed.clear();
  absent.clear();
}

Value VectorEvaluator::widen(Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getNumElements() == position.lanes)
    return vector;
  Value scalar = vector::ExtractOp::create(builder, loc, vector, 0);
  return vector::BroadcastOp::create(
      builder, loc, VectorType::get({position.lanes}, type.getElementType()),
      scalar);
}

Value VectorEvaluator::load(const Access &access) {
  Value vector =
      toComputeType(builder, loc, loadVector(builder, loc, access, position),
                    access.buffer.type.getElementType());
  return noteAbsent(fillGaps(builder, loc, vector, access, position), access);
}

/// Whether windows are summed, or otherwise reduced, along their elements.
static bool reducesWindows(const PassPlan &plan, const Access &access) {
  for (auto [expr, spacing] :
       llvm::zip_equal(access.map.getResults(), access.gaps->spacing)) {
    bool isReduced = false, slides = false;
    for (unsigned dim = 0; spacing && dim < access.map.getNumDims(); ++dim)
      if (expr.isFunctionOfDim(dim))
        (plan.isInner(dim) ? isReduced : slides) = true;
    if (isReduced && slides)
      return true;
  }
  return false;
}

Value VectorEvaluator::noteAbsent(Value vector, const Access &access) {
  if (access.gaps && access.gaps->fill && matchPattern(vector, m_Constant()) &&
      reducesWindows(plan, access))
    absent.insert(vector);
  return vector;
}

/// Whether an op's results are only summed.
static bool isSummed(Operation *op) {
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    auto reduction = dyn_cast<ReductionOpInterface>(user);
    return reduction && matchPattern(reduction.getIdentity(
                                         Float32Type::get(user->getContext())),
                                     m_AnyZeroFloat());
  });
}

Value VectorEvaluator::foldAbsent(Operation *graphOp, Value result,
                                  ValueRange operands) {
  Operation *op = result.getDefiningOp();
  auto isFactor = [&](Value operand) {
    return isAbsent(operand) && llvm::is_contained(op->getOperands(), operand);
  };
  int64_t factors = op ? llvm::count_if(operands, isFactor) : 0;
  SmallVector<Value> folded;
  if (factors == 1 && operands.size() == 2 && isa<arith::MulFOp>(op) &&
      isSummed(graphOp) &&
      matchPattern(*llvm::find_if(operands, isFactor), m_AnyZeroFloat()))
    folded.push_back(*llvm::find_if(operands, isFactor));
  else if (factors != static_cast<int64_t>(operands.size()) ||
           failed(builder.tryFold(op, folded)) || folded.size() != 1)
    return result;
  op->erase();
  absent.insert(folded[0]);
  return folded[0];
}

/// The vector, which is computed in f32 whatever the floating-point type of a
/// tensor, rounded to that type.
static Value round(OpBuilder &builder, Location loc, Value vector,
                   Type element) {
  auto type = cast<VectorType>(vector.getType());
  if (!isa<FloatType>(element) || element == type.getElementType())
    return vector;
  Value narrow =
      arith::TruncFOp::create(builder, loc, type.clone(element), vector);
  return arith::ExtFOp::create(builder, loc, type, narrow);
}

/// Within a pass bf16 values keep the precision of f32, in which they are
/// computed: they are rounded where they are stored and where the graph says
/// so. What is reduced is rounded, because it is computed again in later loops,
/// and an element that is not equal to the maximum of its row would be a
/// surprise. f16 is rounded always: numbers beyond its range are infinite.
static bool keepsPrecision(OpResult value) {
  auto fusible = dyn_cast<FusibleOpInterface>(value.getOwner());
  return getElementTypeOrSelf(value.getType()).isBF16() && fusible &&
         fusible.getFusibleKind() != FusibleKind::cast &&
         llvm::none_of(value.getUsers(), isReduction);
}

/// A value whose buffer holds more than its type does, as sums of microkernels
/// do, is rounded when it is read, unless it may keep its precision.
Value VectorEvaluator::loadValue(Value value, const Access &access) {
  Value vector = load(access);
  Type element = getElementTypeOrSelf(value.getType());
  bool isExact =
      element == access.buffer.type.getElementType() ||
      (element.isBF16() && llvm::none_of(value.getUsers(), isReduction));
  return isExact ? vector : round(builder, loc, vector, element);
}

Value VectorEvaluator::get(OpOperand &operand) {
  if (given)
    if (Value loaded = given->lookup(&operand))
      return loaded;
  if (plan.isComputed(operand.get()))
    return get(operand.get());
  if (Value splat = getSplat(builder, loc, operand.get(), position.lanes)) {
    Access access = plan.getAccess(operand);
    access.buffer.type = cast<RankedTensorType>(operand.get().getType());
    return fillGaps(builder, loc, splat, access, position);
  }
  if (Value known = row->operands.lookup(&operand))
    return widen(known);
  return loadValue(operand.get(), plan.getAccess(operand));
}

Value VectorEvaluator::get(Value value) {
  if (Value known = computed.lookup(value))
    return known;
  Value result;
  if (Value known = row->values.lookup(value))
    result = widen(known);
  else if (const Access *kept = plan.getKept(value, stage))
    result = load(*kept);
  else if (plan.isComputed(value))
    return failed(compute(value.getDefiningOp())) ? Value()
                                                  : computed.lookup(value);
  else
    result = loadValue(value, plan.getAccess(value, buffers.lookup(value)));
  computed[value] = result;
  return result;
}

Value VectorEvaluator::getIndexVector(Operation *op, unsigned dim) {
  auto index =
      dyn_cast<AffineDimExpr>(plan.getSpace().getOpMap(op).getResult(dim));
  auto type = VectorType::get({position.lanes}, builder.getI32Type());
  if (!index)
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  Value first = arith::IndexCastOp::create(
      builder, loc, builder.getI32Type(),
      position.coords[index.getPosition()].materialize(builder, loc));
  Value vector = vector::BroadcastOp::create(builder, loc, type, first);
  if (index.getPosition() != position.vectorDim || position.lanes == 1)
    return vector;
  SmallVector<int32_t> steps;
  for (int64_t lane = 0; lane < position.lanes; ++lane)
    steps.push_back(lane);
  Value step = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, ArrayRef<int32_t>(steps)));
  return arith::AddIOp::create(builder, loc, vector, step);
}

LogicalResult VectorEvaluator::compute(Operation *op) {
  auto body = dyn_cast<ScalarBodyOpInterface>(op);
  SmallVector<Value> operands, results;
  std::optional<unsigned> dim = body ? body.getIndexDim() : std::nullopt;
  if (dim)
    operands.push_back(getIndexVector(op, *dim));
  else
    for (OpOperand &operand : op->getOpOperands()) {
      operands.push_back(get(operand));
      if (!operands.back())
        return failure();
    }
  // Without a dimension to reduce, a reduction returns its operand.
  if (isReduction(op))
    results.push_back(operands[0]);
  else if (auto emission = dyn_cast<EmissionOpInterface>(op))
    results = emission.emitVector(builder, loc, operands);
  else if (body)
    results = body.buildBody(builder, loc, operands);
  if (results.empty())
    return op->emitOpError("cannot be compiled for the CPU with element type ")
           << getElementTypeOrSelf(op->getResult(0).getType());
  for (Value &result : results)
    result = foldAbsent(op, result, operands);
  for (auto [result, vector] : llvm::zip_equal(op->getResults(), results))
    computed[result] = keepsPrecision(result)
                           ? vector
                           : round(builder, loc, vector,
                                   getElementTypeOrSelf(result.getType()));
  return success();
}

LogicalResult VectorEvaluator::store(ArrayRef<Store> stores,
                                     ArrayRef<Value> kept) {
  // Everything is read before anything is written: a result may take the place
  // of what others are computed from.
  SmallVector<std::pair<Value, Access>> vectors;
  for (const Store &store : stores)
    vectors.push_back(
        {get(store.value), plan.getAccess(store.value, store.buffer)});
  for (Value value : kept)
    vectors.push_back({get(value), *plan.getKept(value, stage + 1)});
  for (auto &[vector, access] : vectors) {
    if (!vector)
      return failure();
    waiting.push_back({vector, access, position});
  }
  if (!defersStores)
    writeWaiting();
  return success();
}

void VectorEvaluator::writeWaiting() {
  for (auto &[vector, access, at] : waiting) {
    Type element = access.buffer.type.getElementType();
    access.buffer.streams &= alignedLanes > 0;
    int64_t padded =
        at.lanes == tailLanes ? paddedLanes.lookup(access.buffer.memref) : 0;
    storeVector(builder, loc, toStorageType(builder, loc, vector, element),
                access, at, padded, alignedLanes);
  }
  waiting.clear();
}

} // namespace gc
