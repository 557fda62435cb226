// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One statement of the vector unit for a whole tile.

#include "TileViews.h"
#include "VectorNest.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace gc;
using namespace gc::poly;

std::optional<Reduction> gc::poly::getReduction(StatementOp statement) {
  if (!isUpdate(statement))
    return std::nullopt;
  Block &body = statement.getBody().front();
  Operation *combine =
      cast<YieldOp>(body.getTerminator()).getValue().getDefiningOp();
  std::optional<npu::ReduceKind> kind = getReduceKind(combine);
  if (!kind)
    return std::nullopt;
  if (auto select = dyn_cast<arith::SelectOp>(combine))
    combine = select.getCondition().getDefiningOp();
  for (unsigned side : {0, 1}) {
    auto argument = dyn_cast<BlockArgument>(combine->getOperand(side));
    if (!argument || argument.getOwner() != &body)
      continue;
    unsigned number = argument.getArgNumber();
    auto array = cast<FlatSymbolRefAttr>(statement.getReadArrays()[number]);
    if (array.getValue() == statement.getWrittenArray())
      return Reduction{*kind, argument, combine->getOperand(1 - side)};
  }
  return std::nullopt;
}

FailureOr<TileValue> VectorNest::view(const LeafPlan &leaf,
                                      ImplicitLocOpBuilder &b,
                                      const TileOrigin &origin, StringRef array,
                                      const Projection &access, const Box &box,
                                      ArrayRef<int> iteration) {
  const Tile &tile = tiles.find(array)->second;
  if (tile.isMoved)
    return viewMoved(leaf, tile, b, access, box, iteration);
  SmallVector<OpFoldResult> all = origin.get(box, tile.plan->box);
  SmallVector<OpFoldResult> offsets;
  SmallVector<int64_t> sizes;
  SmallVector<bool> isDropped;
  TileValue result;
  ArrayOp op = tile.plan->array;
  result.element = op.getTensorType().getElementType();
  for (unsigned dim : tile.kept) {
    offsets.push_back(all[dim]);
    sizes.push_back(box.sizes[dim]);
    int own = access.dims[dim] < 0 ? -1 : iteration[access.dims[dim]];
    isDropped.push_back(own < 0);
    if (own < 0)
      continue;
    result.dims |= DimMask(1) << own;
  }
  Value buffer = program.refer(b, tile.buffer);
  // One element stays a tile of one dimension.
  if (result.dims == 0) {
    if (sizes.empty()) {
      offsets.push_back(b.getIndexAttr(0));
      sizes.push_back(1);
      isDropped.push_back(false);
    }
    isDropped.back() = false;
  }
  result.memref = takeBox(b, buffer, offsets, sizes, isDropped);
  return result;
}

LogicalResult VectorNest::fillLeaf(const LeafPlan &leaf,
                                   ImplicitLocOpBuilder &b,
                                   ValueRange counters) {
  StatementOp statement = leaf.getStatement();
  TileOrigin origin(b, plan, getLoops(leaf.node), counters);
  // Iteration dimensions of one iteration are left out.
  SmallVector<int64_t> sizes;
  SmallVector<int> iteration(leaf.box.getRank(), -1);
  for (auto [dim, size] : llvm::enumerate(leaf.box.sizes))
    if (size > 1) {
      iteration[dim] = sizes.size();
      sizes.push_back(size);
    }
  bool isOne = sizes.empty();
  if (isOne)
    sizes.push_back(1);
  if (sizes.size() > 30)
    return statement.emitOpError("has more than 30 dimensions");
  if (moveTile(leaf, b))
    return success();
  TileBuilder builder(b, sizes);
  BodyEvaluator body(builder, statement);
  auto fix = [&](FailureOr<TileValue> tile) {
    // A single element is the whole box.
    if (succeeded(tile) && isOne)
      tile->dims = builder.getAll();
    return tile;
  };
  for (auto [number, name] : llvm::enumerate(
           statement.getReadArrays().getAsRange<FlatSymbolRefAttr>())) {
    FailureOr<TileValue> tile =
        fix(view(leaf, b, origin, name.getValue(), leaf.reads[number],
                 leaf.readBoxes[number], iteration));
    if (failed(tile))
      return failure();
    body.set(statement.getBody().getArgument(number), *tile);
  }
  FailureOr<TileValue> target =
      fix(view(leaf, b, origin, statement.getWrittenArray(), leaf.write,
               leaf.writeBox, iteration));
  if (failed(target))
    return failure();
  if (target->dims != builder.getAll())
    return reduce(leaf, builder, body, *target);
  auto yield = cast<YieldOp>(statement.getBody().front().getTerminator());
  return body.write(yield.getValue(), builder.getAll(), target->memref);
}

static npu::BinaryKind getCombination(npu::ReduceKind kind) {
  return kind == npu::ReduceKind::sum   ? npu::BinaryKind::add
         : kind == npu::ReduceKind::max ? npu::BinaryKind::max
                                        : npu::BinaryKind::min;
}

