// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights beside the code: what is large does not go through the code
// generator and the linker.

#ifndef GC_LIB_DRIVER_CONSTANTDATA_H
#define GC_LIB_DRIVER_CONSTANTDATA_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

namespace gc {

/// Globals of this many bytes or more are data beside the code. Values of
/// smaller ones may be worth knowing to the optimiser.
inline constexpr int64_t kLargeConstantBytes = 64 * 1024;

/// Memory for a constant, uninitialised and aligned like what the runtime
/// allocates (64 bytes); null if there is not enough.
std::unique_ptr<llvm::WritableMemoryBuffer>
allocateConstant(uint64_t bytes, llvm::StringRef symbol);

/// Takes the values of large constants out of a module in the LLVM dialect:
/// private globals become declarations. The name of a buffer is the symbol
/// that the code refers to it by.
llvm::Expected<std::vector<std::unique_ptr<llvm::MemoryBuffer>>>
takeLargeConstants(mlir::ModuleOp module);

/// Makes large arrays of numbers arrays of bytes, which the code generator
/// writes at once and not number by number. Addresses stay what they are.
void storeLargeConstantsAsBytes(llvm::Module &module);

} // namespace gc

#endif // GC_LIB_DRIVER_CONSTANTDATA_H
