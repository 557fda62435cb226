// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions: whole rows of images in L1, of which img2col makes the rows of
// the product, and weights in the order of its terms.

#include "CubeNest.h"
#include "Dialect/Poly/Transforms/CubeSizes.h"
#include "TileViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

LogicalResult CubeNest::analyseConvolution() {
  StatementOp statement = getStatement();
  Img2colAttr img2col = *statement.getImg2col();
  auto getArray = [&](unsigned read) {
    return findArray(
        program.scop,
        cast<FlatSymbolRefAttr>(statement.getReadArrays()[read]).getValue());
  };
  rows.array = getArray(0);
  columns.array = getArray(1);
  if (!columns.array.getInputAttr())
    return emitError() << "has weights that are computed on the core, which is "
                          "only supported for images";
  if (rowDim < 0)
    return emitError() << "is a convolution without positions";
  int64_t block = img2col.getTaps() * c0;
  CubeSizes sizes;
  sizes.terms = terms;
  sizes.fractal = c0;
  sizes.block = block;
  if (!sizes.canDivide(slice, step))
    return emitError() << "adds up in slices of " << slice << " and steps of "
                       << step << " terms; slices of a convolution are "
                       << "multiples of " << block << " that divide " << terms
                       << ", and steps divide slices";
  auto extent = getLargest(getDomain(program.ctx, statement), rowDim);
  if (!extent)
    return emitError() << "has an unknown number of positions";
  positions = sums->box.sizes[rowDim];
  sizes.positions = *extent + 1;
  if (!sizes.canHave(images, positions))
    return emitError() << "has tiles of " << images << " images and "
                       << positions << " of " << *extent + 1
                       << " positions; with several images they must be all";
  if (int64_t(img2col.getOutputWidth()) > *extent + 1 ||
      (*extent + 1) % img2col.getOutputWidth() != 0)
    return emitError() << "has " << *extent + 1
                       << " positions, which are not whole rows of "
                       << img2col.getOutputWidth();
  ArrayRef<int64_t> shape = rows.array.getTensorType().getShape();
  image.emplace(img2col, shape, *extent + 1, positions, c0);
  imagePadded = llvm::alignTo(positions, 16);
  if (image->width > kMostPacked)
    return emitError() << "reads images with rows of " << image->width
                       << " elements, but the most is " << kMostPacked;
  if (terms > image->blocks * block)
    return emitError() << "adds up " << terms << " terms, but @"
                       << rows.array.getSymName() << " has channels for "
                       << image->blocks * block;
  rows.rows = positions;
  rows.padded = imagePadded * images;
  columns.rows = sums->box.sizes[columnDim];
  columns.padded = llvm::alignTo(columns.rows, 16);
  columns.slice.sizes = {img2col.getTaps(), slice / img2col.getTaps(),
                         columns.rows};
  // Loops around a tile are those over images, positions and columns.
  SmallVector<TileNode *> loops = getLoops(sums->node);
  bool hasOrder = outer == unsigned(imageDim >= 0) + 2;
  unsigned number = 0;
  for (int dim : {imageDim, rowDim, columnDim}) {
    if (dim < 0)
      continue;
    for (unsigned loop = 0; loop < outer; ++loop)
      if (loop != number && sums->box.offsets[dim].getFactor(loop) != 0)
        hasOrder = false;
    ++number;
  }
  if (!hasOrder)
    return emitError() << "has other loops around the tiles of a convolution "
                          "than one each for images, positions and columns";
  imageDepth = outer - (image->isWhole ? 2 : 1);
  columnTiles = plan.loops.find(loops[outer - 1])->second.count;
  FailureOr<npu::Machine> machine = npu::getMachine(program.scop);
  if (failed(machine))
    return failure();
  // Weights stay in L1 if they fit beside two tiles of images.
  int64_t bytes = c0 == 16 ? 2 : 1;
  int64_t all = columnTiles * terms * columns.padded;
  columns.isPanel =
      program.promotes && (all + 2 * images * image->getElements(c0)) * bytes <=
                              machine->getCapacity(npu::Space::l1);
  return analyseProducers(rows);
}

SmallVector<OpFoldResult> CubeNest::getOrigin(ImplicitLocOpBuilder &b,
                                              ValueRange counters,
                                              unsigned depth) const {
  SmallVector<TileNode *> loops = getLoops(sums->node);
  loops.truncate(depth);
  TileOrigin origin(b, plan, loops, counters.take_front(depth));
  SmallVector<OpFoldResult> values;
  for (auto [dim, offset] : llvm::enumerate(sums->box.offsets)) {
    // Loops further in do not count.
    Linear outside = offset;
    if (outside.factors.size() > depth)
      outside.factors.truncate(depth);
    values.push_back(origin.get(outside));
  }
  return values;
}

