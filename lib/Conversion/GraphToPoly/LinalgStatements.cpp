// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Structured ops of linalg as statements.

#include "Conversion/GraphToPoly/Statements.h"
#include "Conversion/ToGraph/GraphBuilder.h"
#include "Dialect/Graph/IR/GraphDialect.h"
#include "LinalgBody.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

#include "Conversion/GraphToPoly/StatementInterface.cpp.inc"

using Obstacle = std::optional<std::string>;

static AffineMap getMap(LinalgOp op, unsigned operand) {
  return op.getMatchingIndexingMap(&op->getOpOperand(operand));
}

static AffineMap getResultMap(LinalgOp op, unsigned result) {
  return op.getMatchingIndexingMap(op.getDpsInitOperand(result));
}

static llvm::SmallBitVector getLoops(AffineMap map) {
  llvm::SmallBitVector loops(map.getNumDims());
  for (AffineExpr index : map.getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      loops.set(dim.getPosition());
  return loops;
}

/// Whether the op adds up products of f16, in the shape that the cube unit
/// needs: more than one element and one term of each sum.
static bool isProduct(LinalgOp op) {
  auto [lhs, rhs] = findFactors(op);
  if (!lhs || op.getNumReductionLoops() != 1)
    return false;
  AffineMap result = getResultMap(op, 0);
  llvm::SmallBitVector left = getLoops(op.getMatchingIndexingMap(lhs)),
                       right = getLoops(op.getMatchingIndexingMap(rhs)),
                       kept = getLoops(result);
  unsigned rank = result.getNumResults();
  if (rank < 2 || kept.count() != rank || (left | right).count() != left.size())
    return false;
  unsigned row = result.getDimPosition(rank - 2),
           column = result.getDimPosition(rank - 1);
  if (left.test(row) == right.test(row) ||
      left.test(column) == right.test(column) ||
      left.test(row) == left.test(column))
    return false;
  unsigned term = kept.flip().find_first();
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  return left.test(term) && right.test(term) && ranges[term] > 1 &&
         (ranges[row] > 1 || ranges[column] > 1);
}

static StatementKind getKind(LinalgOp op) {
  if (op.getNumParallelLoops() == op.getNumLoops())
    return StatementKind::elementwise;
  return isProduct(op) ? StatementKind::contraction : StatementKind::reduction;
}

/// The loops in the order of the space: those of the result in its order,
/// unless it has the same order with the reduced ones in between.
static SmallVector<unsigned> getOrder(LinalgOp op) {
  SmallVector<unsigned> order;
  for (AffineExpr index : getResultMap(op, 0).getResults())
    if (auto dim = dyn_cast<AffineDimExpr>(index))
      order.push_back(dim.getPosition());
  unsigned count = op.getNumLoops();
  if (llvm::is_sorted(order) && getKind(op) == StatementKind::reduction)
    return llvm::to_vector(llvm::seq(count));
  for (unsigned loop = 0; loop < count; ++loop)
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  return order;
}

/// A map from the op's loops as one from the space.
static AffineMap reorder(LinalgOp op, AffineMap map) {
  SmallVector<AffineExpr> dims(map.getNumDims());
  for (auto [place, loop] : llvm::enumerate(getOrder(op)))
    dims[loop] = getAffineDimExpr(place, op.getContext());
  return map.replaceDimsAndSymbols(dims, {}, map.getNumDims(), 0);
}

/// The initial values of a result, or null if they change nothing.
static Value getStart(LinalgOp op, unsigned result) {
  Value start = op.getDpsInitOperand(result)->get();
  std::optional<APFloat> number = getKnownNumber(start);
  bool isNeutral = number && number->convertToDouble() ==
                                 getNeutralNumber(getCombiner(op, result));
  return isNeutral ? Value() : start;
}

//===----------------------------------------------------------------------===//
// What is not supported
//===----------------------------------------------------------------------===//

static Obstacle findLoopObstacle(LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "it works on buffers";
  if (op->getNumResults() == 0)
    return "it has no results";
  for (int64_t range : op.getStaticLoopRanges())
    if (ShapedType::isDynamic(range) || range == 0)
      return "its sizes are not all known, or one of them is 0";
  if (op.hasIndexSemantics())
    return "it computes with the indices of elements, which the vector unit "
           "does not have";
  for (OpOperand &operand : op->getOpOperands()) {
    std::string number = std::to_string(operand.getOperandNumber());
    if (!isa<RankedTensorType>(operand.get().getType()))
      return "operand " + number + " is not a tensor";
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!map.isProjectedPermutation(/*allowZeroInResults=*/true))
      return "the indexing map of operand " + number +
             " does not take each index from a loop of its own";
  }
  return std::nullopt;
}

