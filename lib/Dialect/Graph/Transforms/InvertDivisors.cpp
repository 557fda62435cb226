// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../IR/Decomposition.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "Dialect/Graph/Transforms/RegionSpace.h"
#include "RaiseSoftmax.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHINVERTDIVISORS
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// A divisor is inverted if it divides at least this many elements.
constexpr int64_t kLeastShare = 8;
/// What is computed of a scalar before the loops takes as long as about this
/// many divisions.
constexpr int64_t kLeastElements = 4096;
/// A constant factor that joins an inverse is at most 2^k or its inverse, so
/// that their product is a normal number.
constexpr int kFactorBits = 40;

/// Whether a value is compared or rounded a few ops further on, so that its
/// last bit may change the result by a whole unit. Casts to integers are
/// excepted: they round what was computed, and a tie may go either way.
bool decidesSoon(Value value, unsigned depth = 3) {
  return llvm::any_of(value.getUsers(), [&](Operation *user) {
    auto fusible = dyn_cast<FusibleOpInterface>(user);
    if (!fusible)
      return false;
    if (fusible.isDiscontinuous())
      return fusible.getFusibleKind() != FusibleKind::cast;
    return depth && llvm::any_of(user->getResults(), [&](Value result) {
             return decidesSoon(result, depth - 1);
           });
  });
}

/// Whether all elements were integers, so that none is between 0 and 1.
bool wereIntegers(Value value) {
  auto cast = value.getDefiningOp<TypeCastOp>();
  return cast &&
         isa<IntegerType>(getElementTypeOrSelf(cast.getSrc().getType()));
}

class Inversion {
public:
  Inversion(DivideOp op, IRRewriter &rewriter) : op(op), b(rewriter, op) {}

  bool isWorthIt() {
    RankedTensorType type = op.getType(), divisor = getDivisorType();
    return type.hasStaticShape() && divisor.hasStaticShape() &&
           !getLayout(divisor) &&
           type.getNumElements() >=
               kLeastShare * std::max<int64_t>(divisor.getNumElements(), 1);
  }

  /// Replaces the division and returns nothing, or returns why it stays.
  std::optional<std::string> invert() {
    if (decidesSoon(op.getResult()))
      return "a comparison or rounding depends on the last bit";
    DenseFPElementsAttr constant;
    if (matchPattern(op.getSrc_1(), m_Constant(&constant))) {
      if (!llvm::all_of(constant.getValues<APFloat>(), hasInverse))
        return "the inverse of a divisor is not a normal number";
      replace(getDividend(), invertConstant(constant));
    } else if (isSoftmaxSum(op.getSrc_1())) {
      replace(getDividend(), invertRows());
      isSum = true;
    } else if (!isScalar() && !isPerRow()) {
      return "the elements of a row have different divisors";
    } else if (isScalar() && op.getType().getNumElements() < kLeastElements) {
      return "there are too few elements for a scalar to be computed before";
    } else {
      isNumber = isScalar();
      auto [scale, inverse] = invertAny();
      replace(multiply(getDividend(), scale), inverse);
    }
    return std::nullopt;
  }

  /// Lets a constant factor next to the multiplication that has taken the
  /// division's place join the inverse.
  void joinFactor() {
    if (product && isNumber)
      joinFactorBefore();
    if (product && isSum)
      joinFactorAfter();
  }

private:
  RankedTensorType getDivisorType() {
    return cast<RankedTensorType>(op.getSrc_1().getType());
  }

  /// Whether both the number and its inverse are normal in f32.
  static bool hasInverse(const APFloat &number) {
    constexpr double kLeast = std::numeric_limits<float>::min();
    double magnitude = std::fabs(number.convertToDouble());
    return magnitude >= kLeast && magnitude <= 1 / kLeast;
  }

  bool isScalar() { return getDivisorType().getNumElements() == 1; }
  /// Whether there is one divisor for each row of the result.
  bool isPerRow() {
    RankedTensorType type = op.getType(), divisor = getDivisorType();
    return divisor.getRank() == type.getRank() &&
           divisor.getShape().back() == 1;
  }