/// Whether results of all rows, without gaps between them, have those of each
/// index of the dimensions `outer` as one run of whole blocks.
static bool hasWholeBlocks(const TileBuilder &builder, const TileValue &target,
                           DimMask outer) {
  SmallVector<int64_t> sizes = builder.getSizes(target.dims);
  // Bits of inner dimensions are higher.
  return sizes.size() == 1 && outer < target.dims &&
         sizes.front() * target.element.getIntOrFloatBitWidth() %
                 (npu::kBlockBytes * 8) ==
             0;
}

/// Reduces rows one dimension of results at a time, where the results of all
/// rows together would not begin at blocks or have gaps between them.
static void reduceApart(TileBuilder &builder, const TileValue &value,
                        const Reduction &reduction, DimMask outer,
                        const TileValue &target, bool isOverwriting) {
  ImplicitLocOpBuilder &b = builder.b;
  // The innermost dimension of the results.
  DimMask own = llvm::bit_floor(target.dims);
  DimMask loops = outer | (target.dims & ~own);
  bool isWidened =
      reduction.kind != npu::ReduceKind::sum && value.element != target.element;
  // Null: the result's own part.
  Value part, wide;
  if (isWidened || !isOverwriting)
    part = builder
               .allocateDense(isWidened ? value.element : target.element, own,
                              Value())
               .memref;
  if (isWidened && !isOverwriting)
    wide = builder.allocateDense(target.element, own, Value()).memref;
  builder.forEach(loops, [&](ArrayRef<Value> indices) {
    Value from = builder.getPart(value, loops, indices);
    if (own == 0)
      from = expandUnits(b, from, {1, builder.sizes.back()});
    Value to =
        own == 0 ? target.memref : builder.getPart(target, loops, indices);
    Value result = part ? part : to;
    npu::ReduceOp::create(b, reduction.kind, from, result);
    if (isWidened) {
      Value cast = wide ? wide : to;
      npu::CastOp::create(b, result, cast);
      result = cast;
    }
    if (!isOverwriting)
      npu::BinaryOp::create(b, getCombination(reduction.kind), to, result, to);
  });
}

int64_t gc::poly::getPartGroup(int64_t resultBytes, int64_t parts) {
  constexpr int64_t kBytes = 16 * 1024;
  return std::clamp<int64_t>(kBytes / resultBytes, 1,
                             std::max<int64_t>(parts / 2, 1));
}

/// `size` parts of a value from `begin` on, along one of its dimensions.
static Value takeParts(TileBuilder &builder, Value memref, DimMask dims,
                       DimMask along, OpFoldResult begin, int64_t size,
                       bool isDropped = false) {
  auto type = cast<MemRefType>(memref.getType());
  unsigned number = llvm::popcount(dims & (along - 1));
  SmallVector<OpFoldResult> offsets(type.getRank(), builder.b.getIndexAttr(0));
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<bool> dropped(type.getRank(), false);
  offsets[number] = begin;
  shape[number] = size;
  dropped[number] = isDropped;
  return takeBox(builder.b, memref, offsets, shape, dropped);
}

static TypedAttr getNeutral(Builder &b, npu::ReduceKind kind) {
  float infinity = std::numeric_limits<float>::infinity();
  return b.getF32FloatAttr(kind == npu::ReduceKind::sum   ? 0
                           : kind == npu::ReduceKind::max ? -infinity
                                                          : infinity);
}

