// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "VectorBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

static std::optional<double> getConstant(Value value) {
  FloatAttr number;
  if (matchPattern(value, m_Constant(&number)))
    return number.getValueAsDouble();
  IntegerAttr integer;
  if (matchPattern(value, m_Constant(&integer)))
    return double(integer.getValue().getSExtValue());
  return std::nullopt;
}

void BodyEvaluator::use(Value value) {
  auto it = known.find(value);
  if (it == known.end())
    return;
  // Uses of what it is extended to may use it instead.
  if (llvm::any_of(value.getUsers(), llvm::IsaPred<arith::ExtFOp>))
    return;
  auto [count, isNew] = uses.try_emplace(value, 0);
  if (++count->second == std::distance(value.use_begin(), value.use_end()))
    tiles.release(it->second);
}

Value BodyEvaluator::narrow(Value value, Type element) {
  if (value.getType() == element || getConstant(value))
    return value;
  auto extend = value.getDefiningOp<arith::ExtFOp>();
  if (extend && extend.getIn().getType() == element)
    return extend.getIn();
  return Value();
}

bool BodyEvaluator::isRegister(Operation *op, unsigned number, Type element,
                               DimMask dims) {
  std::optional<npu::BinaryKind> kind = getBinaryKind(op);
  if (!kind)
    return false;
  auto rows = known.find(op->getOperand(number));
  auto tile = known.find(narrow(op->getOperand(1 - number), element));
  return rows != known.end() && tile != known.end() &&
         rows->second.element.isF32() &&
         tiles.isRegister(*kind, rows->second, tile->second, dims);
}

FailureOr<TileValue> BodyEvaluator::evaluate(Value value, DimMask dims,
                                             Value target) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  if (std::optional<double> number = getConstant(value)) {
    TileValue constant;
    constant.element = value.getType();
    constant.constant = *number;
    return constant;
  }
  Operation *op = value.getDefiningOp();
  if (!op)
    return anchor->emitOpError("reads an array that has no tile in ub");
  FailureOr<TileValue> result = evaluateOp(op, dims, target);
  if (succeeded(result))
    known[value] = *result;
  return result;
}

FailureOr<TileValue> BodyEvaluator::evaluateBinary(Operation *op,
                                                   npu::BinaryKind kind,
                                                   Type element, DimMask dims,
                                                   Value target) {
  auto getOperand = [&](unsigned number) {
    Value operand = narrow(op->getOperand(number), element);
    return operand ? operand : op->getOperand(number);
  };
  Value left = getOperand(0), right = getOperand(1);
  FailureOr<TileValue> lhs = evaluate(left, dims);
  FailureOr<TileValue> rhs = failed(lhs) ? lhs : evaluate(right, dims);
  if (failed(lhs) || failed(rhs))
    return failure();
  for (TileValue *operand : {&*lhs, &*rhs})
    if (operand->isConstant())
      operand->element = element;
  DimMask own = lhs->dims | rhs->dims;
  Value place = own == dims ? target : Value();
  if (own == 0)
    return anchor->emitOpError("has an operation on constants only; fold "
                               "constants first");
  // A tile and a constant.
  bool isConstantLeft = lhs->isConstant();
  if (isConstantLeft || rhs->isConstant()) {
    const TileValue &tile = isConstantLeft ? *rhs : *lhs;
    double constant = isConstantLeft ? lhs->constant : rhs->constant;
    auto scale = [&](npu::ScalarKind kind, double by) -> TileValue {
      use(isConstantLeft ? right : left);
      return tiles.scalar(kind, tile, by, place);
    };
    switch (kind) {
    case npu::BinaryKind::add:
      return scale(npu::ScalarKind::adds, constant);
    case npu::BinaryKind::mul:
      return scale(npu::ScalarKind::muls, constant);
    case npu::BinaryKind::sub: {
      if (!isConstantLeft)
        return scale(npu::ScalarKind::adds, -constant);
      TileValue minus = scale(npu::ScalarKind::muls, -1);
      if (constant == 0)
        return minus;
      return tiles.scalar(npu::ScalarKind::adds, minus, constant, minus.memref);
    }
    case npu::BinaryKind::div: {
      if (!isConstantLeft)
        return scale(npu::ScalarKind::muls, 1 / constant);
      use(right);
      TileValue result = tiles.unary(npu::UnaryKind::rec, tile, place);
      if (constant != 1)
        npu::ScalarOp::create(
            tiles.b, npu::ScalarKind::muls, result.memref,
            arith::ConstantOp::create(tiles.b,
                                      tiles.b.getF32FloatAttr(float(constant))),
            result.memref);
      return result;
    }
    case npu::BinaryKind::max:
      if (constant == 0) {
        use(isConstantLeft ? right : left);
        return tiles.unary(npu::UnaryKind::relu, tile, place);
      }
      break;
    case npu::BinaryKind::min:
      break;
    }
  }
  // Operands that die here give their buffers to the result if they have its
  // shape: these instructions may work in place.
  FailureOr<TileValue> result;
  bool inPlace = (lhs->dims == own || lhs->isConstant()) &&
                 (rhs->dims == own || rhs->isConstant());
  if (inPlace) {
    use(left);
    use(right);
  }
  // A constant is filled in first; that must not overwrite the other operand.
  if (inPlace && (lhs->isConstant() || rhs->isConstant())) {
    TileValue filled = tiles.allocate(element, own, Value());
    const TileValue &tile = isConstantLeft ? *rhs : *lhs;
    if (filled.memref == tile.memref) {
      TileValue other = tiles.allocate(element, own, Value());
      tiles.release(filled);
      filled = other;
    }
    npu::FillOp::create(
        tiles.b,
        arith::ConstantOp::create(
            tiles.b, tiles.b.getF32FloatAttr(float(
                         isConstantLeft ? lhs->constant : rhs->constant))),
        filled.memref);
    result = tiles.binary(kind, isConstantLeft ? filled : *lhs,
                          isConstantLeft ? *rhs : filled, own, place);
    if (succeeded(result) && result->memref != filled.memref)
      tiles.release(filled);
    return result;
  }
  result = tiles.binary(kind, *lhs, *rhs, own, place);
  if (!inPlace) {
    use(left);
    use(right);
  }
  return result;
}

