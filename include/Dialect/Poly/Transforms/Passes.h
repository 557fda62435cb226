// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Passes on scops.

#ifndef GC_DIALECT_POLY_TRANSFORMS_PASSES_H
#define GC_DIALECT_POLY_TRANSFORMS_PASSES_H

#include "Dialect/Poly/IR/PolyOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace gc::poly {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "Dialect/Poly/Transforms/Passes.h.inc"

} // namespace gc::poly

#endif // GC_DIALECT_POLY_TRANSFORMS_PASSES_H
