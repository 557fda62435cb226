// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tiles that compute a factor: chunks of what it is computed from, statements,
// and moves of the result to L1.

#include "CubeNest.h"
#include "TileViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static Value getIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static OpFoldResult apply(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(operands.size(), 0, expr), operands);
}

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

namespace {
/// Where a chunk of a slice or of an image begins.
struct ChunkPlace {
  OpFoldResult image, row;
};
} // namespace

/// By the counter of chunks, the last one. They overlap where they do not
/// divide the rows.
static ChunkPlace getChunkPlace(ImplicitLocOpBuilder &b, int64_t chunks,
                                int64_t all, int64_t size,
                                ValueRange counters) {
  ChunkPlace place{b.getIndexAttr(0), b.getIndexAttr(0)};
  if (chunks == 1)
    return place;
  Value counter = counters.back();
  int64_t own = llvm::divideCeil(all, size);
  AffineExpr d0 = b.getAffineDimExpr(0);
  if (own < chunks)
    place.image = apply(b, d0.floorDiv(own), {counter});
  AffineExpr row = (own < chunks ? d0 % own : d0) * size;
  if (own == 1)
    return place;
  place.row = affine::makeComposedFoldedAffineMin(
      b, b.getLoc(),
      AffineMap::get(1, 0, {row, b.getAffineConstantExpr(all - size)},
                     b.getContext()),
      {counter});
  return place;
}

/// A row of values, of which there are `rest` at run time, or all of `count`:
/// those that are not elements are zeros.
static void packRow(ImplicitLocOpBuilder &b, Value global, Value local,
                    int64_t count, Value rest) {
  auto type = cast<MemRefType>(local.getType());
  int64_t lanes = npu::kBlockBytes * 8 / type.getElementTypeBitWidth();
  int64_t blocks = type.getNumElements() / lanes;
  if (type.getRank() > 1)
    local = memref::CollapseShapeOp::create(
        b, local, SmallVector<ReassociationIndices>{{0, 1}});
  local = memref::ExpandShapeOp::create(
      b, ArrayRef<int64_t>{blocks, 1, lanes}, local,
      SmallVector<ReassociationIndices>{{0, 1, 2}});
  SmallVector<Value> upTo;
  if (rest)
    upTo = {getIndex(b, 1), rest};
  npu::PackOp::create(b, expandUnits(b, global, {1, count}), local, false,
                      upTo);
}

void CubeNest::fillProducedImage(const ProducedArray &array,
                                 ImplicitLocOpBuilder &b, ValueRange counters) {
  ChunkPlace place =
      getChunkPlace(b, rows.chunks, image->rows, rows.chunkRows, counters);
  Value local = getLoaded(rows, array, b);
  Value global = program.refer(b, array.array);
  auto load = [&](OpFoldResult number, OpFoldResult row, int64_t count,
                  Value to) {
    Value from =
        takeImageRows(b, counters, global, array.dims, number, row, count);
    if (cast<MemRefType>(from.getType()).getRank() == 1)
      packRow(b, from, to, image->width * count, Value());
    else
      npu::PackOp::create(b, from, to, false, ValueRange());
  };
  bool isOne = areRowsOneMatrix();
  if (isOne && rows.chunkImages == 1)
    return load(place.image, place.row, rows.chunkRows, local);
  OpFoldResult zero = b.getIndexAttr(0);
  int64_t step = isOne ? rows.chunkRows : 1;
  for (int64_t number = 0; number < rows.chunkImages; ++number)
    for (int64_t row = 0; row < rows.chunkRows; row += step) {
      int64_t begin = (number * rows.chunkRows + row) * image->width;
      Value to = takeBox(b, local, {zero, b.getIndexAttr(begin), zero},
                         {image->blocks, step * image->width, c0}, {});
      load(apply(b, b.getAffineDimExpr(0) + number, {place.image}),
           apply(b, b.getAffineDimExpr(0) + row, {place.row}), step, to);
    }
}

