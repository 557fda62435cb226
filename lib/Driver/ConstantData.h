// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights beside the code: what is large does not go through the code
// generator and the linker.

#ifndef GC_LIB_DRIVER_CONSTANTDATA_H
#define GC_LIB_DRIVER_CONSTANTDATA_H

#include "Driver/JitCode.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <vector>

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace gc {

/// Globals of this many bytes or more are data beside the code. Values of
/// smaller ones may be worth knowing to the optimiser.
inline constexpr int64_t kLargeConstantBytes = 64 * 1024;

/// Gives a constant memory of its own, aligned like what the runtime allocates
/// (64 bytes): `bytes` bytes, `unit` again and again. There is no owner if
/// there is not enough memory.
void makeConstant(NamedData &constant, uint64_t bytes,
                  llvm::ArrayRef<char> unit);

/// Takes the values of large constants out of a module in the LLVM dialect:
/// private globals become declarations, as aligned as the values are. Values
/// that can be owned (SharedResources.h) stay where they are, and others are
/// copied. So are those that are not aligned to their elements, unless the fold
/// function of the graph function `entry` is the only one to read them, and
/// calls no kernel: it is made to read what is not aligned.
llvm::Expected<std::vector<NamedData>>
takeLargeConstants(mlir::ModuleOp module, llvm::StringRef entry = "");

/// Defines a constant that takeLargeConstants declared, or that is declared
/// otherwise, for code that goes to a file: as zeros that nothing may be
/// concluded from, which take no memory. fillConstants puts its bytes there.
void defineConstant(llvm::GlobalVariable &global, uint64_t bytes);

/// Writes the bytes of constants into an object file with such zeros. Those
/// that it does not have are not used.
llvm::Error fillConstants(llvm::MutableArrayRef<char> object,
                          llvm::ArrayRef<NamedData> constants);

/// Makes large arrays of numbers arrays of bytes, which the code generator
/// writes at once and not number by number. Addresses stay what they are.
void storeLargeConstantsAsBytes(llvm::Module &module);

} // namespace gc

#endif // GC_LIB_DRIVER_CONSTANTDATA_H
