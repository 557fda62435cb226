// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../IR/Windows.h"
#include "DequantizedOperand.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "LowerPrecisionCaches.h"
#include "LowerPrecisionWeights.h"
#include "Machine/KernelCost.h"
#include "Support/ModuleMachine.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>
#include <tuple>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHLOWERPRECISION
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// The least and the largest number of an integer type of at most 32 bits.
std::pair<int64_t, int64_t> getRange(Type integer) {
  auto type = cast<IntegerType>(integer);
  unsigned width = type.getWidth();
  if (type.isUnsigned())
    return {0, llvm::maxUIntN(width)};
  return {llvm::minIntN(width), llvm::maxIntN(width)};
}

/// A factor of a product as the integers that it was dequantized from, with one
/// zero point, and one scale or one per column of the product.
struct QuantizedFactor : DequantizedOperand {
  /// Of a matrix [..., N, K] in place of [..., K, N], or the reverse.
  bool transposed = false;

  bool hasZeroPoint() { return zeroPoint != 0 || zeroPointOperand; }
  /// Whether the integers are known before the graph runs.
  bool isConstant() { return isConstantValue(getIntegers()); }
  /// The largest magnitude of its integers, of its zero point, and of what is
  /// left of integers without it.
  int64_t getLargest() {
    auto [least, most] = getRange(getType().getElementType());
    int64_t leastPoint = zeroPoint, mostPoint = zeroPoint;
    if (zeroPointOperand)
      std::tie(leastPoint, mostPoint) =
          getRange(getElementTypeOrSelf(zeroPointOperand.getType()));
    return std::max({-least, most, -leastPoint, mostPoint, mostPoint - least,
                     most - leastPoint});
  }
  /// The dimension that the product reduces, of A (0) or B (1).
  int64_t getReducedDim(unsigned factor) {
    int64_t rank = getType().getRank();
    return rank - ((factor == 0) != transposed ? 1 : 2);
  }
};

/// A tensor with zeros after the elements of a dimension, which has `size`
/// then.
Value padEnd(Decomposition &b, Value value, int64_t dim, int64_t size) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  ArrayRef<int64_t> sizes(shape);
  int64_t outer = ShapedType::getNumElements(sizes.take_front(dim)),
          inner = ShapedType::getNumElements(sizes.drop_front(dim + 1));
  Value image = b.reshape(value, {outer, shape[dim], inner});
  shape[dim] = size;
  return b.reshape(makeSlice(b, image, {Sliding::all(size)}), shape);
}

class MatmulLowering {
public:
  MatmulLowering(MatmulOp op, const Machine &machine)
      : op(op), machine(machine) {}

  /// Why the product stays as it is; empty if it need not.
  std::string findObstacle() {
    if (op.getTemplateParamsAttr())
      return "it has the template parameters of a matmul in f32";
    for (unsigned i = 0; i < 2; ++i)
      if (std::string obstacle = findObstacle(i); !obstacle.empty())
        return "operand " + std::to_string(i) + " " + obstacle;
    if (std::string obstacle = findWindowObstacle(); !obstacle.empty())
      return obstacle;
    for (unsigned i = 0; i < 2; ++i)
      if (factors[i].hasZeroPoint() &&
          !factors[1 - i].getType().hasStaticShape())
        return "operand " + std::to_string(i) +
               " has a zero point, and the sizes of the other one are "
               "not known";
    if (int64_t k = getDepth(); ShapedType::isDynamic(k) || k > getLongestSum())
      return "sums of so many products may not fit 32 bits";
    return "";
  }

