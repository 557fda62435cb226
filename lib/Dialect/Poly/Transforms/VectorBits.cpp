// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Comparisons of tiles, whose results are packed bits, and selections by them.

#include "TileViews.h"
#include "VectorTiles.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// Whether the elements of a tile have no gaps between them.
static bool isDense(Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset, expected = 1;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return false;
  for (auto [size, stride] :
       llvm::reverse(llvm::zip_equal(type.getShape(), strides))) {
    if (stride != expected)
      return false;
    expected *= size;
  }
  return true;
}

/// The elements of a tile without gaps in another shape.
static Value reshape(ImplicitLocOpBuilder &b, Value memref,
                     ArrayRef<int64_t> shape) {
  auto type = cast<MemRefType>(memref.getType());
  if (type.getShape() == shape)
    return memref;
  auto getGroup = [](int64_t rank) {
    ReassociationIndices all(rank);
    std::iota(all.begin(), all.end(), 0);
    return SmallVector<ReassociationIndices>{all};
  };
  if (type.getRank() > 1)
    memref =
        memref::CollapseShapeOp::create(b, memref, getGroup(type.getRank()));
  if (shape.size() > 1)
    memref =
        memref::ExpandShapeOp::create(b, shape, memref, getGroup(shape.size()));
  return memref;
}

static int64_t getProduct(ArrayRef<int64_t> sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t(1),
                         std::multiplies<int64_t>());
}

/// Elements of a repeat.
static int64_t getLanes(Type element) {
  return npu::kRepeatBytes * 8 / element.getIntOrFloatBitWidth();
}

Value TileBuilder::fillRepeat(double constant, Type element) {
  int64_t lanes = getLanes(element);
  Value repeat = allocateTile(b, {1, lanes}, element);
  npu::FillOp::create(b, getF32(constant), repeat);
  return repeat;
}

/// The rows in the order of `dims`, with 1 for those that a value lacks.
static SmallVector<int64_t> getOuterShape(const TileBuilder &tiles,
                                          DimMask dims, DimMask own) {
  SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim + 1 < tiles.sizes.size(); ++dim)
    if (dims >> dim & 1)
      shape.push_back(own >> dim & 1 ? tiles.sizes[dim] : 1);
  return shape;
}

std::optional<std::pair<Value, Value>>
TileBuilder::spreadRows(const TileValue &rows, const TileValue &tile) {
  DimMask dims = rows.dims | tile.dims;
  int64_t last = sizes.back(),
          block = npu::kBlockBytes * 8 / rows.element.getIntOrFloatBitWidth();
  int64_t blocks = npu::kRepeatBytes / npu::kBlockBytes, lanes = block * blocks;
  if (!(tile.dims & getLast()) || !isDense(tile.memref))
    return std::nullopt;
  SmallVector<int64_t> tileShape = getOuterShape(*this, dims, tile.dims);
  int64_t count = getProduct(getSizes(rows.dims));
  // A repeat of each value beside the repeats of its row. The bits of a row are
  // whole blocks.
  if (last % (npu::kBlockBytes * 8) == 0 ||
      (getProduct(getSizes(dims)) == last && last % lanes == 0)) {
    SmallVector<int64_t> shape = getOuterShape(*this, dims, rows.dims);
    shape.append({1, lanes});
    tileShape.append({last / lanes, lanes});
    Value repeats = allocateTile(b, {count, lanes}, rows.element);
    Value index = arith::ConstantIndexOp::create(b, 0);
    Value one = arith::ConstantIndexOp::create(b, 1);
    Value loaded = rows.memref;
    if (isDense(loaded))
      loaded = reshape(b, loaded, {count});
    else
      return std::nullopt;
    {
      OpBuilder::InsertionGuard guard(b);
      auto loop = scf::ForOp::create(
          b, index, arith::ConstantIndexOp::create(b, count), one);
      b.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar();
      Value value = npu::LoadScalarOp::create(b, rows.element, loaded, number);
      if (rows.element.isF16())
        value = arith::ExtFOp::create(b, b.getF32Type(), value);
      npu::FillOp::create(b, value,
                          takeBox(b, repeats, {number, b.getIndexAttr(0)},
                                  {1, lanes}, {true, false}));
    }
    return std::pair(reshape(b, repeats, shape),
                     reshape(b, tile.memref, tileShape));
  }
  // A block of each value beside the blocks of its row.
  DimMask outer = dims & ~getLast();
  if (last != lanes || rows.dims != outer || count % 16 != 0 ||
      !isDense(rows.memref))
    return std::nullopt;
  Value row = reshape(b, rows.memref, {1, count});
  Value spread = npu::AllocOp::create(
      b, getBufferType({count, block}, rows.element, npu::MemorySpace::ub),
      b.getI64IntegerAttr(1), IntegerAttr());
  npu::TransposeOp::create(b, row, spread);
  SmallVector<int64_t> shape = getOuterShape(*this, dims, rows.dims);
  shape.append({1, block});
  tileShape.append({blocks, block});
  return std::pair(reshape(b, spread, shape),
                   reshape(b, tile.memref, tileShape));
}

