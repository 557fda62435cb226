// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Vector ops on whole tiles: verifiers. One helper states each kind of
// constraint.

#include "Verify.h"

using namespace mlir;
using namespace gc::npu;

static bool isFloat(DType type) {
  return type == DType::f16 || type == DType::f32;
}

/// The operands as tiles in ub, arithmetic ones of f16 or f32.
static FailureOr<SmallVector<Tile>>
getVectorTiles(Operation *op, ValueRange operands, bool isArithmetic = true) {
  SmallVector<Tile> tiles;
  for (Value operand : operands) {
    FailureOr<Tile> tile = getTile(op, operand, "C1");
    if (failed(tile))
      return failure();
    if (tile->space != MemorySpace::ub ||
        (isArithmetic && !isFloat(tile->dtype)))
      return op->emitOpError("(C1) works on ")
             << (isArithmetic ? "f16 and f32" : "memory") << " in ub, not on "
             << tile->type;
    tiles.push_back(*tile);
  }
  return tiles;
}

/// The same shape and element type everywhere.
static LogicalResult verifyEqual(Operation *op, ArrayRef<Tile> tiles) {
  for (const Tile &tile : tiles)
    if (tile.shape != tiles[0].shape || tile.dtype != tiles[0].dtype)
      return op->emitOpError("(C1) needs one shape and element type, not ")
             << tiles[0].type << " and " << tile.type;
  return success();
}

/// Rows that vector instructions can address: the last dimension contiguous,
/// each other one 32-byte aligned or a continuation.
static LogicalResult verifyRows(Operation *op, ArrayRef<Tile> tiles) {
  for (const Tile &tile : tiles) {
    if (!tile.isContiguous(1))
      return op->emitOpError("(C3) the innermost dimension has gaps: ")
             << tile.type;
    for (int64_t dim = 0; dim + 1 < tile.getRank(); ++dim) {
      int64_t bytes = tile.getStride(dim) * getBytes(tile.dtype);
      if (tile.shape[dim] > 1 && bytes % kBlockBytes != 0 &&
          !tile.isContiguous(tile.getRank() - dim))
        return op->emitOpError("(C3) rows are ")
               << bytes << " bytes apart, not a multiple of " << kBlockBytes
               << ": " << tile.type;
    }
  }
  return success();
}

LogicalResult BinaryOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getLhs(), getRhs()});
  if (failed(tiles))
    return failure();
  const Tile &to = tiles->front();
  for (const Tile &source : ArrayRef<Tile>(*tiles).drop_front()) {
    if (source.dtype != to.dtype)
      return emitOpError("(C1) has operands of two element types");
    bool isRightRank = source.getRank() == to.getRank();
    for (int64_t dim = 0; isRightRank && dim < to.getRank(); ++dim)
      isRightRank = source.shape[dim] == to.shape[dim] ||
                    (source.shape[dim] == 1 && dim + 1 < to.getRank());
    if (!isRightRank)
      return emitOpError("(C2) ")
             << source.type << " cannot be broadcast to " << to.type;
  }
  return verifyRows(*this, *tiles);
}

LogicalResult ScalarOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getSource()});
  if (failed(tiles) || failed(verifyEqual(*this, *tiles)))
    return failure();
  return verifyRows(*this, *tiles);
}

LogicalResult UnaryOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getSource()});
  if (failed(tiles) || failed(verifyEqual(*this, *tiles)))
    return failure();
  return verifyRows(*this, *tiles);
}

LogicalResult CastOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getSource()}, false);
  if (failed(tiles))
    return failure();
  const Tile &to = tiles->front(), &from = tiles->back();
  if (from.shape != to.shape)
    return emitOpError("(C1) casts ") << from.type << " to another shape";
  static constexpr std::pair<DType, DType> kCasts[] = {
      {DType::f16, DType::f32},
      {DType::f16, DType::s8},
      {DType::f16, DType::s32},
      {DType::f32, DType::s32}};
  bool isCast = llvm::any_of(kCasts, [&](auto cast) {
    return cast == std::pair(from.dtype, to.dtype) ||
           cast == std::pair(to.dtype, from.dtype);
  });
  if (!isCast)
    return emitOpError(
        "(C2) casts f16 <-> f32, f16 <-> i8, f16 <-> i32 and f32 "
        "<-> i32");
  return verifyRows(*this, *tiles);
}