void CubeNest::fillProducedLoad(const CubeOperand &operand,
                                const ProducedArray &array,
                                ImplicitLocOpBuilder &b, ValueRange counters) {
  DimMask dims = getDims(operand, array);
  bool isOfImage = isImage(operand);
  if (isOfImage && (dims & kRows))
    return fillProducedImage(array, b, counters);
  Value local = getLoaded(operand, array, b);
  SmallVector<TileNode *> loops = getLoops(sums->node);
  loops.truncate(counters.size() - (operand.chunks > 1));
  // The box of the slice, whose rows are those of the chunk.
  TileOrigin origin(b, plan, loops, counters);
  int64_t size = operand.chunkRows, terms = 1;
  OpFoldResult row = b.getIndexAttr(0);
  Value restRows, restTerms;
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;
  if (!isOfImage) {
    row = getChunkPlace(b, operand.chunks, operand.padded, size, counters).row;
    offsets = origin.get(operand.slice);
    sizes = operand.slice.sizes;
    terms = sizes[operand.sumDim];
    restTerms = getTerms(terms, b, counters);
    if (operand.hasRows) {
      // A chunk of all rows has those that there are.
      size = std::min(size, operand.rows);
      if (operand.chunks > 1 && operand.rows != operand.padded)
        restRows = getValueOrCreateConstantIndexOp(
            b, b.getLoc(),
            affine::makeComposedFoldedAffineMin(
                b, b.getLoc(),
                AffineMap::get(1, 0,
                               {b.getAffineConstantExpr(size),
                                operand.rows - b.getAffineDimExpr(0)},
                               b.getContext()),
                {row}));
      offsets[operand.rowDim] =
          apply(b, b.getAffineDimExpr(0) + b.getAffineDimExpr(1),
                {offsets[operand.rowDim], row});
      sizes[operand.rowDim] = size;
    }
  }
  SmallVector<OpFoldResult> own;
  SmallVector<int64_t> shape;
  SmallVector<bool> isDropped;
  ArrayRef<int64_t> all = ArrayOp(array.array).getTensorType().getShape();
  for (auto [number, dim] : llvm::enumerate(array.dims)) {
    bool isTerm = dim == (isOfImage ? kChannels : int(operand.sumDim));
    bool isRow = !isOfImage && operand.hasRows && dim == int(operand.rowDim);
    bool isNumber = isOfImage && dim == 0;
    own.push_back(isNumber ? getOrigin(b, counters, imageDepth)[imageDim]
                  : dim < 0 || isOfImage ? b.getIndexAttr(0)
                                         : offsets[dim]);
    shape.push_back(dim < 0 || isNumber ? 1
                    : isOfImage         ? all[number]
                                        : sizes[dim]);
    isDropped.push_back(!isTerm && !isRow);
  }
  if (isOfImage && (dims & kBlocks))
    terms = ArrayOp(rows.array).getTensorType().getDimSize(kChannels);
  if (dims == 0 && !isDropped.empty())
    isDropped.back() = false;
  Value global =
      takeBox(b, program.refer(b, array.array), own, shape, isDropped);
  if (dims != (kBlocks | kRows | kLanes)) {
    if (shape.empty())
      global = expandUnits(b, global, {1});
    bool isOfTerms = dims & kBlocks;
    packRow(b, global, local,
            isOfTerms        ? terms
            : (dims & kRows) ? size
                             : 1,
            isOfTerms        ? restTerms
            : (dims & kRows) ? restRows
                             : Value());
    return;
  }
  if (!operand.hasRows)
    global = expandUnits(b, global, {1, terms});
  const int *term = llvm::find(array.dims, int(operand.sumDim));
  bool isTransposed =
      operand.hasRows && term < llvm::find(array.dims, int(operand.rowDim));
  SmallVector<Value> upTo;
  if (restRows || restTerms) {
    upTo = {restRows ? restRows : getIndex(b, operand.hasRows ? size : 1),
            restTerms ? restTerms : getIndex(b, terms)};
    if (isTransposed)
      std::swap(upTo[0], upTo[1]);
  }
  npu::PackOp::create(b, global, local, isTransposed, upTo);
}

