// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "StructuredOps.h"
#include "ScalarBodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

/// The argument of the body that an operand is.
static BlockArgument getArgument(OpOperand *operand) {
  auto op = cast<LinalgOp>(operand->getOwner());
  return op.getMatchingBlockArgument(operand);
}

static OpOperand *getOperandOf(LinalgOp op, BlockArgument argument) {
  return op.getMatchingOpOperand(argument);
}

/// Whether the body of a result passes on an operand as it is.
static OpOperand *getPassedOn(LinalgOp op, unsigned result) {
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  auto argument = dyn_cast<BlockArgument>(yielded);
  return argument && argument.getOwner() == op.getBlock()
             ? getOperandOf(op, argument)
             : nullptr;
}

/// `value`, whose dimensions are where `map` says, with a dimension for each of
/// the loops, in the order `positions` of them, as far as it is needed to
/// broadcast to them.
static FailureOr<Value> align(Value value, AffineMap map,
                              ArrayRef<int64_t> positions, GraphBuilder &b) {
  SmallVector<std::pair<int64_t, int64_t>> places;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      places.push_back({positions[dim.getPosition()], i});
    else if (getShape(value)[i] != 1)
      return b.fail("its indexing maps are not projected permutations");
  }
  llvm::sort(places);
  SmallVector<int64_t> order, shape(positions.size(), 1);
  for (auto [i, place] : llvm::enumerate(places)) {
    if (i > 0 && places[i - 1].first == place.first)
      return b.fail("an indexing map has a dimension twice");
    order.push_back(place.second);
    shape[place.first] = getShape(value)[place.second];
  }
  // What is left has size 1.
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr))
      order.push_back(i);
  FailureOr<Value> result = b.transpose(value, order);
  if (failed(result))
    return failure();
  // Leading dimensions that it does not have need not be there.
  int64_t first = places.empty() ? shape.size() : places.front().first;
  return b.reshape(*result, ArrayRef(shape).drop_front(first));
}

FailureOr<Value> gc::getUnbroadcast(Value tensor, GraphBuilder &b,
                                    bool isUnsigned) {
  auto op = tensor.getDefiningOp<LinalgOp>();
  if (!op || op.getNumParallelLoops() != op.getNumLoops() ||
      isa<linalg::FillOp>(op))
    return b.get(tensor, isUnsigned);
  auto result = cast<OpResult>(tensor);
  OpOperand *source = getPassedOn(op, result.getResultNumber());
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (!source || !map.isIdentity() ||
      op.getMatchingIndexingMap(source).getNumResults() >= op.getNumLoops() ||
      !op.getMatchingIndexingMap(source).isProjectedPermutation() ||
      getKnownElements(tensor))
    return b.get(tensor, isUnsigned);
  FailureOr<Value> value = b.get(source->get(), isUnsigned);
  if (failed(value))
    return failure();
  return align(*value, op.getMatchingIndexingMap(source),
               llvm::to_vector(llvm::seq<int64_t>(op.getNumLoops())), b);
}

/// The graph value of an operand, for loops in the order `positions`.
static FailureOr<Value> getAligned(LinalgOp op, OpOperand *operand,
                                   ArrayRef<int64_t> positions,
                                   GraphBuilder &b) {
  if (!isa<RankedTensorType>(operand->get().getType())) {
    // Fill and the like read scalars.
    FloatAttr number;
    if (!matchPattern(operand->get(), m_Constant(&number)) ||
        !getGraphType(RankedTensorType::get({}, number.getType())))
      return b.fail("it reads a scalar that is not a constant");
    return b.constant(DenseElementsAttr::get(
        RankedTensorType::get({}, number.getType()), number.getValue()));
  }
  FailureOr<Value> value =
      getUnbroadcast(operand->get(), b, isReadAsUnsigned(getArgument(operand)));
  if (failed(value))
    return failure();
  AffineMap map = op.getMatchingIndexingMap(operand);
  // A number for all points is the cheapest broadcast.
  if (auto number = getKnownNumber(operand->get());
      number && getShape(*value) != ArrayRef<int64_t>())
    return b.constant(DenseElementsAttr::get(
        RankedTensorType::get({}, getElement(*value)), *number));
  SmallVector<int64_t> shape(getShape(*value));
  shape.insert(shape.begin(), map.getNumResults() - shape.size(), 1);
  value = b.reshape(*value, shape);
  if (failed(value))
    return failure();
  return align(*value, map, positions, b);
}

