// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loads, fractals and products of a contraction.

#include "CubeNest.h"
#include "TileViews.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

/// min(size, total - unit * counter - …): what is left of a sum at a slice.
static Value getRest(ImplicitLocOpBuilder &b, int64_t size, int64_t total,
                     ArrayRef<std::pair<Value, int64_t>> counters) {
  AffineExpr rest = b.getAffineConstantExpr(total);
  SmallVector<Value> operands;
  for (auto [counter, unit] : counters) {
    rest = rest - b.getAffineDimExpr(operands.size()) * unit;
    operands.push_back(counter);
  }
  auto map =
      AffineMap::get(operands.size(), 0, {b.getAffineConstantExpr(size), rest},
                     b.getContext());
  return affine::AffineMinOp::create(b, map, operands);
}

static Value getIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

//===----------------------------------------------------------------------===//
// Tails
//===----------------------------------------------------------------------===//

Value CubeNest::getRows(const CubeOperand &operand, int64_t full,
                        ImplicitLocOpBuilder &b, ValueRange counters) const {
  if (!operand.tailLoop)
    return getIndex(b, full);
  return getRest(b, operand.rows, operand.total,
                 {{counters[*operand.tailLoop], operand.rows}});
}

/// `tail` in the last tile of the rows, `full` in others.
static Value chooseRows(const CubeOperand &rows, ImplicitLocOpBuilder &b,
                        ValueRange counters, Value tail, Value full) {
  Value last = getIndex(b, rows.total / rows.rows);
  Value isTail = arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                       counters[*rows.tailLoop], last);
  return arith::SelectOp::create(b, isTail, tail, full);
}

Value CubeNest::getPartRows(ImplicitLocOpBuilder &b,
                            ValueRange counters) const {
  if (!rows.tailLoop || parts == 1)
    return getRows(rows, partPadded, b, counters);
  return chooseRows(rows, b, counters,
                    getIndex(b, rows.total % rows.rows / parts),
                    getIndex(b, partRows));
}

Value CubeNest::getPartStart(Value part, int64_t unit, ImplicitLocOpBuilder &b,
                             ValueRange counters) const {
  auto scale = [&](int64_t size) -> Value {
    return affine::AffineApplyOp::create(
        b, AffineMap::get(1, 0, b.getAffineDimExpr(0) * (size / unit)),
        ValueRange(part));
  };
  if (!rows.tailLoop)
    return scale(partPadded);
  return chooseRows(rows, b, counters, scale(rows.total % rows.rows / parts),
                    scale(partRows));
}

//===----------------------------------------------------------------------===//
// Slices in L1
//===----------------------------------------------------------------------===//

OpFoldResult CubeNest::getPanelNumber(const CubeOperand &operand,
                                      ImplicitLocOpBuilder &b,
                                      ValueRange counters) const {
  AffineExpr number = b.getAffineConstantExpr(0);
  SmallVector<Value> operands;
  auto add = [&](Value counter, int64_t factor) {
    number = number + b.getAffineDimExpr(operands.size()) * factor;
    operands.push_back(counter);
  };
  if (image && columnTiles > 1)
    add(counters[outer - 1], slices);
  if (!sumLoops.empty())
    add(counters[outer], 1);
  if (operands.empty())
    return b.getIndexAttr(0);
  if (operand.stream)
    number = (number * operand.resident).floorDiv(slices);
  if (isa<AffineDimExpr>(number))
    return operands.front();
  return affine::AffineApplyOp::create(
             b, AffineMap::get(operands.size(), 0, number), operands)
      .getResult();
}

