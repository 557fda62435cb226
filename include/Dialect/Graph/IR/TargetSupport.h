// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Which ops of the dialect a target can run, for error messages and lists. A
// target registers itself with the dialect when it attaches its interfaces to
// the ops (GraphDialect::addTarget), so that the dialect does not depend on any
// target.

#ifndef GC_DIALECT_GRAPH_IR_TARGETSUPPORT_H
#define GC_DIALECT_GRAPH_IR_TARGETSUPPORT_H

#include "mlir/IR/OperationSupport.h"

#include <optional>
#include <string>

namespace gc::graph {

class TargetSupport {
public:
  virtual ~TargetSupport();

  /// The name by which tools know the target.
  virtual llvm::StringRef getName() const = 0;

  /// Whether the target decomposes complex ops and runs the simpler ones.
  virtual bool decomposes() const = 0;

  /// Why the target cannot run any op of this name, or nothing.
  virtual std::optional<std::string>
  getObstacle(mlir::OperationName name) const = 0;

  /// Why the target does not run this op, with its types, or nothing. A complex
  /// op that will be decomposed has no obstacle of its own.
  virtual std::optional<std::string> getObstacle(mlir::Operation *op) const;

  /// Why what the target compiles cannot take or return values of this type, or
  /// nothing, as where all values that its ops compute may be returned.
  virtual std::optional<std::string> getBorderObstacle(mlir::Type type) const;

  /// For each operand of a function's terminator why that, computed by
  /// supported ops, cannot be returned besides those before it, or nothing.
  virtual llvm::SmallVector<std::optional<std::string>>
  getReturnObstacles(mlir::Operation *terminator) const;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_TARGETSUPPORT_H
