// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expansion of moves: boxes as bursts, matrices of fractals as load2d.

#include "VectorPlan.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc::npu;

//===----------------------------------------------------------------------===//
// copy
//===----------------------------------------------------------------------===//

namespace {
/// Bursts along one dimension; loops over the others.
class Bursts {
public:
  Bursts(CopyOp op, const Machine &machine, OpBuilder &builder)
      : op(op), machine(machine), builder(builder),
        nest(Nest::fromTiles(builder, op.getLoc(),
                             {op.getTarget(), op.getSource()})) {}

  LogicalResult expand();

private:
  bool isReachable(const Dim &dim, int64_t bytes) const;
  void emitBursts(Piece piece, const Dim &bursts, int64_t bytes);

  CopyOp op;
  const Machine &machine;
  OpBuilder &builder;
  Nest nest;
};
} // namespace

/// Whether bursts of `bytes` can go along `dim`: whole blocks apart in a
/// buffer, without overlap.
bool Bursts::isReachable(const Dim &dim, int64_t bytes) const {
  for (size_t index : {0, 1}) {
    bool isGlobal = nest.operands[index].tile.space == MemorySpace::gm;
    int64_t stride = nest.getStride(dim, index);
    if (!isGlobal && stride % kBlockBytes != 0)
      return false;
    if (index == 0 &&
        stride <
            (isGlobal ? bytes : int64_t(llvm::alignTo(bytes, kBlockBytes))))
      return false;
  }
  return true;
}

void Bursts::emitBursts(Piece piece, const Dim &bursts, int64_t bytes) {
  for (int64_t first = 0; first < bursts.size; first += machine.maxBursts) {
    int64_t count = std::min(machine.maxBursts, bursts.size - first);
    Piece part = piece;
    part.advance(bursts, first);
    part.box.push_back(bursts.withSize(count));
    IntegerAttr strides[2];
    if (count > 1)
      for (size_t index : {0, 1})
        strides[index] =
            builder.getI64IntegerAttr(nest.getStride(bursts, index));
    emit(builder, op.getLoc(), nest, part,
         [&](OpBuilder &inner, ArrayRef<Value> views) {
           DmaOp::create(inner, op.getLoc(), views[1], views[0],
                         inner.getI64IntegerAttr(count),
                         inner.getI64IntegerAttr(bytes), strides[1], strides[0],
                         op.getAtomicAttr(), /*up_to=*/ValueRange());
         });
  }
}

LogicalResult Bursts::expand() {
  const Dim &run = nest.dims.back();
  int64_t elementBytes = getBytes(nest.operands[0].tile.dtype);
  int64_t longest = machine.maxBurstBlocks * kBlockBytes / elementBytes;
  // Along the longest dimension, so that there are few instructions.
  std::optional<size_t> along;
  for (size_t dim = 0; dim + 1 < nest.dims.size(); ++dim)
    if (isReachable(nest.dims[dim],
                    std::min(longest, run.size) * elementBytes) &&
        (!along || nest.dims[dim].size > nest.dims[*along].size))
      along = dim;
  Piece piece = nest.getWhole();
  Dim bursts;
  bursts.steps.resize(2);
  for (size_t dim = 0; dim + 1 < nest.dims.size(); ++dim)
    if (along != dim)
      piece.loops.push_back(nest.dims[dim]);
  if (along)
    bursts = nest.dims[*along];
  for (int64_t first = 0; first < run.size; first += longest) {
    int64_t length = std::min(longest, run.size - first);
    Piece part = piece;
    part.advance(run, first);
    part.box.push_back(run.withSize(length));
    emitBursts(part, bursts, length * elementBytes);
  }
  return success();
}

static Value getIndex(OpBuilder &builder, Location loc, int64_t value) {
  return arith::ConstantIndexOp::create(builder, loc, value);
}

static Value applyTo(OpBuilder &builder, Location loc, Value index,
                     llvm::function_ref<AffineExpr(AffineExpr)> getExpr) {
  return affine::AffineApplyOp::create(
      builder, loc, AffineMap::get(1, 0, getExpr(builder.getAffineDimExpr(0))),
      ValueRange(index));
}

