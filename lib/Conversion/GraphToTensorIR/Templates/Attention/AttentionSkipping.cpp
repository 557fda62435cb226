// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which blocks of keys the attention template leaves out: those of which bounds
// of the logits show that all weights are 0.

#include "AttentionEmission.h"
#include "VectorAccess.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;
using namespace gc::graph;

namespace gc {

/// e^-x is 0 in f32 from this x on.
constexpr float kZeroWeight = 104;
constexpr float kInfinity = std::numeric_limits<float>::infinity();

void AttentionEmission::forUnmasked(const BoxDim &rows, const Coord &local,
                                    const Coord &firstKey, int64_t keys,
                                    function_ref<void()> body) {
  if (!params.getSkip())
    return body();
  Value highest = emitHighestLogit(rows, firstKey, keys);
  auto isLess = [&](Value a, Value b) -> Value {
    return arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT, a, b);
  };
  auto getConstant = [&](float value) -> Value {
    return arith::ConstantOp::create(builder, loc,
                                     builder.getF32FloatAttr(value));
  };
  Value isMasked;
  if (!max) {
    isMasked = isLess(highest, getConstant(-kZeroWeight));
  } else {
    // Most blocks have no bound.
    auto branch =
        scf::IfOp::create(builder, loc, TypeRange{builder.getI1Type()},
                          isLess(highest, getConstant(kInfinity)),
                          /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(branch.thenBlock());
    Value limit = arith::SubFOp::create(
        builder, loc, emitLowestMaximum(rows, local), getConstant(kZeroWeight));
    Value isEmpty =
        arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OEQ, highest,
                              getConstant(-kInfinity));
    Value isLow = isLess(highest, limit);
    scf::YieldOp::create(
        builder, loc,
        ValueRange{arith::OrIOp::create(builder, loc, isEmpty, isLow)});
    builder.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(builder, loc,
                         ValueRange{arith::ConstantOp::create(
                             builder, loc, builder.getBoolAttr(false))});
    isMasked = branch.getResult(0);
  }
  Value isNeeded = arith::XOrIOp::create(
      builder, loc, isMasked,
      arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true)));
  auto branch = scf::IfOp::create(builder, loc, isNeeded);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  body();
}

Value AttentionEmission::emitHighestLogit(const BoxDim &rows,
                                          const Coord &firstKey, int64_t keys) {
  auto toInteger = [&](Value index) -> Value {
    return arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                      index);
  };
  auto getBounds = [&](const BoxDim &dim) -> ElementBounds {
    Coord size = dim.size ? Coord(dim.size, 1, dim.max + 1) : Coord(dim.max);
    Coord last = dim.base + size + Coord(-1);
    return {toInteger(dim.base.materialize(builder, loc)),
            toInteger(last.materialize(builder, loc))};
  };
  SmallVector<ElementBounds> indices;
  for (const Coord &coord : batch) {
    Value index = toInteger(coord.materialize(builder, loc));
    indices.push_back({index, index});
  }
  indices.push_back(getBounds(rows));
  indices.push_back(getBounds(BoxDim(firstKey, keys)));
  auto getOuter = [&](Value value) -> ElementBounds {
    if (!op.isPerHead(value))
      return emitKeyBounds(value, firstKey, keys);
    Value scalar = emitScalar(value);
    return {scalar, scalar};
  };
  return BoundsBuilder(builder, loc, &op.getBody().front(), indices, getOuter)
      .get(op.getLogits())
      .high;
}

Value AttentionEmission::emitScalar(Value value) {
  if (Value vector = getSplat(builder, loc, value, /*lanes=*/1))
    return vector::ExtractOp::create(builder, loc, vector, 0);
  Buffer buffer = emitter.buffers.lookup(value);
  return buffer ? emitElement(buffer, Coord(0)) : Value();
}

Value AttentionEmission::emitElement(const Buffer &buffer, const Coord &key) {
  ArrayRef<int64_t> shape = buffer.type.getShape();
  SmallVector<Coord> coords(shape.size(), Coord(0));
  int64_t leading = std::max<int64_t>(shape.size() - 2, 0);
  for (int64_t i = 0; i < leading; ++i)
    if (shape[i] != 1)
      coords[i] = batch[batch.size() - leading + i];
  if (!shape.empty())
    coords.back() = key;
  Value stored = memref::LoadOp::create(
      builder, loc, buffer.memref, buffer.getIndices(builder, loc, coords));
  Value vector = toComputeType(
      builder, loc,
      vector::BroadcastOp::create(
          builder, loc, VectorType::get({1}, stored.getType()), stored),
      buffer.type.getElementType());
  return vector::ExtractOp::create(builder, loc, vector, 0);
}

ElementBounds AttentionEmission::emitKeyBounds(Value value,
                                               const Coord &firstKey,
                                               int64_t keys) {
  auto type = cast<RankedTensorType>(value.getType());
  ArrayRef<int64_t> shape = type.getShape();
  Type element = type.getElementType();
  bool isBoolean = element.isInteger(1);
  Buffer buffer = emitter.buffers.lookup(value);
  if (!buffer || shape.empty() || shape.back() != sizes.s ||
      (shape.size() > 1 && shape[shape.size() - 2] != 1) ||
      !(isBoolean || element.isSignedInteger()))
    return {};
  Value first = emitElement(buffer, firstKey);
  auto loop = scf::ForOp::create(builder, loc, emitter.makeIndex(1),
                                 emitter.makeIndex(keys), emitter.makeIndex(1),
                                 ValueRange{first, first});
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value next =
      emitElement(buffer, firstKey + Coord(loop.getInductionVar(), 1, keys));
  Value low = loop.getRegionIterArg(0), high = loop.getRegionIterArg(1);
  if (isBoolean) {
    low = arith::AndIOp::create(builder, loc, low, next);
    high = arith::OrIOp::create(builder, loc, high, next);
  } else {
    low = arith::MinSIOp::create(builder, loc, low, next);
    high = arith::MaxSIOp::create(builder, loc, high, next);
  }
  scf::YieldOp::create(builder, loc, ValueRange{low, high});
  return {loop.getResult(0), loop.getResult(1)};
}

Value AttentionEmission::emitLowestMaximum(const BoxDim &rows,
                                           const Coord &local) {
  Value size = rows.size ? rows.size : emitter.makeIndex(rows.max);
  Value infinity = arith::ConstantOp::create(
      builder, loc, builder.getF32FloatAttr(kInfinity));
  auto loop = scf::ForOp::create(builder, loc, emitter.makeIndex(0), size,
                                 emitter.makeIndex(1), infinity);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(loop.getBody());
  Value row = (local + Coord(loop.getInductionVar(), 1, rows.max))
                  .materialize(builder, loc);
  Value maximum = memref::LoadOp::create(builder, loc, max.memref, row);
  Value lowest = loop.getRegionIterArg(0);
  Value isLess = arith::CmpFOp::create(builder, loc, arith::CmpFPredicate::OLT,
                                       maximum, lowest);
  scf::YieldOp::create(builder, loc,
                       ValueRange{arith::SelectOp::create(builder, loc, isLess,
                                                          maximum, lowest)});
  return loop.getResult(0);
}

} // namespace gc
