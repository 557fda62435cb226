// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "SumNest.h"
#include "TileViews.h"
#include "VectorBody.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static Value getIndex(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

static Value getF32(ImplicitLocOpBuilder &b, float value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(value));
}

static Value apply(ImplicitLocOpBuilder &b, Value index,
                   llvm::function_ref<AffineExpr(AffineExpr)> getExpr) {
  return affine::AffineApplyOp::create(
      b, AffineMap::get(1, 0, getExpr(b.getAffineDimExpr(0))),
      ValueRange(index));
}

/// A part of a memref of the same rank.
static Value takePart(ImplicitLocOpBuilder &b, Value memref,
                      ArrayRef<OpFoldResult> offsets, ArrayRef<int64_t> shape) {
  return takeBox(b, memref, offsets, shape, {});
}

isl::Set SumNest::getCounters(ArrayRef<int64_t> inner) const {
  isl::Set result(isl_map_domain(leaf->node->instances.copy()));
  for (int64_t count : inner) {
    unsigned dim = isl_set_dim(result.get(), isl_dim_set);
    result.reset(isl_set_add_dims(result.take(), isl_dim_set, 1));
    result.reset(isl_set_lower_bound_si(result.take(), isl_dim_set, dim, 0));
    result.reset(
        isl_set_upper_bound_si(result.take(), isl_dim_set, dim, count - 1));
  }
  return result;
}

LogicalResult SumNest::decide() {
  FailureOr<npu::Machine> machine = npu::getMachine(program.scop);
  if (failed(machine))
    return failure();
  slices = sums.getSlices(*machine);
  for (auto &own : plan.leaves)
    if (own->getStatement() == sums.sums.front().update)
      leaf = own.get();
  assert(leaf && "the sums are in the nest");
  for (auto [dim, size] : llvm::enumerate(leaf->box.sizes)) {
    int64_t needed = sums.isReduced[dim]              ? sums.extents[dim]
                     : dim + 1 == sums.extents.size() ? slices.columns
                                                      : 1;
    if (size != needed)
      return leaf->getStatement().emitOpError(
                 "has sums as products in tiles of ")
             << size << " iterations in dimension " << dim << "; " << needed
             << " are needed";
  }
  outer = getLoops(leaf->node).size();
  if (sums.hasSquares())
    squaresRow = resultRows++;
  if (llvm::any_of(sums.sums, [](auto &sum) { return !sum.isSquare; }))
    onesRow = resultRows++;
  addBuffers();
  return success();
}

void SumNest::addBuffers() {
  Builder builder(program.scop.getContext());
  Type f16 = builder.getF16Type(), f32 = builder.getF32Type();
  ArrayOp input = sums.input, result = sums.sums.front().getOutput();
  std::string name = input.getSymName().str();
  auto add = [&](StringRef suffix, ArrayRef<int64_t> shape, Type type,
                 npu::MemorySpace space) {
    return program.addBuffer((name + suffix).str(),
                             type == f32 ? result : input,
                             getBufferType(shape, type, space));
  };
  int64_t blocks = slices.blocks, step = slices.step;
  l1 = add("_l1", {blocks, slices.outer * slices.padded, 16}, f16,
           npu::MemorySpace::l1);
  l0b = add("_l0b", {step, blocks, 16, 16}, f16, npu::MemorySpace::l0b);
  l0c = add("_l0c", {blocks, resultRows, 16, 16}, f32, npu::MemorySpace::l0c);
  drained =
      add("_ub", {blocks, resultRows * 16, 16}, f32, npu::MemorySpace::ub);
  if (squaresRow >= 0) {
    l0a = add("_l0a", {blocks, step, 16, 16}, f16, npu::MemorySpace::l0a);
    // Bits of a block.
    diagonal =
        add("_diagonal", {32}, builder.getI8Type(), npu::MemorySpace::ub);
    zeros = add("_zeros", {16, 16}, f32, npu::MemorySpace::ub);
  }
  if (hasOnes()) {
    onesUb = add("_ones_ub", {step, 16, 16}, f16, npu::MemorySpace::ub);
    onesL1 = add("_ones_l1", {step, 16, 16}, f16, npu::MemorySpace::l1);
    onesL0 = add("_ones_l0a", {1, step, 16, 16}, f16, npu::MemorySpace::l0a);
  }
}

//===----------------------------------------------------------------------===//
// Constants
//===----------------------------------------------------------------------===//

