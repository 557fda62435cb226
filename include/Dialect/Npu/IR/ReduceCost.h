// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What npu.reduce takes, without an op: for cost models.

#ifndef GC_DIALECT_NPU_IR_REDUCECOST_H
#define GC_DIALECT_NPU_IR_REDUCECOST_H

#include "Dialect/Npu/IR/NpuOps.h"

namespace gc::npu {

struct ReduceCost {
  /// From the first instruction until the results are visible, each step
  /// waiting for the one before it.
  int64_t cycles = 0;
  /// Bytes of UB that what the steps leave needs at a time.
  int64_t bytes = 0;
};

/// The cost of npu.reduce of `rows` rows of `columns` elements, side by side in
/// UB, to one element each. None if no sequence of instructions does it.
std::optional<ReduceCost> getReduceCost(const Machine &machine, ReduceKind kind,
                                        DType source, DType result,
                                        int64_t rows, int64_t columns);

} // namespace gc::npu

#endif // GC_DIALECT_NPU_IR_REDUCECOST_H
