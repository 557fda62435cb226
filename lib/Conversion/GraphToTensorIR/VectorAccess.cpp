// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorAccess.h"
#include "WindowRun.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <numeric>

using namespace mlir;
using namespace gc::graph;

namespace gc {

Position Position::shifted(int64_t dim, const Coord &by) const {
  Position result = *this;
  result.coords[dim] = coords[dim] + by;
  result.locals[dim] = locals[dim] + by;
  result.offsets[dim] = offsets[dim] + by;
  return result;
}

//===----------------------------------------------------------------------===//
// Where elements are
//===----------------------------------------------------------------------===//

std::optional<int64_t> Access::getTensorDim(int64_t spaceDim) const {
  return TensorAccess{buffer.type, map, gaps}.getTensorDim(spaceDim);
}

bool Access::varies(int64_t spaceDim) const {
  return TensorAccess{buffer.type, map, gaps}.varies(spaceDim);
}

int64_t Access::getContiguousRun(int64_t spaceDim) const {
  return TensorAccess{buffer.type, map, gaps}.getContiguousRun(spaceDim);
}

int64_t Access::getBlock(int64_t spaceDim, const BoxDim &box) const {
  std::optional<int64_t> dim = getTensorDim(spaceDim);
  if (!dim || *dim < 0)
    return 0;
  int64_t block = getInnermostBlock(buffer.type, *dim);
  if (block >= buffer.type.getDimSize(*dim))
    return 0;
  if (isOfRow)
    return block;
  return std::gcd(block,
                  (buffer.isLocal ? box.local : box.base).getAlignment());
}

/// A sum of the position's coordinates.
static Coord evaluate(AffineExpr expr, ArrayRef<Coord> source) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return source[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return Coord(constant.getValue());
  auto binary = cast<AffineBinaryOpExpr>(expr);
  Coord lhs = evaluate(binary.getLHS(), source);
  if (binary.getKind() == AffineExprKind::Add)
    return lhs + evaluate(binary.getRHS(), source);
  assert(binary.getKind() == AffineExprKind::Mul && "not a sum");
  return lhs * cast<AffineConstantExpr>(binary.getRHS()).getValue();
}

namespace {
/// The indices of an element, and whether there is one: null if it is certain.
/// Without one the indices are some others of the tensor.
struct Place {
  SmallVector<Coord> at;
  Value isElement;
};
} // namespace

/// The index that a multiple of it leads to, in a dimension with gaps.
static Coord closeGaps(OpBuilder &builder, Location loc, Coord multiple,
                       int64_t spacing, int64_t size, bool clamps,
                       Value &isElement) {
  auto makeIndex = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(builder, loc, value);
  };
  auto require = [&](Value condition) {
    isElement = isElement ? builder.createOrFold<arith::AndIOp>(loc, isElement,
                                                                condition)
                          : condition;
  };
  auto makeNone = [&]() {
    require(
        arith::ConstantOp::create(builder, loc, builder.getBoolAttr(false)));
    return Coord(0);
  };
  // What is known of the index needs no code.
  if (auto known = multiple.divideExactly(spacing)) {
    auto [quotient, rest] = *known;
    bool isBefore = quotient.getMax() < 0, isAfter = quotient.getMin() >= size;
    if (!clamps && (rest != 0 || isBefore || isAfter))
      return makeNone();
    if (isBefore || isAfter)
      return Coord(isBefore ? 0 : size - 1);
    if (quotient.getMin() >= 0 && quotient.getMax() < size)
      return quotient;
    multiple = quotient;
    spacing = 1;
  }
  int64_t last = (size - 1) * spacing;
  if (clamps) {
    Value positive = Coord::materializeMax(builder, loc, {multiple, 0});
    Value value = Coord::materializeMin(
        builder, loc,
        {Coord(positive, 1, std::max<int64_t>(multiple.getMax(), 0) + 1),
         last});
    return Coord(value, 1, last + 1).divmod(builder, loc, spacing).first;
  }
  Value value = multiple.materialize(builder, loc);
  if (multiple.getMin() < 0 || multiple.getMax() > last) {
    // Negative numbers are large unsigned ones.
    Value inside = arith::CmpIOp::create(
        builder, loc, arith::CmpIPredicate::ule, value, makeIndex(last));
    value = arith::SelectOp::create(builder, loc, inside, value, makeIndex(0));
    require(inside);
  }
  if (spacing > 1) {
    auto [quotient, rest] =
        Coord(value, 1, last + 1).divmod(builder, loc, spacing);
    require(arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                  rest.materialize(builder, loc),
                                  makeIndex(0)));
    return quotient;
  }
  return Coord(value, 1, size);
}