OpFoldResult CubeNest::getFirstRow(ImplicitLocOpBuilder &b,
                                   OpFoldResult position) const {
  if (image->isWhole)
    return b.getIndexAttr(0);
  AffineExpr row =
      b.getAffineDimExpr(0).floorDiv(image->outputWidth) - image->halo;
  MLIRContext *context = b.getContext();
  OpFoldResult bounded = affine::makeComposedFoldedAffineMin(
      b, b.getLoc(),
      AffineMap::get(1, 0, {row, b.getAffineConstantExpr(image->lastStart)},
                     context),
      {position});
  return affine::makeComposedFoldedAffineMax(
      b, b.getLoc(),
      AffineMap::get(1, 0, {b.getAffineDimExpr(0), b.getAffineConstantExpr(0)},
                     context),
      {bounded});
}

static OpFoldResult apply(ImplicitLocOpBuilder &b, AffineExpr expr,
                          ArrayRef<OpFoldResult> operands) {
  return affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), AffineMap::get(operands.size(), 0, expr), operands);
}

static Value toValue(ImplicitLocOpBuilder &b, OpFoldResult value) {
  return getValueOrCreateConstantIndexOp(b, b.getLoc(), value);
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

isl::Schedule CubeNest::emitImage() {
  if (rows.isProduced())
    return emitProducers(rows, /*isStream=*/false,
                         getCounters(*sums, imageDepth));
  ArrayOp array = rows.array;
  return program.addTile("load_" + array.getSymName().str(),
                         getCounters(*sums, imageDepth),
                         [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                           fillImage(b, counters);
                           return success();
                         });
}

bool CubeNest::areRowsOneMatrix() const {
  int64_t pitch =
      image->rowStep * ArrayOp(rows.array).getTensorType().getDimSize(2);
  return pitch == image->width * image->columnStep || image->rows == 1;
}

Value CubeNest::takeImageRows(ImplicitLocOpBuilder &b, ValueRange counters,
                              Value global, ArrayRef<int> dims,
                              OpFoldResult number, OpFoldResult row,
                              int64_t count) {
  SmallVector<OpFoldResult> origin = getOrigin(b, counters, imageDepth);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  // Row `row` of the buffer.
  OpFoldResult first = apply(b, (d0 * image->strides[0] + d1) * image->rowStep,
                             {getFirstRow(b, origin[rowDim]), row});
  OpFoldResult which =
      imageDim >= 0 ? apply(b, d0 + d1, {origin[imageDim], number}) : zero;
  // Of images, height, width and channels, and of other dimensions.
  OpFoldResult starts[] = {which, first, zero, zero};
  int64_t steps[] = {1, image->rowStep, image->columnStep, 1};
  int64_t counts[] = {1, count, image->width, 1};
  ArrayRef<int64_t> all = cast<MemRefType>(global.getType()).getShape();
  SmallVector<OpFoldResult> offsets, sizes, strides;
  SmallVector<int64_t> shape;
  for (auto [dim, own] : llvm::enumerate(dims)) {
    int64_t size = own < 0 ? 1 : own == 3 ? all[dim] : counts[own];
    offsets.push_back(own < 0 ? zero : starts[own]);
    sizes.push_back(b.getIndexAttr(size));
    strides.push_back(own < 0 ? one : b.getIndexAttr(steps[own]));
    if (own > 0)
      shape.push_back(size);
  }
  auto type = memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(global.getType()), offsets, sizes, strides);
  Value view = memref::SubViewOp::create(b, cast<MemRefType>(type), global,
                                         offsets, sizes, strides);
  SmallVector<ReassociationIndices> groups{{0, 1}};
  if (shape.size() == 3)
    groups.push_back({2});
  return memref::CollapseShapeOp::create(b, view, groups);
}

Value CubeNest::takeLocalRows(ImplicitLocOpBuilder &b, Value local,
                              OpFoldResult number, OpFoldResult row,
                              int64_t count) {
  OpFoldResult zero = b.getIndexAttr(0);
  Value to = takeBox(b, local, {number, zero, row, zero, zero},
                     {1, image->blocks, count, image->width, c0},
                     {true, false, false, false, false});
  return memref::CollapseShapeOp::create(
      b, to, SmallVector<ReassociationIndices>{{0}, {1, 2}, {3}});
}