//===----------------------------------------------------------------------===//
// Statements and moves
//===----------------------------------------------------------------------===//

LogicalResult CubeNest::fillProducer(const CubeOperand &operand,
                                     StatementOp statement,
                                     ImplicitLocOpBuilder &b) {
  b.setLoc(statement.getLoc());
  SmallVector<int64_t, 3> chunk = getChunk(operand);
  // Padding channels stay zero, whatever zeros become: they are
  // multiplied. The terms of a matrix are not.
  int64_t channels =
      isImage(operand) ? rows.array.getTensorType().getDimSize(kChannels) : 0;
  int64_t rest = channels % c0;
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  StringRef written = statement.getWrittenArray();
  // Before loops, which are along what the result varies over: it may be
  // computed in place.
  llvm::StringMap<TileValue> whole;
  for (auto &[name, array] : operand.producers.arrays)
    whole[name] = viewProduced(operand, array, b);
  auto take = [&](StringRef name, ArrayRef<OpFoldResult> begins,
                  ArrayRef<int64_t> sizes) {
    TileValue value = whole.lookup(name);
    SmallVector<OpFoldResult> offsets;
    SmallVector<int64_t> shape;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (value.dims >> dim & 1) {
        offsets.push_back(begins[dim]);
        shape.push_back(sizes[dim]);
      }
    if (!shape.empty())
      value.memref = takeBox(b, value.memref, offsets, shape, {});
    return value;
  };
  DimMask dims = whole.lookup(written).dims;
  // Pieces of some blocks, whose first `lanes` columns are computed.
  auto evaluate = [&](int64_t begin, int64_t end,
                      int64_t lanes) -> LogicalResult {
    OpBuilder::InsertionGuard guard(b);
    auto addLoop = [&](DimMask along, int64_t from, int64_t to,
                       int64_t step) -> OpFoldResult {
      if (from + step >= to || !(dims & along))
        return b.getIndexAttr(from);
      auto loop = scf::ForOp::create(b, getIndex(b, from), getIndex(b, to),
                                     getIndex(b, step));
      b.setInsertionPointToStart(loop.getBody());
      return OpFoldResult(loop.getInductionVar());
    };
    auto [blocks, height] = operand.piece;
    if ((end - begin) % blocks != 0)
      blocks = 1;
    OpFoldResult block = addLoop(kBlocks, begin, end, blocks);
    OpFoldResult row = addLoop(kRows, 0, chunk[1], height);
    OpFoldResult begins[] = {block, row, b.getIndexAttr(0)};
    int64_t sizes[] = {blocks, dims & kRows ? height : chunk[1], lanes};
    TileBuilder builder(b, sizes);
    BodyEvaluator body(builder, statement);
    for (auto [number, name] : llvm::enumerate(
             statement.getReadArrays().getAsRange<FlatSymbolRefAttr>()))
      body.set(statement.getBody().getArgument(number),
               take(name.getValue(), begins, sizes));
    TileValue target = take(written, begins, sizes);
    return body.write(yield.getValue(), target.dims, target.memref);
  };
  if (rest == 0 || !(dims & kBlocks))
    return evaluate(0, chunk[0], c0);
  // What is loaded has zeros there, and so has what takes its place.
  OpFoldResult zero = b.getIndexAttr(0);
  if (operand.producers.arrays.find(written)->second.taken.empty())
    npu::FillOp::create(b, arith::ConstantOp::create(b, b.getF32FloatAttr(0)),
                        take(written,
                             {b.getIndexAttr(chunk[0] - 1), zero, zero},
                             {1, chunk[1], c0})
                            .memref);
  if (chunk[0] > 1 && failed(evaluate(0, chunk[0] - 1, c0)))
    return failure();
  return evaluate(chunk[0] - 1, chunk[0], rest);
}

/// The value of each row in all lanes of a block.
void CubeNest::fillSpread(const CubeOperand &operand,
                          const ProducedArray &array, ImplicitLocOpBuilder &b) {
  StringRef name = ArrayOp(array.array).getSymName();
  Value values = program.refer(b, operand.values.lookup(name));
  int64_t count = cast<MemRefType>(values.getType()).getNumElements();
  npu::TransposeOp::create(b, expandUnits(b, values, {1, count}),
                           program.refer(b, operand.ub.lookup(name)));
}