/// Tiles without gaps, which may be broadcast to `shape`, and a bit for each of
/// its elements.
static LogicalResult verifyBits(Operation *op, ArrayRef<Tile> tiles,
                                ArrayRef<int64_t> shape, const Tile &bits) {
  int64_t rank = shape.size(), elements = 1;
  for (int64_t size : shape)
    elements *= size;
  bool isBroadcast = false;
  for (const Tile &tile : tiles) {
    bool isRight = tile.getRank() == rank && tile.dtype == tiles.front().dtype;
    for (int64_t dim = 0; isRight && dim < rank; ++dim)
      isRight = tile.shape[dim] == shape[dim] ||
                (tile.shape[dim] == 1 && dim + 1 < rank);
    if (!isRight)
      return op->emitOpError("(C1) needs one shape and element type, not ")
             << tiles.front().type << " and " << tile.type;
    if (!tile.isContiguous())
      return op->emitOpError("(C1) needs tiles without gaps, not ")
             << tile.type;
    isBroadcast |= ArrayRef<int64_t>(tile.shape) != shape;
  }
  int64_t bytes = getBytes(tiles.front().dtype), lanes = kRepeatBytes / bytes;
  int64_t block = kBlockBytes / bytes;
  bool isSquare = rank > 1 && shape.back() == block &&
                  shape[rank - 2] == kRepeatBytes / kBlockBytes;
  if (isBroadcast && shape.back() % lanes != 0 && !isSquare)
    return op->emitOpError("(C3) broadcasts to rows of whole repeats (")
           << lanes << ") or to " << kRepeatBytes / kBlockBytes << " blocks of "
           << block << ", not to rows of " << shape.back();
  int64_t repeats = (elements + lanes - 1) / lanes;
  if (bits.dtype != DType::s8 || bits.space != MemorySpace::ub ||
      !bits.isContiguous() || bits.getNumElements() < repeats * lanes / 8)
    return op->emitOpError("(C2) needs at least ")
           << repeats * lanes / 8 << " bytes of i8 in ub for the bits, not "
           << bits.type;
  return success();
}

LogicalResult CompareOp::verify() {
  auto tiles = getVectorTiles(*this, {getLhs(), getRhs()});
  FailureOr<Tile> bits = getTile(*this, getTarget(), "C2");
  if (failed(tiles) || failed(bits))
    return failure();
  SmallVector<int64_t> shape = tiles->front().shape;
  for (auto [size, other] : llvm::zip(shape, tiles->back().shape))
    size = std::max(size, other);
  return verifyBits(*this, *tiles, shape, *bits);
}

LogicalResult SelectOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getLhs(), getRhs()});
  FailureOr<Tile> bits = getTile(*this, getCondition(), "C2");
  if (failed(tiles) || failed(bits))
    return failure();
  return verifyBits(*this, *tiles, tiles->front().shape, *bits);
}

LogicalResult ReduceOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getSource()});
  if (failed(tiles))
    return failure();
  const Tile &to = tiles->front(), &from = tiles->back();
  bool isWide = getKind() == ReduceKind::sum && from.dtype == DType::f16 &&
                to.dtype == DType::f32;
  if (from.getRank() < 1 || !to.isContiguous() ||
      ArrayRef<int64_t>(from.shape).drop_back() !=
          ArrayRef<int64_t>(to.shape) ||
      (to.dtype != from.dtype && !isWide))
    return emitOpError("(C2) reduces ")
           << from.type << " to all its dimensions but the last, contiguous, "
           << "of the same element type or f32 for sums of f16, not to "
           << to.type;
  return verifyRows(*this, *tiles);
}

LogicalResult FillOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget()});
  if (failed(tiles))
    return failure();
  return verifyRows(*this, *tiles);
}

LogicalResult TransposeOp::verify() {
  auto tiles = getVectorTiles(*this, {getTarget(), getSource()});
  if (failed(tiles))
    return failure();
  const Tile &to = tiles->front(), &from = tiles->back();
  if (to.dtype != from.dtype)
    return emitOpError("(C1) has tiles of two element types");
  int64_t square = getC0(to.dtype);
  if (from.getRank() != 2 || to.getRank() != 2 ||
      (from.shape[0] != to.shape[1] && from.shape[0] != 1) ||
      from.shape[1] != to.shape[0] || to.shape[0] % square != 0 ||
      to.shape[1] % square != 0)
    return emitOpError("(C2) takes [R, C] to [C, R], both multiples of ")
           << square;
  return verifyRows(*this, *tiles);
}