/// What the body computes of the operands at all points of the loops.
static FailureOr<Value> convertBody(LinalgOp op, Value scalar,
                                    ArrayRef<int64_t> positions,
                                    GraphBuilder &b) {
  return ScalarBody(
             b,
             [&](BlockArgument argument) -> FailureOr<Value> {
               if (argument.getOwner() != op.getBlock())
                 return b.fail("it reads a scalar that is not a constant");
               return getAligned(op, getOperandOf(op, argument), positions, b);
             })
      .convert(scalar);
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

static FailureOr<Value> convertElementwise(LinalgOp op, unsigned result,
                                           GraphBuilder &b) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  if (!map.isPermutation())
    return b.fail("the indexing map of its result is not a permutation");
  SmallVector<int64_t> positions(map.getNumDims());
  for (unsigned i = 0; i < map.getNumResults(); ++i)
    positions[map.getDimPosition(i)] = i;
  Value yielded = op.getBlock()->getTerminator()->getOperand(result);
  FailureOr<Value> value = convertBody(op, yielded, positions, b);
  if (failed(value))
    return failure();
  auto type = cast<RankedTensorType>(op->getResult(result).getType());
  return b.broadcast(*value, type.getShape());
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// The neutral element of a combiner, and its graph ops.
namespace {
struct Combiner {
  StringRef reduce, combine;
  double neutral;
};
} // namespace

static std::optional<Combiner> getCombiner(Operation *op) {
  double infinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp, arith::AddIOp>(op))
    return Combiner{"graph.reduce_sum", "graph.add", 0};
  if (isa<arith::MulFOp>(op))
    return Combiner{"graph.reduce_prod", "graph.multiply", 1};
  if (isa<arith::MaximumFOp>(op))
    return Combiner{"graph.reduce_max", "graph.maximum", -infinity};
  if (isa<arith::MinimumFOp>(op))
    return Combiner{"graph.reduce_min", "graph.minimum", infinity};
  return std::nullopt;
}

StringRef gc::getReductionName(StructuredReduction &reduction) {
  return getCombiner(reduction.combiner)->reduce;
}

FailureOr<Value> gc::addInit(StructuredReduction &reduction, Value value,
                             GraphBuilder &b) {
  Combiner combiner = *getCombiner(reduction.combiner);
  Value init = reduction.getInit()->get();
  if (isa<IntegerType>(getElement(value))) {
    auto known = dyn_cast_or_null<DenseIntElementsAttr>(getKnownElements(init));
    if (known && known.isSplat() && known.getSplatValue<APInt>().isZero())
      return value;
    return b.fail("integer arithmetic wraps, in the dialect it saturates");
  }
  FailureOr<Value> other;
  if (std::optional<APFloat> number = getKnownNumber(init)) {
    if (number->convertToDouble() == combiner.neutral)
      return value;
    auto type = RankedTensorType::get({}, getElement(value));
    other = b.constant(DenseElementsAttr::get(type, *number));
  } else {
    other = getUnbroadcast(init, b);
  }
  if (failed(other))
    return failure();
  return b.build(combiner.combine, {value, *other});
}

