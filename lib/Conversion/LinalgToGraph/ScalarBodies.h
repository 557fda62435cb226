// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Ops of arith and math, on scalars in the body of a structured op or on whole
// tensors, as elementwise graph ops.

#ifndef GC_LIB_CONVERSION_LINALGTOGRAPH_SCALARBODIES_H
#define GC_LIB_CONVERSION_LINALGTOGRAPH_SCALARBODIES_H

#include "Conversion/ToGraph/GraphBuilder.h"

namespace gc {

/// The graph values of scalars: each stands for the values that the scalar has
/// at all points of an iteration space, or broadcasts to them.
class ScalarBody {
public:
  /// The tensor of a block argument, or a failure.
  using GetArgument =
      llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::BlockArgument)>;

  ScalarBody(GraphBuilder &builder, GetArgument getArgument)
      : builder(builder), getArgument(getArgument) {}

  /// What `scalar`, an argument of the body or computed in it, stands for.
  mlir::FailureOr<mlir::Value> convert(mlir::Value scalar);

private:
  mlir::FailureOr<mlir::Value> convertLeaf(mlir::Value scalar);

  GraphBuilder &builder;
  GetArgument getArgument;
  llvm::DenseMap<mlir::Value, mlir::Value> values;
};

/// Finds the graph values of an op's operands.
using GetOperand =
    llvm::function_ref<mlir::FailureOr<mlir::Value>(mlir::Value)>;

/// Whether the op has no value of its own because selections by its result are
/// built at once: comparisons, and what logic makes of them.
bool isCondition(mlir::Operation *op);

/// Builds an op of arith or math.
mlir::FailureOr<mlir::Value> convertScalarOp(mlir::Operation *op,
                                             GraphBuilder &builder,
                                             GetOperand getOperand);

/// Whether the value is only read as an unsigned integer.
bool isReadAsUnsigned(mlir::Value value);

} // namespace gc

#endif // GC_LIB_CONVERSION_LINALGTOGRAPH_SCALARBODIES_H