isl::Set CubeNest::restrictToPanel(const CubeOperand &operand,
                                   isl::Set counters, bool isStream) const {
  if (!operand.stream)
    return counters;
  // Slice k stays if there is a multiple of `slices` from resident * k + 1 to
  // resident * (k + 1): every other one, say, so that loads are evenly spread.
  isl_ctx *ctx = isl_set_get_ctx(counters.get());
  isl::Space space(isl_set_get_space(counters.get()));
  isl::Aff number(isl_aff_var_on_domain(
      isl_local_space_from_space(space.take()), isl_dim_set, outer));
  number = isl::Aff(isl_aff_scale_val(
      number.take(), isl_val_int_from_si(ctx, operand.resident)));
  number = isl::Aff(
      isl_aff_mod_val(number.take(), isl_val_int_from_si(ctx, slices)));
  isl::Space domain(isl_set_get_space(counters.get()));
  isl::Aff least(isl_aff_val_on_domain_space(
      domain.take(), isl_val_int_from_si(ctx, slices - operand.resident)));
  isl::Set chosen(isStream ? isl_aff_lt_set(number.take(), least.take())
                           : isl_aff_ge_set(number.take(), least.take()));
  return isl::Set(isl_set_intersect(counters.take(), chosen.take()));
}

Value CubeNest::getSlicePlace(const CubeOperand &operand, bool isStream,
                              ImplicitLocOpBuilder &b, ValueRange counters) {
  Value local = program.refer(b, isStream ? operand.stream : operand.l1);
  if (!operand.isPanel || isStream)
    return local;
  SmallVector<OpFoldResult> at(4, b.getIndexAttr(0));
  at[0] = getPanelNumber(operand, b, counters);
  return takeBox(b, local, at, {1, slice / c0, operand.padded, c0},
                 {true, false, false, false});
}

Value CubeNest::getTerms(int64_t size, ImplicitLocOpBuilder &b,
                         ValueRange counters) const {
  if (sumLoops.empty() || terms % size == 0)
    return Value();
  return getRest(b, size, terms, {{counters[outer], size}});
}

LogicalResult CubeNest::fillPack(const CubeOperand &operand, bool isStream,
                                 ImplicitLocOpBuilder &b, ValueRange counters) {
  SmallVector<TileNode *> loops = getLoops(sums->node);
  loops.truncate(counters.size());
  TileOrigin origin(b, plan, loops, counters);
  SmallVector<OpFoldResult> offsets = origin.get(operand.slice);
  SmallVector<bool> isDropped(offsets.size(), true);
  isDropped[operand.sumDim] = false;
  SmallVector<int64_t> shape(operand.slice.sizes);
  if (operand.hasRows)
    isDropped[operand.rowDim] = false;
  Value global =
      takeBox(b, program.refer(b, operand.array), offsets, shape, isDropped);
  // A vector is a matrix of one column.
  if (!operand.hasRows)
    global = expandUnits(b, global, {1, shape[operand.sumDim]});
  Value local = getSlicePlace(operand, isStream, b, counters);
  // The last slice may be shorter.
  SmallVector<Value> upTo;
  int64_t size = shape[operand.sumDim];
  bool isTransposed = operand.hasRows && operand.isTransposed();
  Value rest = getTerms(size, b, counters);
  if (rest || operand.tailLoop) {
    upTo = {getRows(operand, operand.rows, b, counters),
            rest ? rest : getIndex(b, size)};
    if (isTransposed)
      std::swap(upTo[0], upTo[1]);
  }
  npu::PackOp::create(b, global, local, isTransposed, upTo);
  return success();
}