void SumNest::fillSetup(ImplicitLocOpBuilder &b) {
  if (hasOnes()) {
    Value ub = program.refer(b, onesUb), l1 = program.refer(b, onesL1);
    npu::FillOp::create(b, getF32(b, 1), ub);
    npu::CopyOp::create(b, ub, l1, false, ValueRange());
    npu::LoadFractalsOp::create(b, l1, program.refer(b, onesL0), false,
                                ValueRange());
  }
  if (squaresRow < 0)
    return;
  // Bits where row and column are equal. The other elements are not multiplied
  // by 0, which would make NaN of those that are not finite.
  Value zero = program.refer(b, zeros);
  npu::FillOp::create(b, getF32(b, 0), zero);
  auto type = cast<MemRefType>(zero.getType());
  auto allocate = [&] {
    return npu::AllocOp::create(b, type, b.getI64IntegerAttr(1), IntegerAttr());
  };
  Value rows = allocate(), columns = allocate();
  for (int64_t row = 0; row < 16; ++row)
    npu::FillOp::create(
        b, getF32(b, row),
        takePart(b, rows, {b.getIndexAttr(row), b.getIndexAttr(0)}, {1, 16}));
  npu::TransposeOp::create(b, rows, columns);
  npu::CompareOp::create(b, npu::ComparePredicate::eq, rows, columns,
                         program.refer(b, diagonal));
}

