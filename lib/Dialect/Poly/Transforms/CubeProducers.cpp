// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Factors that are computed before the product, in the tiles that multiply
// them: chunks of what they are computed from are loaded to UB as fractals, and
// the result goes on to L1. Padding is added after that, as zeros.

#include "CubeNest.h"
#include "TileViews.h"
#include "VectorCost.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

//===----------------------------------------------------------------------===//
// What is computed
//===----------------------------------------------------------------------===//

DimMask CubeNest::getDims(const CubeOperand &operand,
                          const ProducedArray &array) const {
  bool hasTerms = array.has(isImage(operand) ? kChannels : operand.sumDim);
  bool hasRows = isImage(operand)  ? array.has(kHeight)
                 : operand.hasRows ? array.has(operand.rowDim)
                                   : hasTerms;
  DimMask dims = (hasTerms ? kBlocks | kLanes : 0) | (hasRows ? kRows : 0);
  // Values of rows are in all lanes of a block: registers would take an
  // instruction for each row of each block. So is a single value, for which the
  // front end would wait.
  bool isSpread = ArrayOp(array.array).getTensorType().getElementType().isF16();
  return !hasTerms && isSpread ? dims | kLanes : dims;
}

static bool isInLanes(DimMask dims) {
  return (dims & kLanes) && !(dims & kBlocks);
}

LogicalResult CubeNest::checkProduced(const CubeOperand &operand,
                                      const ProducedArray &array) const {
  ArrayOp own = array.array;
  Type element = own.getTensorType().getElementType();
  auto emitError = [&] {
    return own.emitOpError("is what a factor of a contraction is computed "
                           "from, but ");
  };
  DimMask dims = getDims(operand, array);
  bool isMatrix = dims == (kBlocks | kRows | kLanes);
  if (array.isLoaded && isMatrix && !element.isF16())
    return emitError() << "its elements are " << element
                       << "; matrices of f16 are supported";
  if (!element.isF16() && !element.isF32())
    return emitError() << "its elements are " << element;
  if (llvm::any_of(array.shifts, [](int64_t shift) { return shift != 0; }))
    return emitError() << "is read from another place than its first element";
  if (!isImage(operand))
    return success();
  // Height and width are positions.
  if (array.has(kHeight) != array.has(kWidth) ||
      (array.has(kHeight) && !llvm::is_sorted(array.dims)))
    return emitError() << "is not read by rows of an image";
  if (!isMatrix && array.has(kHeight) && !areRowsOneMatrix())
    return emitError() << "has values of positions with gaps between them";
  if (!isMatrix && array.has(0) && images > 1)
    return emitError() << "has values of each of several images in a tile";
  return success();
}

static bool hasComparison(const Producers &producers) {
  return llvm::any_of(producers.statements, [](StatementOp statement) {
    return !statement.getBody().getOps<arith::CmpFOp>().empty();
  });
}

LogicalResult CubeNest::analyseProducers(CubeOperand &operand) {
  FailureOr<Producers> producers =
      findProducers(program.ctx, program.scop, operand.array);
  if (failed(producers))
    return failure();
  if (operand.array.isTemporary() && producers->empty())
    return emitError() << "multiplies @" << operand.array.getSymName()
                       << ", which no statement of the nest computes";
  operand.producers = std::move(*producers);
  for (auto &[name, array] : operand.producers.arrays)
    if (failed(checkProduced(operand, array)))
      return failure();
  if (isImage(operand) && hasComparison(operand.producers) &&
      operand.array.getTensorType().getDimSize(kChannels) % c0 != 0)
    return emitError() << "multiplies @" << operand.array.getSymName()
                       << ", whose channels are not a multiple of " << c0
                       << " and are computed by a comparison";
  return success();
}

/// The largest divisor of `size` below another one.
static int64_t getNextDivisor(int64_t size, int64_t divisor) {
  do
    --divisor;
  while (size % divisor != 0);
  return divisor;
}

/// A slice, or the part of an image, is loaded as a whole if that leaves room
/// for others in UB; else in chunks of rows. It is computed in pieces that
/// leave little to the next operation.
LogicalResult CubeNest::chooseChunks(CubeOperand &operand, unsigned number) {
  if (!operand.isProduced())
    return success();
  bool isOfImage = isImage(operand);
  int64_t unit = isOfImage ? 1 : 16;
  int64_t all = isOfImage ? image->rows : operand.padded;
  int64_t row = isOfImage ? image->blocks * c0 * image->width : slice;
  const Producers &producers = operand.producers;
  // Where rows have gaps between them, each one is a load.
  int64_t atOnce = !isOfImage           ? all
                   : areRowsOneMatrix() ? kMostPacked / image->width
                                        : 8;
  SmallVector<int64_t> legal;
  for (int64_t count = 1; count <= int64_t(llvm::divideCeil(all, unit));
       ++count) {
    int64_t size = llvm::alignTo(llvm::divideCeil(all, count), unit);
    if (!llvm::is_contained(legal, size) && (size <= atOnce || size == unit))
      legal.push_back(size);
  }
  int64_t own = legal.back();
  for (int64_t size : llvm::reverse(legal))
    if (producers.fits(machine, size * row))
      own = size;
  std::string name = number == 0 ? "left_chunk" : "right_chunk";
  FailureOr<int64_t> chosen = program.choose(name, legal, own);
  if (failed(chosen))
    return failure();
  operand.chunkRows = *chosen;
  operand.chunks = llvm::divideCeil(all, *chosen);
  // All images of a tile at once, unless they have values of their own.
  if (isOfImage && images > 1) {
    bool isTogether = *chosen == all &&
                      producers.fits(machine, images * all * row) &&
                      llvm::all_of(operand.producers.arrays, [&](auto &entry) {
                        DimMask dims = getDims(operand, entry.second);
                        return !(dims & kRows) || (dims & kBlocks);
                      });
    operand.chunkImages = isTogether ? images : 1;
    operand.chunks *= images / operand.chunkImages;
  }
  // Pieces, each one run of bytes, that leave a part of UB to others.
  SmallVector<int64_t, 3> chunk = getChunk(operand);
  operand.piece = {chunk[0], chunk[1]};
  auto isLarge = [&] {
    return producers.hasScratch() &&
           operand.piece[0] * operand.piece[1] * c0 * kScratchBytes >
               machine.ubBytes * kScratchShare;
  };
  while (operand.piece[0] > 1 && isLarge())
    operand.piece[0] = getNextDivisor(chunk[0], operand.piece[0]);
  while (operand.piece[1] % 2 == 0 && isLarge())
    operand.piece[1] /= 2;
  return success();
}