  void lower(RewriterBase &rewriter) {
    Decomposition b(rewriter, op);
    // What a zero point takes off a column of the result are the sums of B's
    // columns. Those of constants are computed once; kernels sum others.
    // Pads of windows are zeros rather than zero points, and no kernel reads
    // them, so it has to subtract from what it does read.
    WindowAttr window = op.getWindowAttr();
    bool isFolded = factors[1].isConstant() && factors[0].zeroPoint != 0 &&
                    !(window && window.isPadded());
    int64_t src = isFolded ? 0 : factors[0].zeroPoint;
    int64_t weights = factors[1].zeroPoint;
    Value left = fillChannels(b, 0), right = fillChannels(b, 1);
    Value sum = b.make<MatmulOp>(left, right, ValueRange(), op.getTransposeA(),
                                 op.getTransposeB(), TemplateAttrInterface(),
                                 src, weights,
                                 /*weights_group=*/0, window);
    if (isFolded)
      sum = subtract(b, sum,
                     getTerms(b, 0, makeInteger(b, factors[0].zeroPoint)));
    sum = subtractOperands(b, sum);
    Value result = multiplyScales(b, b.toF32(sum));
    if (op.getBias())
      result = b.add(result, op.getBias());
    result.setType(op.getType());
    rewriter.replaceOp(op, result);
    // Both may be one op.
    llvm::SmallSetVector<Operation *, 2> dequantized;
    for (QuantizedFactor &factor : factors)
      dequantized.insert(factor.op.getOperation());
    for (Operation *from : dequantized)
      if (from->use_empty())
        rewriter.eraseOp(from);
  }

private:
  /// The most products whose sum fits 32 bits, as do all sums that zero points
  /// are taken off one by one. A sum of integers less the zero point of one
  /// factor still holds that of the other: both at once only if both are
  /// operands.
  int64_t getLongestSum() {
    int64_t product = factors[0].getLargest() * factors[1].getLargest();
    if (factors[0].zeroPointOperand && factors[1].zeroPointOperand)
      product *= 2;
    return std::numeric_limits<int32_t>::max() / product;
  }

  std::string findWindowObstacle() {
    WindowAttr window = op.getWindowAttr();
    if (!window)
      return "";
    int64_t channels =
        factors[0].getType().getShape().back() / window.getGroups();
    // Neighbours along k that fill 32 bits are multiplied together; zeros that
    // are added to weights must stand for 0.
    StringRef where = window.getGroups() > 1 ? "a group has "
                      : factors[1].zeroPoint != 0
                          ? "weights have a zero point, and a window has "
                          : "";
    int64_t filled = getFilled(channels);
    if (filled != channels && !where.empty())
      return (where + Twine(channels) + " channels, not a multiple of 4").str();
    if (filled != channels && filled >= channels * getGainOfBytes(machine))
      return "with " + std::to_string(filled) + " channels instead of " +
             std::to_string(channels) + ", integers are not faster";
    if (factors[0].zeroPointOperand || factors[1].zeroPointOperand)
      return "the zero points of a product of windows are not constants";
    return "";
  }

  /// Channels in whole groups.
  int64_t getFilled(int64_t channels) {
    int64_t group =
        getAttentionKernelTypes(factors[0].getType().getElementType()).packB;
    return llvm::alignTo(channels, group);
  }

  /// The integers of a factor of windows, with whole groups of channels: what
  /// is added to an image meets zeros of the weights.
  Value fillChannels(Decomposition &b, unsigned i) {
    Value integers = factors[i].getIntegers();
    int64_t channels = factors[0].getType().getShape().back(),
            filled = getFilled(channels);
    if (!op.getWindow() || op.getWindowAttr().getGroups() > 1 ||
        filled == channels)
      return integers;
    if (i == 0)
      return padEnd(b, integers, factors[0].getType().getRank() - 1, filled);
    SmallVector<int64_t> shape(factors[1].getType().getShape());
    int64_t &depth = shape[shape.size() - 2];
    int64_t columns = shape.back();
    integers = b.reshape(
        integers, {factors[1].getType().getNumElements() / (channels * columns),
                   channels, columns});
    depth = depth / channels * filled;
    return b.reshape(padEnd(b, integers, /*dim=*/1, filled), shape);
  }