isl::Schedule SumNest::emitSetup() {
  isl::Set once = program.ctx.parseSet("{ [] }");
  return program.addTile("ones", once,
                         [&](ImplicitLocOpBuilder &b, ValueRange) {
                           fillSetup(b);
                           return success();
                         });
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

void SumNest::fillPack(ImplicitLocOpBuilder &b, ValueRange counters) {
  SmallVector<TileNode *> loops = getLoops(leaf->node);
  TileOrigin origin(b, plan, loops, counters.take_front(outer));
  SmallVector<OpFoldResult> offsets = origin.get(leaf->box);
  unsigned rank = offsets.size();
  SmallVector<int64_t> shape(rank, 1);
  SmallVector<bool> isDropped(rank, true);
  isDropped[rank - 1] = isDropped[rank - 2] = false;
  shape[rank - 2] = slices.rows;
  shape[rank - 1] = slices.columns;
  // One counter for slices of both dimensions of rows.
  Value slice = getSliceCount() > 1 ? counters[outer] : getIndex(b, 0);
  Value first = apply(b, slice, [&](AffineExpr s) {
    return s % slices.rowCount * slices.rows;
  });
  offsets[rank - 2] = first;
  SmallVector<Value> upTo;
  if (sums.getRows() % slices.rows != 0) {
    AffineExpr at = b.getAffineDimExpr(0);
    auto map = AffineMap::get(
        1, 0, {b.getAffineConstantExpr(slices.rows), sums.getRows() - at},
        b.getContext());
    upTo = {affine::AffineMinOp::create(b, map, ValueRange(first)),
            getIndex(b, slices.columns)};
  }
  Value global = program.refer(b, sums.input), local = program.refer(b, l1);
  OpBuilder::InsertionGuard guard(b);
  OpFoldResult zero = b.getIndexAttr(0), place = zero;
  if (std::optional<unsigned> dim = sums.getOuterRows()) {
    Value begin = apply(b, slice, [&](AffineExpr s) {
      return s.floorDiv(slices.rowCount) * slices.outer;
    });
    offsets[*dim] = begin;
    if (slices.outer > 1) {
      auto loop = scf::ForOp::create(b, getIndex(b, 0),
                                     getIndex(b, slices.outer), getIndex(b, 1));
      b.setInsertionPointToStart(loop.getBody());
      Value number = loop.getInductionVar();
      AffineExpr d0 = b.getAffineDimExpr(0), d1 = b.getAffineDimExpr(1);
      offsets[*dim] =
          affine::AffineApplyOp::create(b, AffineMap::get(2, 0, d0 + d1),
                                        ValueRange{begin, number})
              .getResult();
      place = apply(b, number, [&](AffineExpr n) { return n * slices.padded; });
    }
  }
  npu::PackOp::create(b, takeBox(b, global, offsets, shape, isDropped),
                      takePart(b, local, {zero, place, zero},
                               {slices.blocks, slices.padded, 16}),
                      false, upTo);
}

isl::Schedule SumNest::emitPack() {
  SmallVector<int64_t> inner;
  if (getSliceCount() > 1)
    inner.push_back(getSliceCount());
  ArrayOp input = sums.input;
  return program.addTile("pack_" + input.getSymName().str(), getCounters(inner),
                         [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                           fillPack(b, counters);
                           return success();
                         });
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

void SumNest::fillLoad(ImplicitLocOpBuilder &b, ValueRange counters) {
  int64_t step = slices.step;
  OpFoldResult zero = b.getIndexAttr(0), at = zero;
  if (slices.steps > 1)
    at = apply(b, counters.back(),
               [&](AffineExpr n) { return n * (step * 16); });
  Value rows = takePart(b, program.refer(b, l1), {zero, at, zero},
                        {slices.blocks, step * 16, 16});
  npu::LoadFractalsOp::create(b, rows, program.refer(b, l0b), true,
                              ValueRange());
  if (squaresRow >= 0)
    npu::LoadFractalsOp::create(b, rows, program.refer(b, l0a), true,
                                ValueRange());
}

void SumNest::fillProduct(ImplicitLocOpBuilder &b, ValueRange counters) {
  int64_t blocks = slices.blocks, step = slices.step;
  OpFoldResult zero = b.getIndexAttr(0);
  // Nothing is added to the sums of the tile before.
  Value first;
  for (Value counter : counters.drop_front(outer)) {
    Value isZero = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, counter,
                                         getIndex(b, 0));
    first = first ? Value(arith::AndIOp::create(b, first, isZero)) : isZero;
  }
  Value right = program.refer(b, l0b), result = program.refer(b, l0c);
  auto multiply = [&](Value left, Value right, Value result) {
    npu::MatmulOp::create(b, left, right, result, first, !first,
                          DenseI64ArrayAttr(), ValueRange());
  };
  if (hasOnes())
    multiply(program.refer(b, onesL0), right,
             takePart(b, result, {zero, b.getIndexAttr(onesRow), zero, zero},
                      {blocks, 1, 16, 16}));
  if (squaresRow < 0)
    return;
  Value left = program.refer(b, l0a);
  // Of the product with itself only blocks on the diagonal.
  for (int64_t block = 0; block < blocks; ++block) {
    OpFoldResult index = b.getIndexAttr(block);
    multiply(takePart(b, left, {index, zero, zero, zero}, {1, step, 16, 16}),
             takePart(b, right, {zero, index, zero, zero}, {step, 1, 16, 16}),
             takePart(b, result,
                      {index, b.getIndexAttr(squaresRow), zero, zero},
                      {1, 1, 16, 16}));
  }
}

isl::Schedule SumNest::emitSteps() {
  SmallVector<int64_t> inner;
  if (getSliceCount() > 1)
    inner.push_back(getSliceCount());
  if (slices.steps > 1)
    inner.push_back(slices.steps);
  StatementOp statement = leaf->getStatement();
  ArrayOp input = sums.input;
  isl::Schedule load = program.addTile(
      "fractals_" + input.getSymName().str(), getCounters(inner),
      [&](ImplicitLocOpBuilder &b, ValueRange counters) {
        fillLoad(b, counters);
        return success();
      });
  isl::Schedule product = program.addTile(
      statement.getSymName().str() + "_tile", getCounters(inner),
      [&](ImplicitLocOpBuilder &b, ValueRange counters) {
        b.setLoc(statement.getLoc());
        fillProduct(b, counters);
        return success();
      });
  if (!load || !product)
    return isl::Schedule();
  return TileProgram::sequence(std::move(load), std::move(product));
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

LogicalResult SumNest::fillResults(ImplicitLocOpBuilder &b,
                                   ValueRange counters) {
  int64_t blocks = slices.blocks;
  Value from = program.refer(b, drained);
  npu::DrainOp::create(b, program.refer(b, l0c), from, false,
                       DenseI64ArrayAttr(), ValueRange());
  OpFoldResult zero = b.getIndexAttr(0);
  auto allocate = [&](ArrayRef<int64_t> shape, Type element) -> Value {
    return npu::AllocOp::create(
        b, getBufferType(shape, element, npu::MemorySpace::ub),
        b.getI64IntegerAttr(1), IntegerAttr());
  };
  Value squares;
  if (squaresRow >= 0) {
    Type f32 = b.getF32Type();
    Value product = allocate({blocks, 16, 16}, f32);
    Value bits = program.refer(b, diagonal);
    Value others = expandUnits(b, program.refer(b, zeros), {1, 16, 16});
    for (int64_t block = 0; block < blocks; ++block) {
      OpFoldResult index = b.getIndexAttr(block);
      npu::SelectOp::create(
          b, bits,
          takePart(b, from, {index, b.getIndexAttr(squaresRow * 16), zero},
                   {1, 16, 16}),
          others, takePart(b, product, {index, zero, zero}, {1, 16, 16}));
    }
    squares = allocate({blocks, 16}, f32);
    npu::ReduceOp::create(b, npu::ReduceKind::sum, product, squares);
  }
  SmallVector<TileNode *> loops = getLoops(leaf->node);
  TileOrigin origin(b, plan, loops, counters);
  SmallVector<OpFoldResult> all = origin.get(leaf->box), offsets;
  SmallVector<int64_t> shape;
  for (auto [dim, isReduced] : llvm::enumerate(sums.isReduced))
    if (!isReduced) {
      offsets.push_back(all[dim]);
      shape.push_back(1);
    }
  shape.back() = slices.columns;
  SmallVector<bool> isDropped(shape.size(), true);
  isDropped.back() = false;
  for (const ColumnSum &sum : sums.sums) {
    Value local = squares;
    if (!sum.isSquare)
      local = takeBox(b, from, {zero, b.getIndexAttr(onesRow * 16), zero},
                      {blocks, 1, 16}, {false, true, false});
    llvm::StringMap<TileValue> values;
    for (auto [array, statement] : sum.results) {
      StringRef name = array.getSymName();
      TileBuilder builder(b, {blocks, 16});
      TileValue own;
      own.memref = local;
      own.dims = builder.getAll();
      own.element = array.getTensorType().getElementType();
      if (statement) {
        Block &block = statement.getBody().front();
        BodyEvaluator body(builder, statement);
        auto read = cast<FlatSymbolRefAttr>(statement.getReadArrays()[0]);
        body.set(block.getArgument(0), values.lookup(read.getValue()));
        own.memref = allocate({blocks, 16}, own.element);
        if (failed(body.write(cast<YieldOp>(block.getTerminator()).getValue(),
                              builder.getAll(), own.memref)))
          return failure();
      }
      values[name] = own;
      if (!array.getOutputAttr())
        continue;
      Value global =
          takeBox(b, program.refer(b, array), offsets, shape, isDropped);
      Value rows = memref::ExpandShapeOp::create(
          b, ArrayRef<int64_t>{blocks, 1, 16}, own.memref,
          SmallVector<ReassociationIndices>{{0}, {1, 2}});
      npu::UnpackOp::create(b, rows,
                            expandUnits(b, global, {1, slices.columns}), false,
                            ValueRange());
    }
  }
  return success();
}

isl::Schedule SumNest::emitResults() {
  for (const ColumnSum &sum : sums.sums)
    for (auto [array, statement] : sum.results)
      if (statement)
        expandFunctions(statement.getBody().front());
  ArrayOp result = sums.sums.front().getOutput();
  return program.addTile("store_" + result.getSymName().str(), getCounters({}),
                         [&](ImplicitLocOpBuilder &b, ValueRange counters) {
                           return fillResults(b, counters);
                         });
}

//===----------------------------------------------------------------------===//
// The tree
//===----------------------------------------------------------------------===//

static isl::Schedule markBuffer(isl::Schedule schedule, BufferOp buffer) {
  if (!buffer || !schedule)
    return schedule;
  return TileProgram::mark(std::move(schedule),
                           ("buffer:" + buffer.getSymName()).str());
}

isl::Schedule SumNest::emit() {
  isl::Schedule setup = emitSetup(), pack = emitPack(), body = emitSteps(),
                results = emitResults();
  if (!setup || !pack || !body || !results)
    return isl::Schedule();
  body = markBuffer(std::move(body), l0a);
  body = markBuffer(std::move(body), l0b);
  bool hasSlices = getSliceCount() > 1;
  if (slices.steps > 1)
    body = TileProgram::loop(std::move(body), outer + hasSlices, 2);
  body = TileProgram::sequence(std::move(pack), std::move(body));
  body = markBuffer(std::move(body), l1);
  if (hasSlices)
    body = TileProgram::loop(std::move(body), outer, slices.steps > 1 ? 4 : 2);
  body = TileProgram::sequence(std::move(body), std::move(results));
  body = markBuffer(std::move(body), l0c);
  body = markBuffer(std::move(body), drained);
  for (unsigned depth = outer; depth-- > 0;)
    body = TileProgram::loop(std::move(body), depth, 4);
  body = TileProgram::sequence(std::move(setup), std::move(body));
  for (BufferOp buffer : {onesUb, onesL1, onesL0, diagonal, zeros})
    body = markBuffer(std::move(body), buffer);
  return body;
}
