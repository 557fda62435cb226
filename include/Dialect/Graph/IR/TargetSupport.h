// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a target can run of the dialect, for error messages and lists. A target
// adds its answer to the dialect where it attaches its interfaces to the ops
// (GraphDialect::addTarget), so that the dialect knows no target.

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

  /// Whether the target runs complex ops as what they decompose to.
  virtual bool decomposes() const = 0;

  /// Why the target runs no op of this name, or nothing.
  virtual std::optional<std::string>
  getObstacle(mlir::OperationName name) const = 0;

  /// Why the target does not run this op, with its types, or nothing. A complex
  /// op that will be decomposed has no obstacle of its own.
  virtual std::optional<std::string> getObstacle(mlir::Operation *op) const;
};

} // namespace gc::graph

#endif // GC_DIALECT_GRAPH_IR_TARGETSUPPORT_H