  int64_t getDepth() {
    if (op.getWindow())
      return factors[1].getType().getDimSize(factors[1].getReducedDim(1));
    return factors[0].getType().getDimSize(factors[0].getReducedDim(0));
  }

  std::string findObstacle(unsigned i) {
    auto from = getDequantization(op->getOperand(i).getDefiningOp());
    if (!from)
      return "is not dequantized";
    QuantizedFactor factor;
    factor.transposed = i == 0 ? op.getTransposeA() : op.getTransposeB();
    std::string obstacle = factor.read(from);
    int64_t rank = factor.getType().getRank();
    if (rank < 2)
      return "is a vector";
    if (obstacle.empty())
      obstacle = findObstacle(factor);
    if (!obstacle.empty())
      return obstacle;
    std::optional<int64_t> dim = from.getScaleDim();
    if (dim && (i == 0 || *dim != rank - (factor.transposed ? 2 : 1)))
      return "has a scale per element of a dimension other than the columns of "
             "the result";
    factors[i] = factor;
    return "";
  }

  /// Why products of integers cannot use such a factor.
  static std::string findObstacle(QuantizedFactor &factor) {
    if (!factor.getType().getElementType().isInteger(8))
      return "is dequantized from integers of less than 8 bits";
    if (factor.op.hasScalesPerGroup())
      return "has a scale per group";
    if (!getElementTypeOrSelf(factor.op->getResult(0)).isF32())
      return "is not dequantized to f32";
    Value zps = factor.zeroPointOperand;
    if (!zps)
      return "";
    auto type = cast<RankedTensorType>(zps.getType());
    if (!type.hasStaticShape() || type.getNumElements() != 1)
      return "has different zero points";
    // Sums with larger ones might not fit 32 bits.
    if (!type.getElementType().isInteger(8))
      return "has a zero point that may be larger than 8 bits";
    return "";
  }

  /// getLongestSum() rules out that a sum overflows.
  static Value subtract(Decomposition &b, Value sum, Value terms) {
    return b.make<SubtractOp>(sum, terms, "numpy", /*no_overflow=*/true);
  }

  static Value makeInteger(Decomposition &b, int64_t value) {
    auto type = RankedTensorType::get({}, getSumType(b));
    return b.make<ConstantOp>(
        type, DenseElementsAttr::get(type, APInt(32, value, true)));
  }

  static Type getSumType(Decomposition &b) {
    return b.rewriter.getIntegerType(32, /*isSigned=*/true);
  }

  /// A zero point of factor i times the sums of the other factor, less the zero
  /// point of that if it is a constant: si32 that broadcast to the result. The
  /// sums are small enough to be exact in f32.
  Value getTerms(Decomposition &b, unsigned i, Value zeroPoint) {
    QuantizedFactor &other = factors[1 - i];
    Value numbers = b.toF32(other.getIntegers());
    if (other.zeroPoint)
      numbers = b.add(numbers, -other.zeroPoint);
    Value sums = b.reduce<ReduceSumOp>(numbers, {other.getReducedDim(1 - i)});
    // [..., 1, N] of B, [..., M, 1] of A, whichever way they are stored.
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(sums.getType()).getShape());
    if (other.transposed)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    return b.make<MultiplyOp>(b.cast(b.reshape(sums, shape), getSumType(b)),
                              zeroPoint);
  }

  /// Takes off what zero points contribute that only the run knows.
  Value subtractOperands(Decomposition &b, Value sum) {
    Value points[2];
    for (unsigned i = 0; i < 2; ++i) {
      if (!factors[i].zeroPointOperand)
        continue;
      points[i] =
          b.cast(b.reshape(factors[i].zeroPointOperand, {}), getSumType(b));
      sum = subtract(b, sum, getTerms(b, i, points[i]));
    }
    if (!points[0] || !points[1])
      return sum;
    Value both = b.make<MultiplyOp>(points[0], points[1]);
    both = b.make<MultiplyOp>(both, makeInteger(b, getDepth()));
    return b.make<AddOp>(sum, both, "numpy", /*no_overflow=*/true);
  }

  /// Constant scales are multiplied with each other first.
  Value multiplyScales(Decomposition &b, Value result) {
    SmallVector<float> known{1};
    for (QuantizedFactor &factor : factors) {
      if (factor.scaleOperand)
        continue;
      SmallVector<float> products;
      for (float left : known)
        for (float right : factor.scales)
          products.push_back(left * right);
      known = products;
    }
    for (auto [i, factor] : llvm::enumerate(factors)) {
      if (!factor.scaleOperand)
        continue;
      Value scales = b.toF32(factor.scaleOperand);
      if (cast<RankedTensorType>(scales.getType()).getNumElements() == 1)
        scales = b.reshape(scales, {});
      result = b.multiply(result, scales);
    }
    if (factors[0].scaleOperand && factors[1].scaleOperand)
      return result;
    auto type = RankedTensorType::get(
        known.size() == 1 ? ArrayRef<int64_t>()
                          : ArrayRef<int64_t>(int64_t(known.size())),
        b.rewriter.getF32Type());
    return b.multiply(result,
                      b.make<ConstantOp>(
                          type, DenseElementsAttr::get(type, ArrayRef(known))));
  }

  MatmulOp op;
  const Machine &machine;
  QuantizedFactor factors[2];
};