FailureOr<TileValue> BodyEvaluator::evaluateCast(Operation *op, DimMask dims,
                                                 Value target) {
  Value source = op->getOperand(0);
  Type to = op->getResult(0).getType(), from = source.getType();
  // An operation on f16, computed in f32 and rounded once: as the vector unit
  // computes f16.
  Operation *inner = source.getDefiningOp();
  if (isa<arith::TruncFOp>(op) && to.isF16() && inner && from.isF32() &&
      source.hasOneUse() && !known.count(source)) {
    auto numbers = llvm::seq<unsigned>(0, inner->getNumOperands());
    bool isNarrow = llvm::all_of(numbers, [&](unsigned number) {
      return narrow(inner->getOperand(number), to) ||
             isRegister(inner, number, to, dims);
    });
    if (auto select = dyn_cast<arith::SelectOp>(inner)) {
      Value yes = narrow(select.getTrueValue(), to);
      Value no = narrow(select.getFalseValue(), to);
      FailureOr<TileValue> bits = evaluate(select.getCondition(), dims);
      if (failed(bits))
        return failure();
      if (yes && no && tiles.canSelect(*bits, to))
        return evaluateSelect(inner, yes, no, to, dims, target);
    }
    if (isNarrow && getBinaryKind(inner))
      return evaluateBinary(inner, *getBinaryKind(inner), to, dims, target);
    if (isNarrow && getUnaryKind(inner)) {
      Value operand = narrow(inner->getOperand(0), to);
      FailureOr<TileValue> tile = evaluate(operand, dims);
      if (failed(tile))
        return failure();
      if (!tile->isConstant()) {
        use(operand);
        return tiles.unary(*getUnaryKind(inner), *tile,
                           tile->dims == dims ? target : Value());
      }
    }
  }
  FailureOr<TileValue> tile = evaluate(source, dims);
  if (failed(tile))
    return failure();
  Value place = tile->dims == dims ? target : Value();
  TileValue current = *tile;
  bool throughF16 = getCastPath(from, to) == CastPath::throughF16;
  if (throughF16)
    current = tiles.cast(current, tiles.b.getF16Type());
  TileValue result = tiles.cast(current, to, place);
  if (throughF16)
    tiles.release(current);
  use(source);
  return result;
}