isl::Schedule CubeNest::emitPack(const CubeOperand &operand, bool isStream) {
  unsigned depth = outer + (sumLoops.empty() ? 0 : 1);
  isl::Set counters =
      restrictToPanel(operand, getCounters(*sums, depth), isStream);
  // A panel comes with the first tile that uses it; that of weights is used by
  // all images and positions.
  unsigned first = image ? 0 : panelLoop, last = image ? outer - 1 : outer;
  for (unsigned loop = first; operand.isPanel && !isStream && loop < last;
       ++loop)
    counters = isl::Set(isl_set_fix_si(counters.take(), isl_dim_set, loop, 0));
  if (operand.isProduced())
    return emitProducers(operand, isStream, std::move(counters));
  ArrayOp array = operand.array;
  return program.addTile("pack_" + array.getSymName().str(), counters,
                         [&](ImplicitLocOpBuilder &b, ValueRange values) {
                           if (!image)
                             return fillPack(operand, isStream, b, values);
                           fillWeights(b, values);
                           return success();
                         });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void CubeNest::fillLoad(const CubeOperand &operand, bool isStream,
                        ImplicitLocOpBuilder &b, ValueRange counters) {
  Value from = program.refer(b, isStream ? operand.stream : operand.l1);
  OpFoldResult zero = b.getIndexAttr(0);
  OpFoldResult fractal = zero;
  if (sumLoops.size() == 2)
    fractal = affine::AffineApplyOp::create(
                  b, AffineMap::get(1, 0, b.getAffineDimExpr(0) * (step / c0)),
                  ValueRange(counters[outer + 1]))
                  .getResult();
  if (operand.isPanel && !isStream) {
    OpFoldResult number = getPanelNumber(operand, b, counters);
    from = takeBox(b, from, {number, fractal, zero, zero},
                   {1, step / c0, operand.padded, c0},
                   {true, false, false, false});
  } else {
    from = takeBox(b, from, {fractal, zero, zero},
                   {step / c0, operand.padded, c0}, {});
  }
  npu::LoadFractalsOp::create(b, from, program.refer(b, operand.l0), false,
                              ValueRange());
}

isl::Schedule CubeNest::emitLoad(const CubeOperand &operand, bool isStream) {
  ArrayOp array = operand.array;
  return program.addTile("fractals_" + array.getSymName().str(),
                         restrictToPanel(operand, getStepCounters(), isStream),
                         [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                           if (image && &operand == &rows)
                             fillImg2col(b, counters);
                           else
                             fillLoad(operand, isStream, b, counters);
                           return success();
                         });
}

Value CubeNest::getSums(ImplicitLocOpBuilder &b, ValueRange counters) {
  Value all = program.refer(b, l0c);
  if (!isSkewed)
    return all;
  // The number of the tile, modulo 2.
  AffineExpr number = b.getAffineConstantExpr(0);
  SmallVector<int64_t> counts = getTileCounts();
  for (auto [depth, count] : llvm::enumerate(counts))
    number = number * count + b.getAffineDimExpr(depth);
  auto map = AffineMap::get(counts.size(), 0, number % 2);
  auto half =
      affine::AffineApplyOp::create(b, map, counters.take_front(counts.size()));
  OpFoldResult zero = b.getIndexAttr(0);
  SmallVector<int64_t> shape(l0c.getMemRefType().getShape());
  shape.front() = 1;
  return takeBox(b, all, {half.getResult(), zero, zero, zero, zero}, shape,
                 {true, false, false, false, false});
}

void CubeNest::fillProduct(ImplicitLocOpBuilder &b, ValueRange counters) {
  Value left = program.refer(b, rows.l0);
  Value right = program.refer(b, columns.l0);
  Value sum = getSums(b, counters);
  SmallVector<std::pair<Value, int64_t>> places;
  SmallVector<int64_t> units{slice, step};
  for (size_t i = 0; i < sumLoops.size(); ++i)
    places.push_back({counters[outer + i], units[i]});
  // Nothing is added to the sums of the tile before.
  Value first, last;
  auto combine = [&](Value left, Value right) -> Value {
    return left ? Value(arith::AndIOp::create(b, left, right)) : right;
  };
  for (auto [number, place] : llvm::enumerate(places)) {
    Value zero = getIndex(b, 0);
    first = combine(first, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                                 place.first, zero));
    int64_t remaining = number == 0 ? terms : terms - (slices - 1) * slice;
    int64_t lastOne = (remaining + units[number] - 1) / units[number] - 1;
    last =
        combine(last, arith::CmpIOp::create(b, arith::CmpIPredicate::eq,
                                            place.first, getIndex(b, lastOne)));
  }
  auto multiply = [&](Value a, Value c, bool isPart, Value initialise,
                      bool isFirst) {
    SmallVector<Value> upTo;
    // Where zeros are computed with, they are not zeros any more.
    bool isComputed = rows.isProduced() || columns.isProduced();
    bool hasRest = !image && (places.empty() ? isComputed && terms % c0 != 0
                                             : terms % step != 0);
    if (hasRest || hasTails())
      upTo = {isPart ? getPartRows(b, counters)
                     : getRows(rows, rows.padded, b, counters),
              getRows(columns, columns.padded, b, counters),
              hasRest ? getRest(b, step, terms, places) : getIndex(b, step)};
    npu::MatmulOp::create(b, a, right, c, initialise, isFirst,
                          DenseI64ArrayAttr(), upTo);
  };
  if (parts == 1 || !first) {
    multiply(left, sum, false, first, !first);
    return;
  }
  // The first and the last product are made part by part, so that the parts
  // that have been drained take the next sums, and are drained when done.
  auto multiplyParts = [&](bool isFirst) {
    OpBuilder::InsertionGuard guard(b);
    auto loop = scf::ForOp::create(b, getIndex(b, 0), getIndex(b, parts),
                                   getIndex(b, 1));
    b.setInsertionPointToStart(loop.getBody());
    int64_t blocks = partPadded / 16;
    OpFoldResult zero = b.getIndexAttr(0);
    OpFoldResult at = getPartStart(loop.getInductionVar(), 16, b, counters);
    Value a = takeBox(b, left, {at, zero, zero, zero},
                      {blocks, step / c0, 16, c0}, {});
    Value c = takeBox(b, sum, {zero, at, zero, zero},
                      {getColumnBlocks(), blocks, 16, 16}, {});
    multiply(a, c, true, Value(), isFirst);
  };
  auto branch = scf::IfOp::create(b, first, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&branch.getThenRegion().front());
  multiplyParts(true);
  b.setInsertionPointToStart(&branch.getElseRegion().front());
  auto inner = scf::IfOp::create(b, last, /*withElseRegion=*/true);
  b.setInsertionPointToStart(&inner.getThenRegion().front());
  multiplyParts(false);
  b.setInsertionPointToStart(&inner.getElseRegion().front());
  multiply(left, sum, false, Value(), false);
}

