// Part of the GC project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A graph as C.

#ifndef GC_LIB_DRIVER_WRITEC_H
#define GC_LIB_DRIVER_WRITEC_H

#include "Driver/Driver.h"

namespace gc {

/// Writes one function as a C file for one thread, without vectors: the options
/// of the pipeline that concern threads, vectors and kernels do not count.
/// `header` is what other files include to call it, if it is not null.
llvm::Error writeC(mlir::func::FuncOp entry, const CompileOptions &options,
                   llvm::StringRef name, llvm::raw_ostream &os,
                   std::vector<Remark> &remarks, std::string *header = nullptr);

} // namespace gc

#endif // GC_LIB_DRIVER_WRITEC_H
