// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last steps of both targets, from the LLVM dialect to a file.

#ifndef GC_LIB_DRIVER_WRITECODE_H
#define GC_LIB_DRIVER_WRITECODE_H

#include "Driver/Codegen.h"
#include "Driver/Driver.h"

namespace gc {

/// Translates a module in the LLVM dialect, optimises it and writes it as LLVM
/// IR, assembly or an object file: `kind` is not EmitKind::mlir. `name` is what
/// the LLVM module is called, `tuneCpu` as for translateToLLVM().
llvm::Error writeCode(mlir::ModuleOp module, llvm::StringRef name,
                      llvm::TargetMachine &machine, EmitKind kind,
                      llvm::raw_pwrite_stream &os,
                      llvm::StringRef tuneCpu = "");

} // namespace gc

#endif // GC_LIB_DRIVER_WRITECODE_H