TileValue TileBuilder::pad(const TileValue &value, DimMask dims) {
  SmallVector<int64_t> own = getSizes(dims),
                       shape = padRows(own, value.element);
  TileValue result = value;
  result.dims = dims;
  result.buffer = -1;
  result.memref = npu::AllocOp::create(
      b, getBufferType(shape, value.element, npu::MemorySpace::ub),
      b.getI64IntegerAttr(1), IntegerAttr());
  npu::FillOp::create(b, getF32(value.isConstant() ? value.constant : 0),
                      result.memref);
  if (value.isConstant())
    return result;
  Value inner = takeBox(
      b, result.memref,
      SmallVector<OpFoldResult>(own.size(), b.getIndexAttr(0)), own, {});
  if (value.dims == dims)
    copy(value, inner);
  else
    broadcast(value, dims, inner);
  return result;
}

FailureOr<TileValue> TileBuilder::compare(npu::ComparePredicate predicate,
                                          const TileValue &lhs,
                                          const TileValue &rhs) {
  DimMask dims = lhs.dims | rhs.dims;
  SmallVector<int64_t> own = getSizes(dims);
  int64_t elements = getProduct(padRows(own, lhs.element));
  TileValue result;
  result.dims = dims;
  result.element = b.getI1Type();
  result.isBits = true;
  // A bit for each lane of whole repeats, of either element type.
  int64_t bytes = llvm::alignTo(elements, 128) / 8;
  result.memref = allocateTile(b, {bytes}, b.getIntegerType(8));
  int64_t lanes = getLanes(lhs.element);
  result.bits = llvm::alignTo(elements, lanes);
  const TileValue &whole = lhs.isConstant() ? rhs : lhs;
  bool isLhsRows = !(lhs.dims & getLast());
  std::optional<std::pair<Value, Value>> pair;
  if (lhs.isConstant() || rhs.isConstant()) {
    if (getProduct(own) % lanes == 0 && isDense(whole.memref))
      pair = {fillRepeat(lhs.isConstant() ? lhs.constant : rhs.constant,
                         whole.element),
              reshape(b, whole.memref, {getProduct(own) / lanes, lanes})};
    isLhsRows = lhs.isConstant();
  } else if (isLhsRows != !(rhs.dims & getLast())) {
    pair = isLhsRows ? spreadRows(lhs, rhs) : spreadRows(rhs, lhs);
  }
  if (pair) {
    if (!isLhsRows)
      std::swap(pair->first, pair->second);
    npu::CompareOp::create(b, predicate, pair->first, pair->second,
                           result.memref);
    return result;
  }
  // Rows with gaps are compared with what is in the gaps.
  result.isPadded =
      ArrayRef<int64_t>(own) != ArrayRef(padRows(own, lhs.element));
  auto widen = [&](const TileValue &value) {
    return result.isPadded ? pad(value, dims) : broadcast(value, dims);
  };
  TileValue left = widen(lhs), right = widen(rhs);
  npu::CompareOp::create(b, predicate, left.memref, right.memref,
                         result.memref);
  if (left.memref != lhs.memref)
    release(left);
  if (right.memref != rhs.memref)
    release(right);
  return result;
}

bool TileBuilder::canSelect(const TileValue &condition, Type element) const {
  int64_t elements = getProduct(padRows(getSizes(condition.dims), element));
  return condition.isBits &&
         int64_t(llvm::alignTo(elements, getLanes(element))) <= condition.bits;
}

FailureOr<TileValue> TileBuilder::select(const TileValue &condition,
                                         const TileValue &lhs,
                                         const TileValue &rhs, Value target) {
  // Bits cannot be broadcast.
  DimMask dims = condition.dims;
  if ((lhs.dims | rhs.dims) & ~dims)
    return failure();
  SmallVector<int64_t> own = getSizes(dims);
  Type element = lhs.element;
  if (condition.isPadded) {
    TileValue left = pad(lhs, dims), right = pad(rhs, dims), result = left;
    npu::SelectOp::create(b, condition.memref, left.memref, right.memref,
                          left.memref);
    result.memref = takeBox(
        b, left.memref,
        SmallVector<OpFoldResult>(own.size(), b.getIndexAttr(0)), own, {});
    return result;
  }
  int64_t lanes = getLanes(element);
  auto isRight = [&](const TileValue &value) {
    return value.isConstant() || (value.dims == dims && isDense(value.memref));
  };
  TileValue result = allocate(element, dims, target);
  // Constants are a repeat.
  if ((lhs.isConstant() || rhs.isConstant()) && isRight(lhs) && isRight(rhs) &&
      isDense(result.memref) && getProduct(own) % lanes == 0) {
    SmallVector<int64_t> shape{getProduct(own) / lanes, lanes};
    auto view = [&](const TileValue &value) {
      return value.isConstant() ? fillRepeat(value.constant, element)
                                : reshape(b, value.memref, shape);
    };
    Value left = view(lhs), right = view(rhs);
    npu::SelectOp::create(b, condition.memref, left, right,
                          reshape(b, result.memref, shape));
    return result;
  }
  TileValue left = broadcast(lhs, dims), right = broadcast(rhs, dims);
  npu::SelectOp::create(b, condition.memref, left.memref, right.memref,
                        result.memref);
  if (left.memref != lhs.memref)
    release(left);
  if (right.memref != rhs.memref)
    release(right);
  return result;
}
