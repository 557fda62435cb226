// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef GC_DIALECT_NPU_IR_NPUOPS_TD
#define GC_DIALECT_NPU_IR_NPUOPS_TD

include "Dialect/Npu/IR/NpuBufferOps.td"
include "Dialect/Npu/IR/NpuComputeOps.td"
include "Dialect/Npu/IR/NpuMoveOps.td"

#endif // GC_DIALECT_NPU_IR_NPUOPS_TD