SmallVector<int64_t, 3> CubeNest::getChunk(const CubeOperand &operand) const {
  if (isImage(operand))
    return {image->blocks,
            operand.chunkImages * operand.chunkRows * image->width, c0};
  return {slice / c0, operand.chunkRows, c0};
}

void CubeNest::addProducerBuffers(CubeOperand &operand) {
  SmallVector<int64_t, 3> chunk = getChunk(operand);
  for (auto &[name, array] : operand.producers.arrays) {
    if (!array.taken.empty())
      continue;
    ArrayOp own = array.array;
    DimMask dims = getDims(operand, array);
    SmallVector<int64_t> shape;
    for (unsigned dim = 0; dim < 3; ++dim)
      if (dims >> dim & 1)
        shape.push_back(chunk[dim]);
    // What is packed takes whole blocks.
    int64_t height = dims & kRows ? llvm::alignTo(chunk[1], 16) : 16;
    if (isInLanes(dims))
      shape = {height, chunk[2]};
    else if (!(dims & kBlocks))
      shape = {height};
    BufferOp buffer = program.addBuffer(
        (name + "_ub").str(), own,
        getBufferType(shape, own.getTensorType().getElementType(),
                      npu::MemorySpace::ub));
    operand.ub[name] = buffer;
    if (!array.isLoaded || !isInLanes(dims))
      continue;
    buffer = program.addBuffer(
        (name + "_values").str(), own,
        getBufferType({height}, own.getTensorType().getElementType(),
                      npu::MemorySpace::ub));
    operand.values[name] = buffer;
  }
}

static int64_t getBytes(BufferOp buffer) {
  MemRefType type = buffer.getMemRefType();
  return type.getNumElements() * type.getElementTypeBitWidth() / 8;
}

/// Tiles for which it is better, as measured, to have more room for what
/// follows the sums than for what a panel is computed from, which only the
/// first needs.
static constexpr int64_t kManyTiles = 8;

/// Two slots of what is computed, or one of a panel for many tiles.
void CubeNest::limitSlots(CubeOperand &operand) {
  int64_t own = 0, others = 0;
  for (const auto *buffers : {&operand.ub, &operand.values})
    for (auto &[name, buffer] : *buffers)
      own += getBytes(buffer);
  for (auto &[name, tile] : partTiles)
    others += getBytes(tile.buffer) * (tile.isOfTile() ? 1 : 4);
  SmallVector<TileNode *> loops = getLoops(sums->node);
  bool isTight = operand.isPanel && !image &&
                 2 * own + others > machine.ubBytes &&
                 plan.loops.find(loops[panelLoop])->second.count >= kManyTiles;
  for (auto *buffers : {&operand.ub, &operand.values})
    for (auto &[name, buffer] : *buffers)
      buffer.setSlots(isTight ? 1 : 2);
}

TileValue CubeNest::viewProduced(const CubeOperand &operand,
                                 const ProducedArray &array,
                                 ImplicitLocOpBuilder &b) {
  const ProducedArray *owner = &array;
  while (!owner->taken.empty())
    owner = &operand.producers.arrays.find(owner->taken)->second;
  TileValue value;
  value.memref =
      program.refer(b, operand.ub.lookup(ArrayOp(owner->array).getSymName()));
  value.element = cast<MemRefType>(value.memref.getType()).getElementType();
  value.dims = getDims(operand, array);
  SmallVector<int64_t, 3> chunk = getChunk(operand);
  OpFoldResult zero = b.getIndexAttr(0);
  if (value.dims == kRows)
    value.memref = takeBox(b, value.memref, {zero}, {chunk[1]}, {});
  if (isInLanes(value.dims))
    value.memref = takeBox(b, value.memref, {zero, zero},
                           {value.dims & kRows ? chunk[1] : 1, chunk[2]},
                           {!(value.dims & kRows), false});
  return value;
}

/// Where what is loaded goes: values of rows are spread from there.
Value CubeNest::getLoaded(const CubeOperand &operand,
                          const ProducedArray &array, ImplicitLocOpBuilder &b) {
  StringRef name = ArrayOp(array.array).getSymName();
  BufferOp values = operand.values.lookup(name);
  return program.refer(b, values ? values : operand.ub.lookup(name));
}
