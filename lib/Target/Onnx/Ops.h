// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The operators that are imported, and the functions that do it.

#ifndef GC_LIB_TARGET_ONNX_OPS_H
#define GC_LIB_TARGET_ONNX_OPS_H

#include "NodeBuilder.h"

namespace gc::onnxio {

using OpImporter = mlir::LogicalResult (*)(NodeBuilder &);

/// An operator.
struct OpEntry {
  OpEntry() = default;
  OpEntry(OpImporter import, Evaluator evaluator = {}, int64_t since = 7)
      : import(import), evaluator(evaluator), since(since) {}
  /// For operators that mean the same before operator set 7.
  OpEntry(OpImporter import, int64_t since) : import(import), since(since) {}

  OpImporter import = nullptr;
  /// Computes it from operands that are known, if it is elementwise.
  Evaluator evaluator;
  /// The first operator set that it means the same in.
  int64_t since = 7;
  /// Whether operands may have shapes that vary, and known operands elements
  /// that stand for sizes that vary.
  bool takesShapes = false, takesSizes = false;
};

/// The operator of a domain, empty for that of the standard; null if there is
/// none.
const OpEntry *findOp(llvm::StringRef domain, llvm::StringRef name);

/// Operators by their names. Those of other domains have theirs in front.
using OpTable = llvm::StringMap<OpEntry>;
/// Says which operators take operands of shapes that vary.
inline void takeShapes(OpTable &ops,
                       std::initializer_list<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    ops[name].takesShapes = true;
}
/// The same, and elements of known operands that are sizes that vary.
inline void takeSizes(OpTable &ops,
                      std::initializer_list<llvm::StringRef> names) {
  for (llvm::StringRef name : names)
    ops[name].takesShapes = ops[name].takesSizes = true;
}

void addAttentionOps(OpTable &ops);
void addComparisonOps(OpTable &ops);
void addElementwiseOps(OpTable &ops);
void addFoldedOps(OpTable &ops);
void addGatherOps(OpTable &ops);
void addMathOps(OpTable &ops);
void addMatrixOps(OpTable &ops);
void addMicrosoftOps(OpTable &ops);
void addMovementOps(OpTable &ops);
void addNormOps(OpTable &ops);
void addQuantizeOps(OpTable &ops);
void addRecurrentOps(OpTable &ops);
void addResizeOps(OpTable &ops);
void addRotaryOps(OpTable &ops);
void addRowOps(OpTable &ops);
void addScatterOps(OpTable &ops);
void addShapeOps(OpTable &ops);
void addTrigOps(OpTable &ops);
void addWindowOps(OpTable &ops);

} // namespace gc::onnxio

#endif // GC_LIB_TARGET_ONNX_OPS_H