/// Where a part of a memref begins and how long it is, the whole at first.
namespace {
struct PartOf {
  PartOf(OpBuilder &builder, Value memref)
      : memref(memref), offsets(getRank(), builder.getIndexAttr(0)),
        strides(getRank(), builder.getIndexAttr(1)) {
    for (int64_t size : cast<MemRefType>(memref.getType()).getShape())
      sizes.push_back(builder.getIndexAttr(size));
  }
  int64_t getRank() const {
    return cast<MemRefType>(memref.getType()).getRank();
  }
  void set(OpBuilder &builder, int64_t dim, Value offset, int64_t size) {
    offsets[dim] = offset;
    sizes[dim] = builder.getIndexAttr(size);
  }
  Value build(OpBuilder &builder, Location loc) const {
    return memref::SubViewOp::create(builder, loc, memref, offsets, sizes,
                                     strides);
  }

  Value memref;
  SmallVector<OpFoldResult> offsets, sizes, strides;
};
} // namespace

/// Sizes at run time: bursts along the last dimension but one, loops over those
/// before it.
static LogicalResult expandUpTo(CopyOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Tile from = *getTile(op.getSource()), to = *getTile(op.getTarget());
  ValueRange sizes = op.getUpTo();
  int64_t rank = to.getRank(), bytes = getBytes(to.dtype);
  OpBuilder::InsertionGuard guard(builder);
  PartOf source(builder, op.getSource()), target(builder, op.getTarget());
  for (int64_t dim = 0; dim + 2 < rank; ++dim) {
    auto loop = scf::ForOp::create(builder, loc, getIndex(builder, loc, 0),
                                   sizes[dim], getIndex(builder, loc, 1));
    builder.setInsertionPointToStart(loop.getBody());
    source.set(builder, dim, loop.getInductionVar(), 1);
    target.set(builder, dim, loop.getInductionVar(), 1);
  }
  Value bursts = rank > 1 ? sizes[rank - 2] : getIndex(builder, loc, 1);
  Value length = applyTo(builder, loc, sizes.back(),
                         [&](AffineExpr size) { return size * bytes; });
  auto getStride = [&](const Tile &tile) {
    int64_t stride =
        rank > 1 ? tile.getStride(rank - 2) * bytes : tile.shape.back() * bytes;
    // Of one burst it is not used.
    if (rank == 1 || tile.shape[rank - 2] == 1)
      stride = llvm::alignTo(stride, kBlockBytes);
    return builder.getI64IntegerAttr(stride);
  };
  DmaOp::create(
      builder, loc, source.build(builder, loc), target.build(builder, loc),
      builder.getI64IntegerAttr(rank > 1 ? to.shape[rank - 2] : 1),
      builder.getI64IntegerAttr(to.shape.back() * bytes), getStride(from),
      getStride(to), op.getAtomicAttr(), ValueRange{bursts, length});
  return success();
}

LogicalResult CopyOp::expand(OpBuilder &builder, const Machine &machine) {
  if (!getUpTo().empty())
    return expandUpTo(*this, builder);
  if (getPipe() != PipeKind::v)
    return Bursts(*this, machine, builder).expand();
  if (getDType(getSource().getType()) == DType::s8)
    return emitOpError("from ub to ub has no instruction for i8");
  if (emitElementwise(builder, getLoc(), machine, VectorKind::copy, getSource(),
                      getTarget()))
    return success();
  return emitOpError("has rows that no vector instruction reaches: they do not "
                     "begin at multiples of 32 bytes");
}

//===----------------------------------------------------------------------===//
// load_fractals
//===----------------------------------------------------------------------===//