  /// Whether a value is what softmax divides by, which is at least 1, or NaN.
  static bool isSoftmaxSum(Value divisor) {
    Operation *op = divisor.getDefiningOp();
    if (!op)
      return false;
    // There may be a guard of rows that are all -inf.
    SmallVector<Operation *> sums{op};
    for (Value operand : op->getOperands())
      sums.push_back(operand.getDefiningOp());
    return llvm::any_of(sums, [&](Operation *sum) {
      if (!sum || !isReduction(sum))
        return false;
      auto softmax = raiseSoftmax(sum->getOperand(0), /*division=*/nullptr,
                                  Quotient{sum->getOperand(0), divisor});
      return softmax && softmax->mode != SoftmaxMode::unshifted;
    });
  }

  Value invertConstant(DenseFPElementsAttr divisors) {
    // Regions of attentions hold no constants.
    OpBuilder::InsertionGuard guard(b.rewriter);
    Operation *outer = op;
    while (!isa<FunctionOpInterface>(outer->getParentOp()))
      outer = outer->getParentOp();
    b.rewriter.setInsertionPoint(outer);
    Type f32 = b.rewriter.getF32Type();
    auto inverse = divisors.mapValues(f32, [](const APFloat &number) {
      float value = 1 / number.convertToDouble();
      return APFloat(value).bitcastToAPInt();
    });
    return b.make<ConstantOp>(cast<RankedTensorType>(inverse.getType()),
                              inverse);
  }

  /// The inverse, next to the divisor: there may be loops between that and the
  /// division.
  Value invertRows() {
    OpBuilder::InsertionGuard guard(b.rewriter);
    b.rewriter.setInsertionPointAfterValue(op.getSrc_1());
    return b.make<ReciprocalOp>(b.toF32(op.getSrc_1()));
  }

  /// A number s, and 1 / (s * divisor): s is 1, or 2^64 for a divisor whose
  /// inverse might overflow, or 2^-64 for one whose inverse might not be
  /// normal. Then the dividend times s overflows only if the quotient does.
  std::pair<Value, Value> invertAny() {
    OpBuilder::InsertionGuard guard(b.rewriter);
    b.rewriter.setInsertionPointAfterValue(op.getSrc_1());
    Value divisor = b.toF32(op.getSrc_1());
    Value magnitude = b.make<AbsOp>(divisor);
    auto isAtLeast = [&](int power) {
      return b.make<GreaterEqualOp>(magnitude,
                                    b.scalar(std::ldexp(1.0, power), divisor));
    };
    auto getScale = [&](int power) {
      return b.scalar(std::ldexp(1.0, power), divisor);
    };
    Value scale = b.make<SelectOp>(isAtLeast(64), getScale(-64), getScale(0));
    scale = b.make<SelectOp>(isAtLeast(-64), scale, getScale(64));
    return {scale, b.make<ReciprocalOp>(b.multiply(divisor, scale))};
  }

  /// In bf16 products are as precise as in f32 until they are stored, so only
  /// other types need casts.
  bool isComputedInF32() { return op.getType().getElementType().isBF16(); }

  Value getDividend() {
    return isComputedInF32() ? op.getSrc_0() : b.toF32(op.getSrc_0());
  }

  /// Of the dividend's type.
  Value multiply(Value dividend, Value factor) {
    auto type = cast<RankedTensorType>(dividend.getType());
    Value result = b.multiply(dividend, factor);
    if (getElementTypeOrSelf(result.getType()) != type.getElementType())
      result.setType(cast<RankedTensorType>(result.getType())
                         .clone(type.getElementType()));
    return result;
  }

  void replace(Value dividend, Value inverse) {
    Value result =
        b.cast(multiply(dividend, inverse), op.getType().getElementType());
    result.setType(op.getType());
    Operation *divisor = op.getSrc_1().getDefiningOp();
    product = result.getDefiningOp<MultiplyOp>();
    b.rewriter.replaceOp(op, result);
    if (divisor && isOpTriviallyDead(divisor))
      b.rewriter.eraseOp(divisor);
  }

