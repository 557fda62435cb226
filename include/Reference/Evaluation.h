// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What an op needs to join the reference: the values it is evaluated on and the
// services of the interpreter that runs it.

#ifndef GC_REFERENCE_EVALUATION_H
#define GC_REFERENCE_EVALUATION_H

#include "Dialect/Graph/IR/GraphInterfaces.h"
#include "Reference/Tensor.h"

namespace gc::reference {

/// A value together with a bound on how far a correct implementation, computing
/// in the tensors' own element types and in another order, may be from it.
struct BoundedTensor {
  Tensor value;
  /// f32, same shape: absolute error per element, infinite where any value is
  /// right. Null: the value is exact.
  Tensor bound;
};

/// Values of an operand for which an op is well conditioned.
enum class ValueDomain { any, positive, divisor, weight, mask, probability };

/// The distribution from which random inputs of an operand are drawn.
struct InputDomain {
  ValueDomain domain = ValueDomain::any;
  /// Standard deviation of weights; largest size of other floats.
  double scale = 1;
  /// The dimension that weights are summed over, or -1: along it they add up to
  /// 0, so that a layer does not propagate the mean of its inputs, which after
  /// a few layers of relu would decide the sign of every result.
  int64_t reducedDim = -1;
  /// What integers of a mask are close to.
  double center = 0;
  /// Largest size of integers; 0: that of their type.
  double limit = 0;
};

/// A limit for integer factors of which `terms` products are summed to
/// `result`: if an op casts the sums to narrower integers, which saturates,
/// most of them must fit. 0 if none is needed.
double getFactorLimit(mlir::Value result, double terms);

/// Size of biases. A bias is the same for every row; large ones would decide
/// the sign of whole columns, and relu would leave nothing to compare.
constexpr double kBiasScale = 0.125;

/// The interpreter as ops see it.
class Evaluation {
public:
  virtual ~Evaluation();

  /// Whether results need bounds.
  virtual bool wantsBounds() const = 0;

  /// Evaluates the single block of a region on values for its arguments;
  /// `results` gets what its terminator returns.
  virtual llvm::LogicalResult
  runRegion(mlir::Region &region, llvm::ArrayRef<BoundedTensor> arguments,
            llvm::SmallVectorImpl<BoundedTensor> &results) = 0;

  /// A row-major tensor for a result of `op`, with an accompanying tensor of
  /// bounds if `bound`. Dynamic shapes, unsupported element types and lack of
  /// memory are reported at `op`.
  mlir::FailureOr<BoundedTensor> allocate(mlir::Operation *op, mlir::Type type,
                                          bool bound);

  /// The same for all results of `op`, in order, with bounds where they are
  /// wanted.
  llvm::LogicalResult
  allocateResults(mlir::Operation *op,
                  llvm::SmallVectorImpl<BoundedTensor> &results);
};

} // namespace gc::reference

#endif // GC_REFERENCE_EVALUATION_H
