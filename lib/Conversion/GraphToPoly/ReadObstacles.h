// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which graph ops become statements of scops: what GraphReader asks before it
// reads an op, and what the NPU answers to support queries, is one predicate.

#ifndef GC_LIB_CONVERSION_GRAPHTOPOLY_READOBSTACLES_H
#define GC_LIB_CONVERSION_GRAPHTOPOLY_READOBSTACLES_H

#include "Dialect/Graph/IR/GraphOps.h"

#include <optional>
#include <string>

namespace gc {

/// How an op is read.
enum class ReadKind {
  /// No statement: whoever reads the result has the number itself.
  constant,
  /// No statement: whoever reads the result reads the operand.
  view,
  contraction,
  reduction,
  elementwise,
  /// An op of another dialect, by its own interface.
  statement
};

/// How ops of this name are read; nothing for ops that are not, such as complex
/// ones.
std::optional<ReadKind> getReadKind(mlir::OperationName name);

/// The obstacle of ops that are not.
constexpr llvm::StringLiteral kUnknownSpace = "nothing on the NPU computes it";

/// The type of the elements of arrays, for elements of a tensor: signedness
/// remains in the graph. Null if the machine does not have it.
mlir::Type getArrayElement(mlir::Type element);

/// Why no array holds a tensor of this type, as a sentence; or nothing.
std::optional<std::string> findTypeObstacle(mlir::Type type);

/// Why no array holds elements of this type, as a sentence; or nothing.
std::optional<std::string> findElementObstacle(mlir::Type element);

/// For each operand of a terminator why it is not written, as a sentence; or
/// nothing.
llvm::SmallVector<std::optional<std::string>>
findReturnObstacles(mlir::Operation *terminator);

/// Why an op is not read, as a sentence; or nothing. Dialects arith and math
/// have to be loaded.
std::optional<std::string> findReadObstacle(mlir::Operation *op);

/// Whether a product of matrices is for the vector unit: its sums have one term
/// each, or it has one row and one column.
bool isProductOfVectors(graph::ContractionOpInterface op);

} // namespace gc

#endif // GC_LIB_CONVERSION_GRAPHTOPOLY_READOBSTACLES_H