/// The coordinates that an access is addressed by.
static ArrayRef<Coord> getSource(const Access &access,
                                 const Position &position) {
  return access.isOfRow          ? position.offsets
         : access.buffer.isLocal ? position.locals
                                 : position.coords;
}

Coord Access::evaluate(unsigned result, const Position &position) const {
  return gc::evaluate(map.getResult(result), getSource(*this, position));
}

/// `known`: the index of a tensor dimension that has been found by other means.
static Place getPlace(OpBuilder &builder, Location loc, const Access &access,
                      const Position &position,
                      std::optional<std::pair<int64_t, Coord>> known = {}) {
  ArrayRef<Coord> source = getSource(access, position);
  Place place;
  int64_t dropped = access.map.getNumResults() - access.buffer.type.getRank();
  for (auto [dim, expr] : llvm::enumerate(access.map.getResults())) {
    auto quotient = dyn_cast<AffineBinaryOpExpr>(expr);
    if (known && known->first == static_cast<int64_t>(dim) - dropped) {
      place.at.push_back(known->second);
    } else if (access.gaps && access.gaps->spacing[dim]) {
      place.at.push_back(closeGaps(builder, loc, evaluate(expr, source),
                                   access.gaps->spacing[dim],
                                   access.buffer.type.getDimSize(dim - dropped),
                                   !access.gaps->fill, place.isElement));
    } else if (quotient && quotient.getKind() == AffineExprKind::FloorDiv) {
      auto index = cast<AffineDimExpr>(quotient.getLHS());
      auto size = cast<AffineConstantExpr>(quotient.getRHS());
      place.at.push_back(source[index.getPosition()]
                             .divmod(builder, loc, size.getValue())
                             .first);
    } else {
      place.at.push_back(evaluate(expr, source));
    }
  }
  place.at.erase(place.at.begin(), place.at.begin() + dropped);
  return place;
}

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The memref and indices of a run along tensor dimension `dim`. Vectors run
/// along the last dimension of a memref: a view moves a strided one there.
static std::pair<Value, SmallVector<Value>>
getRun(OpBuilder &builder, Location loc, const Buffer &buffer, int64_t dim,
       ArrayRef<Coord> at) {
  Value memref = buffer.memref;
  SmallVector<Value> indices = buffer.getIndices(builder, loc, at);
  auto type = cast<MemRefType>(memref.getType());
  if (type.isLastDimUnitStride())
    return {memref, indices};
  SmallVector<unsigned> order;
  SmallVector<Value> ordered;
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != dim)
      order.push_back(i);
  order.push_back(dim);
  for (unsigned i : order)
    ordered.push_back(indices[i]);
  auto permutation = AffineMapAttr::get(
      AffineMap::getPermutationMap(order, builder.getContext()));
  return {memref::TransposeOp::create(builder, loc, memref, permutation),
          ordered};
}

bool Access::isScattered(const Position &position) const {
  return position.lanes > 1 && !getTensorDim(position.vectorDim) &&
         varies(position.vectorDim);
}

/// Whether all lanes read one element, although the tensor varies along the
/// vector: neighbours share it.
static bool isOfOneGroup(const Access &access, const Position &position) {
  if (!access.gaps || access.gaps->fill || !access.isScattered(position))
    return false;
  for (auto [i, expr] : llvm::enumerate(access.map.getResults())) {
    if (!expr.isFunctionOfDim(position.vectorDim))
      continue;
    // Lanes from a multiple of what divides the group on.
    int64_t group = access.gaps->spacing[i];
    int64_t start = access.evaluate(i, position).getAlignment();
    if (!isa<AffineDimExpr>(expr) || group % position.lanes != 0 ||
        start % position.lanes != 0)
      return false;
  }
  return true;
}

/// What `get` gives for each of a position's lanes.
static Value forLanes(OpBuilder &builder, Location loc,
                      const Position &position,
                      function_ref<Value(const Position &)> get) {
  SmallVector<Value> scalars;
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    Position at = position.shifted(position.vectorDim, Coord(lane));
    at.lanes = 1;
    scalars.push_back(get(at));
  }
  return vector::FromElementsOp::create(
      builder, loc, VectorType::get({position.lanes}, scalars[0].getType()),
      scalars);
}

