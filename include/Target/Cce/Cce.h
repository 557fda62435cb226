// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Export of NPU programs as C text in the style of the vendor's language, for
// Simulator/Cce.h.

#ifndef GC_TARGET_CCE_CCE_H
#define GC_TARGET_CCE_CCE_H

#include "mlir/IR/BuiltinOps.h"

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace gc {

/// Writes every function of `module` with `npu.kernel`, in order: a function on
/// pointers into global memory, one intrinsic for each instruction, C loops for
/// those of scf, and a line that names the kernel, its cores and its arguments.
/// Compiled against Simulator/Cce.h it issues the instructions that
/// convert-npu-to-llvm issues, at the same cost for the front end. The kernels
/// consist of instructions on buffers with addresses; fails, with an error at
/// the op, for ops on tiles, buffers without an address, and ops that cannot be
/// expressed in C.
mlir::LogicalResult exportToCce(mlir::ModuleOp module, llvm::raw_ostream &os);

/// Registers the translation `--npu-to-cce`.
void registerCceTranslation();

} // namespace gc

#endif // GC_TARGET_CCE_CCE_H