FailureOr<TileValue> BodyEvaluator::evaluateCompare(Operation *op,
                                                    DimMask dims) {
  auto compare = cast<arith::CmpFOp>(op);
  Type element = compare.getLhs().getType();
  Value left = compare.getLhs(), right = compare.getRhs();
  // Comparing what was extended compares what it was.
  Type f16 = tiles.b.getF16Type();
  auto isExact = [&](Value value) {
    auto constant = getConstant(value);
    if (!constant)
      return bool(narrow(value, f16));
    bool lost;
    APFloat number(*constant);
    number.convert(APFloat::IEEEhalf(), APFloat::rmNearestTiesToEven, &lost);
    return !lost;
  };
  if (element.isF32() && isExact(left) && isExact(right)) {
    left = narrow(left, f16);
    right = narrow(right, f16);
    element = f16;
  }
  FailureOr<TileValue> lhs = evaluate(left, dims);
  FailureOr<TileValue> rhs = failed(lhs) ? lhs : evaluate(right, dims);
  if (failed(lhs) || failed(rhs))
    return failure();
  lhs->element = rhs->element = element;
  if ((lhs->dims | rhs->dims) == 0)
    return anchor->emitOpError("compares constants; fold constants first");
  FailureOr<TileValue> result =
      tiles.compare(*getPredicate(compare), *lhs, *rhs);
  use(left);
  use(right);
  return result;
}

FailureOr<TileValue>
BodyEvaluator::evaluateSelect(Operation *op, Value whenTrue, Value whenFalse,
                              Type element, DimMask dims, Value target) {
  Value bits = cast<arith::SelectOp>(op).getCondition();
  FailureOr<TileValue> condition = evaluate(bits, dims);
  FailureOr<TileValue> yes = evaluate(whenTrue, dims);
  FailureOr<TileValue> no = evaluate(whenFalse, dims);
  if (failed(condition) || failed(yes) || failed(no))
    return failure();
  if (!condition->isBits)
    return anchor->emitOpError("selects by a condition that is not a "
                               "comparison of its own");
  yes->element = no->element = element;
  FailureOr<TileValue> result = tiles.select(
      *condition, *yes, *no, condition->dims == dims ? target : Value());
  if (failed(result))
    return anchor->emitOpError("selects elements by a comparison that has "
                               "fewer dimensions");
  for (Value operand : {bits, whenTrue, whenFalse})
    use(operand);
  return result;
}

FailureOr<TileValue> BodyEvaluator::evaluateOp(Operation *op, DimMask dims,
                                               Value target) {
  if (auto obstacle = findVectorObstacle(op))
    return anchor->emitOpError(*obstacle);
  Type element = op->getResult(0).getType();
  if (std::optional<npu::BinaryKind> kind = getBinaryKind(op))
    return evaluateBinary(op, *kind, element, dims, target);
  if (isCast(op))
    return evaluateCast(op, dims, target);
  if (isa<arith::CmpFOp>(op))
    return evaluateCompare(op, dims);
  std::optional<npu::UnaryKind> kind = getUnaryKind(op);
  if (kind || isa<arith::NegFOp>(op)) {
    FailureOr<TileValue> tile = evaluate(op->getOperand(0), dims);
    if (failed(tile))
      return failure();
    if (tile->isConstant())
      return anchor->emitOpError("has an operation on constants only; fold "
                                 "constants first");
    use(op->getOperand(0));
    Value place = tile->dims == dims ? target : Value();
    if (kind)
      return tiles.unary(*kind, *tile, place);
    return tiles.scalar(npu::ScalarKind::muls, *tile, -1, place);
  }
  auto select = cast<arith::SelectOp>(op);
  return evaluateSelect(op, select.getTrueValue(), select.getFalseValue(),
                        element, dims, target);
}

LogicalResult BodyEvaluator::write(Value value, DimMask dims, Value target) {
  FailureOr<TileValue> result = evaluate(value, dims, target);
  if (failed(result))
    return failure();
  if (result->isBits)
    return anchor->emitOpError("writes the bits of a comparison");
  if (result->memref == target)
    return success();
  if (result->dims != dims)
    tiles.broadcast(*result, dims, target);
  else
    tiles.copy(*result, target);
  return success();
}
