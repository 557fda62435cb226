// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "LinalgBody.h"
#include "Dialect/Graph/IR/GraphOps.h"
#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "GraphReader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

#include <limits>

using namespace mlir;
using namespace gc;
using linalg::LinalgOp;

using Obstacle = std::optional<std::string>;

static Value getYielded(LinalgOp op, unsigned result) {
  return op.getBlock()->getTerminator()->getOperand(result);
}

/// The argument of the body that is a result so far.
static BlockArgument getSum(LinalgOp op, unsigned result) {
  return op.getMatchingBlockArgument(op.getDpsInitOperand(result));
}

Operation *gc::getCombiner(LinalgOp op, unsigned result) {
  if (op.getNumReductionLoops() == 0)
    return nullptr;
  Operation *combiner = getYielded(op, result).getDefiningOp();
  return isa_and_nonnull<arith::AddFOp, arith::MaximumFOp, arith::MinimumFOp>(
             combiner) &&
                 combiner->getBlock() == op.getBlock() &&
                 llvm::is_contained(combiner->getOperands(), getSum(op, result))
             ? combiner
             : nullptr;
}

double gc::getNeutralNumber(Operation *combiner) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (isa<arith::AddFOp>(combiner))
    return 0;
  return isa<arith::MaximumFOp>(combiner) ? -kInfinity : kInfinity;
}

Value gc::getTerm(LinalgOp op, unsigned result) {
  Operation *combiner = getCombiner(op, result);
  if (!combiner)
    return getYielded(op, result);
  bool isFirst = combiner->getOperand(0) == getSum(op, result);
  return combiner->getOperand(isFirst ? 1 : 0);
}

