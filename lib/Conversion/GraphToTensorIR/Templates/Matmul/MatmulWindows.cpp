// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "MatmulWindows.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace gc::graph;

namespace gc {

MatmulWindows::MatmulWindows(MatmulNest &nest, const MatmulOperand &a,
                             const MatmulOperand &b,
                             const MatmulEpilogue &epilogue)
    : nest(nest), a(a), b(b), epilogue(epilogue), builder(nest.builder),
      loc(nest.loc), window(nest.op.getWindowAttr()) {
  if (!window)
    return;
  image = llvm::to_vector(nest.op.getSrc().getType().getShape());
  positions = window.getPositions(image);
  channels = nest.sizes.channels;
  block = nest.params.getKB();
  isFolded = gc::graph::isFolded(window, channels, block);
  blocks = isFolded ? 1 : channels / block;
  blocksOfRow = isFolded ? 1 : window.getKernel().back() * blocks;
  spatial = positions.size();
  reducesRows = spatial >= 2 && window.getKernel()[spatial - 2] > 1;
}

void MatmulWindows::emit(int64_t rows, int64_t columns) {
  group = window.getGroups() > 1 ? nest.batch.front() : Coord(0);
  int64_t lines = rows / positions.back();
  nest.emitter.emitLoop(lines, 1, [&](Value i) {
    localLine = Coord(i, 1, lines);
    emitLine(getLine(localLine), columns);
  });
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

Coord MatmulWindows::getLine(const Coord &local) const {
  int64_t length = positions.back(), stride = nest.sizes.m / length;
  Coord line = nest.m.current() * (nest.m.block / length) + local;
  size_t first = window.getGroups() > 1 ? 1 : 0;
  for (size_t i = nest.batch.size(); i-- > first;) {
    line = line + nest.batch[i] * stride;
    stride *= nest.sizes.batch[i];
  }
  return line;
}

/// Whether at some position all elements of the window are in the pads.
bool MatmulWindows::mayMiss(unsigned dim) const {
  int64_t reach = (window.getKernel()[dim] - 1) * window.getDilations()[dim];
  return window.getPadsBegin()[dim] > reach ||
         window.getPadsEnd()[dim] > reach ||
         window.getDilations()[dim] > image[dim + 1];
}

MatmulWindows::Taps MatmulWindows::getTaps(unsigned dim,
                                           const Coord &position) {
  int64_t size = window.getKernel()[dim], stride = window.getStrides()[dim],
          dilation = window.getDilations()[dim],
          pad = window.getPadsBegin()[dim];
  Taps taps{size, Coord(0), Value(), position * stride};
  if (pad == 0 && window.getPadsEnd()[dim] == 0)
    return taps;
  // The first element at or after a distance from the window's first one.
  auto getFirst = [&](const Coord &distance) {
    Value positive = Coord::materializeMax(builder, loc, {distance, 0});
    Coord sum =
        Coord(positive, 1, std::max<int64_t>(distance.getMax(), 0) + 1) +
        Coord(dilation - 1);
    return sum.divmod(builder, loc, dilation).first;
  };
  Coord before = Coord(pad) + position * -stride;
  Value first = getFirst(before).materialize(builder, loc);
  Value end = Coord::materializeMin(
      builder, loc, {getFirst(before + Coord(image[dim + 1])), size});
  taps.count = (Coord(end, 1, size + 1) + Coord(first, -1, size + 1))
                   .materialize(builder, loc);
  taps.first = Coord(first, 1, size);
  taps.start = position * stride + taps.first * dilation + Coord(-pad);
  return taps;
}

bool MatmulWindows::canOverwrite() const {
  if (spatial == 3)
    return false;
  for (unsigned dim = 0; dim < spatial - (isFolded ? 0 : 1); ++dim)
    if (mayMiss(dim))
      return false;
  return isFolded || findFirstColumn() >= 0;
}

int64_t MatmulWindows::findFirstColumn() const {
  for (int64_t column = 0; column < window.getKernel().back(); ++column)
    if (getRun(column) == Run(0, positions.back()))
      return column;
  return -1;
}

//===----------------------------------------------------------------------===//
// Lines
//===----------------------------------------------------------------------===//

void MatmulWindows::emitLine(const Coord &line, int64_t columns) {
  // The line's position in each dimension, from the last one.
  SmallVector<Coord> at(spatial - 1);
  Coord rest = line;
  for (int64_t dim = int64_t(spatial) - 2; dim >= 0; --dim)
    std::tie(rest, at[dim]) = rest.divmod(builder, loc, positions[dim]);
  Place place;
  place.image.push_back(rest);

  bool overwrites = canOverwrite();
  if (!overwrites)
    emitZeros(columns);
  auto emitRows = [&] {
    Taps rows{1, Coord(0), Value(), Coord(0)};
    if (spatial >= 2) {
      rows = getTaps(spatial - 2, at[spatial - 2]);
      place.image.push_back(rows.start);
      place.block = place.block + rows.first * blocksOfRow;
    }
    emitColumns(place, rows, columns, overwrites);
  };
  if (spatial < 3)
    return emitRows();
  // Slices of the window one after the other.
  Taps slices = getTaps(0, at[0]);
  auto emitSlice = [&](Value i) {
    Place before = place;
    Coord index(i, 1, slices.size);
    place.image.push_back(slices.start + index * window.getDilations()[0]);
    place.block =
        (slices.first + index) * (window.getKernel()[1] * blocksOfRow);
    emitRows();
    place = before;
  };
  if (!slices.count)
    return nest.emitter.emitLoop(slices.size, 1, emitSlice);
  Value count = Coord::materializeMax(
      builder, loc, {Coord(slices.count, 1, slices.size + 1), 0});
  nest.emitter.emitLoop(count, emitSlice);
}

void MatmulWindows::emitColumns(const Place &place, const Taps &rows,
                                int64_t columns, bool overwrites) {
  int64_t first = findFirstColumn();
  auto emitBlock = [&](const Coord &index, bool isFirst) {
    Place at = place;
    at.block = at.block + index;
    at.channel = group * channels + index * block;
    if (first >= 0)
      emitCall(at, rows, {Coord(first), getRun(first), 0, block}, columns,
               isFirst);
    int64_t size = window.getKernel().back();
    for (int64_t begin = 0, end; begin < size; begin = end) {
      end = begin + 1;
      if (begin == first)
        continue;
      // Wide windows without pads have many columns that all positions see.
      Run run = getRun(begin);
      while (end < size && end != first && getRun(end) == run)
        ++end;
      nest.emitter.emitLoop(end - begin, 1, [&](Value i) {
        emitCall(at, rows,
                 {Coord(i, 1, end - begin) + Coord(begin), run, 0, block},
                 columns, false);
      });
    }
  };
  auto emitBlocks = [&] {
    if (isFolded)
      return emitFolded(place, rows, columns, overwrites);
    // The batch of a call is all of them.
    if (!reducesRows)
      return emitBlock(Coord(0), overwrites);
    int64_t done = overwrites;
    if (overwrites)
      emitBlock(Coord(0), true);
    nest.emitter.emitLoop(blocks - done, 1, [&](Value i) {
      emitBlock(Coord(i, 1, blocks - done) + Coord(done), false);
    });
  };
  if (!rows.count || !mayMiss(spatial - 2))
    return emitBlocks();
  Value isThere = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sgt,
                                        rows.count, nest.emitter.makeIndex(0));
  auto branch = scf::IfOp::create(builder, loc, isThere, false);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(branch.thenBlock());
  emitBlocks();
}

void MatmulWindows::emitFolded(const Place &place, const Taps &rows,
                               int64_t columns, bool overwrites) {
  for (const WindowRun &run : getWindowRuns(window, image)) {
    Piece piece{Coord(run.column),
                {run.position, run.length},
                run.column * channels,
                run.columns * channels};
    emitCall(place, rows, piece, columns, overwrites);
  }
}

void MatmulWindows::emitCall(const Place &place, const Taps &rows,
                             const Piece &piece, int64_t columns,
                             bool overwrites) {
  auto [first, length] = piece.run;
  if (length <= 0)
    return;
  RankedTensorType aType = a.getBuffer().type, bType = b.getBuffer().type;
  int64_t stride = window.getStrides().back(),
          dilation = window.getDilations().back();
  KernelSpec spec = nest.types;
  spec.m = length;
  spec.n = columns;
  spec.k = piece.depth;
  spec.lda = length > 1 ? getOffset(aType, spatial, stride) : spec.k;
  nest.setDistances(spec, b, epilogue.getBuffer().type);
  if (reducesRows) {
    spec.strideA =
        getOffset(aType, spatial - 1, window.getDilations()[spatial - 2]);
    spec.strideB =
        getOffset(bType, b.getRowDim(), window.getKernel().back() * channels);
  } else if (blocks > 1) {
    spec.strideA = block;
    spec.strideB = getOffset(bType, b.getRowDim(), block);
  }
  spec.beta = !overwrites;
  Value kernel = nest.emitter.makeKernel(loc, spec);
  Value count = rows.count && reducesRows
                    ? rows.count
                    : nest.emitter.makeIndex(reducesRows ? rows.size : blocks);

  SmallVector<Coord> pixel(place.image);
  pixel.push_back(piece.column * dilation +
                  Coord(first * stride - window.getPadsBegin().back()));
  pixel.push_back(place.channel);
  Coord kBlock = isFolded ? place.block : place.block + piece.column * blocks;
  tir::BrgemmOp::create(
      builder, loc, kernel, count, a.getBuffer().memref,
      a.getBuffer().getIndices(builder, loc, pixel), b.getBuffer().memref,
      b.getIndices(kBlock, kBlock, piece.inBlock), epilogue.getBuffer().memref,
      epilogue.getIndices(localLine * positions.back() + Coord(first)));
}

void MatmulWindows::emitZeros(int64_t columns) {
  Type element = getStorageType(nest.getAccumulatorElement());
  int64_t lanes = nest.emitter.getLanes();
  auto emitVector = [&](const Coord &row, const Coord &column, int64_t size) {
    auto type = VectorType::get({size}, element);
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    vector::StoreOp::create(builder, loc, zero, epilogue.getBuffer().memref,
                            epilogue.getIndices(row, column));
  };
  int64_t length = positions.back(), whole = columns / lanes * lanes;
  nest.emitter.emitLoop(length, 1, [&](Value i) {
    Coord row = localLine * length + Coord(i, 1, length);
    nest.emitter.emitLoop(whole, lanes, [&](Value j) {
      emitVector(row, Coord(j, 1, whole), lanes);
    });
    if (whole < columns)
      emitVector(row, Coord(whole), columns - whole);
  });
}

} // namespace gc