  /// The factor of a product of f32 if it is one constant, which may join an
  /// inverse.
  static std::optional<float> getFactor(MultiplyOp multiply, Value other) {
    DenseFPElementsAttr constant;
    Value factor = multiply.getSrc_0() == other ? multiply.getSrc_1()
                                                : multiply.getSrc_0();
    if (!multiply.getType().getElementType().isF32() ||
        !matchPattern(factor, m_Constant(&constant)) ||
        !constant.getElementType().isF32() || constant.getNumElements() != 1)
      return std::nullopt;
    float value = *constant.value_begin<float>();
    double magnitude = std::fabs(value);
    if (magnitude < std::ldexp(1.0, -kFactorBits) ||
        magnitude > std::ldexp(1.0, kFactorBits))
      return std::nullopt;
    return value;
  }

  /// Of the product, multiplied by a number; none if it is inside of a region.
  Value scaleInverse(float factor) {
    Value inverse = product.getSrc_1();
    Operation *owner = inverse.getDefiningOp();
    if (!owner || !isa<FunctionOpInterface>(owner->getParentOp()))
      return {};
    OpBuilder::InsertionGuard guard(b.rewriter);
    b.rewriter.setInsertionPointAfterValue(inverse);
    return b.multiply(inverse, factor);
  }

  /// (c y s) / d = y s (c / d) for integers y, which neither overflow nor
  /// underflow if multiplied by s.
  void joinFactorBefore() {
    auto scaled = product.getSrc_0().getDefiningOp<MultiplyOp>();
    auto dividend =
        scaled ? scaled.getSrc_0().getDefiningOp<MultiplyOp>() : MultiplyOp();
    if (!dividend || !dividend->hasOneUse())
      return;
    for (Value integers : dividend->getOperands()) {
      std::optional<float> factor = getFactor(dividend, integers);
      if (!factor || !wereIntegers(integers) ||
          integers.getType() != dividend.getType())
        continue;
      if (Value inverse = scaleInverse(*factor)) {
        scaled.getSrc_0Mutable().assign(integers);
        product.getSrc_1Mutable().assign(inverse);
        b.rewriter.eraseOp(dividend);
      }
      return;
    }
  }

  /// (e / s) c = e (c / s) for the sum s of softmax: neither quotient is beyond
  /// what is normal.
  void joinFactorAfter() {
    if (!product->hasOneUse())
      return;
    auto user = dyn_cast<MultiplyOp>(*product->getUsers().begin());
    if (!user || user.getType() != product.getType())
      return;
    std::optional<float> factor = getFactor(user, product);
    if (!factor)
      return;
    if (Value inverse = scaleInverse(*factor)) {
      product.getSrc_1Mutable().assign(inverse);
      b.rewriter.replaceOp(user, product);
    }
  }

  DivideOp op;
  Decomposition b;
  /// The last multiplication that has taken the division's place, by the
  /// inverse of one number or of sums of softmax.
  MultiplyOp product;
  bool isNumber = false, isSum = false;
};

struct InvertDivisors : impl::GraphInvertDivisorsBase<InvertDivisors> {
  void runOnOperation() override {
    SmallVector<DivideOp> divisions;
    getOperation().walk([&](DivideOp op) { divisions.push_back(op); });
    IRRewriter rewriter(&getContext());
    SmallVector<Inversion> inversions;
    for (DivideOp op : divisions) {
      Location loc = op.getLoc();
      Inversion &inversion = inversions.emplace_back(op, rewriter);
      if (!inversion.isWorthIt())
        continue;
      if (auto obstacle = inversion.invert())
        remark::missed(loc, remark::RemarkOpts::name("NotInverted")
                                .category(getArgument())
                                .function(getOperation().getName()))
            << "'graph.divide' does not become a multiplication"
            << remark::reason("{0}", *obstacle);
    }
    // Factors may have been constant divisors.
    for (Inversion &inversion : inversions)
      inversion.joinFactor();
  }
};
} // namespace

} // namespace gc::graph