/// Combines all of `value` along the dimensions `outer` with `target`. Where
/// results are short, an instruction takes a group of parts at a time; what
/// that leaves is halved until one part is left.
static void combineParts(TileBuilder &builder, const TileValue &value,
                         DimMask outer, npu::ReduceKind kind,
                         const TileValue &target) {
  ImplicitLocOpBuilder &b = builder.b;
  npu::BinaryKind combine = getCombination(kind);
  DimMask along = 0;
  for (unsigned dim = 0; dim < builder.getRank(); ++dim)
    if ((outer >> dim & 1) &&
        (!along || builder.sizes[dim] > builder.sizes[llvm::Log2_32(along)]))
      along = DimMask(1) << dim;
  // Parts begin at blocks if each has rows of its own.
  int64_t parts = along ? builder.sizes[llvm::Log2_32(along)] : 1, group = 1;
  if (value.dims & target.dims & builder.getLast()) {
    int64_t bytes = value.element.getIntOrFloatBitWidth() / 8;
    for (int64_t size :
         padRows(builder.getSizes(target.dims | along), value.element))
      bytes *= size;
    group = getPartGroup(bytes / parts, parts);
  }
  if (group == 1) {
    builder.forEach(outer, [&](ArrayRef<Value> indices) {
      npu::BinaryOp::create(b, combine, target.memref,
                            builder.getPart(value, outer, indices),
                            target.memref);
    });
    return;
  }
  DimMask others = outer & ~along, dims = target.dims | along;
  SmallVector<int64_t> sizes = builder.getSizes(dims);
  sizes[llvm::popcount(dims & (along - 1))] = group;
  Value sums = allocateTile(b, sizes, value.element);
  auto take = [&](Value memref, OpFoldResult begin, int64_t size) {
    return takeParts(builder, memref, dims, along, begin, size);
  };
  auto at = [&](int64_t index) { return OpFoldResult(b.getIndexAttr(index)); };
  int64_t first = 0, count = parts / group, rest = parts % group;
  if (others == 0) {
    npu::BinaryOp::create(b, combine, take(value.memref, at(0), group),
                          take(value.memref, at(group), group), sums);
    first = 2;
  } else {
    npu::FillOp::create(b, arith::ConstantOp::create(b, getNeutral(b, kind)),
                        sums);
  }
  builder.forEach(others, [&](ArrayRef<Value> indices) {
    Value own = builder.getPart(value, others, indices);
    if (first < count) {
      OpBuilder::InsertionGuard guard(b);
      auto loop =
          scf::ForOp::create(b, arith::ConstantIndexOp::create(b, first),
                             arith::ConstantIndexOp::create(b, count),
                             arith::ConstantIndexOp::create(b, 1));
      b.setInsertionPointToStart(loop.getBody());
      Value begin = affine::AffineApplyOp::create(
          b, AffineMap::get(1, 0, b.getAffineDimExpr(0) * group),
          ValueRange(loop.getInductionVar()));
      npu::BinaryOp::create(b, combine, sums, take(own, begin, group), sums);
    }
    if (rest > 0) {
      Value low = take(sums, at(0), rest);
      npu::BinaryOp::create(b, combine, low, take(own, at(count * group), rest),
                            low);
    }
  });
  for (int64_t half; group > 1; group = half) {
    half = llvm::divideCeil(group, int64_t(2));
    Value low = take(sums, at(0), group - half);
    npu::BinaryOp::create(b, combine, low, take(sums, at(half), group - half),
                          low);
  }
  npu::BinaryOp::create(
      b, combine, target.memref,
      takeParts(builder, sums, dims, along, at(0), 1, /*isDropped=*/true),
      target.memref);
}

LogicalResult VectorNest::reduce(const LeafPlan &leaf, TileBuilder &builder,
                                 BodyEvaluator &body, const TileValue &target) {
  StatementOp statement = leaf.getStatement();
  std::optional<Reduction> reduction = getReduction(statement);
  if (!reduction)
    return statement.emitOpError(
        "writes fewer dimensions than it has, but is not a sum, maximum or "
        "minimum");
  ImplicitLocOpBuilder &b = builder.b;
  // The unit adds f16 up in f32 itself.
  Value source = reduction->value;
  auto extend = source.getDefiningOp<arith::ExtFOp>();
  bool isNarrow = extend && extend.getIn().getType().isF16();
  if (isNarrow)
    source = extend.getIn();
  DimMask all = builder.getAll(), reduced = all & ~target.dims;
  FailureOr<TileValue> value = body.evaluate(source, all);
  if (failed(value))
    return failure();
  value = builder.broadcast(*value, all);
  if (value->isBits)
    return statement.emitOpError("reduces the bits of a comparison");
  Type element = target.element;
  bool isOverwriting = overwriting.contains(&leaf);
  DimMask outer = reduced & ~builder.getLast();
  auto buffer = cast<MemRefType>(target.memref.getType());
  bool isApart = outer ? !hasWholeBlocks(builder, target, outer)
                       : !buffer.areTrailingDimsContiguous(buffer.getRank());
  if ((reduced & builder.getLast()) && isApart) {
    reduceApart(builder, *value, *reduction, outer, target, isOverwriting);
    return success();
  }
  if (reduced & builder.getLast()) {
    DimMask rows = all & ~builder.getLast();
    Type type = isNarrow && reduction->kind != npu::ReduceKind::sum
                    ? value->element
                    : element;
    bool isDirect = isOverwriting && outer == 0 && type == element;
    Value from = value->memref;
    TileValue result =
        builder.allocateDense(type, rows, isDirect ? target.memref : Value());
    if (rows == 0)
      from = expandUnits(b, from, {1, builder.sizes.back()});
    npu::ReduceOp::create(b, reduction->kind, from, result.memref);
    if (type != element)
      result =
          builder.cast(result, element,
                       isOverwriting && outer == 0 ? target.memref : Value());
    if (result.memref == target.memref)
      return success();
    value = result;
  } else if (value->element != element) {
    value = builder.cast(*value, element);
  }
  combineParts(builder, *value, outer, reduction->kind, target);
  return success();
}

isl::Schedule VectorNest::emitLeaf(const LeafPlan &leaf) {
  StatementOp statement = leaf.getStatement();
  expandFunctions(statement.getBody().front());
  isl::Set counters(isl_map_domain(leaf.node->instances.copy()));
  return program.addTile(statement.getSymName().str() + "_tile", counters,
                         [&](ImplicitLocOpBuilder &b, ValueRange values) {
                           b.setLoc(statement.getLoc());
                           return fillLeaf(leaf, b, values);
                         });
}
