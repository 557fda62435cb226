// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which operations of bodies are instructions of the vector unit.

#include "Dialect/Poly/Transforms/VectorUnit.h"
#include "VectorBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace gc;
using namespace gc::poly;

std::optional<npu::BinaryKind> gc::poly::getBinaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<npu::BinaryKind>>(op)
      .Case<arith::AddFOp>([](auto) { return npu::BinaryKind::add; })
      .Case<arith::SubFOp>([](auto) { return npu::BinaryKind::sub; })
      .Case<arith::MulFOp>([](auto) { return npu::BinaryKind::mul; })
      .Case<arith::DivFOp>([](auto) { return npu::BinaryKind::div; })
      .Case<arith::MaximumFOp>([](auto) { return npu::BinaryKind::max; })
      .Case<arith::MinimumFOp>([](auto) { return npu::BinaryKind::min; })
      .Default([](auto) { return std::nullopt; });
}

std::optional<npu::UnaryKind> gc::poly::getUnaryKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<npu::UnaryKind>>(op)
      .Case<math::AbsFOp>([](auto) { return npu::UnaryKind::abs; })
      .Case<math::ExpOp>([](auto) { return npu::UnaryKind::exp; })
      .Case<math::LogOp>([](auto) { return npu::UnaryKind::log; })
      .Case<math::SqrtOp>([](auto) { return npu::UnaryKind::sqrt; })
      .Case<math::RsqrtOp>([](auto) { return npu::UnaryKind::rsqrt; })
      .Default([](auto) { return std::nullopt; });
}

std::optional<npu::ComparePredicate>
gc::poly::getPredicate(arith::CmpFOp compare) {
  switch (compare.getPredicate()) {
  case arith::CmpFPredicate::OEQ:
    return npu::ComparePredicate::eq;
  case arith::CmpFPredicate::UNE:
    return npu::ComparePredicate::ne;
  case arith::CmpFPredicate::OLT:
    return npu::ComparePredicate::lt;
  case arith::CmpFPredicate::OLE:
    return npu::ComparePredicate::le;
  case arith::CmpFPredicate::OGT:
    return npu::ComparePredicate::gt;
  case arith::CmpFPredicate::OGE:
    return npu::ComparePredicate::ge;
  default:
    return std::nullopt;
  }
}

bool gc::poly::isCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::FPToSIOp,
             arith::ExtSIOp, arith::TruncIOp>(op);
}

std::optional<CastPath> gc::poly::getCastPath(Type from, Type to) {
  auto isOnMachine = [](Type type) {
    return type.isF16() || type.isF32() || type.isInteger(8) ||
           type.isInteger(32);
  };
  // f32 to i8 would be rounded twice, to f16 first.
  if (!isOnMachine(from) || !isOnMachine(to) ||
      (from.isF32() && to.isInteger(8)))
    return std::nullopt;
  // i32 to i8 goes through f16, which holds without loss what an i8 does; i8 to
  // f32 and i32 too.
  bool isBetweenIntegers = from.isInteger() && to.isInteger();
  return isBetweenIntegers || (from.isInteger(8) && to.isF32())
             ? CastPath::throughF16
             : CastPath::direct;
}

std::optional<npu::ReduceKind> gc::poly::getReduceKind(Operation *op) {
  if (isa_and_nonnull<arith::AddFOp>(op))
    return npu::ReduceKind::sum;
  if (isa_and_nonnull<arith::MaximumFOp>(op))
    return npu::ReduceKind::max;
  if (isa_and_nonnull<arith::MinimumFOp>(op))
    return npu::ReduceKind::min;
  // The larger or smaller one by a comparison.
  auto select = dyn_cast_or_null<arith::SelectOp>(op);
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpFOp>() : nullptr;
  if (!compare || compare.getLhs() != select.getTrueValue() ||
      compare.getRhs() != select.getFalseValue())
    return std::nullopt;
  if (compare.getPredicate() == arith::CmpFPredicate::OGT)
    return npu::ReduceKind::max;
  if (compare.getPredicate() == arith::CmpFPredicate::OLT)
    return npu::ReduceKind::min;
  return std::nullopt;
}

std::optional<std::string> gc::poly::findVectorObstacle(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (isa<arith::ConstantOp, arith::SelectOp, arith::NegFOp>(op) ||
      getBinaryKind(op) || getUnaryKind(op))
    return std::nullopt;
  if (isCast(op)) {
    Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
    if (getCastPath(from, to))
      return std::nullopt;
    os << "casts " << from << " to " << to
       << ", which the vector unit cannot do";
    if (from.isF32() && to.isInteger(8))
      os << " in one rounding";
    return text;
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    if (getPredicate(compare))
      return std::nullopt;
    os << "compares with '"
       << arith::stringifyCmpFPredicate(compare.getPredicate())
       << "', which the vector unit cannot do";
    return text;
  }
  os << "has '" << op->getName() << "', which the vector unit cannot compute";
  return text;
}

std::optional<std::string> gc::poly::findVectorObstacle(Block &body) {
  expandFunctions(body);
  for (Operation &op : body.without_terminator())
    if (auto obstacle = findVectorObstacle(&op); obstacle && !op.use_empty())
      return obstacle;
  return std::nullopt;
}