static Obstacle findResultObstacle(LinalgOp op, unsigned result) {
  AffineMap map = getResultMap(op, result);
  std::string which = "result " + std::to_string(result);
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    bool isParallel = kind == utils::IteratorType::parallel;
    if (isParallel != map.isFunctionOfDim(loop))
      return isParallel ? which + " does not have all parallel loops"
                        : which + " has a loop that is reduced";
  }
  return std::nullopt;
}

/// A product of matrices that the cube unit does not compute.
static Obstacle findTermObstacle(LinalgOp op) {
  StatementKind kind = getKind(op);
  if (kind == StatementKind::contraction && getStart(op, 0))
    return "it adds its products to other numbers than zeros, but the cube "
           "unit begins with zeros; add the numbers to the result";
  if (kind != StatementKind::reduction)
    return std::nullopt;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    llvm::SmallBitVector loops = getLoops(op.getMatchingIndexingMap(operand));
    bool hasAll = llvm::all_of(
        llvm::enumerate(op.getStaticLoopRanges()), [&](auto entry) {
          return entry.value() == 1 || loops.test(entry.index());
        });
    if (hasAll)
      return std::nullopt;
  }
  return "no operand has an element for each term; of such sums only products "
         "of two matrices of f16, extended to f32 before they are multiplied, "
         "are for the cube unit";
}

static Obstacle findObstacle(LinalgOp op) {
  if (Obstacle obstacle = findLoopObstacle(op))
    return obstacle;
  for (unsigned result = 0; result < op->getNumResults(); ++result) {
    if (Obstacle obstacle = findResultObstacle(op, result))
      return obstacle;
    if (Obstacle obstacle = findBodyObstacle(op, result))
      return obstacle;
  }
  return findTermObstacle(op);
}

//===----------------------------------------------------------------------===//
// The model
//===----------------------------------------------------------------------===//

namespace {
template <typename Op>
struct StructuredModel
    : StatementOpInterface::ExternalModel<StructuredModel<Op>, Op> {
  Obstacle findObstacle(Operation *op) const {
    return ::findObstacle(cast<LinalgOp>(op));
  }
  StatementKind getStatementKind(Operation *op) const {
    return getKind(cast<LinalgOp>(op));
  }
  SmallVector<int64_t> getSpace(Operation *op) const {
    auto structured = cast<LinalgOp>(op);
    SmallVector<int64_t> ranges = structured.getStaticLoopRanges(), space;
    for (unsigned loop : getOrder(structured))
      space.push_back(ranges[loop]);
    return space;
  }
  AffineMap getReadMap(Operation *op, unsigned operand) const {
    auto structured = cast<LinalgOp>(op);
    OpOperand &read = op->getOpOperand(operand);
    // Results so far are not what a reduction's terms are computed from.
    bool isRead = structured.payloadUsesValueFromOperand(&read) &&
                  (structured.isDpsInput(&read) ||
                   getKind(structured) == StatementKind::elementwise);
    if (!isRead)
      return AffineMap();
    return reorder(structured, getMap(structured, operand));
  }
  AffineMap getWriteMap(Operation *op, unsigned result) const {
    auto structured = cast<LinalgOp>(op);
    return reorder(structured, getResultMap(structured, result));
  }
  Value buildElement(Operation *op, OpBuilder &builder, unsigned result,
                     ValueRange operands) const {
    auto structured = cast<LinalgOp>(op);
    return buildScalar(builder, structured, getTerm(structured, result),
                       operands);
  }
  Value combine(Operation *op, OpBuilder &builder, unsigned result, Value sum,
                Value term) const {
    Operation *combiner = getCombiner(cast<LinalgOp>(op), result);
    Operation *made = builder.clone(*combiner);
    made->setOperands({sum, term});
    made->getResult(0).setType(sum.getType());
    return made->getResult(0);
  }
  TypedAttr getNeutral(Operation *op, unsigned result, Type type) const {
    return FloatAttr::get(
        type, getNeutralNumber(getCombiner(cast<LinalgOp>(op), result)));
  }
  Value getStart(Operation *op, unsigned result) const {
    return ::getStart(cast<LinalgOp>(op), result);
  }
};

template <typename Op>
void attachModel(MLIRContext *context) {
  // What is filled with a number is not a statement.
  if constexpr (!std::is_same_v<Op, linalg::FillOp>)
    Op::template attachInterface<StructuredModel<Op>>(*context);
}

template <typename... Ops>
void attachModels(MLIRContext *context) {
  (attachModel<Ops>(context), ...);
}
} // namespace

void gc::registerLinalgStatements(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachModels<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
  });
}

bool gc::isCompiledForNpu(Operation *op) {
  return isa_and_nonnull<graph::GraphDialect>(op->getDialect()) ||
         isa<StatementOpInterface>(op);
}