/// Sizes at run time: one load2d along the longer side for each row of fractals
/// along the other.
static LogicalResult expandUpTo(LoadFractalsOp op, OpBuilder &builder) {
  Location loc = op.getLoc();
  Tile from = *getTile(op.getSource()), to = *getTile(op.getTarget());
  int rowDim = (to.space == MemorySpace::l0a) != op.getTransposed() ? 0 : 1;
  int64_t rows = from.shape[1] / 16, columns = from.shape[0];
  Value columnCount = op.getUpTo()[0];
  Value rowCount = applyTo(builder, loc, op.getUpTo()[1],
                           [](AffineExpr size) { return size.ceilDiv(16); });
  bool isAlongRows = rows >= columns;
  OpBuilder::InsertionGuard guard(builder);
  auto loop = scf::ForOp::create(builder, loc, getIndex(builder, loc, 0),
                                 isAlongRows ? columnCount : rowCount,
                                 getIndex(builder, loc, 1));
  builder.setInsertionPointToStart(loop.getBody());
  Value index = loop.getInductionVar();
  PartOf source(builder, op.getSource()), target(builder, op.getTarget());
  target.set(builder, isAlongRows ? 1 - rowDim : rowDim, index, 1);
  if (isAlongRows)
    source.set(builder, 0, index, 1);
  else
    source.set(
        builder, 1,
        applyTo(builder, loc, index, [](AffineExpr row) { return row * 16; }),
        16);
  int64_t bytes = getBytes(to.dtype);
  int64_t sourceStride = isAlongRows ? 1 : from.getStride(0) * bytes,
          targetStride =
              to.getStride(isAlongRows ? rowDim : 1 - rowDim) * bytes;
  if (!isAlongRows)
    sourceStride /= kFractalBytes;
  Load2dOp::create(
      builder, loc, source.build(builder, loc), target.build(builder, loc),
      builder.getI64IntegerAttr(isAlongRows ? rows : columns),
      builder.getI64IntegerAttr(sourceStride),
      builder.getI64IntegerAttr(targetStride / kFractalBytes),
      op.getTransposedAttr(), ValueRange(isAlongRows ? rowCount : columnCount));
  return success();
}

LogicalResult LoadFractalsOp::expand(OpBuilder &builder, const Machine &) {
  if (!getUpTo().empty())
    return expandUpTo(*this, builder);
  Nest nest = Nest::fromMemrefs({getTarget(), getSource()});
  const Tile &from = nest.operands[1].tile, &to = nest.operands[0].tile;
  int rowDim = (to.space == MemorySpace::l0a) != getTransposed() ? 0 : 1;
  Dim rows{from.shape[1] / 16, {{rowDim, 1}, {1, 16}}};
  Dim columns{from.shape[0], {{1 - rowDim, 1}, {0, 1}}};
  Piece piece = nest.getWhole();
  piece.box = {Dim{16, {{2, 1}, {1, 1}}}, Dim{to.shape[3], {{3, 1}, {2, 1}}}};

  auto getFractals = [&](const Dim &dim, size_t index) {
    return nest.getStride(dim, index) / kFractalBytes;
  };
  // Contiguous on both sides, if the outer stride continues the inner one.
  auto isOne = [&](const Dim &outer, const Dim &inner) {
    return llvm::all_of(llvm::seq<size_t>(0, 2), [&](size_t index) {
      return getFractals(outer, index) ==
             inner.size * getFractals(inner, index);
    });
  };
  Dim along = rows.size >= columns.size ? rows : columns,
      loop = rows.size >= columns.size ? columns : rows;
  int64_t fractals = along.size;
  if (along.size > 1 && loop.size > 1) {
    if (isOne(along, loop))
      std::swap(along, loop);
    if (isOne(loop, along)) {
      fractals = rows.size * columns.size;
      piece.box.push_back(loop);
      loop = loop.withSize(1);
    }
  }
  piece.box.push_back(along);
  piece.loops.push_back(loop);
  int64_t targetStride = fractals > 1 ? getFractals(along, 0) : 1,
          sourceStride = fractals > 1 ? getFractals(along, 1) : 1;
  emit(builder, getLoc(), nest, piece,
       [&](OpBuilder &inner, ArrayRef<Value> views) {
         Load2dOp::create(inner, getLoc(), views[1], views[0],
                          inner.getI64IntegerAttr(fractals),
                          inner.getI64IntegerAttr(sourceStride),
                          inner.getI64IntegerAttr(targetStride),
                          getTransposedAttr(), /*up_to=*/ValueRange());
       });
  return success();
}
