// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The numbers of few bits that an operand of a product was dequantized from.

#ifndef GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEQUANTIZEDOPERAND_H
#define GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEQUANTIZEDOPERAND_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <string>

namespace gc::graph {

/// The op if it converts integers to floats, else null.
QuantizationOpInterface getDequantization(mlir::Operation *op);

/// Scales and zero points of integers with one zero point for all elements that
/// share a scale, as numbers or as tensors.
struct DequantizedOperand {
  QuantizationOpInterface op;
  int64_t zeroPoint = 0;
  mlir::Value zeroPointOperand;
  llvm::SmallVector<float> scales;
  mlir::Value scaleOperand;

  /// Reads what the op says. Returns why no product has kernels for such
  /// integers, as a predicate of the operand ("has different zero points");
  /// empty if one has.
  std::string read(QuantizationOpInterface dequantization);

  mlir::Value getIntegers() { return op->getOperand(0); }
  mlir::RankedTensorType getType() {
    return mlir::cast<mlir::RankedTensorType>(getIntegers().getType());
  }
};

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_TRANSFORMS_DEQUANTIZEDOPERAND_H
