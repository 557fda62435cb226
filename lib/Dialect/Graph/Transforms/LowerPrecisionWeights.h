// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Products of floating-point numbers and constant weights of a narrower type.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONWEIGHTS_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONWEIGHTS_H

#include "DequantizedOperand.h"

namespace gc::graph {

class Decomposition;

/// Replaces a matmul by the product in f32 that its narrow second operand was
/// read for: bias and the type of the result. Erases the conversion of that
/// operand, and a cast after it, where nothing else uses them.
void replaceByProduct(Decomposition &b, MatmulOp op, mlir::Value result,
                      mlir::Operation *conversion);

/// Makes the conversion of weights part of a product: kernels convert them as
/// they multiply, so that memory holds and reads the narrow type alone.
class WeightsLowering {
public:
  WeightsLowering(MatmulOp op, const Machine &machine);

  /// Whether constant weights are converted for a src that is not such a
  /// result, or are of a floating-point type that the machine does not
  /// multiply.
  bool isCandidate() const { return static_cast<bool>(weights); }
  /// Why the product stays as it is; empty if it need not.
  std::string findObstacle();
  void lower(mlir::RewriterBase &rewriter);

private:
  /// Reads scales and zero points of integers.
  std::string read(QuantizationOpInterface from);
  std::string readOperands();

  MatmulOp op;
  /// The op that converts from the narrow type, which may be followed by a cast
  /// between floating-point types.
  mlir::Operation *conversion = nullptr;
  /// The constant in the narrow type.
  mlir::Value weights;
  /// One scale and zero point for all weights or one per column; or with
  /// `group` one per column and group. None for floats.
  DequantizedOperand integers;
  int64_t group = 0;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONWEIGHTS_H