isl::Schedule CubeNest::emitProduct() {
  isl::Set counters = getStepCounters();
  return program.addTile(getStatement().getSymName().str() + "_tile", counters,
                         [&](ImplicitLocOpBuilder &b, ValueRange values) {
                           b.setLoc(getStatement().getLoc());
                           fillProduct(b, values);
                           return success();
                         });
}

static isl::Schedule markBuffer(isl::Schedule schedule, BufferOp buffer) {
  return TileProgram::mark(std::move(schedule),
                           ("buffer:" + buffer.getSymName()).str());
}

isl::Schedule CubeNest::emitSlice() {
  isl::Schedule product;
  for (CubeOperand *operand : {&rows, &columns})
    for (bool isStream : {false, true}) {
      if (isStream && !operand->stream)
        continue;
      isl::Schedule load = emitLoad(*operand, isStream);
      if (!load)
        return load;
      product = TileProgram::sequence(std::move(product), std::move(load));
    }
  isl::Schedule multiply = emitProduct();
  if (!multiply)
    return multiply;
  product = TileProgram::sequence(std::move(product), std::move(multiply));
  product = markBuffer(std::move(product), rows.l0);
  product = markBuffer(std::move(product), columns.l0);
  if (sumLoops.size() == 2)
    product = TileProgram::loop(std::move(product), outer + 1, 2);
  // What computes a factor is an iteration ahead of the product.
  if (product && (rows.isProduced() || columns.isProduced()))
    product = TileProgram::mark(std::move(product), "stage:1");
  isl::Schedule body;
  for (CubeOperand *operand : {&columns, &rows}) {
    if (isLoadedBefore(*operand) || (image && operand == &rows))
      continue;
    for (bool isStream : {false, true}) {
      if (isStream && !operand->stream)
        continue;
      isl::Schedule pack = emitPack(*operand, isStream);
      if (!pack)
        return pack;
      body = TileProgram::sequence(std::move(body), std::move(pack));
    }
  }
  body = TileProgram::sequence(std::move(body), std::move(product));
  for (CubeOperand *operand : {&rows, &columns}) {
    if (!operand->isPanel && !(image && operand == &rows))
      body = markBuffer(std::move(body), operand->l1);
    if (operand->stream)
      body = markBuffer(std::move(body), operand->stream);
  }
  return body;
}