/// What a matmul in floating-point numbers reads of integers with a scale per
/// group, keys and values for example, is dequantized where it is read.
void dequantizeWhereRead(MatmulOp op) {
  for (Value factor : op.getOperands().take_front(2)) {
    if (auto cast = factor.getDefiningOp<TypeCastOp>())
      factor = cast.getSrc();
    auto from = getDequantization(factor.getDefiningOp());
    if (!from || !cast<RankedTensorType>(factor.getType()).hasStaticShape())
      continue;
    bool isGrouped = false;
    for (auto [size, group] :
         llvm::zip(cast<RankedTensorType>(factor.getType()).getShape(),
                   from.getQuantization().groupShape))
      isGrouped |= group != 1 && group != size;
    if (isGrouped)
      from->setAttr(GraphDialect::kWhereReadAttr,
                    UnitAttr::get(from.getContext()));
  }
}

struct LowerPrecision : impl::GraphLowerPrecisionBase<LowerPrecision> {
  void runOnOperation() override {
    auto machine = getMachine(getOperation()->getParentOfType<ModuleOp>());
    if (failed(machine))
      return signalPassFailure();
    SmallVector<MatmulOp> worklist;
    getOperation().walk([&](MatmulOp op) { worklist.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MatmulOp op : worklist) {
      bool isQuantized = llvm::any_of(op.getOperands(), [](Value operand) {
        return static_cast<bool>(getDequantization(operand.getDefiningOp()));
      });
      MatmulLowering lowering(op, *machine);
      WeightsLowering weights(op, *machine);
      CacheLowering cache(op);
      std::string obstacle;
      if (weights.isCandidate()) {
        obstacle = weights.findObstacle();
        if (obstacle.empty()) {
          weights.lower(rewriter);
          continue;
        }
      } else if (cache.isCandidate()) {
        obstacle = cache.findObstacle();
        if (obstacle.empty()) {
          cache.lower(rewriter);
          continue;
        }
      } else if (isQuantized) {
        obstacle = lowering.findObstacle();
        if (obstacle.empty()) {
          lowering.lower(rewriter);
          continue;
        }
      }
      dequantizeWhereRead(op);
      if (obstacle.empty())
        continue;
      remark::missed(op->getLoc(), remark::RemarkOpts::name("NotLowered")
                                       .category(getArgument())
                                       .function(getOperation().getName()))
          << "'graph.matmul' stays in f32" << remark::reason("{0}", obstacle);
    }
  }
};
} // namespace

} // namespace gc::graph
