// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "../IR/Decomposition.h"
#include "Dialect/Graph/Transforms/Passes.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

#include <cmath>

using namespace mlir;

namespace gc::graph {

#define GEN_PASS_DEF_GRAPHLOWERPRECISION
#include "Dialect/Graph/Transforms/Passes.h.inc"

namespace {

/// A factor of a product as the integers that it was dequantized from.
struct QuantizedFactor {
  DequantizeOp op;
  bool transposed;
  /// One zero point for all elements.
  int64_t zeroPoint = 0;

  Value getIntegers() { return op.getSrc(); }
  /// Whether the integers are known before the graph runs.
  bool isConstant() { return isConstantValue(getIntegers()); }
  RankedTensorType getType() { return op.getSrc().getType(); }
  /// The dimension that the product reduces, of A (0) or B (1).
  int64_t getReducedDim(unsigned factor) {
    int64_t rank = getType().getRank();
    return rank - ((factor == 0) != transposed ? 1 : 2);
  }
};

class MatmulLowering {
public:
  explicit MatmulLowering(MatmulOp op) : op(op) {}

  /// Why the product stays as it is; empty if it need not.
  std::string findObstacle() {
    if (op.getTemplateParamsAttr())
      return "it has the template parameters of a matmul in f32";
    for (unsigned i = 0; i < 2; ++i)
      if (std::string obstacle = findObstacle(i); !obstacle.empty())
        return obstacle;
    // Sums of products of 255 * 255 at most, and twice that with zero points.
    int64_t k = factors[0].getType().getDimSize(factors[0].getReducedDim(0));
    if (ShapedType::isDynamic(k) || k > kLongestSum)
      return "sums of so many products may not fit 32 bits";
    return "";
  }

  void lower(RewriterBase &rewriter) {
    Decomposition b(rewriter, op);
    // What a zero point takes off a column of the result are the sums of B's
    // columns. Those of constants are computed once; kernels sum others.
    bool isFolded = factors[1].isConstant() && factors[0].zeroPoint != 0;
    Value sum = b.make<MatmulOp>(
        factors[0].getIntegers(), factors[1].getIntegers(), Value(),
        op.getTransposeA(), op.getTransposeB(), TemplateAttrInterface(),
        isFolded ? 0 : factors[0].zeroPoint, factors[1].zeroPoint);
    if (isFolded)
      sum = b.subtract(sum, getColumnTerms(b));
    Value result = b.multiply(b.toF32(sum), makeScales(b));
    if (op.getBias())
      result = b.add(result, op.getBias());
    result.setType(op.getType());
    rewriter.replaceOp(op, result);
    // Both may be one op.
    llvm::SmallSetVector<Operation *, 2> dequantized;
    for (QuantizedFactor &factor : factors)
      dequantized.insert(factor.op);
    for (Operation *from : dequantized)
      if (from->use_empty())
        rewriter.eraseOp(from);
  }

private:
  /// 2^31 / (255 * 255), less what zero points add.
  static constexpr int64_t kLongestSum = 8192;

  std::string findObstacle(unsigned i) {
    auto dequantize = op->getOperand(i).getDefiningOp<DequantizeOp>();
    std::string name = "operand " + std::to_string(i);
    if (!dequantize)
      return name + " is not dequantized by constants";
    if (dequantize.getType().getRank() < 2)
      return name + " is a vector";
    QuantizedFactor factor{
        dequantize, i == 0 ? op.getTransposeA() : op.getTransposeB()};
    ArrayRef<int64_t> zps = dequantize.getZps();
    if (!llvm::all_equal(zps))
      return name + " has different zero points";
    factor.zeroPoint = zps.empty() ? 0 : zps.front();
    if (factor.zeroPoint < -128 || factor.zeroPoint > 255)
      return name + " has a zero point that 8 bits cannot hold";
    if (dequantize.getQtype() == "per_channel") {
      int64_t rank = dequantize.getType().getRank(),
              axis = dequantize.getAxis();
      axis += axis < 0 ? rank : 0;
      int64_t columns = rank - (factor.transposed ? 2 : 1);
      if (i == 0 || axis != columns)
        return name + " has a scale per element of a dimension other than "
                      "the columns of the result";
    }
    factors[i] = factor;
    return "";
  }

  static Value makeInteger(Decomposition &b, int64_t value) {
    Type element = b.rewriter.getIntegerType(32, /*isSigned=*/true);
    auto type = RankedTensorType::get({}, element);
    return b.make<ConstantOp>(
        type, DenseElementsAttr::get(type, APInt(32, value, true)));
  }

  /// The zero point of A times the sums of B's columns, as si32 that broadcast to
  /// the result. They are small enough to be exact in f32.
  Value getColumnTerms(Decomposition &b) {
    QuantizedFactor &factor = factors[1];
    Value numbers = b.toF32(factor.getIntegers());
    if (factor.zeroPoint)
      numbers = b.add(numbers, -factor.zeroPoint);
    Value sums = b.reduce<ReduceSumOp>(numbers, {factor.getReducedDim(1)});
    // [..., 1, N], whichever way B is stored.
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(sums.getType()).getShape());
    if (factor.transposed)
      std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
    Type element = b.rewriter.getIntegerType(32, /*isSigned=*/true);
    return b.make<MultiplyOp>(b.cast(b.reshape(sums, shape), element),
                              makeInteger(b, factors[0].zeroPoint));
  }

  /// The product of the scales: one, or one per column.
  Value makeScales(Decomposition &b) {
    float left = factors[0].op.getScales().front();
    SmallVector<float> scales;
    for (float right : factors[1].op.getScales())
      scales.push_back(left * right);
    auto type = RankedTensorType::get(
        scales.size() == 1 ? ArrayRef<int64_t>()
                           : ArrayRef<int64_t>(int64_t(scales.size())),
        b.rewriter.getF32Type());
    return b.make<ConstantOp>(
        type, DenseElementsAttr::get(type, ArrayRef<float>(scales)));
  }

  MatmulOp op;
  QuantizedFactor factors[2];
};

struct LowerPrecision : impl::GraphLowerPrecisionBase<LowerPrecision> {
  void runOnOperation() override {
    SmallVector<MatmulOp> worklist;
    getOperation().walk([&](MatmulOp op) { worklist.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (MatmulOp op : worklist) {
      bool isQuantized = llvm::any_of(op.getOperands(), [](Value operand) {
        return isa_and_nonnull<DequantizeOp, DynamicDequantizeOp>(
            operand.getDefiningOp());
      });
      if (!isQuantized)
        continue;
      MatmulLowering lowering(op);
      std::string obstacle = lowering.findObstacle();
      if (obstacle.empty()) {
        lowering.lower(rewriter);
        continue;
      }
      remark::missed(op->getLoc(),
                     remark::RemarkOpts::name("NotLowered")
                         .category(getArgument())
                         .function(getOperation().getName()))
          << "'graph.matmul' stays in f32" << remark::reason("{0}", obstacle);
    }
  }
};
} // namespace

} // namespace gc::graph
