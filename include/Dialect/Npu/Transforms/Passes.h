// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes on NPU programs: from ops on tiles to instructions with addresses and
// flags.

#ifndef GC_DIALECT_NPU_TRANSFORMS_PASSES_H
#define GC_DIALECT_NPU_TRANSFORMS_PASSES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace gc::npu {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/Npu/Transforms/Passes.h.inc"

} // namespace gc::npu

#endif // GC_DIALECT_NPU_TRANSFORMS_PASSES_H