/// What lanes read of a run: of one vector, or of two that overlap.
static Value loadRun(OpBuilder &builder, Location loc, const Access &access,
                     const Position &position, const WindowRun &run) {
  const Buffer &buffer = access.buffer;
  Type element = getStorageType(buffer.type.getElementType());
  auto type = VectorType::get({position.lanes}, element);
  if (run.length == 0)
    return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  SmallVector<Coord> at =
      getPlace(builder, loc, access, position, std::pair(run.dim, run.first))
          .at;
  // Code generators know few shuffles of narrow floating-point numbers.
  Type movedElement =
      element.isF32() ? element
                      : builder.getIntegerType(element.getIntOrFloatBitWidth());
  auto moved =
      VectorType::get({std::min(run.length, position.lanes)}, movedElement);
  auto load = [&](int64_t from) -> Value {
    SmallVector<Coord> there(at);
    there[run.dim] = at[run.dim] + Coord(from);
    auto [memref, indices] = getRun(builder, loc, buffer, run.dim, there);
    Value vector = vector::LoadOp::create(
        builder, loc, VectorType::get(moved.getShape(), element), memref,
        indices);
    return element == moved.getElementType()
               ? vector
               : vector::BitCastOp::create(builder, loc, moved, vector);
  };
  int64_t count = moved.getNumElements(), second = run.length - count;
  Value low = load(0), high = second ? load(second) : low;
  SmallVector<int64_t> mask;
  for (std::optional<int64_t> lane : run.lanes) {
    int64_t from = lane.value_or(0);
    mask.push_back(from < count ? from : count + from - second);
  }
  Value vector = vector::ShuffleOp::create(builder, loc, low, high, mask);
  return vector.getType() == type
             ? vector
             : vector::BitCastOp::create(builder, loc, type, vector);
}

Value loadVector(OpBuilder &builder, Location loc, const Access &access,
                 const Position &position) {
  const Buffer &buffer = access.buffer;
  Type element = getStorageType(buffer.type.getElementType());
  auto type = VectorType::get({position.lanes}, element);
  auto loadScalar = [&](ArrayRef<Coord> at) -> Value {
    return memref::LoadOp::create(builder, loc, buffer.memref,
                                  buffer.getIndices(builder, loc, at));
  };
  if (std::optional<WindowRun> run = getWindowRun(access, position))
    return loadRun(builder, loc, access, position, *run);
  if (isOfOneGroup(access, position))
    return vector::BroadcastOp::create(
        builder, loc, type,
        loadScalar(getPlace(builder, loc, access, position).at));
  if (access.isScattered(position))
    return forLanes(builder, loc, position, [&](const Position &at) {
      return loadScalar(getPlace(builder, loc, access, at).at);
    });
  SmallVector<Coord> at = getPlace(builder, loc, access, position).at;
  std::optional<int64_t> dim = access.getTensorDim(position.vectorDim);
  if (!dim || *dim < 0 || position.lanes == 1)
    return vector::BroadcastOp::create(builder, loc, type, loadScalar(at));
  if (access.getContiguousRun(position.vectorDim) >= position.lanes) {
    auto [memref, indices] = getRun(builder, loc, buffer, *dim, at);
    return vector::LoadOp::create(builder, loc, type, memref, indices);
  }
  SmallVector<Value> scalars;
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    SmallVector<Coord> laneAt(at);
    laneAt[*dim] = at[*dim] + Coord(lane);
    scalars.push_back(loadScalar(laneAt));
  }
  return vector::FromElementsOp::create(builder, loc, type, scalars);
}

void prefetchVector(OpBuilder &builder, Location loc, const Access &access,
                    const Position &position) {
  // Nothing is read, so it need not be there.
  Access beyond = access;
  beyond.gaps = std::nullopt;
  memref::PrefetchOp::create(
      builder, loc, access.buffer.memref,
      access.buffer.getIndices(builder, loc,
                               getPlace(builder, loc, beyond, position).at),
      /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
}

Value fillGaps(OpBuilder &builder, Location loc, Value vector,
               const Access &access, const Position &position) {
  if (!access.gaps || !access.gaps->fill)
    return vector;
  auto isElement = [&](const Position &at) -> Value {
    Value result = getPlace(builder, loc, access, at).isElement;
    if (result)
      return result;
    return arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  };
  auto type = cast<VectorType>(vector.getType());
  Value fill = arith::ConstantOp::create(
      builder, loc, DenseElementsAttr::get(type, Attribute(access.gaps->fill)));
  Value condition;
  if (std::optional<WindowRun> run = getWindowRun(access, position)) {
    if (!run->isFull()) {
      SmallVector<bool> exist;
      for (std::optional<int64_t> lane : run->lanes)
        exist.push_back(lane.has_value());
      Value lanes = arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(
              VectorType::get({position.lanes}, builder.getI1Type()), exist));
      vector = builder.createOrFold<arith::SelectOp>(loc, lanes, vector, fill);
    }
    condition = getPlace(builder, loc, access, position,
                         std::pair(run->dim, run->first))
                    .isElement;
    if (!condition)
      return vector;
  } else {
    condition = access.isScattered(position)
                    ? forLanes(builder, loc, position, isElement)
                    : isElement(position);
  }
  return builder.createOrFold<arith::SelectOp>(loc, condition, vector, fill);
}

