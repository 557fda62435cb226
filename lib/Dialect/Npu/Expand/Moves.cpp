// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Expansion of moves: boxes as bursts, matrices of fractals as load2d.

#include "VectorPlan.h"
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
                         op.getAtomicAttr());
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

LogicalResult CopyOp::expand(OpBuilder &builder, const Machine &machine) {
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

LogicalResult LoadFractalsOp::expand(OpBuilder &builder, const Machine &) {
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
                          getTransposedAttr());
       });
  return success();
}