static FailureOr<Value> convertReduction(StructuredReduction &reduction,
                                         GraphBuilder &b) {
  LinalgOp op = reduction.op;
  AffineMap map = reduction.getResultMap();
  auto positions = llvm::to_vector(llvm::seq<int64_t>(op.getNumLoops()));
  FailureOr<Value> term = convertBody(op, reduction.term, positions, b);
  if (failed(term))
    return failure();
  FailureOr<Value> full = b.broadcast(*term, op.getStaticLoopRanges());
  if (failed(full))
    return failure();
  // The dimensions that stay, in the order of the loops and of the result.
  SmallVector<int64_t> axes, kept, order;
  for (auto [i, kind] : llvm::enumerate(op.getIteratorTypesArray()))
    (kind == utils::IteratorType::reduction ? axes : kept).push_back(i);
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    auto place = dim ? llvm::find(kept, dim.getPosition()) : kept.end();
    if (place != kept.end())
      order.push_back(place - kept.begin());
    else if (dim || reduction.getType().getDimSize(i) != 1)
      return b.fail("the indexing map of its result is not supported");
  }
  if (order.size() != kept.size())
    return b.fail("the indexing map of its result is not supported");
  // Reduced dimensions go last: softmax is recognised by its rows.
  FailureOr<Value> value =
      b.build(getReductionName(reduction), *full,
              {b.attr("axes", axes), b.attr("keep_dims", true)});
  bool isKnown = getKnownNumber(reduction.getInit()->get()).has_value();
  if (failed(value) ||
      (isKnown && failed(value = addInit(reduction, *value, b))))
    return failure();
  SmallVector<int64_t> shape;
  for (int64_t dim : kept)
    shape.push_back(getShape(*value)[dim]);
  if (failed(value = b.reshape(*value, shape)) ||
      failed(value = b.transpose(*value, order)) ||
      failed(value = b.reshape(*value, reduction.getType().getShape())))
    return failure();
  return isKnown ? value : addInit(reduction, *value, b);
}

/// Whether a value of the body is computed from a running result.
static bool readsResults(LinalgOp op, Value value) {
  SmallVector<Value> worklist = {value};
  llvm::SmallPtrSet<Operation *, 8> seen;
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    if (auto argument = dyn_cast<BlockArgument>(next)) {
      if (argument.getOwner() == op.getBlock() &&
          argument.getArgNumber() >= op.getNumDpsInputs())
        return true;
    } else if (seen.insert(next.getDefiningOp()).second) {
      llvm::append_range(worklist, next.getDefiningOp()->getOperands());
    }
  }
  return false;
}

/// The reduction that a result is, or nothing.
static std::optional<StructuredReduction> getReduction(LinalgOp op,
                                                       unsigned result) {
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(result).getDefiningOp();
  Value sum = getArgument(op.getDpsInitOperand(result));
  if (!combiner || combiner->getBlock() != op.getBlock() ||
      !getCombiner(combiner) || !sum.hasOneUse())
    return std::nullopt;
  for (unsigned i : {0, 1})
    if (combiner->getOperand(i) == sum) {
      Value term = combiner->getOperand(1 - i);
      if (readsResults(op, term))
        return std::nullopt;
      return StructuredReduction{op, result, combiner, term};
    }
  return std::nullopt;
}

FailureOr<Values> gc::convertStructuredOp(LinalgOp op, GraphBuilder &b) {
  if (!op.hasPureTensorSemantics())
    return b.fail("it works on buffers");
  for (int64_t range : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(range) || range == 0)
      return b.fail("its sizes are not static, or one of them is 0");
  if (op.hasIndexSemantics())
    return b.fail("its body reads indices");
  Values results;
  for (unsigned i = 0; i < op->getNumResults(); ++i) {
    results.push_back({});
    // torch-mlir writes the index of a maximum as well, which nothing reads.
    if (op->getResult(i).use_empty() && op->getNumResults() > 1)
      continue;
    FailureOr<Value> value;
    if (op.getNumParallelLoops() == op.getNumLoops()) {
      value = convertElementwise(op, i, b);
    } else {
      std::optional<StructuredReduction> reduction = getReduction(op, i);
      if (!reduction)
        return b.fail("its body is not a supported reduction");
      std::optional<FailureOr<Value>> special = convertWindows(*reduction, b);
      if (!special)
        special = convertContraction(*reduction, b);
      value = special ? *special : convertReduction(*reduction, b);
    }
    if (failed(value))
      return failure();
    results.back() = *value;
  }
  return results;
}
