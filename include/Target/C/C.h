// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Tensor IR as C11.

#ifndef GC_TARGET_C_C_H
#define GC_TARGET_C_C_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// Writes the entry functions of a module that the phase "tensor" has left,
/// with vectors of one element, as C11 for one thread: loops on pointers that
/// include Runtime/Portable.h. `head` goes before the functions, `tail` after
/// them. The functions are static: @f becomes f_compute and, where constants
/// are folded, f_fold. Fails, with an error at the op, for what cannot be
/// expressed.
mlir::LogicalResult exportToC(mlir::ModuleOp module, llvm::StringRef head,
                              llvm::StringRef tail, llvm::raw_ostream &os);

} // namespace gc

#endif // GC_TARGET_C_C_H
