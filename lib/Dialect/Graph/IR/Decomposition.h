// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What decompositions of complex ops have in common: a builder with arithmetic
// on tensors.

#ifndef GC_LIB_DIALECT_GRAPH_IR_DECOMPOSITION_H
#define GC_LIB_DIALECT_GRAPH_IR_DECOMPOSITION_H

#include "Dialect/Graph/IR/GraphOps.h"
#include "mlir/IR/TypeUtilities.h"

namespace gc::graph {

/// Builds ops at the position and location of the op that is decomposed.
class Decomposition {
public:
  Decomposition(mlir::RewriterBase &rewriter, mlir::Operation *op)
      : rewriter(rewriter), loc(op->getLoc()) {
    rewriter.setInsertionPoint(op);
  }

  template <typename Op, typename... Args>
  mlir::Value make(Args &&...args) {
    return Op::create(rewriter, loc, std::forward<Args>(args)...);
  }

  /// A rank-0 constant with the element type of `like`.
  mlir::Value scalar(double value, mlir::Value like) {
    mlir::Type element = mlir::getElementTypeOrSelf(like);
    auto type = mlir::RankedTensorType::get({}, element);
    return make<ConstantOp>(type,
                            mlir::DenseElementsAttr::get(
                                type, rewriter.getFloatAttr(element, value)));
  }

  mlir::Value multiply(mlir::Value lhs, mlir::Value rhs) {
    return make<MultiplyOp>(lhs, rhs);
  }
  mlir::Value multiply(mlir::Value lhs, double rhs) {
    return make<MultiplyOp>(lhs, scalar(rhs, lhs));
  }
  mlir::Value add(mlir::Value lhs, mlir::Value rhs) {
    return make<AddOp>(lhs, rhs);
  }
  mlir::Value add(mlir::Value lhs, double rhs) {
    return make<AddOp>(lhs, scalar(rhs, lhs));
  }
  mlir::Value subtract(mlir::Value lhs, mlir::Value rhs) {
    return make<SubtractOp>(lhs, rhs);
  }
  mlir::FloatAttr f32(double value) { return rewriter.getF32FloatAttr(value); }

  /// The tensor in another element type.
  mlir::Value cast(mlir::Value value, mlir::Type element) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    if (type.getElementType() == element)
      return value;
    return make<TypeCastOp>(
        mlir::RankedTensorType::get(type.getShape(), element), value);
  }
  mlir::Value toF32(mlir::Value value) {
    return cast(value, rewriter.getF32Type());
  }

  mlir::Value reshape(mlir::Value value, llvm::ArrayRef<int64_t> shape) {
    if (mlir::cast<mlir::RankedTensorType>(value.getType()).getShape() == shape)
      return value;
    return make<StaticReshapeOp>(value, shape);
  }

  /// Reduces the dimensions `axes`, which stay with size 1.
  template <typename Op>
  mlir::Value reduce(mlir::Value value, llvm::ArrayRef<int64_t> axes) {
    return make<Op>(value, axes, /*keep_dims=*/true);
  }
  /// Mean over the dimensions `axes`, whose sizes are static; they stay.
  mlir::Value mean(mlir::Value value, llvm::ArrayRef<int64_t> axes) {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    double count = 1;
    for (int64_t axis : axes)
      count *= type.getDimSize(axis);
    return multiply(reduce<ReduceSumOp>(value, axes), 1 / count);
  }

  mlir::RewriterBase &rewriter;
  mlir::Location loc;
};

/// Result of the arithmetic in the type of the op's result.
inline llvm::SmallVector<mlir::Value>
finish(Decomposition &b, mlir::Value value, mlir::Type type) {
  return {b.cast(value, mlir::getElementTypeOrSelf(type))};
}

/// The dividend and the divisor of softmax along a dimension, and what was
/// subtracted from the rows, which is null if nothing was.
struct SoftmaxParts {
  mlir::Value exponentials, sum, max;
};

/// Softmax of x, in f32, as basic ops.
SoftmaxParts buildSoftmax(Decomposition &b, mlir::Value x, int64_t axis,
                          SoftmaxMode mode);

/// 1 / sqrt(x + epsilon).
mlir::Value rsqrt(Decomposition &b, mlir::Value x,
                  const llvm::APFloat &epsilon);

/// A tensor normalised over some dimensions, which stay in the statistics.
struct Normalized {
  mlir::Value value, mean, variance;
};

/// Normalises x, in f32, over the dimensions `axes`, whose sizes are static.
Normalized normalize(Decomposition &b, mlir::Value x,
                     llvm::ArrayRef<int64_t> axes,
                     const llvm::APFloat &epsilon);

/// tanh(softplus(x)) is below / (below + 2) with below = (1 + e^x)^2 - 1, of x
/// that is bounded where the quotient is 1.
struct MishParts {
  mlir::Value x, exponential, below;
};
MishParts buildMishParts(Decomposition &b, mlir::Value x);

/// One value per channel in f32, in a shape that broadcasts to tensors of
/// `rank`.
mlir::Value perChannel(Decomposition &b, mlir::Value value,
                       llvm::StringRef format, int64_t rank);

/// The dimensions from `begin` on, which counts from the end if it is negative.
llvm::SmallVector<int64_t> getTrailingAxes(int64_t begin, int64_t rank);

/// The ops that an attention consists of.
struct AttentionParts {
  MatmulOp scores, product;
  mlir::Value result;
};

/// Builds them before the attention. With `sinkScale` the rows are divided by
/// their sums after the second product.
AttentionParts buildAttention(mlir::RewriterBase &rewriter, AttentionOp op,
                              bool sinkScale);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_DECOMPOSITION_H