std::pair<OpOperand *, OpOperand *> gc::findFactors(LinalgOp op) {
  if (op->getNumResults() != 1 || !getCombiner(op, 0))
    return {};
  auto product = getTerm(op, 0).getDefiningOp<arith::MulFOp>();
  if (!isa<arith::AddFOp>(getCombiner(op, 0)) || !product ||
      !product.getType().isF32() || product->getBlock() != op.getBlock())
    return {};
  OpOperand *factors[2];
  for (unsigned number : {0, 1}) {
    auto extend = product->getOperand(number).getDefiningOp<arith::ExtFOp>();
    auto argument =
        extend ? dyn_cast<BlockArgument>(extend.getIn()) : BlockArgument();
    if (!argument || argument.getOwner() != op.getBlock() ||
        !argument.getType().isF16())
      return {};
    factors[number] = op.getMatchingOpOperand(argument);
    if (!op.isDpsInput(factors[number]))
      return {};
  }
  if (factors[0] == factors[1])
    return {};
  return {factors[0], factors[1]};
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

/// The number that a value is, if it is a constant.
static std::optional<APFloat> getNumber(Value value) {
  FloatAttr number;
  if (!matchPattern(value, m_Constant(&number)))
    return std::nullopt;
  return number.getValue();
}

/// The operations of the body that a value needs, in their order; without
/// constants.
static SmallVector<Operation *> getNeeded(LinalgOp op, Value value) {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> pending{value};
  while (!pending.empty()) {
    Operation *source = pending.pop_back_val().getDefiningOp();
    if (source && source->getBlock() == op.getBlock() &&
        !source->hasTrait<OpTrait::ConstantLike>() &&
        needed.insert(source).second)
      llvm::append_range(pending, source->getOperands());
  }
  SmallVector<Operation *> ordered(needed.begin(), needed.end());
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

namespace {
/// Rebuilds operations on f16 as operations on f32 that are rounded, as the
/// vector unit and its bodies have them.
class BodyBuilder {
public:
  BodyBuilder(OpBuilder &builder, LinalgOp op, ValueRange operands)
      : builder(builder), op(op), operands(operands) {}

  Value get(Value value) {
    if (Value known = values.lookup(value))
      return known;
    if (std::optional<APFloat> number = getNumber(value))
      return values[value] = arith::ConstantOp::create(
                 builder, op.getLoc(),
                 builder.getF32FloatAttr(float(number->convertToDouble())));
    auto argument = cast<BlockArgument>(value);
    return operands[op.getMatchingOpOperand(argument)->getOperandNumber()];
  }

  void build(Operation *inner) {
    Value result = inner->getResult(0);
    if (isa<arith::ExtFOp>(inner)) {
      values[result] = get(inner->getOperand(0));
      return;
    }
    Location loc = inner->getLoc();
    Value wide;
    if (isa<arith::TruncFOp>(inner)) {
      wide = get(inner->getOperand(0));
    } else {
      SmallVector<Value> own;
      for (Value operand : inner->getOperands())
        own.push_back(get(operand));
      Operation *made = builder.clone(*inner);
      made->setOperands(own);
      if (result.getType().isF16())
        made->getResult(0).setType(builder.getF32Type());
      wide = made->getResult(0);
    }
    if (result.getType().isF16())
      wide = widen(builder, loc, narrow(builder, loc, wide, result.getType()));
    values[result] = wide;
  }

private:
  OpBuilder &builder;
  LinalgOp op;
  ValueRange operands;
  llvm::DenseMap<Value, Value> values;
};
} // namespace

Value gc::buildScalar(OpBuilder &builder, LinalgOp op, Value value,
                      ValueRange operands) {
  BodyBuilder body(builder, op, operands);
  for (Operation *inner : getNeeded(op, value))
    body.build(inner);
  return body.get(value);
}

//===----------------------------------------------------------------------===//
// What is not supported
//===----------------------------------------------------------------------===//

static bool isOnVectorUnit(Type type) { return type.isF16() || type.isF32(); }

static std::string print(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << type << "'";
  return text;
}

/// Why an operation of a body does not mean what the machine does.
static Obstacle findOperationObstacle(Operation *inner) {
  std::string name = "'" + inner->getName().getStringRef().str() + "'";
  if (inner->getNumResults() != 1 || inner->getNumRegions() != 0)
    return "what it computes has " + name +
           ", which the vector unit cannot compute";
  for (Value operand : inner->getOperands()) {
    Operation *source = operand.getDefiningOp();
    bool isComputed = operand.getParentBlock() == inner->getBlock() &&
                      !(source && source->hasTrait<OpTrait::ConstantLike>());
    if (!isComputed && !getNumber(operand))
      return "its body reads a scalar that is neither an element nor a number";
  }
  bool isComparison = isa<arith::CmpFOp>(inner);
  for (Type type : inner->getOperandTypes())
    if (!isOnVectorUnit(type) &&
        !(type.isInteger(1) && isa<arith::SelectOp>(inner)))
      return "what it computes has " + name + " of " + print(type) +
             ", but the vector unit computes f16 and f32";
  Type type = inner->getResult(0).getType();
  if (!isOnVectorUnit(type) && !isComparison)
    return "what it computes has " + name + " with a result of " + print(type) +
           ", but the vector unit computes f16 and f32";
  return std::nullopt;
}

/// Why terms cannot be combined, or nothing.
static Obstacle findCombinerObstacle(LinalgOp op, unsigned result) {
  Operation *combiner = getCombiner(op, result);
  if (!combiner)
    return "its body is not a reduction of the vector unit, which adds up "
           "elements or finds the largest or smallest: 'arith.addf', "
           "'arith.maximumf' or 'arith.minimumf' of a term and the result so "
           "far";
  Type type = combiner->getResult(0).getType();
  if (!isOnVectorUnit(type))
    return "it reduces elements of " + print(type) +
           ", but the vector unit computes f16 and f32";
  if (isa<arith::AddFOp>(combiner) && type.isF16())
    return "its body rounds the sum to f16 after each term, but the NPU adds "
           "up "
           "in f32; extend the terms to f32, and round the sum in the end";
  return std::nullopt;
}

/// Whether a value of the body may differ at any two points.
static bool dependsOnAllLoops(LinalgOp op, Value value) {
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<bool> depends(ranges.size(), false);
  SmallVector<Operation *> needed = getNeeded(op, value);
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (llvm::none_of(needed, [&](Operation *inner) {
          return llvm::is_contained(inner->getOperands(), argument);
        }))
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (unsigned loop = 0; loop < depends.size(); ++loop)
      depends[loop] = depends[loop] || map.isFunctionOfDim(loop);
  }
  for (auto [range, is] : llvm::zip(ranges, depends))
    if (range > 1 && !is)
      return false;
  return true;
}

Obstacle gc::findBodyObstacle(LinalgOp op, unsigned result) {
  bool isReduction = op.getNumReductionLoops() != 0;
  if (isReduction)
    if (Obstacle obstacle = findCombinerObstacle(op, result))
      return obstacle;
  Value value = getTerm(op, result);
  if (!isOnVectorUnit(value.getType()))
    return "its elements are " + print(value.getType()) +
           ", but the vector unit computes f16 and f32";
  SmallVector<Operation *> needed = getNeeded(op, value);
  llvm::DenseSet<Value> read{value};
  for (Operation *inner : needed) {
    if (Obstacle obstacle = findOperationObstacle(inner))
      return obstacle;
    read.insert_range(inner->getOperands());
  }
  if (isReduction)
    for (unsigned other = 0; other < op->getNumResults(); ++other)
      if (read.contains(getSum(op, other)))
        return "its terms are computed from a result so far";
  if (llvm::none_of(op.getBlock()->getArguments(), [&](BlockArgument argument) {
        return read.contains(argument);
      }))
    return "its elements are constants, but kernels store what they compute";
  for (Operation *inner : needed)
    if (isa<arith::CmpFOp>(inner) &&
        !dependsOnAllLoops(op, inner->getResult(0)))
      return "it selects elements by a comparison that is the same for several "
             "of them, which cannot be broadcast";
  // As the statement will have it.
  Block block;
  SmallVector<Value> operands;
  OpBuilder builder(op.getContext());
  for (OpOperand &operand : op->getOpOperands())
    operands.push_back(block.addArgument(
        graph::getComputeType(getElementTypeOrSelf(operand.get().getType())),
        op.getLoc()));
  builder.setInsertionPointToStart(&block);
  Value built = buildScalar(builder, op, value, operands);
  graph::YieldOp::create(builder, op.getLoc(), ValueRange(built));
  if (auto obstacle = poly::findVectorObstacle(block))
    return "what it computes " + *obstacle;
  return std::nullopt;
}
