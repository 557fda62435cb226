// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes whose operands are contiguous along a different dimension from what
// they store: squares of vectors are transposed in registers.

#include "Dialect/TensorIR/IR/TransposeInRegisters.h"
#include "PassEmission.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace gc {

/// The first lanes of a vector, or the vector followed by unused lanes.
static Value resize(OpBuilder &builder, Location loc, Value vector,
                    int64_t lanes) {
  int64_t have = cast<VectorType>(vector.getType()).getNumElements();
  if (have == lanes)
    return vector;
  SmallVector<int64_t> mask;
  for (int64_t lane = 0; lane < lanes; ++lane)
    mask.push_back(std::min(lane, have - 1));
  return vector::ShuffleOp::create(builder, loc, vector, vector, mask);
}

void PassEmission::emitTransposedSquares(const Position &first, int64_t rows,
                                         ArrayRef<int64_t> widths) {
  int64_t dim = plan.getTransposedDim();
  int64_t size = emitter.getLanes();
  // A square's vectors, one per row when they have been transposed.
  auto load = [&](const Position &square, int64_t width, const Access &access) {
    SmallVector<Value> vectors;
    for (int64_t column = 0; column < width; ++column) {
      Position at = square.shifted(vectorDim, Coord(column));
      at.vectorDim = dim;
      at.lanes = rows;
      Value vector =
          toComputeType(builder, loc, loadVector(builder, loc, access, at),
                        access.buffer.type.getElementType());
      vector = fillGaps(builder, loc, vector, access, at);
      vectors.push_back(resize(builder, loc, vector, size));
    }
    vectors.resize(size, vectors.back());
    transposeInRegisters(builder, loc, vectors);
    return vectors;
  };
  struct Square {
    Position position;
    int64_t width;
    SmallVector<SmallVector<Value>> operands, values;
  };
  std::vector<Square> squares;
  int64_t offset = 0;
  for (int64_t width : widths) {
    Square square{first.shifted(vectorDim, Coord(offset)), width, {}, {}};
    for (OpOperand *operand : plan.getTransposed())
      square.operands.push_back(
          load(square.position, width, plan.getAccess(*operand)));
    for (Value value : plan.getTransposedValues())
      square.values.push_back(
          load(square.position, width,
               plan.getAccess(value, emitter.buffers.lookup(value))));
    squares.push_back(std::move(square));
    offset += width;
  }
  RowValues nothing;
  for (int64_t row = 0; row < rows; ++row)
    for (const Square &square : squares) {
      llvm::DenseMap<OpOperand *, Value> given;
      for (auto [operand, vectors] :
           llvm::zip_equal(plan.getTransposed(), square.operands))
        given[operand] = resize(builder, loc, vectors[row], square.width);
      Position at = square.position.shifted(dim, Coord(row));
      at.lanes = square.width;
      evaluator.start(at, 0, nothing, &given);
      for (auto [value, vectors] :
           llvm::zip_equal(plan.getTransposedValues(), square.values))
        evaluator.set(value, resize(builder, loc, vectors[row], square.width));
      if (failed(evaluator.store(plan.getStages()[0].stores, {})))
        status = failure();
    }
}

void PassEmission::emitTransposed() {
  int64_t dim = plan.getTransposedDim(), rows = box[dim].max;
  int64_t square = emitter.getLanes();
  // Vectors along the other dimension must not cross a block either.
  int64_t run = 0;
  for (OpOperand *operand : plan.getTransposed())
    run = std::gcd(run, plan.getAccess(*operand).getBlock(dim, box[dim]));
  for (Value value : plan.getTransposedValues())
    run = std::gcd(run, plan.getAccess(value, emitter.buffers.lookup(value))
                            .getBlock(dim, box[dim]));
  int64_t rowChunk = run == 0 ? rows : std::min(rows, run);
  // The halves of a line are stored one after the other, if registers hold the
  // squares of both.
  bool hasRoom =
      plan.getTransposed().size() + plan.getTransposedValues().size() == 1;
  size_t joined = hasRoom && getLineVectors(plan.getStages()[0]) > 1 ? 2 : 1;

  auto emitRowPiece = [&](const Position &at, int64_t size,
                          ArrayRef<int64_t> widths) {
    auto emitSquares = [&](Position first, int64_t count) {
      for (ArrayRef<int64_t> left = widths; !left.empty();) {
        ArrayRef<int64_t> together = left.take_front(joined);
        emitTransposedSquares(first, count, together);
        left = left.drop_front(together.size());
        for (int64_t width : together)
          first = first.shifted(vectorDim, Coord(width));
      }
    };
    int64_t whole = size / square * square;
    emitter.emitLoop(whole, square, [&](Value i) {
      emitSquares(at.shifted(dim, Coord::ofLoop(i, whole, square)), square);
    });
    if (whole < size)
      emitSquares(at.shifted(dim, Coord(whole)), size - whole);
  };
  auto emitRowPieces = [&](const Position &at, ArrayRef<int64_t> widths) {
    int64_t pieces = rows / rowChunk;
    emitter.emitLoop(pieces, 1, [&](Value i) {
      emitRowPiece(
          at.shifted(dim, pieces > 1 ? Coord(i, rowChunk, pieces) : Coord(0)),
          rowChunk, widths);
    });
    if (rows % rowChunk)
      emitRowPiece(at.shifted(dim, Coord(pieces * rowChunk)), rows % rowChunk,
                   widths);
  };
  // Two squares side by side write whole cache lines; further squares below
  // them use the rest of lines that were half read.
  auto emitColumnPiece = [&](const Coord &start, int64_t size) {
    Position at = position.shifted(vectorDim, start);
    int64_t pair = 2 * lanes, whole = size / pair * pair;
    emitter.emitLoop(whole, pair, [&](Value i) {
      emitRowPieces(at.shifted(vectorDim, Coord::ofLoop(i, whole, pair)),
                    {lanes, lanes});
    });
    SmallVector<int64_t> rest((size - whole) / lanes, lanes);
    if (size % lanes)
      rest.push_back(size % lanes);
    if (!rest.empty())
      emitRowPieces(at.shifted(vectorDim, Coord(whole)), rest);
  };
  int64_t chunks = columns / chunk;
  emitter.emitLoop(chunks, 1, [&](Value c) {
    emitColumnPiece(chunks > 1 ? Coord(c, chunk, chunks) : Coord(0), chunk);
  });
  if (columns % chunk)
    emitColumnPiece(Coord(chunks * chunk), columns % chunk);
}

} // namespace gc
