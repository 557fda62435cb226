// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Convolutions and reductions of windows.

#include "StructuredOps.h"

using namespace mlir;
using namespace gc;

std::optional<FailureOr<Value>>
gc::convertWindows(StructuredReduction &reduction, GraphBuilder &b) {
  return std::nullopt;
}
