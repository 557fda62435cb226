// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "Ops.h"

using namespace gc::onnxio;

OpImporter gc::onnxio::findOp(llvm::StringRef name) {
  static const OpTable ops = [] {
    OpTable table;
    addElementwiseOps(table);
    addMatrixOps(table);
    addRowOps(table);
    addShapeOps(table);
    addWindowOps(table);
    return table;
  }();
  return ops.lookup(name);
}
