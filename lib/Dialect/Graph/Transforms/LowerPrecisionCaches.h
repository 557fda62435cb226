// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONCACHES_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONCACHES_H

#include "DequantizedOperand.h"

namespace gc::graph {

/// Makes the conversion of an operand that few rows read part of a product:
/// cached keys and values, as a rule. Kernels read it in its own type and
/// convert it in registers, which takes less time than memory takes to deliver
/// it in f32, and less than to write it in f32 to read it again a few times.
/// Scales are applied to the product, or to its other operand.
class CacheLowering {
public:
  explicit CacheLowering(MatmulOp op);

  /// Whether the second operand is converted from a narrow type, and neither
  /// constant nor read by many rows.
  bool isCandidate() const { return static_cast<bool>(cache); }
  /// Why the product stays as it is; empty if it need not.
  std::string findObstacle();
  void lower(mlir::RewriterBase &rewriter);

private:
  /// Reads scales and the zero point of integers.
  std::string read(QuantizationOpInterface from);
  /// Dimensions of the cache: the one that the product reduces, and that of the
  /// product's columns.
  int64_t getReducedDim();
  int64_t getColumnDim();
  mlir::RankedTensorType getType() const {
    return mlir::cast<mlir::RankedTensorType>(cache.getType());
  }

  MatmulOp op;
  /// The op that converts from the narrow type, which may be followed by a cast
  /// between floating-point types.
  mlir::Operation *conversion = nullptr;
  /// The operand in the narrow type.
  mlir::Value cache;
  /// Scales and the zero point, none for floats, and a shape of the scales that
  /// broadcasts to the cache's.
  DequantizedOperand integers;
  llvm::SmallVector<int64_t> scaleShape;
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_LOWERPRECISIONCACHES_H