/// The vector followed by zeros.
static Value appendZeros(OpBuilder &builder, Location loc, Value vector,
                         int64_t lanes) {
  auto type = cast<VectorType>(vector.getType());
  Type element = type.getElementType();
  // Code generators know few operations on vectors of narrow floating-point
  // numbers: those are moved as integers.
  bool isNarrow = isa<FloatType>(element) && !element.isF32();
  auto moved =
      isNarrow
          ? type.clone(builder.getIntegerType(element.getIntOrFloatBitWidth()))
          : type;
  if (isNarrow)
    vector = vector::BitCastOp::create(builder, loc, moved, vector);
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(moved));
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(std::min(lane, type.getNumElements()));
  Value all = vector::ShuffleOp::create(builder, loc, vector, zero, mask);
  if (isNarrow)
    all = vector::BitCastOp::create(builder, loc,
                                    VectorType::get({lanes}, element), all);
  return all;
}

void storeVector(OpBuilder &builder, Location loc, Value vector,
                 const Access &access, const Position &position,
                 int64_t paddedLanes, int64_t alignedLanes) {
  const Buffer &buffer = access.buffer;
  SmallVector<Coord> at = getPlace(builder, loc, access, position).at;
  std::optional<int64_t> dim = access.getTensorDim(position.vectorDim);
  if (dim && paddedLanes > position.lanes) {
    auto [memref, indices] = getRun(builder, loc, buffer, *dim, at);
    vector::StoreOp::create(builder, loc,
                            appendZeros(builder, loc, vector, paddedLanes),
                            memref, indices);
    return;
  }
  if (dim && position.lanes > 1 &&
      access.getContiguousRun(position.vectorDim) >= position.lanes) {
    auto [memref, indices] = getRun(builder, loc, buffer, *dim, at);
    llvm::MaybeAlign alignment;
    if (buffer.streams) {
      // Of what is stored: i1 has bytes.
      uint64_t bits =
          cast<VectorType>(vector.getType()).getElementTypeBitWidth();
      uint64_t bytes = std::min(position.lanes, alignedLanes) * bits / 8;
      alignment = llvm::Align(
          std::clamp<uint64_t>(llvm::bit_floor(bytes), 1, kLineBytes));
    }
    vector::StoreOp::create(builder, loc, vector, memref, indices,
                            buffer.streams, alignment);
    return;
  }
  for (int64_t lane = 0; lane < position.lanes; ++lane) {
    SmallVector<Coord> laneAt(at);
    if (lane && dim)
      laneAt[*dim] = at[*dim] + Coord(lane);
    Value scalar = vector::ExtractOp::create(builder, loc, vector, lane);
    memref::StoreOp::create(builder, loc, scalar, buffer.memref,
                            buffer.getIndices(builder, loc, laneAt));
    // All lanes are the same element of a tensor that does not vary.
    if (!dim)
      break;
  }
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

Value getSplat(OpBuilder &builder, Location loc, Value value, int64_t lanes) {
  SplatElementsAttr splat;
  if (!matchPattern(value, m_Constant(&splat)))
    return {};
  TypedAttr scalar = getComputeScalar(splat);
  return arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(VectorType::get({lanes}, scalar.getType()),
                             Attribute(scalar)));
}

Value toComputeType(OpBuilder &builder, Location loc, Value vector,
                    Type element) {
  auto type = cast<VectorType>(vector.getType());
  auto wanted = type.clone(getComputeType(element));
  if (type == wanted)
    return vector;
  if (isa<FloatType>(element))
    return arith::ExtFOp::create(builder, loc, wanted, vector);
  // Any byte other than 0 is true.
  Value zero =
      arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
  return arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::ne, vector,
                               zero);
}

Value toStorageType(OpBuilder &builder, Location loc, Value vector,
                    Type element) {
  auto type = cast<VectorType>(vector.getType());
  auto wanted = type.clone(getStorageType(element));
  if (type == wanted)
    return vector;
  if (isa<FloatType>(element))
    return arith::TruncFOp::create(builder, loc, wanted, vector);
  return arith::ExtUIOp::create(builder, loc, wanted, vector);
}

} // namespace gc
