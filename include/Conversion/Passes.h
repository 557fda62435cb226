// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Conversions between dialects.

#ifndef GC_CONVERSION_PASSES_H
#define GC_CONVERSION_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gc {

/// How compiled graphs are called.
enum class CallAbi { pointers, memref };

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Conversion/Passes.h.inc"

} // namespace gc

#endif // GC_CONVERSION_PASSES_H
