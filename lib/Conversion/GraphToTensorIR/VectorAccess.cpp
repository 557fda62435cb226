// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorAccess.h"
#include "Conversion/GraphToTensorIR/GraphToTensorIR.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace gc::graph;

namespace gc {

bool VectorEvaluator::isComputed(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && ops.contains(op);
}

/// The single element of a splat constant, or null.
static TypedAttr getSplat(Value value) {
  SplatElementsAttr splat;
  if (matchPattern(value, m_Constant(&splat)))
    return splat.getSplatValue<TypedAttr>();
  return {};
}

int64_t VectorEvaluator::getCommonRun(ArrayRef<Store> stores, int64_t lastDim,
                                      const Coord &start, int64_t columns) {
  int64_t run = 0;
  auto restrict = [&](RankedTensorType type, AffineMap map) {
    if (type.getRank() == 0)
      return;
    // A slice has the last dimensions of the value only.
    map = map.getMinorSubMap(type.getRank());
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      auto index = dyn_cast<AffineDimExpr>(expr);
      if (!index || static_cast<int64_t>(index.getPosition()) != lastDim)
        continue;
      int64_t block = getInnermostBlock(type, dim);
      if (block < type.getDimSize(dim))
        run = std::gcd(run, block);
    }
  };
  if (lastDim < 0)
    return 1;
  AffineMap identity = AffineMap::getMultiDimIdentityMap(lastDim + 1,
                                                         builder.getContext());
  for (const Store &store : stores)
    restrict(store.buffer.type, identity);
  for (Operation *op : ops) {
    auto fusible = cast<FusibleOpInterface>(op);
    for (OpOperand &operand : op->getOpOperands())
      if (!isComputed(operand.get()))
        if (Buffer buffer = buffers.lookup(operand.get()))
          restrict(buffer.type,
                   fusible.getOperandMap(operand.getOperandNumber()));
  }
  // Without blocks there is nothing to stay in.
  return run == 0 ? columns
                  : std::min(columns, std::gcd(run, start.getAlignment()));
}

LogicalResult VectorEvaluator::emit(ArrayRef<Store> stores,
                                    ArrayRef<Coord> coords,
                                    ArrayRef<Coord> locals, int64_t lanes) {
  this->coords = coords;
  this->locals = locals;
  this->lanes = lanes;
  computed.clear();
  // Everything is read before anything is written: a result may take the place
  // of what others are computed from.
  SmallVector<Value> vectors;
  for (const Store &store : stores) {
    vectors.push_back(get(store.value));
    if (!vectors.back())
      return failure();
  }
  for (auto [store, vector] : llvm::zip_equal(stores, vectors))
    this->store(vector, store.buffer);
  return success();
}

/// Vectors are computed in f32, whatever floating-point type a tensor has, and
/// rounded to that type after every op.
static Value round(OpBuilder &builder, Location loc, Value vector,
                   Type element) {
  auto type = cast<VectorType>(vector.getType());
  if (!isa<FloatType>(element) || element == type.getElementType())
    return vector;
  Value narrow = arith::TruncFOp::create(
      builder, loc, type.clone(element), vector);
  return arith::ExtFOp::create(builder, loc, type, narrow);
}

Value VectorEvaluator::get(Value value) {
  if (Value known = computed.lookup(value))
    return known;
  auto type = cast<RankedTensorType>(value.getType());
  Value result;
  if (isComputed(value)) {
    Operation *op = value.getDefiningOp();
    auto fusible = cast<FusibleOpInterface>(op);
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands()) {
      Value vector =
          isComputed(operand.get())
              ? get(operand.get())
              : load(operand.get(),
                     fusible.getOperandMap(operand.getOperandNumber()));
      if (!vector)
        return {};
      operands.push_back(vector);
    }
    auto emission = dyn_cast<EmissionOpInterface>(op);
    result = emission ? emission.emitVector(builder, loc, operands) : Value();
    if (!result) {
      op->emitOpError("cannot be compiled for the CPU with element type ")
          << type.getElementType();
      return {};
    }
    result = round(builder, loc, result, type.getElementType());
  } else {
    result = load(value, AffineMap::getMultiDimIdentityMap(
                             type.getRank(), builder.getContext()));
  }
  computed[value] = result;
  return result;
}

