// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ops.h"

using namespace gc::onnxio;

const OpEntry *gc::onnxio::findOp(llvm::StringRef domain,
                                  llvm::StringRef name) {
  static const OpTable ops = [] {
    OpTable table;
    addAttentionOps(table);
    addComparisonOps(table);
    addElementwiseOps(table);
    addFoldedOps(table);
    addGatherOps(table);
    addMathOps(table);
    addMatrixOps(table);
    addMicrosoftOps(table);
    addMovementOps(table);
    addNormOps(table);
    addQuantizeOps(table);
    addRecurrentOps(table);
    addResizeOps(table);
    addRotaryOps(table);
    addRowOps(table);
    addScatterOps(table);
    addShapeOps(table);
    addTrigOps(table);
    addWindowOps(table);
    return table;
  }();
  std::string full = domain.empty() || domain == "ai.onnx"
                         ? name.str()
                         : (domain + "." + name).str();
  auto it = ops.find(full);
  return it == ops.end() ? nullptr : &it->second;
}
