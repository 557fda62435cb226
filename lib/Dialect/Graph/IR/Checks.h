// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Checks that the type inference of several ops shares. Each reports what it
// finds at `loc`, under the label of the op's constraint.

#ifndef GC_LIB_DIALECT_GRAPH_IR_CHECKS_H
#define GC_LIB_DIALECT_GRAPH_IR_CHECKS_H

#include "Dialect/Graph/IR/GraphOps.h"

namespace gc::graph {

using OptionalLoc = std::optional<mlir::Location>;

/// An axis of `rank` dimensions (C1), which may count from the last one.
llvm::LogicalResult checkAxis(OptionalLoc loc, llvm::StringRef name,
                              int64_t axis, int64_t rank);

/// A number that must be positive.
llvm::LogicalResult checkPositive(OptionalLoc loc, llvm::StringRef constraint,
                                  llvm::StringRef name,
                                  const llvm::APFloat &value);

/// The number of channels; fails after reporting an unknown data format (C1) or
/// a rank without channels (C2).
mlir::FailureOr<int64_t> getChannels(OptionalLoc loc,
                                     mlir::RankedTensorType src,
                                     llvm::StringRef format);

/// Shapes and element types of what a norm scales and shifts by.
llvm::LogicalResult checkParameters(OptionalLoc loc,
                                    mlir::ValueRange parameters,
                                    mlir::Type element,
                                    llvm::ArrayRef<int64_t> shape,
                                    llvm::StringRef shapeConstraint,
                                    llvm::StringRef typeConstraint);

/// gamma and beta are there if use_affine says so.
llvm::LogicalResult checkAffine(OptionalLoc loc, size_t count, bool useAffine,
                                llvm::StringRef constraint);

/// Equal shapes.
llvm::LogicalResult checkShapes(OptionalLoc loc, llvm::StringRef constraint,
                                mlir::Type lhs, mlir::Type rhs);

/// Equal element types.
llvm::LogicalResult checkElements(OptionalLoc loc, llvm::StringRef constraint,
                                  mlir::TypeRange types);

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_CHECKS_H