isl::Schedule CubeNest::emitTile() {
  isl::Schedule body = emitSlice();
  if (body && !sumLoops.empty())
    body =
        TileProgram::loop(std::move(body), outer, sumLoops.size() == 2 ? 4 : 2);
  isl::Schedule after = body ? emitParts() : isl::Schedule();
  if (!after)
    return after;
  body = TileProgram::sequence(std::move(body), std::move(after));
  body = addSharedLoads(std::move(body));
  // Sums that fill less than half of L0C may overlap with those of the next
  // tile; others must stay where they are for parts to overlap.
  if (body && hasTwoSums)
    body = markBuffer(std::move(body), l0c);
  return body;
}

isl::Schedule CubeNest::emitSkewedTile() {
  int64_t underWay = sumLoops.size() == 2 ? 4 : 2;
  isl::Schedule body = emitSlice();
  if (body && !isSpread() && !sumLoops.empty())
    body = TileProgram::loop(std::move(body), outer, underWay);
  isl::Schedule after = body ? emitParts() : isl::Schedule();
  if (!after || failed(TileProgram::setDelay(after, 1, delays)))
    return isl::Schedule();
  body = TileProgram::sequence(std::move(body), std::move(after));
  if (isSpread()) {
    body =
        TileProgram::spreadLoop(std::move(body), outer, delays, slices, parts);
    if (body)
      body = TileProgram::markLoop(std::move(body), underWay);
  }
  return body ? addSharedLoads(std::move(body)) : std::move(body);
}

/// One loop, so that what follows the last tile of an inner loop is computed
/// beside the next one, too.
isl::Schedule CubeNest::addSkewedLoop(isl::Schedule body) {
  if (!body)
    return body;
  SmallVector<int64_t> counts = getTileCounts();
  body = TileProgram::skewedLoop(std::move(body), counts, delays);
  return body ? TileProgram::markLoop(std::move(body), 4) : std::move(body);
}

isl::Schedule CubeNest::addOuterLoops(isl::Schedule body) {
  for (unsigned depth = outer; depth-- > 0 && body;) {
    body = TileProgram::loop(std::move(body), depth, 4);
    if (body && image && depth == imageDepth) {
      isl::Schedule load = emitImage();
      if (!load)
        return load;
      body = TileProgram::sequence(std::move(load), std::move(body));
      body = markBuffer(std::move(body), rows.l1);
    }
    for (CubeOperand *operand : {&columns, &rows}) {
      if (!isLoadedBefore(*operand) || depth != (image ? 0 : panelLoop))
        continue;
      isl::Schedule pack = emitPack(*operand);
      if (!pack)
        return pack;
      body = TileProgram::sequence(std::move(pack), std::move(body));
    }
  }
  return body;
}

isl::Schedule CubeNest::emit() {
  isl::Schedule body =
      isSkewed ? addSkewedLoop(emitSkewedTile()) : addOuterLoops(emitTile());
  if (body)
    body = addSharedLoads(std::move(body), /*isOfAll=*/true);
  if (!body)
    return body;
  if (isSkewed || !hasTwoSums)
    body = markBuffer(std::move(body), l0c);
  for (CubeOperand *operand : {&rows, &columns})
    if (operand->isPanel)
      body = markBuffer(std::move(body), operand->l1);
  return body;
}