void CubeNest::fillMove(const CubeOperand &operand, bool isStream,
                        ImplicitLocOpBuilder &b, ValueRange counters) {
  auto &factor = operand.producers.arrays.front().second;
  Value from = viewProduced(operand, factor, b).memref;
  if (isImage(operand)) {
    ChunkPlace place = getChunkPlace(b, operand.chunks, image->rows,
                                     operand.chunkRows, counters);
    OpFoldResult zero = b.getIndexAttr(0);
    Value local = program.refer(b, rows.l1);
    int64_t height = operand.chunkRows * image->width;
    for (int64_t number = 0; number < operand.chunkImages; ++number) {
      Value part =
          takeBox(b, from, {zero, b.getIndexAttr(number * height), zero},
                  {image->blocks, height, c0}, {});
      OpFoldResult at = apply(b, b.getAffineDimExpr(0) + number, {place.image});
      npu::CopyOp::create(
          b, part, takeLocalRows(b, local, at, place.row, operand.chunkRows),
          false, ValueRange());
    }
    return;
  }
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult row = getChunkPlace(b, operand.chunks, operand.padded,
                                   operand.chunkRows, counters)
                         .row;
  Value to = takeBox(b, getSlicePlace(operand, isStream, b, counters),
                     {zero, row, zero}, getChunk(operand), {});
  npu::CopyOp::create(b, from, to, false, ValueRange());
}

isl::Schedule CubeNest::emitProducers(const CubeOperand &operand, bool isStream,
                                      isl::Set counters) {
  unsigned depth = isl_set_dim(counters.get(), isl_dim_set);
  if (operand.chunks > 1) {
    counters.reset(isl_set_add_dims(counters.take(), isl_dim_set, 1));
    counters.reset(
        isl_set_lower_bound_si(counters.take(), isl_dim_set, depth, 0));
    counters.reset(isl_set_upper_bound_si(counters.take(), isl_dim_set, depth,
                                          operand.chunks - 1));
  }
  isl::Schedule body;
  auto append = [&](const Twine &name, auto fill) {
    isl::Schedule tile = program.addTile(name.str(), counters, fill);
    bool isGood = bool(tile);
    body = TileProgram::sequence(std::move(body), std::move(tile));
    return isGood;
  };
  for (auto &[name, array] : operand.producers.arrays)
    if (array.isLoaded &&
        !append("load_" + name, [&, &array = array](ImplicitLocOpBuilder &b,
                                                    ValueRange values) {
          fillProducedLoad(operand, array, b, values);
          return success();
        }))
      return isl::Schedule();
  for (auto &[name, array] : operand.producers.arrays)
    if (operand.values.count(name) &&
        !append("spread_" + name,
                [&, &array = array](ImplicitLocOpBuilder &b, ValueRange) {
                  fillSpread(operand, array, b);
                  return success();
                }))
      return isl::Schedule();
  for (StatementOp statement : operand.producers.statements) {
    expandFunctions(statement.getBody().front());
    if (!append(statement.getSymName() + "_tile",
                [&](ImplicitLocOpBuilder &b, ValueRange) {
                  return fillProducer(operand, statement, b);
                }))
      return isl::Schedule();
  }
  if (!append("move_" + ArrayOp(operand.array).getSymName(),
              [&](ImplicitLocOpBuilder &b, ValueRange values) {
                fillMove(operand, isStream, b, values);
                return success();
              }))
    return isl::Schedule();
  for (auto &[name, array] : operand.producers.arrays)
    for (const auto *buffers : {&operand.ub, &operand.values})
      if (BufferOp buffer = buffers->lookup(name))
        body = TileProgram::mark(std::move(body),
                                 ("buffer:" + buffer.getSymName()).str());
  if (operand.chunks > 1)
    body = TileProgram::loop(std::move(body), depth, 1);
  return body;
}
