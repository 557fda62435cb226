// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attributes that an op does not have. MLIR keeps them, so that a misspelled
// attribute would silently mean the default.

#ifndef GC_LIB_DIALECT_GRAPH_IR_UNKNOWNATTRIBUTES_H
#define GC_LIB_DIALECT_GRAPH_IR_UNKNOWNATTRIBUTES_H

#include "mlir/IR/Operation.h"

namespace gc::graph {

/// Reports an attribute that the op does not define; those of dialects, whose
/// names have a dot, are allowed.
inline llvm::LogicalResult verifyNoUnknownAttributes(mlir::Operation *op) {
  for (mlir::NamedAttribute attribute : op->getDiscardableAttrs())
    if (!attribute.getName().strref().contains('.'))
      return op->emitOpError("has no attribute '")
             << attribute.getName().strref() << "'";
  return llvm::success();
}

} // namespace gc::graph

#endif // GC_LIB_DIALECT_GRAPH_IR_UNKNOWNATTRIBUTES_H
