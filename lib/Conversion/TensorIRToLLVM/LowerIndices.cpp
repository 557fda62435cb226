// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Indices as integer arithmetic. Upstream's lowering of affine maps has to
// divide numbers of any sign and adjusts the result with compares and selects;
// indices are rarely negative.

#include "Dialect/TensorIR/Transforms/IndexRange.h"
#include "TensorIRToLLVMImpl.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AffineExprVisitor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace gc::tir {

namespace {

/// Emits an expression whose quotients and remainders are of numbers that are
/// not negative.
class Expander : public AffineExprVisitor<Expander, Value> {
public:
  Expander(ImplicitLocOpBuilder &b, unsigned numDims, ValueRange operands,
           Block *entry, DenseMap<int64_t, Value> &constants)
      : b(b), numDims(numDims), operands(operands), entry(entry),
        constants(constants) {}

  /// One constant of each value per function.
  Value visitConstantExpr(AffineConstantExpr expr) {
    Value &constant = constants[expr.getValue()];
    if (!constant) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(entry);
      constant = arith::ConstantIndexOp::create(b, expr.getValue());
    }
    return constant;
  }
  Value visitDimExpr(AffineDimExpr expr) {
    return operands[expr.getPosition()];
  }
  Value visitSymbolExpr(AffineSymbolExpr expr) {
    return operands[numDims + expr.getPosition()];
  }
  /// What changes in outer loops only is added first, so that the sum of it can
  /// leave the inner ones; a constant last, so that it can become an offset.
  Value visitAddExpr(AffineBinaryOpExpr expr) {
    SmallVector<Addend> addends;
    addAddends(expr, addends);
    llvm::sort(addends, [](const Addend &x, const Addend &y) {
      return std::pair(x.depth, x.position) < std::pair(y.depth, y.position);
    });
    Value sum;
    for (const Addend &addend : addends) {
      Value value = visit(addend.expr);
      sum = sum ? arith::AddIOp::create(b, sum, value).getResult() : value;
    }
    return sum;
  }
  Value visitMulExpr(AffineBinaryOpExpr expr) {
    return emit<arith::MulIOp>(expr);
  }
  Value visitModExpr(AffineBinaryOpExpr expr) {
    return emit<arith::RemUIOp>(expr);
  }
  Value visitFloorDivExpr(AffineBinaryOpExpr expr) {
    return emit<arith::DivUIOp>(expr);
  }
  Value visitCeilDivExpr(AffineBinaryOpExpr expr) {
    return arith::CeilDivUIOp::create(b, visit(expr.getLHS()),
                                      visit(expr.getRHS()));
  }

private:
  struct Addend {
    unsigned depth;
    size_t position;
    AffineExpr expr;
  };

  void addAddends(AffineExpr expr, SmallVectorImpl<Addend> &addends) {
    if (expr.getKind() == AffineExprKind::Add) {
      auto sum = cast<AffineBinaryOpExpr>(expr);
      addAddends(sum.getLHS(), addends);
      addAddends(sum.getRHS(), addends);
      return;
    }
    unsigned depth = isa<AffineConstantExpr>(expr) ? ~0u : 0u;
    expr.walk([&](AffineExpr inner) {
      if (auto dim = dyn_cast<AffineDimExpr>(inner))
        depth = std::max(depth, getDepth(operands[dim.getPosition()]));
      else if (auto symbol = dyn_cast<AffineSymbolExpr>(inner))
        depth =
            std::max(depth, getDepth(operands[numDims + symbol.getPosition()]));
    });
    addends.push_back({depth, addends.size(), expr});
  }

  /// How many ops are around the definition of a value.
  static unsigned getDepth(Value value) {
    unsigned depth = 0;
    for (Operation *op = value.getParentBlock()->getParentOp(); op;
         op = op->getParentOp())
      ++depth;
    return depth;
  }

  template <typename Op>
  Value emit(AffineBinaryOpExpr expr) {
    Value left = visit(expr.getLHS());
    return Op::create(b, left, visit(expr.getRHS()));
  }

  ImplicitLocOpBuilder &b;
  unsigned numDims;
  ValueRange operands;
  Block *entry;
  DenseMap<int64_t, Value> &constants;
};

/// Whether everything that the expression divides is 0 or more, and every
/// divisor a positive constant.
bool dividesNaturals(AffineExpr whole, unsigned numDims, ValueRange operands) {
  return !whole
              .walk([&](AffineExpr inner) {
                auto binary = dyn_cast<AffineBinaryOpExpr>(inner);
                if (!binary || binary.getKind() == AffineExprKind::Add ||
                    binary.getKind() == AffineExprKind::Mul)
                  return WalkResult::advance();
                auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
                std::optional<IndexRange> range =
                    getRange(binary.getLHS(), numDims, operands);
                bool isNatural =
                    by && by.getValue() > 0 && range && range->min >= 0;
                return isNatural ? WalkResult::advance()
                                 : WalkResult::interrupt();
              })
              .wasInterrupted();
}

} // namespace

void lowerIndices(func::FuncOp function) {
  if (function.isDeclaration())
    return;
  SmallVector<Operation *> indices;
  function.walk([&](Operation *op) {
    if (isa<affine::AffineApplyOp, affine::AffineMinOp, affine::AffineMaxOp>(
            op))
      indices.push_back(op);
  });
  DenseMap<int64_t, Value> constants;
  // Users before what they use, whose ranges are seen through affine maps.
  for (Operation *op : llvm::reverse(indices)) {
    ImplicitLocOpBuilder b(op->getLoc(), op);
    auto expand = [&](AffineMap map, AffineExpr expr) -> Value {
      ValueRange operands = op->getOperands();
      if (dividesNaturals(expr, map.getNumDims(), operands))
        return Expander(b, map.getNumDims(), operands, &function.front(),
                        constants)
            .visit(expr);
      return affine::expandAffineExpr(b, op->getLoc(), expr,
                                      operands.take_front(map.getNumDims()),
                                      operands.drop_front(map.getNumDims()));
    };
    // Each result of the map with the extreme of those before it.
    auto replace = [&](AffineMap map, auto emitExtreme) {
      Value extreme;
      for (AffineExpr expr : map.getResults()) {
        Value value = expand(map, expr);
        extreme = extreme ? emitExtreme(extreme, value) : value;
      }
      op->getResult(0).replaceAllUsesWith(extreme);
      op->erase();
    };
    TypeSwitch<Operation *>(op)
        .Case([&](affine::AffineApplyOp apply) {
          replace(apply.getAffineMap(), [](Value, Value last) { return last; });
        })
        .Case([&](affine::AffineMinOp min) {
          // LLVM knows more of a minimum without a sign: it is 0 or more.
          AffineMap map = min.getAffineMap();
          bool isNatural = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
            auto range = getRange(expr, map.getNumDims(), min.getMapOperands());
            return range && range->min >= 0;
          });
          replace(map, [&](Value x, Value y) -> Value {
            if (isNatural)
              return arith::MinUIOp::create(b, x, y);
            return arith::MinSIOp::create(b, x, y);
          });
        })
        .Case([&](affine::AffineMaxOp max) {
          replace(max.getAffineMap(), [&](Value x, Value y) -> Value {
            return arith::MaxSIOp::create(b, x, y);
          });
        });
  }
}

} // namespace gc::tir
