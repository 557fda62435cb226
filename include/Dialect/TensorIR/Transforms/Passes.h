// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes on Tensor IR: they carry out the decisions made in the Graph dialect.

#ifndef GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_H
#define GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_H

#include "Machine/KernelChoice.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

namespace gc::tir {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/TensorIR/Transforms/Passes.h.inc"

} // namespace gc::tir

#endif // GC_DIALECT_TENSORIR_TRANSFORMS_PASSES_H