/// Whether `shift` moves the vector along the tensor dimension.
static bool readsLastDim(AffineExpr expr, int64_t rank) {
  auto index = dyn_cast<AffineDimExpr>(expr);
  return index && static_cast<int64_t>(index.getPosition()) == rank - 1;
}

Value VectorEvaluator::load(Value value, AffineMap map) {
  auto tensor = cast<RankedTensorType>(value.getType());
  Type element = getStorageType(tensor.getElementType());
  auto vectorType = VectorType::get({lanes}, element);
  Type computeType = isa<FloatType>(element) ? builder.getF32Type() : element;
  auto extend = [&](Value vector) -> Value {
    auto wide = VectorType::get({lanes}, computeType);
    if (vector.getType() == wide)
      return vector;
    return arith::ExtFOp::create(builder, loc, wide, vector);
  };

  if (TypedAttr splat = getSplat(value)) {
    Attribute scalar = splat;
    if (auto integer = dyn_cast<IntegerAttr>(splat))
      scalar = IntegerAttr::get(
          element, integer.getValue().sextOrTrunc(element.getIntOrFloatBitWidth()));
    auto dense = DenseElementsAttr::get(vectorType, scalar);
    return extend(arith::ConstantOp::create(builder, loc, dense));
  }

  Buffer buffer = buffers.lookup(value);
  assert(buffer && "tensor without buffer");
  ArrayRef<Coord> source = buffer.isLocal ? locals : coords;
  int64_t rank = map.getNumDims();
  auto getCoords = [&](int64_t lane) {
    SmallVector<Coord> at;
    for (AffineExpr expr : map.getResults()) {
      if (auto index = dyn_cast<AffineDimExpr>(expr))
        at.push_back(source[index.getPosition()]);
      else
        at.push_back(Coord(cast<AffineConstantExpr>(expr).getValue()));
      if (lane && readsLastDim(expr, rank))
        at.back() = at.back() + Coord(lane);
    }
    // A slice has the matrix dimensions only.
    at.erase(at.begin(), at.end() - buffer.type.getRank());
    return at;
  };
  // Along which dimension of the tensor does the vector lie?
  std::optional<int64_t> along;
  for (auto [dim, expr] : llvm::enumerate(map.getResults()))
    if (readsLastDim(expr, rank))
      along = dim;
  int64_t dropped = map.getNumResults() - buffer.type.getRank();
  if (!along || lanes == 1) {
    Value scalar = memref::LoadOp::create(
        builder, loc, buffer.memref,
        buffer.getIndices(builder, loc, getCoords(0)));
    return extend(
        vector::BroadcastOp::create(builder, loc, vectorType, scalar));
  }
  auto memref = cast<MemRefType>(buffer.memref.getType());
  if (getContiguousRun(buffer.type, *along - dropped) >= lanes &&
      memref.isLastDimUnitStride())
    return extend(vector::LoadOp::create(
        builder, loc, vectorType, buffer.memref,
        buffer.getIndices(builder, loc, getCoords(0))));
  SmallVector<Value> scalars;
  for (int64_t lane = 0; lane < lanes; ++lane)
    scalars.push_back(memref::LoadOp::create(
        builder, loc, buffer.memref,
        buffer.getIndices(builder, loc, getCoords(lane))));
  return extend(vector::FromElementsOp::create(builder, loc, vectorType,
                                               scalars));
}

void VectorEvaluator::store(Value vector, const Buffer &buffer) {
  Type element = getStorageType(buffer.type.getElementType());
  auto type = VectorType::get({lanes}, element);
  if (vector.getType() != type)
    vector = arith::TruncFOp::create(builder, loc, type, vector);
  SmallVector<Coord> at(
      (buffer.isLocal ? locals : coords).take_back(buffer.type.getRank()));
  auto memref = cast<MemRefType>(buffer.memref.getType());
  int64_t last = static_cast<int64_t>(at.size()) - 1;
  if (lanes > 1 && getContiguousRun(buffer.type, last) >= lanes &&
      memref.isLastDimUnitStride()) {
    vector::StoreOp::create(builder, loc, vector, buffer.memref,
                            buffer.getIndices(builder, loc, at));
    return;
  }
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Coord> laneAt(at);
    if (lane)
      laneAt.back() = laneAt.back() + Coord(lane);
    Value scalar = vector::ExtractOp::create(builder, loc, vector, lane);
    memref::StoreOp::create(builder, loc, scalar, buffer.memref,
                            buffer.getIndices(builder, loc, laneAt));
  }
}

} // namespace gc