void CubeNest::fillImage(ImplicitLocOpBuilder &b, ValueRange counters) {
  OpFoldResult zero = b.getIndexAttr(0), one = b.getIndexAttr(1);
  bool isOne = areRowsOneMatrix();
  int64_t atOnce = isOne ? kMostPacked / image->width : 1;
  Value global = program.refer(b, rows.array),
        local = program.refer(b, rows.l1);
  auto load = [&](OpFoldResult number, OpFoldResult row, int64_t count) {
    Value from =
        takeImageRows(b, counters, global, {0, 1, 2, 3}, number, row, count);
    npu::PackOp::create(b, from, takeLocalRows(b, local, number, row, count),
                        /*transposed=*/false, ValueRange());
  };
  for (int64_t number = 0; number < images; ++number) {
    OpFoldResult which = b.getIndexAttr(number);
    if (isOne || image->rows <= 4) {
      for (int64_t row = 0; row < image->rows; row += atOnce)
        load(which, b.getIndexAttr(row), std::min(atOnce, image->rows - row));
      continue;
    }
    auto loop = scf::ForOp::create(b, toValue(b, zero),
                                   toValue(b, b.getIndexAttr(image->rows)),
                                   toValue(b, one));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    load(which, loop.getInductionVar(), 1);
  }
}

void CubeNest::fillImg2col(ImplicitLocOpBuilder &b, ValueRange counters) {
  SmallVector<OpFoldResult> origin = getOrigin(b, counters, outer);
  AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult position =
      apply(b, d0 - d1 * image->outputWidth,
            {origin[rowDim], getFirstRow(b, origin[rowDim])});
  AffineExpr term = b.getAffineConstantExpr(0);
  SmallVector<OpFoldResult> operands;
  int64_t units[] = {slice, step};
  for (size_t i = 0; i < sumLoops.size(); ++i) {
    term = term + b.getAffineDimExpr(i) * units[i];
    operands.push_back(counters[outer + i]);
  }
  Value m = toValue(b, position), k = toValue(b, apply(b, term, operands));
  Value from = program.refer(b, rows.l1), to = program.refer(b, rows.l0);
  int64_t blocks = imagePadded / 16;
  for (int64_t number = 0; number < images; ++number) {
    Value source =
        takeBox(b, from, {b.getIndexAttr(number), zero, zero, zero, zero},
                {1, image->blocks, image->rows, image->width, c0},
                {true, false, false, false, false});
    Value target =
        takeBox(b, to, {b.getIndexAttr(number * blocks), zero, zero, zero},
                {blocks, step / c0, 16, c0}, {});
    npu::Img2colOp::create(b, source, m, k, target, image->kernel,
                           image->strides, image->pads, image->outputWidth,
                           ValueRange());
  }
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

/// Terms are (c1, kh, kw, c0): the channels of each element of the kernel are
/// spread over fractals.
void CubeNest::fillWeights(ImplicitLocOpBuilder &b, ValueRange counters) {
  SmallVector<OpFoldResult> origin = getOrigin(b, counters, outer);
  AffineExpr d0 = b.getAffineDimExpr(0);
  OpFoldResult zero = b.getIndexAttr(0);
  ArrayRef<int64_t> shape = columns.array.getTensorType().getShape();
  int64_t taps = shape[0], blocks = slice / (taps * c0);
  int64_t channels = std::min(blocks * c0, shape[1]);
  OpFoldResult channel = zero;
  if (!sumLoops.empty() && slices > 1)
    channel = apply(b, d0 * (blocks * c0), {counters[outer]});
  Value global = program.refer(b, columns.array);
  Value local = program.refer(b, columns.l1);
  if (columns.isPanel)
    local = takeBox(
        b, local, {getPanelNumber(columns, b, counters), zero, zero, zero},
        {1, slice / c0, columns.padded, c0}, {true, false, false, false});
  local = memref::ExpandShapeOp::create(
      b, ArrayRef<int64_t>{blocks, taps, columns.padded, c0}, local,
      SmallVector<ReassociationIndices>{{0, 1}, {2}, {3}});
  SmallVector<Value> upTo;
  if (slices > 1 && shape[1] % channels != 0) {
    // The last slice may have fewer channels.
    upTo = {affine::AffineMinOp::create(
                b,
                AffineMap::get(
                    1, 0, {b.getAffineConstantExpr(channels), shape[1] - d0},
                    b.getContext()),
                ValueRange(toValue(b, channel))),
            toValue(b, b.getIndexAttr(columns.rows))};
  }
  for (int64_t tap = 0; tap < taps; ++tap) {
    Value from =
        takeBox(b, global, {b.getIndexAttr(tap), channel, origin[columnDim]},
                {1, channels, columns.rows}, {true, false, false});
    Value to =
        takeBox(b, local, {zero, b.getIndexAttr(tap), zero, zero},
                {blocks, 1, columns.padded, c0}, {false, true, false, false});
    npu::PackOp::create(b, from, to, /*transposed=*/true, upTo);
  }
}
